/** The Diagnostics port: what the Problems view shows, and when it has stopped changing after an edit. It asks no language for anything. */
import * as vscode from 'vscode';
import type { Diagnostics, Problem } from '../ports';
import { openDocument } from './text/open-documents';

/** A language that watches a file says something within this time of a change, or has nothing to say. */
const FIRST_WORD_MS = 1_500;
/** After this long without a change the problems have settled. */
const QUIET_MS = 350;

export function editorDiagnostics(): Diagnostics {
  return {
    current(paths) {
      const wanted = paths === undefined ? undefined : new Set(paths.map(keyOf));
      return vscode.languages
        .getDiagnostics()
        .filter(([uri]) => uri.scheme === 'file' && (wanted === undefined || wanted.has(uri.toString())))
        .flatMap(([uri, found]) => found.map((diagnostic) => problemOf(uri, diagnostic)));
    },
    settled(paths, capMs, signal) {
      // Languages check what is open; where nothing is, nothing will change.
      const watched = paths.filter((path) => openDocument(path) !== undefined).map(keyOf);
      if (signal.aborted || (paths.length > 0 && watched.length === 0)) return Promise.resolve();
      return quiet(new Set(watched), Math.min(capMs, FIRST_WORD_MS), capMs, signal);
    },
  };
}

/** `watched` empty: any file. */
function quiet(
  watched: ReadonlySet<string>,
  firstMs: number,
  capMs: number,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(cap);
      clearTimeout(pause);
      listener.dispose();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cap = setTimeout(end, capMs);
    let pause = setTimeout(end, watched.size === 0 ? QUIET_MS : firstMs);
    const listener = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      if (watched.size > 0 && !uris.some((uri) => watched.has(uri.toString()))) return;
      clearTimeout(pause);
      pause = setTimeout(end, QUIET_MS);
    });
    signal.addEventListener('abort', end, { once: true });
  });
}

function keyOf(path: string): string {
  return vscode.Uri.file(path).toString();
}

const SEVERITIES = ['error', 'warning', 'info', 'hint'] as const satisfies readonly Problem['severity'][];

function problemOf(uri: vscode.Uri, { range, severity, message, source, code }: vscode.Diagnostic): Problem {
  const plainCode = typeof code === 'object' ? code.value : code;
  return {
    path: uri.fsPath,
    line: range.start.line + 1,
    column: range.start.character + 1,
    severity: SEVERITIES[severity] ?? 'info',
    message,
    ...(source === undefined ? {} : { source }),
    ...(plainCode === undefined ? {} : { code: String(plainCode) }),
  };
}
