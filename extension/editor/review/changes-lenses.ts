/** Keep and Undo above each change, while a file is shown beside what it was, and the `when` key of such a diff. It decides nothing. */
import * as vscode from 'vscode';
import { REVIEW_SCHEME } from './changes-model';
import type { ChangesModel } from './changes-model';

export function createChangesLenses(model: ChangesModel): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const follow = (): void => {
    void vscode.commands.executeCommand('setContext', 'sluice.reviewDiff', activeReview() !== undefined);
    changed.fire();
  };
  follow();
  return vscode.Disposable.from(
    changed,
    model.onDidChange(() => changed.fire()),
    vscode.window.tabGroups.onDidChangeTabs(follow),
    vscode.window.tabGroups.onDidChangeTabGroups(follow),
    vscode.languages.registerCodeLensProvider(
      { scheme: 'file' },
      {
        onDidChangeCodeLenses: changed.event,
        provideCodeLenses: (document) => lensesOf(model, document),
      },
    ),
  );
}

/** The file whose review is in front. */
export function activeReview(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return isReview(input) ? input.original.with({ scheme: 'file' }) : undefined;
}

function isReview(input: unknown): input is vscode.TabInputTextDiff {
  return input instanceof vscode.TabInputTextDiff && input.original.scheme === REVIEW_SCHEME;
}

function isShown(document: vscode.TextDocument): boolean {
  const uri = document.uri.toString();
  return vscode.window.tabGroups.all.some((group) =>
    group.tabs.some(({ input }) => isReview(input) && input.modified.toString() === uri),
  );
}

function lensesOf(model: ChangesModel, document: vscode.TextDocument): vscode.CodeLens[] {
  const change = model.find(document.uri.fsPath);
  if (change === undefined || !isShown(document)) return [];
  return change.blocks.flatMap((block, index) => {
    const line = Math.min(block.newStart, document.lineCount - 1);
    const range = new vscode.Range(line, 0, line, 0);
    const node = { type: 'hunk', change, index };
    return [
      new vscode.CodeLens(range, {
        title: `$(check) ${vscode.l10n.t('Keep')}`,
        command: 'sluice.keepChange',
        arguments: [node],
      }),
      new vscode.CodeLens(range, {
        title: `$(discard) ${vscode.l10n.t('Undo')}`,
        command: 'sluice.undoChange',
        arguments: [node],
      }),
    ];
  });
}
