/**
 * The Files port inside VS Code: the disk, with open editors laid over it. Unsaved text is the truth that the person sees, and
 * the disk is never changed behind an editor that holds unsaved changes.
 */
import type * as vscode from 'vscode';
import { FileError } from '../ports';
import type { Files, TextSnapshot, TextWrite, WriteReceipt } from '../ports';
import { atomicWrite } from '../node/atomic-write';
import { toFileError } from '../node/file-errors';
import { hashText, nodeFiles } from '../node/node-files';
import { writeThroughDocument } from './text/document-write';
import { writeThroughNotebook } from './text/notebook-write';
import { decodeForeign, encodeForeign } from './text/foreign-text';
import { eolOf, sameLines } from './text/line-endings';
import { openDocument, openNotebook } from './text/open-documents';

/** Encodings that plain Node reads and writes byte for byte; VS Code does the others. */
const OF_NODE: ReadonlySet<string> = new Set([
  'utf8',
  'utf8bom',
  'utf16le',
  'utf16be',
  'utf16lenobom',
  'utf16benobom',
]);
/** Of these, what VS Code writes back with the same byte order mark or the same lack of one. */
const KEPT_BY_EDITOR: ReadonlySet<string> = new Set(['utf8', 'utf8bom']);

export function editorFiles(disk: Files = nodeFiles()): Files {
  const find = async (path: string) => openDocument(path) ?? openDocument(await disk.realPath(path));
  const readText = async (path: string): Promise<TextSnapshot> => {
    const document = await find(path);
    if (document?.isDirty === true) return snapshotOf(document);
    const snapshot = await readDisk(disk, path);
    return unsavedNotebook(path) === undefined ? snapshot : { ...snapshot, dirty: true };
  };
  return {
    ...disk,
    readText,
    write: (change) =>
      asFileError(change.path, async () => {
        const notebook = unsavedNotebook(change.path);
        if (notebook !== undefined) return throughNotebook(disk, notebook, change);
        return write(disk, await find(change.path), change);
      }),
  };
}

/** A notebook's cells are documents of their own: what is unsaved in them is in no text of the file. */
function unsavedNotebook(path: string): vscode.NotebookDocument | undefined {
  const notebook = openNotebook(path);
  return notebook?.isDirty === true ? notebook : undefined;
}

async function throughNotebook(
  disk: Files,
  notebook: vscode.NotebookDocument,
  change: TextWrite,
): Promise<WriteReceipt> {
  const current = await readDisk(disk, change.path);
  if (current.hash !== change.expectHash)
    throw new FileError('stale', `${change.path} has changed since the change was made. Read it again.`);
  await writeThroughNotebook(notebook, current.text, change.text);
  return receiptFor(change, await readDisk(disk, change.path));
}

async function asFileError<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw toFileError(error, path);
  }
}

function snapshotOf(document: vscode.TextDocument): TextSnapshot {
  const text = document.getText();
  const { encoding } = document;
  return { text, hash: hashText(text), encoding, dirty: true, bytes: Buffer.byteLength(text, 'utf8') };
}

async function readDisk(disk: Files, path: string): Promise<TextSnapshot> {
  try {
    return await disk.readText(path);
  } catch (error) {
    if (!(error instanceof FileError) || error.reason !== 'encoding') throw error;
    const foreign = await decodeForeign(path, await disk.readBytes(path));
    if (foreign === undefined) throw error;
    return foreign;
  }
}

async function write(
  disk: Files,
  document: vscode.TextDocument | undefined,
  change: TextWrite,
): Promise<WriteReceipt> {
  if (document?.isDirty === true) {
    const shown = document.getText();
    if (hashText(shown) !== change.expectHash)
      throw new FileError(
        'stale',
        `${change.path} has unsaved changes in the editor that were made since it was read. Read it again.`,
      );
    return throughDocument(disk, document, change, shown);
  }
  const shown = document?.getText();
  if (
    document === undefined ||
    shown === undefined ||
    !(await editorKeepsBytes(disk, document, change, shown))
  )
    return onDisk(disk, change);
  return throughDocument(disk, document, change, shown);
}

/** Whether saving the document would change exactly what the change says, and nothing else of the file's bytes. */
async function editorKeepsBytes(
  disk: Files,
  document: vscode.TextDocument,
  change: TextWrite,
  shown: string,
): Promise<boolean> {
  if (change.expectHash === null || eolOf(change.text) === 'mixed') return false;
  const known = KEPT_BY_EDITOR.has(change.encoding) || !OF_NODE.has(change.encoding);
  if (!known || document.encoding !== change.encoding) return false;
  const current = await readDisk(disk, change.path);
  if (current.hash !== change.expectHash)
    throw new FileError('stale', `${change.path} has changed since the change was made. Read it again.`);
  return sameLines(current.text, shown);
}

async function throughDocument(
  disk: Files,
  document: vscode.TextDocument,
  change: TextWrite,
  shown: string,
): Promise<WriteReceipt> {
  if (!OF_NODE.has(document.encoding)) await encodeForeign(change.path, change.text, document.encoding);
  await writeThroughDocument(document, change.text, shown);
  return receiptFor(change, await readDisk(disk, change.path));
}

async function onDisk(disk: Files, change: TextWrite): Promise<WriteReceipt> {
  if (OF_NODE.has(change.encoding)) return disk.write(change);
  const current = await readDisk(disk, change.path);
  if (current.hash !== change.expectHash)
    throw new FileError('stale', `${change.path} has changed since the change was made. Read it again.`);
  const bytes = await encodeForeign(change.path, change.text, change.encoding);
  await atomicWrite(await disk.realPath(change.path), bytes);
  return receiptFor(change, await readDisk(disk, change.path));
}

function receiptFor(change: TextWrite, now: TextSnapshot): WriteReceipt {
  return { hash: now.hash, text: now.text, changedBySave: now.text !== change.text };
}
