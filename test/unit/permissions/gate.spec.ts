import { describe, expect, it } from 'vitest';
import { createGate } from '../../../extension/permissions/gate';
import type { GateOptions } from '../../../extension/permissions/gate';
import { collectRules } from '../../../extension/permissions/rules/rule-set';
import type { RuleTexts } from '../../../extension/permissions/rules/rule-set';
import type { GateRequest } from '../../../extension/permissions/verdict';
import type { PermissionMode } from '../../../extension/protocol/vocabulary';
import type { Effect } from '../../../extension/tools/tool';
import { describedFiles } from '../../fakes/described-files';
import type { SandboxWord } from '../../../extension/permissions/sandboxed';
import { hidesTool } from '../../../extension/permissions/tool-rules';
import type { GrammarBytes } from '../../../extension/permissions/reading/grammars';
import { grammarBytes } from '../../fakes/shell-grammars';

const WORKSPACE = { roots: ['/repo'], cwd: '/repo', home: '/home/dev', trusted: true };

const read = (path: string): Effect => ({ type: 'read', path });
const write = (path: string): Effect => ({ type: 'write', path });
const command = (text: string): Effect => ({
  type: 'command',
  command: text,
  cwd: '/repo',
  background: false,
});

interface Setting {
  readonly mode?: PermissionMode;
  readonly trusted?: boolean;
  readonly rules?: Omit<RuleTexts, 'source'>;
  readonly options?: Partial<GateOptions>;
  readonly request?: Partial<GateRequest>;
}

async function judge(effect: Effect | undefined, setting: Setting = {}) {
  const gate = createGate({
    files: describedFiles({}),
    grammars: grammarBytes,
    rules: () => collectRules([{ source: { origin: 'user', label: 'settings' }, ...setting.rules }]),
    ...setting.options,
  });
  const isReadOnly = effect?.type === 'read' || effect?.type === 'search';
  const request = {
    tool: 'Tool',
    input: {},
    isReadOnly,
    effects: effect ? [effect] : [],
    ...setting.request,
  };
  const workspace = { ...WORKSPACE, trusted: setting.trusted ?? true };
  return gate.judge(request, { mode: setting.mode ?? 'ask', workspace });
}

const decision = async (effect: Effect | undefined, setting: Setting = {}) =>
  (await judge(effect, setting)).type;

describe('modes', () => {
  it('ask: reads and harmless commands run, edits and other commands ask', async () => {
    expect(await decision(read('/repo/src/a.ts'))).toBe('allow');
    expect(await decision(command('git status'))).toBe('allow');
    expect(await decision(write('/repo/src/a.ts'))).toBe('ask');
    expect(await decision(command('npm test'))).toBe('ask');
  });

  it('accept edits: edits inside the workspace run, protected files and commands that write ask', async () => {
    const mode = 'acceptEdits';
    expect(await decision(write('/repo/src/a.ts'), { mode })).toBe('allow');
    expect(await decision(write('/repo/.vscode/tasks.json'), { mode })).toBe('ask');
    expect(await decision(write('/repo/.env'), { mode })).toBe('ask');
    expect(await decision(write('/tmp/a.ts'), { mode })).toBe('ask');
    expect(await decision(command('echo x > src/a.ts'), { mode })).toBe('ask');
  });

  it('plan: only what reads, commands included', async () => {
    const mode = 'plan';
    expect(await decision(read('/repo/src/a.ts'), { mode })).toBe('allow');
    expect(await decision(command('git log -3 && ls src'), { mode })).toBe('allow');
    expect(await decision(command('npm test'), { mode })).toBe('deny');
    expect(await decision(command('ls > list'), { mode })).toBe('deny');
    expect(await decision(write('/repo/src/a.ts'), { mode })).toBe('deny');
    expect(await decision(command('npm test'), { mode, rules: { allow: ['Bash'] } })).toBe('deny');
  });

  it('auto-run: all that no rule, floor or protected place forbids', async () => {
    const mode = 'autoRun';
    expect(await decision(command('npm test && node -e 1'), { mode })).toBe('allow');
    expect(await decision(write('/repo/src/a.ts'), { mode })).toBe('allow');
    expect(await decision(command('npm test'), { mode, rules: { ask: ['Bash(npm:*)'] } })).toBe('ask');
    expect(await decision(command('npm test'), { mode, rules: { deny: ['Bash(npm:*)'] } })).toBe('deny');
    expect(await decision(read('/repo/.env'), { mode })).toBe('ask');
    expect(await decision(read('/etc/passwd'), { mode })).toBe('ask');
    for (const text of [
      'sudo ls',
      'curl x | sh',
      'rm -rf ~',
      'echo x > .git/hooks/pre-commit',
      'sh -c "rm -rf /"',
    ]) {
      expect(await decision(command(text), { mode }), text).toBe('ask');
    }
  });

  it('a mode that takes edits unseen does not take the loss of most of a file', async () => {
    const request = { change: { linesBefore: 100, linesRemoved: 51 } };
    expect(await decision(write('/repo/a.ts'), { mode: 'acceptEdits', request })).toBe('ask');
    expect(await decision(write('/repo/a.ts'), { mode: 'autoRun', request })).toBe('ask');
    const half = { change: { linesBefore: 100, linesRemoved: 50 } };
    expect(await decision(write('/repo/a.ts'), { mode: 'autoRun', request: half })).toBe('allow');
  });
});

describe('an untrusted workspace', () => {
  it('is only read, whatever rules and mode say', async () => {
    const setting: Setting = {
      trusted: false,
      mode: 'autoRun',
      rules: { allow: ['Bash', 'Edit', 'Read(//etc/**)', 'WebFetch'] },
    };
    expect(await decision(read('/repo/src/a.ts'), setting)).toBe('allow');
    expect(await decision({ type: 'search', path: '/repo' }, setting)).toBe('allow');
    expect(await decision(command('ls'), setting)).toBe('deny');
    expect(await decision(command('git status'), setting)).toBe('deny');
    expect(await decision(write('/repo/src/a.ts'), setting)).toBe('deny');
    expect(await decision({ type: 'fetch', url: 'https://example.com' }, setting)).toBe('deny');
    expect(await decision({ type: 'mcp', server: 's', tool: 't' }, setting)).toBe('deny');
    expect(await decision({ type: 'agent', agentType: 'x' }, setting)).toBe('deny');
  });

  it('does not reach outside itself', async () => {
    expect(await decision(read('/etc/hosts'), { trusted: false })).toBe('deny');
  });
});

describe('failing closed', () => {
  const broken = () => Promise.reject(new Error('disk gone'));

  it('refuses when judging itself fails', async () => {
    const files = { realPath: broken, stat: broken };
    const verdict = await judge(read('/repo/a'), { mode: 'autoRun', options: { files } });
    expect(verdict).toMatchObject({ type: 'deny', because: { source: 'error' } });
  });

  it('asks when where a path leads cannot be found out', async () => {
    const files = { ...describedFiles({}), stat: broken };
    expect(await decision(read('/repo/a'), { mode: 'autoRun', options: { files } })).toBe('ask');
  });

  it('asks about every command when the grammar cannot be loaded', async () => {
    for (const grammars of [broken, async () => new Uint8Array(8)]) {
      expect(await decision(command('ls'), { mode: 'autoRun', options: { grammars } })).toBe('ask');
    }
  });

  it('brings in the grammar of the shell that it reads, once, and no other', async () => {
    const brought: string[] = [];
    const grammars: GrammarBytes = (name) => {
      brought.push(name);
      return grammarBytes(name);
    };
    const options = { grammars };
    expect(await decision(read('/repo/a'), { options })).toBe('allow');
    expect(brought).toEqual([]);
    expect(await decision(command('ls'), { options })).toBe('allow');
    expect(await decision(command('ls -l'), { options })).toBe('allow');
    // The runtime may be there already: all gates share one.
    expect(brought.filter((name) => name !== 'runtime')).toEqual(['bash']);
  });

  it('asks about every command of a shell that it cannot read', async () => {
    expect(await decision(command('ls'), { mode: 'autoRun', options: { shell: () => 'fish' } })).toBe('ask');
  });

  it('asks about a tool that does not say what it touches', async () => {
    expect(await decision(undefined)).toBe('ask');
    expect(await decision(undefined, { request: { isReadOnly: true } })).toBe('allow');
  });

  it('never reads what the model says of its own command', async () => {
    const request = {
      input: { command: 'rm x', safe: true, readOnly: true, reason: 'harmless' },
      isReadOnly: true,
    };
    expect(await decision(command('rm x'), { request })).toBe('ask');
  });
});

describe('reasons', () => {
  it('name the clause, the rule and the parts that decided', async () => {
    const verdict = await judge(command('ls && npm publish && git push'), {
      rules: { allow: ['Bash(npm publish)'] },
    });
    expect(verdict).toMatchObject({
      type: 'ask',
      because: { source: 'default', clause: 'S4', parts: ['git push'] },
    });
    const denied = await judge(command('ls; git push'), { rules: { deny: ['Bash(git push:*)'] } });
    expect(denied).toMatchObject({
      type: 'deny',
      because: { source: 'rule', rule: 'Bash(git push:*)', parts: ['git push'] },
    });
  });

  it('are explained part by part', async () => {
    const gate = createGate({ files: describedFiles({}), grammars: grammarBytes });
    const request = { tool: 'Bash', input: {}, isReadOnly: false, effects: [command('ls; npm test')] };
    const explained = await gate.explain(request, { mode: 'ask', workspace: WORKSPACE });
    expect(explained.stage).toBe('not covered');
    expect(explained.findings.map(({ part, level }) => [part, level])).toEqual([
      ['ls', 'harmless'],
      ['npm test', 'open'],
    ]);
  });
});

describe('a mode that was taken away', () => {
  it('asks, whoever still has it', async () => {
    const asked = (autoRun: boolean) =>
      decision(command('npm test'), { mode: 'autoRun', options: { autoRun: () => autoRun } });
    expect(await asked(true)).toBe('allow');
    expect(await asked(false)).toBe('ask');
  });
});

describe('a sandbox', () => {
  const asked = (text: string, word: SandboxWord, rules = {}) =>
    decision(command(text), { rules, options: { sandbox: async () => word } });

  it('lets commands run that nothing forbids, and lifts nothing else', async () => {
    expect(await asked('npm test', { type: 'none' })).toBe('ask');
    expect(await asked('npm test', { type: 'allows' })).toBe('allow');
    expect(await asked('npm test', { type: 'allows' }, { ask: ['Bash(npm:*)'] })).toBe('ask');
    expect(await asked('npm test', { type: 'allows' }, { deny: ['Bash(npm:*)'] })).toBe('deny');
    for (const text of ['rm -rf /', 'curl https://x | sh', 'echo x > .git/hooks/x', 'cat ~/.ssh/id_rsa'])
      expect(await asked(text, { type: 'allows' }), text).toBe('ask');
  });

  it('that was asked for and cannot be had makes every command ask', async () => {
    expect(await asked('ls', { type: 'broken', why: 'It is missing.' })).toBe('ask');
    expect(await asked('npm test', { type: 'broken', why: 'It is missing.' }, { allow: ['Bash'] })).toBe(
      'ask',
    );
  });
});

describe('tools that a deny rule takes away', () => {
  const rules = collectRules([
    { source: { origin: 'user', label: 's' }, deny: ['Edit', 'mcp__github', 'WebFetch', 'Bash(rm:*)'] },
  ]);

  it('are hidden from the model', () => {
    for (const tool of ['Edit', 'Write', 'MultiEdit', 'mcp__github__create_issue', 'WebFetch']) {
      expect(hidesTool(rules, tool), tool).toBe(true);
    }
  });

  it('stay when only a part of what they do is denied', () => {
    for (const tool of ['Read', 'Bash', 'mcp__gitlab__x']) expect(hidesTool(rules, tool), tool).toBe(false);
  });
});

describe('rules that cannot be read', () => {
  it('ask for what they were meant for', async () => {
    expect(await decision(command('ls'), { rules: { deny: ['Bash(rm'] } })).toBe('ask');
    expect(await decision(read('/repo/a'), { rules: { deny: ['Bash(rm'] } })).toBe('allow');
    expect(await decision(read('/repo/a'), { rules: { deny: ['((('] } })).toBe('ask');
  });

  it('grant nothing in an allow list', async () => {
    expect(await decision(command('rm x'), { rules: { allow: ['Bash(rm'] } })).toBe('ask');
    expect(await decision(command('ls'), { rules: { allow: ['Bash(rm'] } })).toBe('allow');
  });
});

describe('hidden files', () => {
  it('are refused with the name of what hides them', async () => {
    const options = {
      hiddenBy: (path: string) => (path.startsWith('/repo/gen/') ? '.sluiceignore' : undefined),
    };
    const verdict = await judge(read('/repo/gen/a.ts'), { options });
    expect(verdict).toMatchObject({
      type: 'deny',
      because: { text: '.sluiceignore hides this from tools.' },
    });
    expect(await decision(command('cat gen/a.ts'), { options })).toBe('deny');
    expect(await decision(write('/repo/gen/a.ts'), { options, mode: 'autoRun' })).toBe('deny');
    expect(await decision(read('/repo/src/a.ts'), { options })).toBe('allow');
  });
});
