import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hookKey, hookRunner, type HookRunnerDeps } from '../../../extension/hooks/runner';
import type { HookDefinition } from '../../../extension/context/definitions/hooks';
import { hookShell } from '../../../extension/node/hook-shell';
import type { Workspace } from '../../../extension/tools/tool';

const signal = new AbortController().signal;
const hook = (more: Partial<HookDefinition>): HookDefinition => ({
  event: 'PreToolUse',
  matcher: '',
  command: 'true',
  timeoutMs: 5_000,
  origin: { scope: 'workspace', path: '/w/.sluice/hooks.json' },
  line: 1,
  ...more,
});

async function runner(
  hooks: readonly HookDefinition[],
  more: Partial<HookRunnerDeps> = {},
  workspace: Partial<Workspace> = {},
) {
  const logged: string[] = [];
  const made = hookRunner({
    shell: hookShell([]),
    log: { write: (_, message) => void logged.push(message) },
    clock: { now: () => Date.now() },
    mode: () => 'ask',
    sessionId: 's',
    transcript: '/t.jsonl',
    workspace: () => ({ roots: ['/tmp'], cwd: '/tmp', home: '/', trusted: true, ...workspace }),
    definitions: async () => hooks,
    accepted: () => true,
    ...more,
  });
  await made.userPrompt?.('hello', signal);
  return {
    pre: (tool: string) => made.preTool?.({ id: 'c', tool, input: { command: 'ls' } }, signal),
    made,
    logged,
  };
}

describe.skipIf(process.platform === 'win32')('hooks', () => {
  it('are told as JSON what is about to happen', async () => {
    const { pre } = await runner([hook({ command: 'cat >&2; exit 2' })]);
    const answer = await pre('Bash');
    expect(answer?.decision).toBe('deny');
    expect(JSON.parse(answer?.reason ?? '')).toMatchObject({
      session_id: 's',
      cwd: '/tmp',
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
    });
  });

  it('match the whole name of a tool', async () => {
    const { pre } = await runner([hook({ matcher: 'Edit|Write', command: 'exit 2' })]);
    expect(await pre('Edit')).toMatchObject({ decision: 'deny' });
    expect(await pre('MultiEdit')).toEqual({});
  });

  it('run at the same time, and deny wins', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-hooks-'));
    // Each waits for the other, so one after the other would wait for ever.
    const meets = (mine: string, other: string) =>
      `touch ${folder}/${mine}; until [ -e ${folder}/${other} ]; do sleep 0.02; done`;
    const { pre } = await runner([
      hook({ command: meets('a', 'b') }),
      hook({ command: `${meets('b', 'a')}; exit 2` }),
    ]);
    expect(await pre('Bash')).toMatchObject({ decision: 'deny' });
    rmSync(folder, { recursive: true });
  });

  it('that hang, flood or fork are ended with all they started', async () => {
    const { pre, logged } = await runner([
      hook({ command: 'sleep 31.7', timeoutMs: 200 }),
      hook({ command: 'yes' }),
      hook({ command: '(sleep 31.8 &) ; exit 0' }),
      hook({ command: 'sleep 31.8 & sleep 31.8 & wait', timeoutMs: 300 }),
    ]);
    expect(await pre('Bash')).toEqual({});
    expect(logged.filter((line) => line.includes('did not end in time'))).toHaveLength(2);
    expect(logged.filter((line) => line.includes('printed without end'))).toHaveLength(1);
    const { execFileSync } = await import('node:child_process');
    expect(execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' })).not.toMatch(/sleep 31\.[78]/);
  });

  it('never run before they were accepted word for word', async () => {
    const evil = hook({ command: 'exit 2' });
    const accepted = new Set([hookKey({ ...evil, command: 'exit 3' })]);
    const { pre } = await runner([evil], { accepted: (key) => accepted.has(key) });
    expect(await pre('Bash')).toEqual({});
    accepted.add(hookKey(evil));
    expect(await pre('Bash')).toMatchObject({ decision: 'deny' });
  });

  it('never run in a folder that is not trusted', async () => {
    const { pre } = await runner([hook({ command: 'exit 2' })], {}, { trusted: false });
    expect(await pre('Bash')).toEqual({});
  });

  it('give a prompt context, or keep it back', async () => {
    const { made } = await runner([hook({ event: 'UserPromptSubmit', command: 'echo Monday' })]);
    expect(await made.userPrompt?.('x', signal)).toEqual({ context: 'Monday' });
    const other = await runner([hook({ event: 'UserPromptSubmit', command: 'echo no >&2; exit 2' })]);
    expect(await other.made.userPrompt?.('x', signal)).toEqual({ block: 'no' });
  });

  it('ask a finished turn to go on', async () => {
    const { made } = await runner([hook({ event: 'Stop', command: 'echo more >&2; exit 2' })]);
    expect(await made.stop?.({ active: false, lastText: '' }, signal)).toEqual({
      type: 'continue',
      text: 'Stop hook feedback:\nmore',
    });
  });
});
