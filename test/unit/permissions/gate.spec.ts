import { describe, expect, it } from 'vitest';
import { createGate } from '../../../extension/permissions/gate';
import { readOnlyCommand } from '../../../extension/permissions/read-only-command';
import type { Effect } from '../../../extension/tools/tool';
import type { PermissionMode } from '../../../extension/protocol/vocabulary';

const WORKSPACE = { roots: ['/repo'], cwd: '/repo', home: '/home/dev', trusted: true };

function judge(
  effect: Effect,
  mode: PermissionMode = 'ask',
  trusted = true,
  real?: (path: string) => string,
) {
  const gate = createGate({
    files: { realPath: async (path) => (real ? real(path) : path), stat: async () => undefined },
  });
  const readOnly = effect.type === 'read' || effect.type === 'search';
  const request = { tool: 'Tool', input: {}, isReadOnly: readOnly, effects: [effect] };
  return gate.judge(request, { mode, workspace: { ...WORKSPACE, trusted } }).then((verdict) => verdict.type);
}

const read = (path: string): Effect => ({ type: 'read', path });
const write = (path: string): Effect => ({ type: 'write', path });
const command = (text: string): Effect => ({
  type: 'command',
  command: text,
  cwd: '/repo',
  background: false,
});

describe('gate', () => {
  it('reads inside the workspace without asking, and asks outside', async () => {
    expect(await judge(read('/repo/src/a.ts'))).toBe('allow');
    expect(await judge(read('/repository/a.ts'))).toBe('ask');
    expect(await judge(read('/repo/../etc/passwd'))).toBe('ask');
  });

  it('asks before an edit, and allows it inside the workspace in accept edits', async () => {
    expect(await judge(write('/repo/src/a.ts'))).toBe('ask');
    expect(await judge(write('/repo/src/a.ts'), 'acceptEdits')).toBe('allow');
    expect(await judge(write('/repo/.vscode/tasks.json'), 'acceptEdits')).toBe('ask');
    expect(await judge(write('/tmp/a.ts'), 'autoRun')).toBe('ask');
  });

  it('runs nothing in plan mode', async () => {
    expect(await judge(write('/repo/src/a.ts'), 'plan')).toBe('deny');
    expect(await judge(command('npm test'), 'plan')).toBe('deny');
    expect(await judge(read('/repo/src/a.ts'), 'plan')).toBe('allow');
  });

  it('only reads inside an untrusted workspace', async () => {
    expect(await judge(read('/repo/src/a.ts'), 'autoRun', false)).toBe('allow');
    expect(await judge(read('/etc/hosts'), 'autoRun', false)).toBe('deny');
    expect(await judge(command('ls'), 'autoRun', false)).toBe('deny');
    expect(await judge(write('/repo/src/a.ts'), 'autoRun', false)).toBe('deny');
  });

  it('refuses when judging itself fails', async () => {
    const broken = () => {
      throw new Error('disk gone');
    };
    expect(await judge(read('/repo/src/a.ts'), 'autoRun', true, broken)).toBe('deny');
  });
});

describe('readOnlyCommand', () => {
  it.each(['sleep 1', 'ls', 'cat f', 'git status', 'git log --oneline -5'])('%s changes nothing', (text) => {
    expect(readOnlyCommand(text)).toBe(true);
  });
  it.each([
    'rm f',
    'ls; rm f',
    'echo a > f',
    'git push',
    'git diff --output=f',
    'cat $(x)',
    './ls',
    'A=1 ls',
  ])('%s may change something', (text) => {
    expect(readOnlyCommand(text)).toBe(false);
  });
});
