/** The Shell port inside VS Code: commands get the environment that the person's integrated terminal would get. */
import * as vscode from 'vscode';
import { nodeShell } from '../node/node-shell';
import type { NodeShell } from '../node/node-shell';
import { KEY_VARIABLES } from '../node/shell-environment';
import { currentWorkspace } from './workspace';

export function editorShell(): NodeShell {
  return nodeShell({ env: { ...process.env, ...terminalVariables() }, hiddenVariables: KEY_VARIABLES });
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
