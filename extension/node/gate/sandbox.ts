/**
 * Commands under @anthropic-ai/sandbox-runtime (`srt`) where it is installed and holds: writes only in the roots and the temporary folder,
 * no network but named hosts. It never replaces a verdict. Before it is believed it must fail to write outside and to connect.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Shell, ShellCommand } from '../../ports';
import { findOnPath, type Environment } from '../shell-environment';

export interface SandboxSettings {
  readonly enabled: boolean;
  readonly allowedHosts: readonly string[];
}

export interface SandboxOptions {
  readonly platform: NodeJS.Platform;
  readonly env: Environment;
  readonly home: string;
  /** Our own folder, for the settings that it is given and for trying it. */
  readonly folder: string;
  settings(): SandboxSettings;
  roots(): readonly string[];
}

export type SandboxState =
  | { readonly type: 'off' }
  | { readonly type: 'holds' }
  /** It was asked for and cannot be had. */
  | { readonly type: 'broken'; readonly why: string };

export interface Sandbox {
  state(): Promise<SandboxState>;
  /** Runs in the sandbox while that is on and holds. */
  around<T extends Shell>(shell: T): T;
}

const PROBE_MS = 20_000;

export function createSandbox(options: SandboxOptions, probeShell: Shell): Sandbox {
  let tried: Promise<SandboxState> | undefined;
  const state = async (): Promise<SandboxState> => {
    if (!options.settings().enabled) return { type: 'off' };
    return (tried ??= tryOut(options, probeShell));
  };
  const wrapped = async (command: ShellCommand): Promise<ShellCommand> => {
    const now = await state();
    if (now.type !== 'holds') return command;
    return { ...command, command: await inSandbox(options, command.command) };
  };
  return {
    state,
    around: (shell) =>
      new Proxy(shell, {
        get(target, name) {
          if (name === 'run')
            return async (...[command, onChunk, signal]: Parameters<Shell['run']>) =>
              target.run(await wrapped(command), onChunk, signal);
          if (name === 'start') return async (command: ShellCommand) => target.start(await wrapped(command));
          return Reflect.get(target, name) as unknown;
        },
      }),
  };
}

/** Said where it is missing; nothing is installed. */
export function sandboxProgram({ platform, env }: SandboxOptions): string | { readonly why: string } {
  if (platform === 'win32') return { why: 'It is not available on Windows.' };
  const srt = findOnPath('srt', env);
  if (srt === undefined)
    return { why: 'srt is not on the PATH. Install it with: npm install -g @anthropic-ai/sandbox-runtime' };
  const missing =
    platform === 'linux' ? ['bwrap', 'socat', 'rg'].filter((name) => !findOnPath(name, env)) : [];
  return missing.length === 0
    ? srt
    : { why: `It needs ${missing.join(', ')}, which this machine does not have.` };
}

async function tryOut(options: SandboxOptions, shell: Shell): Promise<SandboxState> {
  const program = sandboxProgram(options);
  if (typeof program !== 'string') return { type: 'broken', why: program.why };
  try {
    const why = await probe(options, shell);
    return why === undefined ? { type: 'holds' } : { type: 'broken', why };
  } catch (error) {
    return { type: 'broken', why: error instanceof Error ? error.message : String(error) };
  }
}

/** Undefined when it ran a command that could neither write outside nor connect. */
async function probe(options: SandboxOptions, shell: Shell): Promise<string | undefined> {
  const outside = join(options.folder, `probe-${randomBytes(6).toString('hex')}`);
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  let reached = false;
  const server = createServer((socket) => {
    reached = true;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  try {
    const command = `touch ${quoted(outside)}; (exec 3<>/dev/tcp/127.0.0.1/${port}); echo tried`;
    const result = await shell.run(
      {
        command: await inSandbox(options, command),
        cwd: tmpdir(),
        timeoutMs: PROBE_MS,
        spillPath: `${outside}.out`,
      },
      () => undefined,
      AbortSignal.timeout(PROBE_MS),
    );
    if (!result.stdout.includes('tried'))
      return `It could not start a command: ${(result.stderr || result.stdout).trim().slice(0, 300)}`;
    if (existsSync(outside)) return 'It does not hold: a command could write outside.';
    return reached ? 'It does not hold: a command could connect.' : undefined;
  } finally {
    server.close();
    await rm(outside, { force: true });
  }
}

async function inSandbox(options: SandboxOptions, command: string): Promise<string> {
  const program = sandboxProgram(options);
  if (typeof program !== 'string') throw new Error(program.why);
  const file = join(options.folder, 'sandbox.json');
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  await writeFile(file, JSON.stringify(configuration(options), undefined, 2), { mode: 0o600 });
  const inner = ['/bin/bash', '-c', command].map(quoted).join(' ');
  return [program, '--settings', file, '-c', inner].map(quoted).join(' ');
}

/** Reading home is off but for the roots; what says what runs stays closed to writing even inside them. */
export function configuration(options: SandboxOptions): object {
  const { home } = options;
  const roots = options.roots();
  const control = [
    '.git/hooks',
    '.git/config',
    '.vscode',
    '.claude',
    '.sluice',
    '.mcp.json',
    '.github/workflows',
  ];
  return {
    network: { allowedDomains: [...options.settings().allowedHosts], deniedDomains: [] },
    filesystem: {
      denyRead: [home],
      allowRead: [...roots],
      allowWrite: [...roots, tmpdir()],
      denyWrite: roots.flatMap((root) => control.map((name) => join(root, name))),
    },
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
