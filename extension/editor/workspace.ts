/** The open folders and whether they are trusted, in the words that the pure rooms use. */
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { Workspace } from '../tools/tool';

/** Undefined while no folder of this machine is open. */
export function currentWorkspace(): Workspace | undefined {
  const roots = (vscode.workspace.workspaceFolders ?? [])
    .filter((folder) => folder.uri.scheme === 'file')
    .map((folder) => folder.uri.fsPath);
  const [cwd] = roots;
  if (cwd === undefined) return undefined;
  return { roots, cwd, home: homedir(), trusted: vscode.workspace.isTrusted };
}

export interface WorkspaceState {
  readonly state: 'ready' | 'untrusted' | 'no_folder';
  readonly name: string;
}

export function workspaceState(): WorkspaceState {
  const name = vscode.workspace.name ?? '';
  if (currentWorkspace() === undefined) return { state: 'no_folder', name };
  return { state: vscode.workspace.isTrusted ? 'ready' : 'untrusted', name };
}

/** Calls back when folders come or go and when the person trusts the workspace. */
export function onWorkspaceChange(listener: () => void): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeWorkspaceFolders(listener),
    vscode.workspace.onDidGrantWorkspaceTrust(listener),
  );
}
