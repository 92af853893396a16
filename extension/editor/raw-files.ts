/** Files as bytes inside VS Code: an editor's unsaved text is the truth, and the disk is never changed behind it. */
import * as vscode from 'vscode';
import { FileError } from '../ports';
import type { Files, RawFiles } from '../ports';
import { nodeRawFiles } from '../node/checkpoints/raw-files';
import type { WatchedFiles } from '../review/checkpoints';
import { openDocument } from './text/open-documents';

export function editorRawFiles(files: Files, disk: RawFiles = nodeRawFiles()): RawFiles {
  const dirty = (path: string): vscode.TextDocument | undefined => {
    const document = openDocument(path);
    return document?.isDirty === true ? document : undefined;
  };
  return {
    ...disk,
    async stamp(path) {
      const stamp = await disk.stamp(path);
      const document = dirty(path);
      return document === undefined ? stamp : `${stamp ?? ''}:unsaved:${document.version}`;
    },
    async read(path) {
      const found = await disk.read(path);
      const document = dirty(path);
      if (document === undefined || found?.type !== 'file') return found;
      const bytes = await vscode.workspace.encode(document.getText(), { encoding: document.encoding });
      return { ...found, bytes, unsaved: true };
    },
    async write(path, bytes, mode) {
      if (dirty(path) !== undefined)
        throw new FileError('stale', `${path} has unsaved changes in the editor.`);
      // Through the editor first: it shows the text at once, and can undo it. What it does not keep byte for byte is then put right.
      if (openDocument(path) !== undefined) await throughEditor(files, path, bytes).catch(() => undefined);
      const now = await disk.read(path);
      const same = now?.type === 'file' && now.mode === mode && Buffer.from(bytes).equals(now.bytes);
      if (!same) await disk.write(path, bytes, mode);
    },
    async remove(path) {
      if (dirty(path) !== undefined)
        throw new FileError('stale', `${path} has unsaved changes in the editor.`);
      await disk.remove(path);
    },
  };
}

async function throughEditor(files: Files, path: string, bytes: Uint8Array): Promise<void> {
  const { encoding, hash } = await files.readText(path);
  const text = await vscode.workspace.decode(bytes, { encoding });
  await files.write({ path, text, encoding, expectHash: hash });
}

const WAIT_FOR_LATE_EVENTS_MS = 60;
const MOST_PATHS = 2_000;
/** Places where commands keep their own things. */
const NOT_LISTED = /[\\/](?:\.git|node_modules|\.hg|\.svn|\.sluice)(?:[\\/]|$)/;

/** Notes which files change from now on, until the answer is called. */
export function watchWorkspace(): () => Promise<WatchedFiles> {
  const changed = new Set<string>();
  const saved = new Set<string>();
  const note = ({ scheme, fsPath }: vscode.Uri): void => {
    if (scheme === 'file' && changed.size < MOST_PATHS && !NOT_LISTED.test(fsPath)) changed.add(fsPath);
  };
  const watcher = vscode.workspace.createFileSystemWatcher('**/*');
  const watches = vscode.Disposable.from(
    watcher,
    watcher.onDidChange(note),
    watcher.onDidCreate(note),
    watcher.onDidDelete(note),
    vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      if (uri.scheme === 'file') saved.add(uri.fsPath);
    }),
  );
  return async () => {
    await new Promise((resolve) => setTimeout(resolve, WAIT_FOR_LATE_EVENTS_MS));
    watches.dispose();
    return { changed: [...changed], saved: [...saved] };
  };
}
