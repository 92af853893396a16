import { describe, expect, it } from 'vitest';
import { agentGate, gateFor, turnGate, type GatePorts } from '../../../extension/assembly/rights';
import type { AgentDefinition } from '../../../extension/context/definitions/agents';
import { collectRules } from '../../../extension/permissions/rules/rule-set';
import type { RuleBook } from '../../../extension/permissions/sources/rule-book';
import type { GateRequest } from '../../../extension/permissions/verdict';
import { describedFiles } from '../../fakes/described-files';
import { grammarBytes } from '../../fakes/shell-grammars';
import { WORKSPACE, type Lists } from '../permissions/support';

const bash = (command: string): GateRequest => ({
  tool: 'Bash',
  input: { command },
  isReadOnly: false,
  effects: [{ type: 'command', command, cwd: '/repo', background: false }],
});

function rights(lists: Lists) {
  const rules = collectRules([{ source: { origin: 'user', label: 'settings' }, ...lists }]);
  const book = { rules: async () => rules } as unknown as RuleBook;
  const ports: GatePorts = {
    files: describedFiles({}) as unknown as GatePorts['files'],
    platform: 'linux',
    shell: { name: 'bash' } as GatePorts['shell'],
    grammars: grammarBytes,
    permissions: { book, looks: {}, notKept: () => undefined },
  };
  const base = gateFor(ports, () => rules);
  const state = { mode: 'ask', workspace: WORKSPACE } as const;
  return {
    base: async (command: string) => (await base.judge(bash(command), state)).type,
    command: async (owned: boolean, allowedTools: readonly string[], command: string) => {
      const gate = turnGate(ports, 's', base, { label: '/ship', allowedTools, owned });
      return (await gate.judge(bash(command), state)).type;
    },
    agent: async (scope: 'user' | 'workspace', tools: readonly string[] | undefined, command: string) => {
      const definition: AgentDefinition = {
        name: 'a',
        description: '',
        withoutTools: [],
        background: false,
        prompt: '',
        origin: { scope, path: '' },
        ...(tools === undefined ? {} : { tools }),
      };
      return (await agentGate(ports, base, definition).judge(bash(command), state)).type;
    },
  };
}

describe('the tools that a command names', () => {
  it('give nothing when the repository brought the file', async () => {
    const { base, command } = rights({});
    expect(await base('npm publish')).toBe('ask');
    expect(await command(false, ['Bash(npm publish)'], 'npm publish')).toBe('ask');
    expect(await command(false, ['Bash'], 'npm publish')).toBe('ask');
  });

  it('take away what the file does not name', async () => {
    const { base, command } = rights({ allow: ['Bash(npm:*)'] });
    expect(await base('npm publish')).toBe('allow');
    expect(await command(false, ['Bash(npm test)'], 'npm publish')).toBe('ask');
    expect(await command(false, ['Read'], 'npm publish')).toBe('deny');
  });

  it("are allowed for the turn when the file is the person's own, and only they", async () => {
    const { command } = rights({});
    expect(await command(true, ['Bash(npm publish)'], 'npm publish')).toBe('allow');
    expect(await command(true, ['Bash(npm publish)'], 'npm publish --tag x')).toBe('ask');
    expect(await command(true, ['Bash(npm publish)'], 'npm publish && rm -rf ~')).toBe('ask');
  });

  it('lift no deny, no ask and no floor, whoever wrote them', async () => {
    const { command } = rights({ deny: ['Bash(npm publish)'], ask: ['Bash(git push:*)'] });
    expect(await command(true, ['Bash'], 'npm publish')).toBe('deny');
    expect(await command(true, ['Bash'], 'git push')).toBe('ask');
    expect(await command(true, ['Bash'], 'rm -rf /')).toBe('ask');
  });
});

describe('the tools that an agent names', () => {
  it('only ever take away, whoever wrote the file', async () => {
    const { agent } = rights({ allow: ['Bash(npm:*)'] });
    for (const scope of ['user', 'workspace'] as const) {
      expect(await agent(scope, ['Bash(make)'], 'make')).toBe('ask');
      expect(await agent(scope, ['Bash(npm test)'], 'npm publish')).toBe('ask');
      expect(await agent(scope, ['Bash(npm test)'], 'npm test')).toBe('allow');
      expect(await agent(scope, ['Read'], 'npm test')).toBe('deny');
      expect(await agent(scope, undefined, 'npm publish')).toBe('allow');
    }
  });
});
