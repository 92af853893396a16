/**
 * Writes through an open document: the change joins the editor's undo stack and is saved. It puts the document back when the
 * save does not happen, and never touches the disk itself.
 */
import { access, constants, stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import { FileError } from '../../ports';
import { eolOf, sameLines } from './line-endings';

/**
 * Rejects with FileError; the document then holds what it held before. `expected` is what the change was made for: keystrokes that came in
 * since then make it stale.
 */
export async function writeThroughDocument(
  document: vscode.TextDocument,
  text: string,
  expected: string,
): Promise<void> {
  await refuseReadOnly(document.uri.fsPath);
  // From here to the edit nothing else can run.
  if (document.getText() !== expected) throw stale(document);
  const before = { text: document.getText(), eol: document.eol };
  const wasDirty = document.isDirty;
  if (before.text === text && !wasDirty) return;
  await replaceText(document, text, eolFor(text) ?? before.eol);
  const saved = await document.save();
  if (saved || !document.isDirty) return;
  await replaceText(document, before.text, before.eol).catch(() => undefined);
  throw new FileError(
    'io',
    `${document.uri.fsPath} could not be saved by the editor; the change was taken back. Look at the message that the editor shows for the file.`,
  );
}

async function refuseReadOnly(path: string): Promise<void> {
  const about = await stat(path).catch(() => undefined);
  if (about === undefined) return;
  const writable = (about.mode & 0o222) !== 0 && (await mayWrite(path));
  if (!writable) throw new FileError('no_permission', `${path} is read-only; make it writable first.`);
}

async function mayWrite(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

function eolFor(text: string): vscode.EndOfLine | undefined {
  const eol = eolOf(text);
  if (eol === '\r\n') return vscode.EndOfLine.CRLF;
  return eol === '\n' ? vscode.EndOfLine.LF : undefined;
}

/** Only what differs is replaced, so that cursors, folds and marks elsewhere stay. */
async function replaceText(
  document: vscode.TextDocument,
  text: string,
  eol: vscode.EndOfLine,
): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  const edits: vscode.TextEdit[] = [];
  const old = document.getText();
  const wanted = text.replace(/\r\n|\n|\r/g, document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n');
  const change = difference(old, wanted);
  if (change !== undefined) {
    const range = new vscode.Range(document.positionAt(change.start), document.positionAt(change.end));
    edits.push(vscode.TextEdit.replace(range, change.text));
  }
  if (document.eol !== eol) edits.push(vscode.TextEdit.setEndOfLine(eol));
  if (edits.length === 0) return;
  edit.set(document.uri, edits);
  const applied = await vscode.workspace.applyEdit(edit);
  if (applied && sameLines(document.getText(), text)) return;
  throw stale(document);
}

function stale(document: vscode.TextDocument): FileError {
  return new FileError(
    'stale',
    `${document.uri.fsPath} changed in the editor while it was written. Read it again.`,
  );
}

interface Difference {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The one span in which two texts differ; it never begins or ends inside a line break or a surrogate pair. */
function difference(old: string, wanted: string): Difference | undefined {
  if (old === wanted) return undefined;
  const limit = Math.min(old.length, wanted.length);
  let head = 0;
  while (head < limit && old.charCodeAt(head) === wanted.charCodeAt(head)) head++;
  while (head > 0 && splitsPair(old, head)) head--;
  let tail = 0;
  while (
    tail < limit - head &&
    old.charCodeAt(old.length - 1 - tail) === wanted.charCodeAt(wanted.length - 1 - tail)
  )
    tail++;
  while (tail > 0 && (splitsPair(old, old.length - tail) || splitsPair(wanted, wanted.length - tail))) tail--;
  return { start: head, end: old.length - tail, text: wanted.slice(head, wanted.length - tail) };
}

function splitsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return (
    (before === 0x0d && after === 0x0a) ||
    (before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff)
  );
}
