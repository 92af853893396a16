/** What stands above each change on the right side of a proposal: its state, and what can be done with it. It decides nothing. */
import * as vscode from 'vscode';
import type { HunkReview } from './hunk-review';
import { PROPOSAL_SCHEME } from './proposal-fs';

export interface HunkLenses extends vscode.Disposable {
  /** Something was decided or a proposal came or went. */
  refresh(): void;
}

export function createHunkLenses(find: (proposal: vscode.Uri) => HunkReview | undefined): HunkLenses {
  const changed = new vscode.EventEmitter<void>();
  const accepted = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    overviewRulerColor: new vscode.ThemeColor('charts.green'),
    after: {
      margin: '0 0 0 2em',
      color: new vscode.ThemeColor('descriptionForeground'),
      contentText: `✓ ${vscode.l10n.t('accepted')}`,
    },
  });
  const decorate = (): void => {
    for (const editor of vscode.window.visibleTextEditors) {
      const review = editor.document.uri.scheme === PROPOSAL_SCHEME ? find(editor.document.uri) : undefined;
      if (review === undefined) continue;
      const lines = review.shown().filter((each) => each.accepted);
      editor.setDecorations(
        accepted,
        lines.map(
          ({ block }) =>
            new vscode.Range(
              lineIn(editor.document, block.newStart),
              0,
              lineIn(editor.document, block.newStart),
              0,
            ),
        ),
      );
    }
  };
  const refresh = (): void => {
    changed.fire();
    decorate();
  };
  const registrations = vscode.Disposable.from(
    changed,
    accepted,
    vscode.window.onDidChangeVisibleTextEditors(decorate),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document.uri.scheme === PROPOSAL_SCHEME) decorate();
    }),
    vscode.languages.registerCodeLensProvider(
      { scheme: PROPOSAL_SCHEME },
      {
        onDidChangeCodeLenses: changed.event,
        provideCodeLenses: (document) => lensesOf(document, find(document.uri)),
      },
    ),
  );
  return { refresh, dispose: () => void registrations.dispose() };
}

function lensesOf(document: vscode.TextDocument, review: HunkReview | undefined): vscode.CodeLens[] {
  if (review === undefined) return [];
  return review.shown().flatMap(({ block, key, proposed, accepted }) => {
    const line = lineIn(document, block.newStart);
    const lens = (title: string, command: string): vscode.CodeLens =>
      new vscode.CodeLens(new vscode.Range(line, 0, line, 0), {
        title,
        command,
        arguments: [document.uri, key],
      });
    if (proposed === undefined)
      return [lens(`$(discard) ${vscode.l10n.t('Take Out Your Change')}`, 'sluice.rejectChange')];
    if (accepted)
      return [
        lens(`$(pass-filled) ${vscode.l10n.t('Accepted')}`, ''),
        lens(vscode.l10n.t('Decide Again'), 'sluice.reopenChange'),
      ];
    return [
      lens(`$(check) ${vscode.l10n.t('Accept Change')}`, 'sluice.acceptChange'),
      lens(`$(close) ${vscode.l10n.t('Reject Change')}`, 'sluice.rejectChange'),
      lens(`$(comment) ${vscode.l10n.t('Reject and Say Why')}`, 'sluice.rejectChangeWithComment'),
    ];
  });
}

function lineIn(document: vscode.TextDocument, line: number): number {
  return Math.min(line, document.lineCount - 1);
}
