/** Finds the document that an editor holds for a path. It opens nothing. */
import * as vscode from 'vscode';

const FOLDS_CASE = process.platform === 'win32' || process.platform === 'darwin';

export function openDocument(...paths: readonly string[]): vscode.TextDocument | undefined {
  const wanted = paths.map(comparable);
  return vscode.workspace.textDocuments.find(
    (document) =>
      document.uri.scheme === 'file' &&
      !document.isClosed &&
      wanted.includes(comparable(document.uri.fsPath)),
  );
}

/** The notebook that an editor holds for a path. */
export function openNotebook(path: string): vscode.NotebookDocument | undefined {
  const wanted = comparable(path);
  return vscode.workspace.notebookDocuments.find(
    ({ uri, isClosed }) => uri.scheme === 'file' && !isClosed && comparable(uri.fsPath) === wanted,
  );
}

function comparable(path: string): string {
  const { fsPath } = vscode.Uri.file(path);
  return FOLDS_CASE ? fsPath.toLowerCase() : fsPath;
}
