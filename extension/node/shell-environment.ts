/** Which program interprets commands, and the environment they get: the user's own, without what belongs to VS Code or to Sluice itself. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface Interpreter {
  /** For the system prompt and the tool's description. */
  readonly name: 'bash' | 'sh' | 'powershell';
  readonly file: string;
  /** Come before the command itself. */
  readonly args: readonly string[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function findInterpreter(platform: NodeJS.Platform, env: Environment): Interpreter {
  if (platform === 'win32') {
    const file = findOnPath('pwsh.exe', env) ?? 'powershell.exe';
    return { name: 'powershell', file, args: ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command'] };
  }
  const bash = ['/bin/bash', '/usr/bin/bash'].find(isExecutable) ?? findOnPath('bash', env);
  return bash ? { name: 'bash', file: bash, args: ['-c'] } : { name: 'sh', file: '/bin/sh', args: ['-c'] };
}

/** Absolute path of a program on PATH. */
export function findOnPath(program: string, env: Environment): string | undefined {
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Hold keys of model providers, which are for requests and not for commands. */
export const KEY_VARIABLES: readonly string[] = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'OPENAI_API_KEY',
  'OLLAMA_API_KEY',
];

const HOST_VARIABLE = /^(VSCODE_|ELECTRON_)/;

/**
 * Nobody sits at the command: pagers and editors that wait for a key would hang it. `hidden` names variables that must not reach
 * commands, such as the key of a route.
 */
export function commandEnvironment(env: Environment, hidden: readonly string[]): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && !HOST_VARIABLE.test(name) && !hidden.includes(name)) kept[name] = value;
  // A debugger that VS Code attached to its own host must not attach to every command.
  if (/js-debug|vscode|bootloader/i.test(kept['NODE_OPTIONS'] ?? '')) delete kept['NODE_OPTIONS'];
  return {
    ...kept,
    TERM: 'dumb',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'true',
    GIT_TERMINAL_PROMPT: '0',
    SLUICE: '1',
  };
}
