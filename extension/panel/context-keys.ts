/** The one place that sets `when` keys of our own. Keys of what a tab shows are VS Code's (`resourceScheme`, `isInDiffEditor`). */
import * as vscode from 'vscode';

interface ContextKeys {
  /** A turn runs. */
  readonly running: boolean;
  /** A question waits. */
  readonly waiting: boolean;
  /** An edit waits for Accept or Reject. */
  readonly editWaiting: boolean;
}

const last: Partial<ContextKeys> = {};

/** There is something to review. */
export function setChangesKey(some: boolean): void {
  void vscode.commands.executeCommand('setContext', 'sluice.hasChanges', some);
}

export function setContextKeys(keys: ContextKeys): void {
  for (const name of ['running', 'waiting', 'editWaiting'] as const) {
    if (last[name] === keys[name]) continue;
    Object.assign(last, { [name]: keys[name] });
    void vscode.commands.executeCommand('setContext', `sluice.${name}`, keys[name]);
  }
}
