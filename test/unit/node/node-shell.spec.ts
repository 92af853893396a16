/** The shell on real processes: streams, exit codes, time limits, and an end that leaves nothing running. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { nodeShell } from '../../../extension/node/node-shell';
import type { ShellChunk } from '../../../extension/ports';

const folder = mkdtempSync(join(tmpdir(), 'sluice-shell-'));
const shell = nodeShell({
  env: { ...process.env, VSCODE_PID: '1', ELECTRON_RUN_AS_NODE: '1', ROUTE_KEY: 'secret' },
  hiddenVariables: ['ROUTE_KEY'],
});
let spills = 0;
const command = (text: string, timeoutMs = 20_000) => ({
  command: text,
  cwd: folder,
  timeoutMs,
  spillPath: join(folder, 'spill', `${spills++}.txt`),
});
const never = new AbortController().signal;
const run = (text: string, timeoutMs?: number, chunks: ShellChunk[] = []) =>
  shell.run(command(text, timeoutMs), (chunk) => chunks.push(chunk), never);

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

afterAll(async () => {
  await shell.dispose();
  rmSync(folder, { recursive: true, force: true });
});

describe('running a command', () => {
  it('gives both streams, each alone and together in order, and the exit code', async () => {
    const chunks: ShellChunk[] = [];
    const result = await run(
      'echo one; sleep 0.05; echo two >&2; sleep 0.05; echo three; exit 3',
      20_000,
      chunks,
    );
    expect(result).toMatchObject({
      exitCode: 3,
      signal: undefined,
      stdout: 'one\nthree\n',
      stderr: 'two\n',
      combined: 'one\ntwo\nthree\n',
      timedOut: false,
      interrupted: false,
    });
    expect(chunks.map((chunk) => chunk.stream)).toEqual(['stdout', 'stderr', 'stdout']);
  });

  it('runs in the given folder with an environment free of the host and of hidden variables', async () => {
    const result = await run('pwd -P; env');
    expect(result.stdout.split('\n')[0]).toBe(folder);
    expect(result.stdout).not.toMatch(/VSCODE_|ELECTRON_|ROUTE_KEY/);
  });

  it('gives no standard input, so that what asks gets an end of file', async () => {
    expect((await run('read answer || echo none')).stdout).toBe('none\n');
  });

  it('keeps characters whole that arrive in two pieces', async () => {
    const result = await run(String.raw`printf '\xe2\x82'; sleep 0.1; printf '\xac'`);
    expect(result.stdout).toBe('€');
  });

  it('says so when it cannot start', async () => {
    const result = await shell.run({ ...command('true'), cwd: join(folder, 'gone') }, () => undefined, never);
    expect(result.exitCode).toBe(127);
    expect(result.stderr).toContain(join(folder, 'gone'));
    expect((await run('echo \0')).exitCode).toBe(127);
  });

  it('reports the signal that ended it', async () => {
    expect(await run('kill -SEGV $$')).toMatchObject({ exitCode: undefined, signal: 'SIGSEGV' });
  });

  it('returns when the command ends although it left something running', async () => {
    const began = performance.now();
    const result = await run('sleep 30 & echo $!');
    expect(performance.now() - began).toBeLessThan(1_000);
    const pid = Number(result.stdout);
    expect(alive(pid)).toBe(true);
    await shell.dispose();
    expect(alive(pid)).toBe(false);
  });

  it('runs three sleeps of a second side by side in little more than a second', async () => {
    const began = performance.now();
    await Promise.all([run('sleep 1'), run('sleep 1'), run('sleep 1')]);
    expect(performance.now() - began).toBeLessThan(1_200);
  });
});

describe('large output', () => {
  it('keeps head and tail in memory and everything in the file', async () => {
    const result = await run('seq 1 200000');
    expect(result.stdout.length).toBeLessThan(300_000);
    expect(result.stdout.startsWith('1\n2\n')).toBe(true);
    expect(result.stdout.endsWith('199999\n200000\n')).toBe(true);
    expect(result.stdout).toMatch(/\[… \d+ characters left out …\]/);
    expect(result.spilled?.bytes).toBe(1_288_895);
    expect(readFileSync(result.spilled?.path ?? '', 'utf8').split('\n')).toHaveLength(200_001);
    expect(statSync(result.spilled?.path ?? '').mode & 0o077).toBe(0);
  });

  it('makes no file for output that fits', async () => {
    const wanted = command('seq 1 1000');
    expect((await shell.run(wanted, () => undefined, never)).spilled).toBeUndefined();
    expect(existsSync(wanted.spillPath)).toBe(false);
  });
});

describe('ending a command', () => {
  it('ends at the time limit and says so', async () => {
    const began = performance.now();
    const result = await run('echo before; sleep 30', 200);
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(result).toMatchObject({ timedOut: true, interrupted: false, stdout: 'before\n' });
  });

  it('takes a grandchild that ignores TERM, and one that left the group, within a second of the abort', async () => {
    const control = new AbortController();
    const chunks: ShellChunk[] = [];
    const ignoring = `bash -c "trap '' TERM; echo \\$\\$; while :; do sleep 0.1; done"`;
    const escaped = `setsid bash -c "trap '' TERM; echo \\$\\$; while :; do sleep 0.1; done"`;
    const going = shell.run(
      command(`${ignoring} & ${escaped} & wait`),
      (chunk) => chunks.push(chunk),
      control.signal,
    );
    const pids = () =>
      chunks
        .map((chunk) => chunk.text)
        .join('')
        .split('\n')
        .filter((line) => line !== '')
        .map(Number);
    await expect.poll(() => pids().length, { timeout: 5_000 }).toBe(2);
    expect(pids().every(alive)).toBe(true);
    const began = performance.now();
    control.abort();
    const result = await going;
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(result.interrupted).toBe(true);
    await expect.poll(() => pids().some(alive), { timeout: 500 }).toBe(false);
  });

  it('starts nothing when it was aborted before', async () => {
    const result = await shell.run(
      command(`touch ${join(folder, 'ran')}`),
      () => undefined,
      AbortSignal.abort(),
    );
    expect(result.interrupted).toBe(true);
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

  it('lets a command clean up after TERM', async () => {
    const control = new AbortController();
    const going = shell.run(
      command(`trap 'echo cleaned; exit 0' TERM; echo up; while :; do sleep 0.05; done`),
      (chunk) => {
        if (chunk.text.includes('up')) control.abort();
      },
      control.signal,
    );
    expect((await going).stdout).toBe('up\ncleaned\n');
  });
});

describe('a background command', () => {
  it('goes on after the call, shows its output so far, and can be stopped', async () => {
    const background = await shell.start(command('echo started; sleep 30', Number.POSITIVE_INFINITY));
    await expect.poll(() => background.output().stdout).toBe('started\n');
    const began = performance.now();
    await background.stop();
    expect(performance.now() - began).toBeLessThan(1_000);
    expect((await background.done).interrupted).toBe(true);
  });
});
