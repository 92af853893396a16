/** The shell on real processes: streams, exit codes, time limits, and an end that leaves nothing running. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
/** A second is the goal; a machine that builds beside the tests may need some more. */
const KILL_BOUND_MS = 5_000;
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

describe('a command that cannot be started', () => {
  const tooLong = `true ${'x'.repeat(3_000_000)}`;

  it.each([
    ['too long for the system', tooLong, /nothing ran: it is too long/],
    ['with a zero byte', 'echo \0', /nothing ran: a command cannot hold a zero byte/],
  ])('%s says so, in front and in the background', async (_, text, says) => {
    const inFront = await run(text);
    expect(inFront).toMatchObject({ exitCode: 127, stdout: '', interrupted: false, timedOut: false });
    expect(inFront.combined).toMatch(says);
    const task = await shell.start(command(text));
    expect((await task.done).stderr).toMatch(says);
    await task.stop();
  });
});

describe('running a command', () => {
  it('gives both streams, each alone and together in order, and the exit code', async () => {
    const chunks: ShellChunk[] = [];
    // The command goes on when what it said has arrived: two pipes have no order of their own.
    const heard = (count: number): string => join(folder, `heard-${count}`);
    const after = (count: number): string => `until [ -e '${heard(count)}' ]; do sleep 0.01; done`;
    const result = await shell.run(
      command(`echo one; ${after(1)}; echo two >&2; ${after(2)}; echo three; exit 3`),
      (chunk) => writeFileSync(heard(chunks.push(chunk)), ''),
      never,
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
    const result = await run('sleep 300 & echo $!');
    const pid = Number(result.stdout);
    expect(alive(pid)).toBe(true);
    await shell.dispose();
    expect(alive(pid)).toBe(false);
  });

  it('runs commands side by side', async () => {
    // Each ends only when all three have begun.
    const meeting = join(folder, 'meeting');
    mkdirSync(meeting);
    const meet = (name: string) =>
      run(
        `touch '${meeting}/${name}'; until [ "$(ls '${meeting}' | wc -l)" -eq 3 ]; do sleep 0.01; done; echo met`,
      );
    const results = await Promise.all([meet('a'), meet('b'), meet('c')]);
    expect(results.map((result) => result.stdout)).toEqual(['met\n', 'met\n', 'met\n']);
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
    const result = await run('echo $$; sleep 300', 1_000);
    expect(result).toMatchObject({ timedOut: true, interrupted: false });
    expect(result.stdout).toMatch(/^\d+\n$/);
    expect(alive(Number(result.stdout))).toBe(false);
  });

  it('takes a grandchild that ignores TERM, and one that left the group', async () => {
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
    await expect.poll(() => pids().length, { timeout: 15_000 }).toBe(2);
    expect(pids().every(alive)).toBe(true);
    const began = performance.now();
    control.abort();
    const result = await going;
    expect(performance.now() - began).toBeLessThan(KILL_BOUND_MS);
    expect(result.interrupted).toBe(true);
    await expect.poll(() => pids().some(alive), { timeout: KILL_BOUND_MS }).toBe(false);
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
    const background = await shell.start(command('echo $$; sleep 300', Number.POSITIVE_INFINITY));
    await expect.poll(() => background.output().stdout, { timeout: 15_000 }).toMatch(/^\d+\n$/);
    const pid = Number(background.output().stdout);
    expect(alive(pid)).toBe(true);
    const began = performance.now();
    await background.stop();
    expect(performance.now() - began).toBeLessThan(KILL_BOUND_MS);
    expect((await background.done).interrupted).toBe(true);
    expect(alive(pid)).toBe(false);
  });
});
