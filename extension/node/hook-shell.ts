/** Runs hooks: a command in a process group of its own that gets JSON and says a little. What hangs, floods or forks is ended with all it started. */
import { spawn } from 'node:child_process';
import type { HookCommand, HookEnd, HookShell } from '../ports';
import { endTree } from './process-tree';
import { commandEnvironment, findInterpreter } from './shell-environment';

const MOST_BYTES = 1024 * 1024;

export function hookShell(hiddenVariables: readonly string[]): HookShell {
  const interpreter = findInterpreter(process.platform, process.env);
  return {
    run: (command, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const child = spawn(interpreter.file, [...interpreter.args, command.command], {
          cwd: command.cwd,
          env: { ...commandEnvironment(process.env, hiddenVariables), ...command.environment },
          detached: process.platform !== 'win32',
          stdio: ['pipe', 'pipe', 'pipe'],
          windowsHide: true,
        });
        child.once('error', reject);
        // It may end without having read all of it.
        child.stdin.on('error', () => undefined);
        child.stdin.end(command.stdin);
        follow(child, command, signal, resolve);
      }),
  };
}

type Child = ReturnType<typeof spawn>;

function follow(
  child: Child,
  command: HookCommand,
  signal: AbortSignal,
  resolve: (end: HookEnd) => void,
): void {
  const texts = { stdout: '', stderr: '' };
  let why: 'timedOut' | 'flooded' | 'interrupted' | undefined;
  let over = false;
  const finish = (exitCode: number | undefined): void => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    // What it left running goes with it.
    const gone = child.pid === undefined ? Promise.resolve() : endTree(child.pid);
    void gone.finally(() =>
      resolve({ ...texts, exitCode, timedOut: why === 'timedOut', flooded: why === 'flooded' }),
    );
  };
  const end = (reason: NonNullable<typeof why>): void => {
    why ??= reason;
    finish(undefined);
  };
  const stop = (): void => end('interrupted');
  const timer = setTimeout(() => end('timedOut'), command.timeoutMs);
  signal.addEventListener('abort', stop, { once: true });
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8');
    child[name]?.on('data', (chunk: string) => {
      if (texts[name].length + chunk.length > MOST_BYTES) end('flooded');
      else texts[name] += chunk;
    });
  }
  // Its pipes may stay open in what it left behind: a moment for the last words, no more.
  child.once('exit', (code) => setTimeout(() => finish(code ?? undefined), 50));
  child.once('close', (code) => finish(code ?? undefined));
}
