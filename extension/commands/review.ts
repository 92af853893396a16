/** Review of what a session changed: open, keep, undo; and the checkpoints behind it. */
import * as vscode from 'vscode';
import { activeReview } from '../editor/review/changes-lenses';
import type { ChangesModel, Scope } from '../editor/review/changes-model';
import type { Node } from '../editor/review/changes-tree';
import type { CommandDeps } from './register';

export async function reviewChanges({ open }: CommandDeps): Promise<void> {
  const { changes } = await open();
  await changes.refresh();
  if (changes.changes.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('This session has left nothing to review.'));
    return;
  }
  await changes.openAll();
}

export async function openChange({ open }: CommandDeps, argument: unknown): Promise<void> {
  const { changes } = await open();
  for (const node of nodesOf(changes, argument, undefined))
    await changes.openDiff(node.change, node.type === 'hunk' ? node.index : undefined);
}

/** A file or a hunk of the tree, several of them, a lens, or the diff in front. */
export async function keepChange({ open }: CommandDeps, argument: unknown, chosen: unknown): Promise<void> {
  const { changes } = await open();
  for (const node of nodesOf(changes, argument, chosen)) {
    if (node.type === 'file') await changes.keep([node.change.path]);
    else if (!(await changes.keepHunk(node.change, node.index))) sayChanged();
  }
}

export async function undoChange({ open }: CommandDeps, argument: unknown, chosen: unknown): Promise<void> {
  const { changes } = await open();
  for (const node of nodesOf(changes, argument, chosen)) {
    const reverted =
      node.type === 'file'
        ? await changes.undo([node.change.path])
        : await changes.undoHunk(node.change, node.index);
    sayLeft(reverted?.left ?? []);
  }
}

/** What the tree shows: the session, or the last turn. */
export async function keepAll({ open }: CommandDeps): Promise<void> {
  const { changes } = await open();
  await changes.keep(changes.changes.map(({ path }) => path));
}

export async function undoAll({ open }: CommandDeps): Promise<void> {
  const { changes } = await open();
  const paths = changes.changes.map(({ path }) => path);
  if (paths.length === 0) return;
  const undo =
    paths.length === 1 ? vscode.l10n.t('Undo 1 File') : vscode.l10n.t('Undo {0} Files', paths.length);
  const question =
    changes.scope === 'turn'
      ? vscode.l10n.t('Undo all that the last turn changed?')
      : vscode.l10n.t('Undo all that this session changed?');
  const detail = vscode.l10n.t('Your own edits stay. “Sluice: Undo Last Rewind or Undo” brings it back.');
  if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, undo)) !== undo) return;
  const reverted = await changes.undo(paths);
  sayLeft(reverted?.left ?? []);
}

export async function showScope({ open }: CommandDeps, scope: Scope): Promise<void> {
  const { changes } = await open();
  changes.scope = scope;
  await vscode.commands.executeCommand('setContext', 'sluice.changesOfTurn', scope === 'turn');
}

/** The newest prompts first. */
export async function rewindTo({ open }: CommandDeps): Promise<void> {
  const { chat } = await open();
  const prompts = chat.view.rows.flatMap((row) => (row.type === 'prompt' ? [row] : [])).reverse();
  if (prompts.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('This session has no prompt to rewind to.'));
    return;
  }
  const items = prompts.map(({ id, text, at }) => ({
    id,
    label: text.trim().split('\n', 1)[0] ?? '',
    description: at === 0 ? '' : new Date(at).toLocaleTimeString(),
  }));
  const title = vscode.l10n.t('Rewind to before which prompt?');
  const picked = await vscode.window.showQuickPick(items, { title, matchOnDescription: true });
  if (picked !== undefined) await chat.rewind(picked.id);
}

function nodesOf(changes: ChangesModel, argument: unknown, chosen: unknown): readonly Node[] {
  if (Array.isArray(chosen) && chosen.some(isNode)) return chosen.filter(isNode);
  if (isNode(argument)) return [argument];
  const front = activeReview();
  const change = front && changes.find(front.fsPath);
  return change === undefined ? [] : [{ type: 'file', change }];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'change' in value;
}

function sayChanged(): void {
  void vscode.window.showWarningMessage(
    vscode.l10n.t('The file has changed since; look at the change again.'),
  );
}

function sayLeft(left: readonly { readonly path: string; readonly problem?: string }[]): void {
  if (left.length === 0) return;
  const names = left.map(({ path }) => vscode.workspace.asRelativePath(path)).join(', ');
  void vscode.window.showWarningMessage(
    vscode.l10n.t('Left alone, because it was edited since or is not saved: {0}', names),
  );
}
