/**
 * Which ignore file, or which of VS Code's excludes, hides a path from tools. Synchronous, because the gate asks while it judges;
 * files are looked at again once they have changed.
 */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ignore from 'ignore';
import type { Ignore } from 'ignore';
import { pathTest } from '../search/glob';
import type { PathTest } from '../search/glob';

const FILE_NAME = '.sluiceignore';
/** A look at the disk holds this long. */
const FRESH_MS = 250;

interface Known {
  readonly at: number;
  readonly stamp: string;
  readonly rules: Ignore | undefined;
}

/** Names the file that hides the path: the deepest `.sluiceignore` with an opinion about it, or about a folder above it. */
export function sluiceIgnore(now: () => number = Date.now): (path: string) => string | undefined {
  const known = new Map<string, Known>();
  const rulesIn = (folder: string): Ignore | undefined => {
    const before = known.get(folder);
    if (before && now() - before.at < FRESH_MS) return before.rules;
    const file = join(folder, FILE_NAME);
    const found = statSync(file, { throwIfNoEntry: false, bigint: false });
    const stamp = found ? [found.ino, found.size, found.mtimeMs].join() : '';
    const rules = before?.stamp === stamp ? before.rules : found?.isFile() ? rulesOf(file) : undefined;
    known.set(folder, { at: now(), stamp, rules });
    return rules;
  };
  return (path) => {
    const opinions = opinionsAbove(path, rulesIn);
    if (opinions.length === 0) return undefined;
    for (const [at, isFolder] of selfAndAbove(path)) {
      const by = decides(at, isFolder, opinions);
      if (by !== undefined) return by;
    }
    return undefined;
  };
}

interface Opinion {
  readonly folder: string;
  readonly rules: Ignore;
}

/** The files above a path, deepest first. Mostly there is none, and nothing else is to be done. */
function opinionsAbove(path: string, rulesIn: (folder: string) => Ignore | undefined): readonly Opinion[] {
  const found: Opinion[] = [];
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const rules = rulesIn(folder);
    if (rules) found.push({ folder, rules });
    if (folder === dirname(folder)) return found;
  }
}

function* selfAndAbove(path: string): Iterable<readonly [string, boolean]> {
  yield [path, false];
  yield [path, true];
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) yield [at, true];
}

function decides(path: string, isFolder: boolean, opinions: readonly Opinion[]): string | undefined {
  for (const { folder, rules } of opinions) {
    const name = relative(folder, path).split(sep).join('/');
    // Only what is below a folder is its file's business.
    if (name === '' || name === '..' || name.startsWith('../')) continue;
    const verdict = rules.test(isFolder ? `${name}/` : name);
    if (verdict.ignored) return FILE_NAME;
    if (verdict.unignored) return undefined;
  }
  return undefined;
}

/** A file that cannot be read hides everything below it: what it was for is not known. */
function rulesOf(file: string): Ignore {
  try {
    return ignore({ ignorecase: true }).add(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch {
    return ignore().add('*');
  }
}

/** `files.exclude` of VS Code: globs relative to the folders of the workspace. */
export function excludedBy(
  folders: () => readonly string[],
  globs: () => readonly string[],
): (path: string) => string | undefined {
  const tests = new Map<string, PathTest>();
  const testOf = (glob: string): PathTest => {
    const known = tests.get(glob) ?? compiled(glob);
    tests.set(glob, known);
    return known;
  };
  return (path) => {
    const root = folders().find((folder) => path.startsWith(folder + sep));
    if (root === undefined) return undefined;
    const names = relative(root, path).split(sep);
    const hides = globs().some((glob) =>
      names.some((_, end) => testOf(glob)(names.slice(0, end + 1).join('/'))),
    );
    return hides ? 'files.exclude' : undefined;
  };
}

function compiled(glob: string): PathTest {
  try {
    return pathTest(glob.includes('/') ? glob : `/${glob}`);
  } catch {
    return () => false;
  }
}
