import { describe, expect, it } from 'vitest';
import { narrowedGate } from '../../../extension/permissions/narrowing';
import type { GateRequest, Verdict } from '../../../extension/permissions/verdict';
import type { PermissionMode } from '../../../extension/protocol/vocabulary';
import { gateWith, strictness, WORKSPACE, type Lists } from './support';

const bash = (command: string): GateRequest => ({
  tool: 'Bash',
  input: { command },
  isReadOnly: false,
  effects: [{ type: 'command', command, cwd: '/repo', background: false }],
});
const read = (path: string): GateRequest => ({
  tool: 'Read',
  input: { file_path: path },
  isReadOnly: true,
  effects: [{ type: 'read', path }],
});
const edit = (path: string): GateRequest => ({
  tool: 'Edit',
  input: { file_path: path },
  isReadOnly: false,
  effects: [{ type: 'write', path }],
});
const fetching: GateRequest = {
  tool: 'WebFetch',
  input: { url: 'https://example.org/' },
  isReadOnly: true,
  effects: [{ type: 'fetch', url: 'https://example.org/' }],
};
const todo: GateRequest = { tool: 'TodoWrite', input: {}, isReadOnly: false, effects: [] };
const server = (tool: string): GateRequest => ({
  tool: `mcp__files__${tool}`,
  input: {},
  isReadOnly: false,
  effects: [{ type: 'mcp', server: 'files', tool }],
});

const EVERYTHING: Lists = { allow: ['Bash(npm:*)', 'Bash(git:*)', 'Edit', 'WebFetch', 'mcp__files'] };
const options = {
  mcp: () => ({ known: true, changed: false, trusted: true, readOnlyHint: false, launch: 'files' }),
};

async function verdict(
  tools: readonly string[],
  request: GateRequest,
  { lists = EVERYTHING, mode = 'ask' }: { lists?: Lists; mode?: PermissionMode } = {},
): Promise<Verdict> {
  const gate = narrowedGate(gateWith(lists, options), {
    label: '/ship',
    tools,
    rules: gateWith({ allow: tools }, options),
  });
  return gate.judge(request, { mode, workspace: WORKSPACE });
}

describe('a file that names tools', () => {
  it.each<[readonly string[], GateRequest, Verdict['type']]>([
    // what is named as a whole is as it was
    [['Bash'], bash('npm test'), 'allow'],
    [['Edit'], edit('/repo/a.ts'), 'allow'],
    [['Edit'], bash('npm test'), 'deny'],
    [['Read'], edit('/repo/a.ts'), 'deny'],
    [[], bash('npm test'), 'deny'],
    // one name speaks for its whole family, as in every rule
    [['PowerShell'], bash('npm test'), 'allow'],
    // what is named in part, only in part
    [['Bash(npm test:*)'], bash('npm test'), 'allow'],
    [['Bash(npm test:*)'], bash('npm run build'), 'ask'],
    [['Bash(npm test:*)'], bash('npm test && git push'), 'ask'],
    [['Bash(npm test:*)', 'Bash(git push:*)'], bash('npm test && git push'), 'allow'],
    [['Edit(src/**)'], edit('/repo/src/a.ts'), 'allow'],
    [['Edit(src/**)'], edit('/repo/test/a.ts'), 'ask'],
    [['mcp__files__list'], server('list'), 'allow'],
    [['mcp__files__list'], server('remove'), 'deny'],
    [['mcp__files'], server('remove'), 'allow'],
    [['WebFetch(domain:other.org)'], fetching, 'ask'],
    // looking and the session's own books need no name
    [['Bash(npm test:*)'], read('/repo/a.ts'), 'allow'],
    [['Bash(npm test:*)'], todo, 'allow'],
    [['Bash(npm test:*)'], fetching, 'deny'],
    // what cannot be read names nothing
    [['Bash(npm test'], bash('npm test'), 'deny'],
  ])('%j: %j', async (tools, request, expected) => {
    expect((await verdict(tools, request)).type).toBe(expected);
  });

  it('never lifts what the one that started it would be asked or refused', async () => {
    const requests = [bash('npm test'), bash('rm -rf /'), read('/etc/passwd'), edit('/repo/a.ts'), fetching];
    const lists: readonly Lists[] = [{}, EVERYTHING, { deny: ['Bash'] }, { ask: ['Edit'], allow: ['Bash'] }];
    const named = [['Bash', 'Edit', 'Read', 'WebFetch'], ['Bash(npm test)'], ['Read(//etc/**)'], []];
    for (const mode of ['ask', 'acceptEdits', 'plan', 'autoRun'] as const)
      for (const rules of lists)
        for (const request of requests) {
          const given = await gateWith(rules).judge(request, { mode, workspace: WORKSPACE });
          for (const tools of named)
            expect(
              strictness(await verdict(tools, request, { lists: rules, mode })),
              JSON.stringify([mode, rules, request.input, tools]),
            ).toBeGreaterThanOrEqual(strictness(given));
        }
  });

  it('limits auto-run too', async () => {
    expect((await verdict(['Bash(npm test)'], bash('npm start'), { mode: 'autoRun' })).type).toBe('ask');
    expect((await verdict(['Bash(npm test)'], bash('npm test'), { mode: 'autoRun' })).type).toBe('allow');
  });

  it('says so, and offers no rule that would not help', async () => {
    const gate = narrowedGate(gateWith(EVERYTHING), { label: '/ship', tools: ['Bash(npm test)'] });
    const state = { mode: 'ask', workspace: WORKSPACE } as const;
    expect((await gate.judge(bash('git push'), state)).because.text).toBe(
      '/ship names only Bash(npm test) of Bash.',
    );
    expect(await gate.suggest?.(bash('git push'), state)).toEqual([]);
    expect((await gate.judge(edit('/repo/a.ts'), state)).because.text).toBe(
      '/ship may not use Edit; its file names Bash(npm test).',
    );
  });
});
