// What host tests share: the activated extension, waiting, and tabs.
import * as vscode from 'vscode';
import type { SluiceTestApi } from '../../extension/main';

export const EXTENSION_ID = 'sluice.sluice';

/** A second is the goal for Stop; a machine that builds beside the tests may need some more. */
export const STOP_BOUND_MS = 5_000;

export async function sluice(): Promise<SluiceTestApi> {
  const extension = vscode.extensions.getExtension<SluiceTestApi>(EXTENSION_ID);
  if (extension === undefined) throw new Error(`${EXTENSION_ID} is not installed in this window`);
  return extension.activate();
}

export async function until<T>(what: string, look: () => T | undefined | false, ms = 8_000): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`Waited ${ms} ms in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export function proposalTabs(): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(
      ({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.scheme === 'sluice-proposal',
    );
}

export function proposalUri(tab: vscode.Tab): vscode.Uri {
  if (!(tab.input instanceof vscode.TabInputTextDiff)) throw new Error('not a diff');
  return tab.input.modified;
}

export function workspaceFile(name: string): string {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (folder === undefined) throw new Error('no folder is open');
  return vscode.Uri.joinPath(folder.uri, name).fsPath;
}
