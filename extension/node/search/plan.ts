/** A search query made ready for an engine: the path checked, the filters compiled, and one way to order and cut what was found. */
import { stat } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';
import { FileError } from '../../ports';
import type { SearchLine, SearchQuery, SearchResult } from '../../ports';
import { toFileError } from '../file-errors';
import { pathTest } from './glob';
import type { PathTest } from './glob';
import { ignoreFiles, repositoryOf } from './ignore-files';
import type { IgnoreFiles } from './ignore-files';
import { FILE_TYPES } from './file-types';

export interface SearchPlan {
  readonly query: SearchQuery;
  /** The searched folder, or the folder of the searched file. */
  readonly root: string;
  readonly isFile: boolean;
  /** Whether ignore files above the root count: they do inside a repository. */
  readonly repository: string | undefined;
  /** Globs of names of the wanted type; undefined when the query has none or only the engine may know it. */
  readonly typeGlobs: readonly string[] | undefined;
  /** Whether an absolute path passes the query's globs and type. */
  wanted(path: string): boolean;
  /** Rules of `.sluiceignore`, which counts from anywhere above. */
  readonly sluice: IgnoreFiles;
}

/** Version control folders hold copies of everything. */
export const NEVER_SEARCHED: readonly string[] = ['.git', '.svn', '.hg', '.bzr', '.jj', '.sl'];

export async function searchPlan(query: SearchQuery): Promise<SearchPlan> {
  const about = await stat(query.path).catch((error: unknown) => {
    throw toFileError(error, query.path);
  });
  if (!about.isDirectory() && !about.isFile())
    throw new FileError('binary', `${query.path} is not a regular file (a device, pipe or socket).`);
  const isFile = !about.isDirectory();
  const root = isFile ? dirname(query.path) : query.path;
  const globs = query.kind === 'files' ? query.pattern : query.glob;
  const glob = globs === undefined ? undefined : readGlob(globs);
  const typeGlobs = query.fileType === undefined ? undefined : FILE_TYPES[query.fileType];
  const types = typeGlobs?.map((one) => pathTest(one));
  return {
    query,
    root,
    isFile,
    repository: await repositoryOf(root),
    typeGlobs,
    wanted(path) {
      const name = relative(root, path).split(sep).join('/');
      // A file that is named itself is searched whatever its type.
      return (glob?.(name) ?? true) && (isFile || !types || types.some((test) => test(name)));
    },
    sluice: ignoreFiles({ fileName: '.sluiceignore', top: sep, stopsAtRepository: false }),
  };
}

function readGlob(globs: string): PathTest {
  try {
    return pathTest(globs);
  } catch (error) {
    throw new FileError('io', error instanceof Error ? error.message : String(error));
  }
}

/** Whether `.sluiceignore` files leave a file in; asks about every folder on the way. */
export async function leftIn(
  plan: SearchPlan,
  path: string,
  folders: Map<string, Promise<boolean>>,
): Promise<boolean> {
  if (plan.isFile) return true;
  const open = (folder: string): Promise<boolean> => {
    if (folder === plan.root || folder === dirname(folder)) return Promise.resolve(true);
    const known = folders.get(folder);
    if (known) return known;
    const answer = open(dirname(folder)).then(
      async (above) => above && !(await plan.sluice.ignored(folder, true)),
    );
    folders.set(folder, answer);
    return answer;
  };
  return (await open(dirname(path))) && !(await plan.sluice.ignored(path, false));
}

export function filesResult(paths: readonly string[], limit: number): SearchResult {
  const sorted = [...paths].sort(byText);
  return { kind: 'files', paths: sorted.slice(0, limit), truncated: sorted.length > limit };
}

/** Lines of one file, in order. */
export interface FileMatches {
  readonly path: string;
  readonly lines: readonly SearchLine[];
}

/** `incomplete`: the engine itself stopped before it had seen everything. */
export function linesResult(files: readonly FileMatches[], limit: number, incomplete: boolean): SearchResult {
  const lines: SearchLine[] = [];
  let matches = 0;
  for (const file of [...files].sort((a, b) => byText(a.path, b.path))) {
    for (const line of file.lines) {
      if (line.match && ++matches > limit) return { kind: 'text', lines, truncated: true };
      lines.push(line);
    }
  }
  return { kind: 'text', lines, truncated: incomplete };
}

export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const SHOWN_CHARS = 1_000;
const BEFORE_CHARS = 300;

/** A line of which more than is useful would be shown is cut to the part around what matched. */
export function shownLine(text: string, matched: string | undefined): string {
  if (text.length <= SHOWN_CHARS) return text;
  const at = matched === undefined ? 0 : Math.max(0, text.indexOf(matched));
  const from = Math.max(0, at - BEFORE_CHARS);
  const part = text.slice(from, from + SHOWN_CHARS);
  return `${from > 0 ? '…' : ''}${part}${from + SHOWN_CHARS < text.length ? '…' : ''}`;
}
