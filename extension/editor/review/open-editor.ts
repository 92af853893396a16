/**
 * The one place that opens editors. What nobody asked for never takes the keyboard: it opens beside what the person sees, and in
 * the background while they type in another editor.
 */
import * as vscode from 'vscode';
import { placement } from './review-settings';

/** After this long without a key or click in an editor the person is thought to be elsewhere. */
const TYPING_MS = 8_000;

/** `asked`: a click or command of the person; only then the editor gets the focus. */
export type Intent = 'asked' | 'unasked';

export interface EditorOpener extends vscode.Disposable {
  /** `preview`: in the one tab that the next such diff takes over. Not for what a closed tab answers. */
  diff(left: vscode.Uri, right: vscode.Uri, title: string, intent: Intent, preview?: boolean): Promise<void>;
  file(path: string, line: number | undefined): Promise<void>;
}

export function createEditorOpener(now: () => number = Date.now): EditorOpener {
  let lastTouch = -Infinity;
  const watch = vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
    const { Keyboard, Mouse } = vscode.TextEditorSelectionChangeKind;
    if (kind === Keyboard || kind === Mouse) lastTouch = now();
  });
  return {
    async diff(left, right, title, intent, preview = false) {
      const where = placement();
      if (intent === 'unasked' && where === 'onRequest') return;
      const busy = intent === 'unasked' && now() - lastTouch < TYPING_MS;
      // `background` is an option of the command, though not of the published type.
      const options: vscode.TextDocumentShowOptions & { background?: boolean } = {
        preview,
        preserveFocus: intent === 'unasked',
        ...(intent === 'unasked' && where === 'beside' ? { viewColumn: vscode.ViewColumn.Beside } : {}),
        ...(busy ? { background: true } : {}),
      };
      await vscode.commands.executeCommand('vscode.diff', left, right, title, options);
    },
    async file(path, line) {
      const at = line === undefined ? undefined : new vscode.Position(line - 1, 0);
      await vscode.window.showTextDocument(vscode.Uri.file(path), {
        preview: true,
        ...(at === undefined ? {} : { selection: new vscode.Range(at, at) }),
      });
    },
    dispose() {
      watch.dispose();
    },
  };
}
