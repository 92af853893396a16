/** The Shell port inside VS Code: commands get the environment that the person's integrated terminal would get. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { createSandbox } from '../node/gate/sandbox';
import type { Sandbox } from '../node/gate/sandbox';
import { nodeShell } from '../node/node-shell';
import type { NodeShell } from '../node/node-shell';
import { KEY_VARIABLES } from '../node/shell-environment';
import { sandboxSettings } from './rule-settings';
import { currentWorkspace } from './workspace';

/** Commands run in `sandbox` while that is on and holds. */
export interface EditorShell {
  readonly shell: NodeShell;
  readonly sandbox: Sandbox;
}

export function editorShell(): EditorShell {
  const plain = nodeShell({
    env: { ...process.env, ...terminalVariables() },
    hiddenVariables: KEY_VARIABLES,
  });
  const sandbox = createSandbox(
    {
      platform: process.platform,
      env: process.env,
      home: homedir(),
      folder: join(homedir(), '.sluice', 'sandbox'),
      settings: sandboxSettings,
      roots: () => currentWorkspace()?.roots ?? [],
    },
    plain,
  );
  return { shell: sandbox.around(plain), sandbox };
}

/** Workspace values count only in a trusted workspace; VS Code itself sees to that for this setting. */
function terminalVariables(): Record<string, string | undefined> {
  const section = vscode.workspace.getConfiguration('terminal.integrated.env');
  const values = section.get<Record<string, unknown>>(platformName()) ?? {};
  const variables: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value === null) variables[name] = undefined;
    else if (typeof value === 'string') variables[name] = resolved(value);
  }
  return variables;
}

function platformName(): string {
  if (process.platform === 'win32') return 'windows';
  return process.platform === 'darwin' ? 'osx' : 'linux';
}

function resolved(value: string): string {
  return value
    .replace(/\$\{env:([^}]+)\}/g, (_, name: string) => process.env[name] ?? '')
    .replaceAll('${workspaceFolder}', currentWorkspace()?.cwd ?? '');
}
