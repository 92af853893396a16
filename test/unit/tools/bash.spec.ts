/** Bash and the tools for what it leaves running, on real processes. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { nodeFiles } from '../../../extension/node/node-files';
import { nodeShell } from '../../../extension/node/node-shell';
import { bashTool } from '../../../extension/tools/bash';
import { backgroundTasks } from '../../../extension/tools/commands/background';
import { taskOutputTool } from '../../../extension/tools/task-output';
import { taskStopTool } from '../../../extension/tools/task-stop';
import type { ToolContext } from '../../../extension/tools/tool';
import { failureOf, textOf, toolContext } from '../../fakes/tool-context';

const folder = mkdtempSync(join(tmpdir(), 'sluice-bash-'));
const shell = nodeShell();
const tasks = backgroundTasks();
const bash = bashTool({ tasks, readOnlyCommand: (command) => command.startsWith('ls') });
let calls = 0;
const context = (more: Partial<ToolContext> = {}): ToolContext =>
  toolContext({
    shell,
    files: nodeFiles(),
    workspace: { roots: [folder], cwd: folder, home: folder, trusted: true },
    spillFolder: join(folder, 'spill'),
    callId: `call-${calls++}`,
    ...more,
  });
const run = async (command: string, more: { timeout?: number } = {}) => {
  const output = await bash.run({ command, ...more }, context());
  return { text: textOf(bash, output), envelope: bash.forTranscript(output), summary: bash.summary(output) };
};
const fail = (command: string, more: { timeout?: number } = {}) =>
  failureOf(bash.run({ command, ...more }, context()));

afterAll(async () => {
  await shell.dispose();
  rmSync(folder, { recursive: true, force: true });
});

it('does not promise the model a shell that this machine may not have', () => {
  expect(bash.description).not.toMatch(/with bash/);
});

describe('Bash', () => {
  it('gives the output of both streams in order, and the envelope of the format', async () => {
    const { text, envelope, summary } = await run('echo out; sleep 0.05; echo err >&2');
    expect(text).toBe('out\nerr');
    expect(envelope).toEqual({
      stdout: 'out\nerr',
      stderr: '',
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
    });
    expect(summary).toEqual({ text: 'exit 0', exitCode: 0, body: 'out\nerr\n' });
  });

  it('starts every call in the working folder', async () => {
    await run('cd /; pwd');
    expect((await run('pwd -P')).text).toBe(folder);
  });

  it('says so when a command prints nothing', async () => {
    const { text, envelope } = await run(`mkdir -p sub`);
    expect(text).toBe('(The command printed nothing and succeeded.)');
    expect(envelope).toMatchObject({ stdout: '', noOutputExpected: true });
  });

  it('fails with the exit code on the first line', async () => {
    const failure = await fail('echo before; echo why >&2; exit 3');
    expect(failure.kind).toBe('exit');
    expect(failure.message).toBe('Exit code 3\nbefore\nwhy');
    expect(failure.data.summary).toEqual({ text: 'exit 3', exitCode: 3, body: 'before\nwhy\n' });
    expect(failure.data.transcript).toBeUndefined();
  });

  it('tells the signal that ended a command', async () => {
    expect((await fail('kill -SEGV $$')).message).toBe('Exit code 139\nEnded by SIGSEGV');
  });

  it.each([
    ['grep nothing /dev/null', 'No matches found'],
    ['cat /dev/null | grep -c "a b"', '0\n(No matches found)'],
    ['true && diff /dev/null /etc/hostname >/dev/null', 'Files differ'],
    ['test -e nosuch', 'Condition is false'],
  ])('takes the answer of %s for an answer', async (command, text) => {
    expect((await run(command)).text).toBe(text);
  });

  it.each([
    'grep x nosuchfile',
    'sh -c "exit 1"',
    'grep x /dev/null && false',
    '(grep x /dev/null)',
    'false',
  ])('but %s for a failure', async (command) => {
    expect((await fail(command)).kind).toBe('exit');
  });

  it('ends at the time limit', async () => {
    const failure = await fail('echo a; sleep 20', { timeout: 300 });
    expect(failure.kind).toBe('timeout');
    expect(failure.message).toBe('Exit code 143\nCommand timed out after 0.3s\na');
  });

  it('passes output on while the command runs, and stops when told', async () => {
    const control = new AbortController();
    const seen: unknown[] = [];
    const failure = await failureOf(
      bash.run(
        { command: 'echo up; sleep 20' },
        context({
          signal: control.signal,
          progress: (chunk) => {
            seen.push(chunk);
            control.abort();
          },
        }),
      ),
    );
    expect(seen).toEqual([{ stream: 'stdout', text: 'up\n' }]);
    expect(failure.kind).toBe('interrupted');
    expect(failure.message).toContain('stopped before it ended.\nup');
  });

  it('keeps colours for the person and not for the model', async () => {
    const { text, summary } = await run(String.raw`printf '\033[31mred\033[0m \033]0;title\007x\n'`);
    expect(text).toBe('red x');
    expect(summary.body).toContain('\u001b[31mred');
  });

  it.each([
    ['more than the model gets', 'seq 1 10000', 48_894],
    ['more than fits in memory', 'seq 1 100000', 588_895],
  ])('puts %s into a file', async (_name, command, bytes) => {
    const { text, envelope } = await run(command);
    const path = /Full output saved to: (.*)/.exec(text)?.[1] ?? '';
    expect(text.startsWith('<persisted-output>\nOutput too large (')).toBe(true);
    expect(text).toContain('Preview (first 2KB):\n1\n2\n');
    expect(text).toContain(command.endsWith('100000') ? '\n99999\n100000\n' : '\n9999\n10000\n');
    expect(text.length).toBeLessThan(9_000);
    const saved = readFileSync(path, 'utf8');
    expect(saved.split('\n')[9_999]).toBe('10000');
    expect(Math.abs(saved.length - bytes)).toBeLessThanOrEqual(1);
    expect(envelope).toMatchObject({ persistedOutputPath: path, persistedOutputSize: saved.length });
  });

  it('puts the large output of a failure into a file too', async () => {
    const failure = await fail('seq 1 10000; exit 2');
    expect(failure.message.startsWith('Exit code 2\n<persisted-output>\n')).toBe(true);
    expect(failure.data.summary?.body?.endsWith('9999\n10000\n')).toBe(true);
    expect(failure.data.summary?.body?.length).toBeLessThanOrEqual(8_000);
  });

  it('shows an image that a command prints', async () => {
    const { text, envelope } = await run('echo "data:image/png;base64,aGVsbG8="');
    expect(text).toBe('[image image/png]');
    expect(envelope).toMatchObject({ isImage: true });
  });

  it('is read-only and may overlap as the gate says, never in the background', () => {
    expect(bash.isReadOnly({ command: 'ls' })).toBe(true);
    expect(bash.isConcurrencySafe({ command: 'ls' })).toBe(true);
    expect(bash.isConcurrencySafe({ command: 'touch a' })).toBe(false);
    expect(bash.isReadOnly({ command: 'ls', run_in_background: true })).toBe(false);
  });
});

describe('a command in the background', () => {
  const output = taskOutputTool(tasks);
  const stop = taskStopTool(tasks);
  const start = async (command: string): Promise<string> => {
    const started = await bash.run({ command, run_in_background: true }, context());
    return /ID: (\w+)/.exec(textOf(bash, started))?.[1] ?? '';
  };
  const look = async (task_id: string, more: { block?: boolean; timeout?: number } = {}) => {
    const seen = await output.run({ task_id, ...more }, context());
    return { text: textOf(output, seen), envelope: output.forTranscript(seen) };
  };

  it('goes on, shows what is new at every look, and its end', async () => {
    const id = await start('echo one; sleep 0.4; echo two; exit 4');
    await expect.poll(() => tasks.get(id)?.output()).toBe('one\n');
    expect(tasks.running()).toEqual(['echo one; sleep 0.4; echo two; exit 4']);
    expect((await look(id, { block: false })).text).toBe('The task is still running.\n\none');
    const last = await look(id);
    expect(last.text).toBe('The task has ended: failed, exit code 4.\n\ntwo');
    expect(last.envelope).toEqual({
      retrieval_status: 'success',
      task: {
        task_id: id,
        task_type: 'local_bash',
        status: 'failed',
        description: 'echo one; sleep 0.4; echo two; exit 4',
        output: 'two',
        exitCode: 4,
      },
    });
    expect(tasks.running()).toEqual([]);
  });

  it('is waited for no longer than asked', async () => {
    const id = await start('sleep 30');
    const { text, envelope } = await look(id, { timeout: 50 });
    expect(text).toContain('still running after the wait');
    expect(envelope).toMatchObject({ retrieval_status: 'timeout' });
    const stopped = await stop.run({ task_id: id }, context());
    expect(textOf(stop, stopped)).toBe(`Stopped task ${id} (sleep 30).`);
    expect(stop.forTranscript(stopped)).toMatchObject({
      task_id: id,
      task_type: 'local_bash',
      command: 'sleep 30',
    });
    expect(textOf(stop, await stop.run({ task_id: id }, context()))).toContain('had ended already');
  });

  it('is told by its right name when the id is wrong', async () => {
    const failure = await failureOf(output.run({ task_id: 'nope' }, context()));
    expect(failure.message).toMatch(/no background task nope\. Known: \w+ \(/);
  });

  it('is ended with the session', async () => {
    const id = await start('sleep 30');
    await tasks.stopAll();
    expect(tasks.get(id)?.end()).toMatchObject({ status: 'stopped' });
  });
});
