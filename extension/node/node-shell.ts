/**
 * The Shell port on `child_process`: each command in a process group of its own, both streams, bounded memory, and an end that takes
 * everything with it. It decides nothing about what may run.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { BackgroundCommand, Shell, ShellChunk, ShellCommand, ShellResult } from '../ports';
import { outputLog } from './output-log';
import type { OutputLog } from './output-log';
import { endTree, killGroupNow } from './process-tree';
import { commandEnvironment, findInterpreter } from './shell-environment';
import type { Environment, Interpreter } from './shell-environment';

/** After a command has ended its pipes can stay open, held by what it left running; output is awaited this long and no longer. */
const QUIET_MS = 100;
const LINGER_MS = 1_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface NodeShellOptions {
  /** Default: that of this process. */
  readonly env?: Environment;
  /** Names of variables that commands must not see, such as those that hold the key of a route. */
  readonly hiddenVariables?: readonly string[];
}

export interface NodeShell extends Shell {
  /** Ends everything that still runs, also what commands left behind. */
  dispose(): Promise<void>;
  /** The same without waiting, for an exit handler. */
  killNow(): void;
}

export function nodeShell(options: NodeShellOptions = {}): NodeShell {
  const env = options.env ?? process.env;
  const interpreter = findInterpreter(process.platform, env);
  const host: Host = {
    interpreter,
    environment: () => commandEnvironment(env, options.hiddenVariables ?? []),
    groups: new Set(),
  };
  return {
    name: interpreter.name,
    run: (command, onChunk, signal) => runToEnd(host, command, onChunk, signal),
    start: (command) => Promise.resolve(startInBackground(host, command)),
    async dispose() {
      await Promise.all([...host.groups].map((group) => endTree(group)));
      host.groups.clear();
    },
    killNow() {
      for (const group of host.groups) killGroupNow(group);
    },
  };
}

interface Host {
  readonly interpreter: Interpreter;
  environment(): Record<string, string>;
  /** Leaders of the groups that run or have left something running. */
  readonly groups: Set<number>;
}

interface Running {
  readonly log: OutputLog;
  readonly done: Promise<ShellResult>;
  /** Ends the group; the result says why. */
  stop(why: 'interrupted' | 'timedOut'): Promise<void>;
}

async function runToEnd(
  host: Host,
  command: ShellCommand,
  onChunk: (chunk: ShellChunk) => void,
  signal: AbortSignal,
): Promise<ShellResult> {
  if (signal.aborted) return { ...NOTHING, interrupted: true };
  const running = launch(host, command, onChunk);
  const stop = (): void => void running.stop('interrupted');
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await running.done;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function startInBackground(host: Host, command: ShellCommand): BackgroundCommand {
  const running = launch(host, command, () => undefined);
  return {
    id: randomBytes(4).toString('hex'),
    output: () => ({
      stdout: running.log.text('stdout'),
      stderr: running.log.text('stderr'),
      combined: running.log.text('both'),
    }),
    done: running.done,
    async stop() {
      await running.stop('interrupted');
      await running.done;
    },
  };
}

const NOTHING: ShellResult = {
  exitCode: undefined,
  signal: undefined,
  stdout: '',
  stderr: '',
  combined: '',
  timedOut: false,
  interrupted: false,
  durationMs: 0,
};

function launch(host: Host, command: ShellCommand, onChunk: (chunk: ShellChunk) => void): Running {
  const began = performance.now();
  const log = outputLog(command.spillPath);
  const child = spawned(host, command);
  if (child instanceof Error) return neverRan(log, child, command.cwd);
  const group = child.pid;
  if (group !== undefined) host.groups.add(group);
  const flow = pump(child, log, onChunk);
  const ended = { interrupted: false, timedOut: false };
  let ending: Promise<void> | undefined;
  const stop = (why: 'interrupted' | 'timedOut'): Promise<void> => {
    if (ending) return ending;
    ended[why] = true;
    ending = group === undefined ? Promise.resolve() : endTree(group);
    return ending;
  };
  const timer =
    command.timeoutMs <= LONGEST_TIMER_MS
      ? setTimeout(() => void stop('timedOut'), command.timeoutMs)
      : undefined;
  const finish = async (): Promise<ShellResult> => {
    const exit = await exitOf(child, command.cwd);
    const closed = await flow.settled();
    clearTimeout(timer);
    // A stop is over when all of the group is gone, not when its leader is.
    await ending;
    if (group !== undefined && (closed || ending)) host.groups.delete(group);
    const spilled = await log.finish();
    return {
      exitCode: exit.code,
      signal: exit.signal,
      stdout: log.text('stdout'),
      stderr: exit.problem ?? log.text('stderr'),
      combined: exit.problem ?? log.text('both'),
      timedOut: ended.timedOut,
      interrupted: ended.interrupted,
      ...(spilled && { spilled }),
      durationMs: performance.now() - began,
    };
  };
  return { log, stop, done: finish() };
}

/** Node throws at once for what no system call could pass on: a zero byte, or more text than the system takes. */
function spawned(host: Host, { command, cwd, environment }: ShellCommand): Spawned | Error {
  try {
    return spawn(host.interpreter.file, [...host.interpreter.args, command], {
      cwd,
      env: { ...host.environment(), ...environment },
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

type Spawned = ReturnType<typeof spawn>;

function neverRan(log: OutputLog, error: Error, cwd: string): Running {
  const problem = `The command could not be started in ${cwd}, nothing ran: ${whyNot(error)}`;
  const finish = async (): Promise<ShellResult> => {
    await log.finish();
    return { ...NOTHING, exitCode: 127, stderr: problem, combined: problem };
  };
  return { log, stop: async () => undefined, done: finish() };
}

function whyNot(error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'E2BIG' || code === 'ENAMETOOLONG')
    return 'it is too long. Write the long part to a file first and let a short command use that.';
  if (code === 'ERR_INVALID_ARG_VALUE') return 'a command cannot hold a zero byte.';
  return error.message;
}

interface Exit {
  readonly code: number | undefined;
  readonly signal: string | undefined;
  /** The command could not be started at all. */
  readonly problem?: string;
}

function exitOf(child: ChildProcess, cwd: string): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code: code ?? undefined, signal: signal ?? undefined }));
    child.once('error', (error) =>
      resolve({
        code: 127,
        signal: undefined,
        problem: `The command could not be started in ${cwd}: ${error.message}`,
      }),
    );
  });
}

interface Flow {
  /** After the exit: resolves when the output has ended (true) or is held open by something that goes on (false). */
  settled(): Promise<boolean>;
}

function pump(child: ChildProcess, log: OutputLog, onChunk: (chunk: ShellChunk) => void): Flow {
  const pipes = [child.stdout, child.stderr].filter((pipe) => pipe !== null);
  let over = false;
  let paused = false;
  let lastData = performance.now();
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  const listen = (pipe: Readable, stream: ShellChunk['stream']): void => {
    pipe.on('error', () => undefined);
    pipe.on('data', (bytes: Buffer) => {
      if (over) return;
      lastData = performance.now();
      const { text, ready } = log.add(stream, bytes);
      if (text !== '') onChunk({ stream, text });
      if (ready || paused) return;
      paused = true;
      for (const one of pipes) one.pause();
      void log.drained().then(() => {
        paused = false;
        lastData = performance.now();
        for (const one of pipes) one.resume();
      });
    });
  };
  if (child.stdout) listen(child.stdout, 'stdout');
  if (child.stderr) listen(child.stderr, 'stderr');
  return {
    async settled() {
      const exited = performance.now();
      let waits = true;
      const quiet = async (): Promise<boolean> => {
        while (waits) {
          await new Promise((resolve) => setTimeout(resolve, QUIET_MS / 4));
          const now = performance.now();
          if (!paused && (now - Math.max(lastData, exited) > QUIET_MS || now - exited > LINGER_MS)) break;
        }
        return false;
      };
      const all = await Promise.race([closed.then(() => true), quiet()]);
      waits = false;
      over = true;
      if (!all) letGo(child);
      return all;
    },
  };
}

/** What a command left running may go on; it must neither keep this process alive nor fill a pipe that nobody reads. */
function letGo(child: ChildProcess): void {
  child.unref();
  for (const pipe of [child.stdout, child.stderr]) {
    pipe?.resume();
    if (pipe instanceof Socket) pipe.unref();
  }
}
