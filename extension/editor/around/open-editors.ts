/** Which files are open in the editor, and what is selected in the one in front. It opens and changes nothing. */
import * as vscode from 'vscode';
import type { OpenEditors } from '../../ports';

export function openEditors(): OpenEditors {
  const editor = vscode.window.activeTextEditor;
  const open = vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .flatMap(({ input }) =>
      input instanceof vscode.TabInputText && input.uri.scheme === 'file' ? [input.uri.fsPath] : [],
    );
  const unique = [...new Set(open)];
  if (editor?.document.uri.scheme !== 'file') return { open: unique };
  const { selection, document } = editor;
  const selected = [selection.start.line + 1, selection.end.line + 1] as const;
  return {
    open: unique,
    active: { path: document.uri.fsPath, ...(selection.isEmpty ? {} : { selected }) },
  };
}
