/**
 * The paths of all files in the workspace, for completing their names: listed once by the search that honours ignore files, kept, and
 * listed again in the background after files came or went. Nobody waits for a second listing, and nothing runs before the first question.
 */
import { dirname, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import type { Log, Search } from '../../ports';

export interface ListedFile {
  /** Absolute. */
  readonly absolute: string;
  /** From its workspace folder, with slashes; with the folder's name where there are several. */
  readonly path: string;
}

export interface FileList extends vscode.Disposable {
  all(): Promise<readonly ListedFile[]>;
}

/** More would take more memory than completing their names is worth. */
const MOST = 150_000;
/** A build that writes thousands of files makes one listing, not thousands. */
const AGAIN_AFTER_MS = 3_000;

export function fileList(search: Search, log: Log): FileList {
  const ended = new AbortController();
  let listing: Promise<readonly ListedFile[]> | undefined;
  let stale = false;
  let listedAt = 0;
  let watch: vscode.Disposable | undefined;
  const list = async (): Promise<readonly ListedFile[]> => {
    stale = false;
    listedAt = Date.now();
    return listed(search, ended.signal);
  };
  const refresh = (before: Promise<readonly ListedFile[]>): void => {
    const next = list();
    next.then(
      () => (listing = next),
      (error: unknown) => log.write('warning', 'The files could not be listed again', error),
    );
    listing = before;
  };
  return {
    async all() {
      watch ??= watched(() => (stale = true));
      if (listing === undefined) {
        listing = list();
        listing.catch(() => (listing = undefined));
      } else if (stale && Date.now() - listedAt > AGAIN_AFTER_MS) refresh(listing);
      return listing;
    },
    dispose() {
      ended.abort();
      watch?.dispose();
    },
  };
}

function watched(changed: () => void): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher('**/*', false, true, false);
  return vscode.Disposable.from(
    watcher,
    watcher.onDidCreate(changed),
    watcher.onDidDelete(changed),
    vscode.workspace.onDidChangeWorkspaceFolders(changed),
  );
}

async function listed(search: Search, signal: AbortSignal): Promise<readonly ListedFile[]> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const found: ListedFile[] = [];
  for (const { uri, name } of folders) {
    const root = uri.fsPath;
    const result = await search.run(
      { kind: 'files', pattern: '**/*', path: root, limit: MOST - found.length },
      signal,
    );
    if (result.kind !== 'files') continue;
    const prefix = folders.length > 1 ? `${name}/` : '';
    for (const absolute of result.paths)
      found.push({ absolute, path: prefix + slashed(relative(root, absolute)) });
    if (found.length >= MOST) break;
  }
  return found;
}

function slashed(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}

/** A folder in which there is no file that search would find cannot be found either. */
const folderLists = new WeakMap<readonly ListedFile[], readonly ListedFile[]>();

export function foldersOf(listed: readonly ListedFile[]): readonly ListedFile[] {
  const known = folderLists.get(listed);
  if (known !== undefined) return known;
  const folders = new Map<string, ListedFile>();
  for (const { absolute, path } of listed) {
    let place = absolute;
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      place = dirname(place);
      const folder = path.slice(0, end + 1);
      if (folders.has(folder)) break;
      folders.set(folder, { absolute: place, path: folder });
    }
  }
  const list = [...folders.values()];
  folderLists.set(listed, list);
  return list;
}
