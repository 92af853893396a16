/** What the person is asked before a rewind: what of it, and which files, with what will become of each. It changes nothing. */
import * as vscode from 'vscode';
import { unreachable } from '../../protocol/vocabulary';
import type { PlannedFile } from '../../review/revert';
import type { RewindWhat } from './rewind';

export async function pickWhat(
  prompt: string,
  plan: readonly PlannedFile[],
): Promise<RewindWhat | undefined> {
  const files = plan.filter(({ type }) => type !== 'conflict').map(({ path }) => nameOf(path));
  const preview =
    files.length === 0
      ? vscode.l10n.t('No file was changed since')
      : files.length === 1
        ? vscode.l10n.t('1 file: {0}', files[0] ?? '')
        : vscode.l10n.t('{0} files: {1}', files.length, files.slice(0, 6).join(', '));
  const item = (label: string, what: RewindWhat, detail: string) => ({ label, what, detail });
  const both = item(`$(discard) ${vscode.l10n.t('Files and conversation')}`, 'both', preview);
  const talk = item(
    `$(comment-discussion) ${vscode.l10n.t('Conversation only')}`,
    'conversation',
    vscode.l10n.t('Files stay as they are; the prompt comes back into the message box'),
  );
  const only = item(`$(files) ${vscode.l10n.t('Files only')}`, 'files', preview);
  const fork = item(
    `$(repo-forked) ${vscode.l10n.t('Fork from here')}`,
    'fork',
    vscode.l10n.t('A new session with what was said before; nothing else changes'),
  );
  const title = vscode.l10n.t('Rewind to before “{0}”', prompt.trim().slice(0, 60));
  const items = plan.length === 0 ? [talk, fork] : [both, only, talk, fork];
  return (await vscode.window.showQuickPick(items, { title, matchOnDetail: true }))?.what;
}

/** The files that are to be put back, and with them what cannot be: it is named again afterwards. */
export async function pickFiles(plan: readonly PlannedFile[]): Promise<readonly PlannedFile[] | undefined> {
  if (plan.length === 0) return plan;
  const items = plan.map((file) => ({
    label: `${file.type === 'conflict' ? '$(warning)' : '$(file)'} ${nameOf(file.path)}`,
    description: fateWords(file),
    picked: file.type !== 'conflict',
    file,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('What will change'),
    placeHolder: vscode.l10n.t('Files that are ticked are put back'),
    canPickMany: true,
  });
  if (picked === undefined) return undefined;
  const chosen = new Set(picked.map(({ file }) => file));
  return plan.filter((file) => file.type === 'conflict' || chosen.has(file));
}

function nameOf(path: string): string {
  return vscode.workspace.asRelativePath(path);
}

function fateWords(file: PlannedFile): string {
  switch (file.type) {
    case 'restore':
      return vscode.l10n.t('gets its earlier content');
    case 'create':
      return vscode.l10n.t('is made again');
    case 'delete':
      return vscode.l10n.t('is deleted: it was not there before');
    case 'merge':
      return vscode.l10n.t('gets its earlier content; your later edits stay');
    case 'same':
      return vscode.l10n.t('stays as it is');
    case 'conflict':
      return conflictReason(file.why);
    default:
      return unreachable(file);
  }
}

/** One line of the card that says what was left alone. */
export function conflictWords(file: PlannedFile & { readonly problem?: string }): string {
  const why = file.problem ?? (file.type === 'conflict' ? conflictReason(file.why) : '');
  return `${nameOf(file.path)}: ${why}`;
}

function conflictReason(why: Extract<PlannedFile, { readonly type: 'conflict' }>['why']): string {
  switch (why) {
    case 'edited_since':
      return vscode.l10n.t('you changed the same lines since, so it stays as it is');
    case 'unsaved':
      return vscode.l10n.t('it has unsaved changes in the editor, so it stays as it is');
    case 'not_saved':
      return vscode.l10n.t('changed by a command; what it was before is not known');
    default:
      return unreachable(why);
  }
}
