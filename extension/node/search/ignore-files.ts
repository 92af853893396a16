/**
 * What ignore files say about a path: those of one name (`.gitignore`, `.sluiceignore`), the deepest that has an opinion winning. Folders
 * are read once per object, so make a new one for every search.
 */
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import ignore from 'ignore';
import type { Ignore } from 'ignore';

export interface IgnoreFiles {
  /** `path` is absolute and below the search's folder. Asks about the path alone: folders above it must have been asked before. */
  ignored(path: string, isFolder: boolean): Promise<boolean>;
}

export interface IgnoreOptions {
  readonly fileName: string;
  /** Files above the folder of this path are not read. */
  readonly top: string;
  /** A folder with a repository of its own is not subject to files above it. */
  readonly stopsAtRepository: boolean;
}

interface FolderRules {
  readonly rules: Ignore | undefined;
  readonly isRepository: boolean;
}

export function ignoreFiles({ fileName, top, stopsAtRepository }: IgnoreOptions): IgnoreFiles {
  const known = new Map<string, Promise<FolderRules>>();
  const rulesOf = (folder: string): Promise<FolderRules> => {
    const found = known.get(folder);
    if (found) return found;
    const loading = load(folder, fileName, stopsAtRepository);
    known.set(folder, loading);
    return loading;
  };
  return {
    async ignored(path, isFolder) {
      for (let folder = dirname(path); ; folder = dirname(folder)) {
        const { rules, isRepository } = await rulesOf(folder);
        const name = relative(folder, path).split(sep).join('/');
        const verdict = name === '' ? undefined : rules?.test(isFolder ? `${name}/` : name);
        if (verdict?.ignored) return true;
        if (verdict?.unignored) return false;
        if (isRepository || folder === top || folder === dirname(folder)) return false;
      }
    },
  };
}

async function load(folder: string, fileName: string, asksRepository: boolean): Promise<FolderRules> {
  const [text, isRepository] = await Promise.all([
    readFile(join(folder, fileName), 'utf8').catch(() => undefined),
    asksRepository && hasRepository(folder),
  ]);
  return {
    rules: text === undefined ? undefined : ignore({ ignorecase: false }).add(text.replace(/^\uFEFF/, '')),
    isRepository,
  };
}

export async function hasRepository(folder: string): Promise<boolean> {
  return stat(join(folder, '.git')).then(
    () => true,
    () => false,
  );
}

/** The nearest folder at or above `folder` that holds a repository. */
export async function repositoryOf(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if (await hasRepository(at)) return at;
    if (at === dirname(at)) return undefined;
  }
}
