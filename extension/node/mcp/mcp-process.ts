/**
 * Carries the Model Context Protocol to a process of its own over its pipes, a line a message. The process and all that it started are gone when
 * it is closed; what floods is ended. It reads no message's meaning.
 */
import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { endTree, killGroupNow } from '../process-tree';
import { commandEnvironment } from '../shell-environment';

/** Of one message. */
const MOST_CHARS = 20 * 1024 * 1024;

export interface McpProcess {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface LineChannel {
  /** Resolves when the process runs. `closed` comes at most once, and not after `close`. */
  open(receive: (line: string) => void, closed: (why: string) => void): Promise<void>;
  send(line: string): Promise<void>;
  close(): Promise<void>;
}

/** `hiddenVariables`: of this process that the server must not get, such as the keys of routes. */
export function mcpProcess(
  server: McpProcess,
  log: (line: string) => void,
  hiddenVariables: readonly string[],
): LineChannel {
  let child: ChildProcessWithoutNullStreams | undefined;
  const die = (): void => {
    if (child?.pid !== undefined) killGroupNow(child.pid);
  };
  const close = async (): Promise<void> => {
    const ending = child;
    child = undefined;
    process.off('exit', die);
    if (ending?.pid === undefined) return;
    ending.stdin.end();
    await endTree(ending.pid);
  };
  return {
    open: (receive, closed) =>
      new Promise((resolve, reject) => {
        const started = begin(server, hiddenVariables);
        child = started;
        process.once('exit', die);
        const gone = (why: string): void => {
          if (child !== started) return;
          void close().finally(() => closed(why));
        };
        started.once('spawn', resolve);
        started.once('error', (error) => reject(new Error(startProblem(server.command, error))));
        started.stdin.on('error', () => undefined);
        readLines(started.stdout, receive, () => gone('It sent a message without an end.'));
        logLines(started.stderr, log);
        started.once('exit', (code, signal) =>
          // Its last words may still be on their way.
          setTimeout(
            () =>
              gone(
                code === null
                  ? `The process was ended by ${String(signal)}.`
                  : `The process ended with code ${String(code)}.`,
              ),
            50,
          ),
        );
      }),
    send: (line) =>
      new Promise((resolve, reject) => {
        if (child === undefined) return reject(new Error('The process is not running.'));
        child.stdin.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
      }),
    close,
  };
}

function begin(
  { command, args, env, cwd }: McpProcess,
  hidden: readonly string[],
): ChildProcessWithoutNullStreams {
  return spawn(command, [...args], {
    cwd,
    env: { ...commandEnvironment(process.env, hidden), ...env },
    detached: process.platform !== 'win32',
    stdio: ['pipe', 'pipe', 'pipe'],
    // What npm installs are .cmd files there, which only a shell starts.
    shell: process.platform === 'win32' && /\.(cmd|bat)$/i.test(command),
    windowsHide: true,
  });
}

function readLines(
  stream: NodeJS.ReadableStream,
  receive: (line: string) => void,
  flooded: () => void,
): void {
  const decoder = new StringDecoder('utf8');
  const parts: string[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    const lines = decoder.write(chunk).split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      const whole = [...parts, line].join('');
      parts.length = 0;
      size = 0;
      if (whole.trim() !== '') receive(whole);
    }
    parts.push(rest);
    size += rest.length;
    if (size > MOST_CHARS) flooded();
  });
}

function logLines(stream: NodeJS.ReadableStream, log: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const parts = `${rest}${chunk}`.split('\n');
    // A line without an end does not grow for ever.
    rest = (parts.pop() ?? '').slice(-4_096);
    for (const line of parts.slice(-200)) if (line.trim() !== '') log(line);
  });
}

function startProblem(command: string, error: NodeJS.ErrnoException): string {
  return error.code === 'ENOENT' ? `The program "${command}" was not found.` : error.message;
}
