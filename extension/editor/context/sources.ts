/** What the editor knows that can be put beside a prompt: files by name, what is open and selected, problems, the terminal, Git. It asks no gate. */
import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import type { Log, Search } from '../../ports';
import { fileList } from './file-list';
import type { FileList } from './file-list';
import { gitChanges } from './git-changes';
import type { GitChanges } from './git-changes';
import { terminalCommands } from './last-command';
import type { TerminalCommands } from './last-command';

export interface EditorSelection {
  /** Absolute. */
  readonly path: string;
  /** 1-based, inclusive. */
  readonly from: number;
  readonly to: number;
}

export interface EditorSources extends vscode.Disposable {
  readonly files: FileList;
  readonly git: GitChanges;
  readonly terminal: TerminalCommands;
  /** Absolute paths of the files in open tabs, the active one first. */
  openFiles(): readonly string[];
  /** Undefined when nothing is selected, or in no file. */
  selection(): EditorSelection | undefined;
  readonly onDidChangeSelection: vscode.Event<unknown>;
  problemCount(): number;
  /** As it is shown: from its workspace folder. */
  shown(path: string): string;
}

export function editorSources(search: Search, log: Log): EditorSources {
  const files = fileList(search, log);
  const terminal = terminalCommands();
  const changed = new vscode.EventEmitter<unknown>();
  const listening = vscode.Disposable.from(
    files,
    terminal,
    changed,
    vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
      if (textEditor === vscode.window.activeTextEditor) changed.fire(undefined);
    }),
    vscode.window.onDidChangeActiveTextEditor(() => changed.fire(undefined)),
  );
  return {
    files,
    git: gitChanges(),
    terminal,
    openFiles,
    selection,
    onDidChangeSelection: changed.event,
    problemCount: () =>
      vscode.languages
        .getDiagnostics()
        .flatMap(([uri, found]) => (uri.scheme === 'file' ? found : []))
        .filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning).length,
    shown: (path) => (isAbsolute(path) ? vscode.workspace.asRelativePath(path) : path),
    dispose() {
      listening.dispose();
    },
  };
}

function openFiles(): readonly string[] {
  const active = vscode.window.activeTextEditor?.document.uri;
  const tabs = vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  const uris = active === undefined ? tabs : [active, ...tabs];
  return [...new Set(uris.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath))];
}

function selection(): EditorSelection | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || editor.document.uri.scheme !== 'file' || editor.selection.isEmpty)
    return undefined;
  const { start, end } = editor.selection;
  // A selection that ends before the first character of a line has nothing of that line.
  const to = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return { path: editor.document.uri.fsPath, from: start.line + 1, to };
}
