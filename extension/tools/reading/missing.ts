/** Words for a path at which there is nothing: what is there instead, so that the next call can be right. */
import { basename, dirname, extname } from 'node:path';
import type { Files } from '../../ports';
import { ToolError } from '../tool';

const SUGGESTIONS = 5;

export async function missingFile(path: string, files: Files): Promise<ToolError> {
  const folder = dirname(path);
  const entries = await files.list(folder).catch(() => undefined);
  if (!entries) {
    const nearest = await nearestFolder(folder, files);
    return new ToolError(
      'not_found',
      `There is no file ${path}: the folder ${folder} does not exist${nearest === undefined ? '' : ` (${nearest} does)`}. Use Glob with **/${basename(path)} to look for it.`,
    );
  }
  const alike = similarNames(
    basename(path),
    entries.map((entry) => entry.name),
  );
  const advice =
    alike.length > 0
      ? `Similar names in that folder: ${alike.join(', ')}.`
      : `Nothing in ${folder} has a similar name.`;
  return new ToolError(
    'not_found',
    `There is no file ${path}. ${advice} Use Glob with **/${basename(path)} to look elsewhere.`,
  );
}

async function nearestFolder(path: string, files: Files): Promise<string | undefined> {
  for (let at = dirname(path); ; at = dirname(at)) {
    const about = await files.stat(at).catch(() => undefined);
    if (about) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** The same name in other letters or with another extension first, then names a few typing errors away. */
export function similarNames(wanted: string, names: readonly string[]): readonly string[] {
  const stem = (name: string): string => name.slice(0, name.length - extname(name).length).toLowerCase();
  const ranked = names.map((name) => ({
    name,
    distance:
      stem(name) === stem(wanted) && stem(name) !== ''
        ? 0
        : editDistance(name.toLowerCase(), wanted.toLowerCase()),
  }));
  return ranked
    .filter((one) => one.distance <= Math.max(2, Math.floor(wanted.length / 3)))
    .sort((a, b) => a.distance - b.distance || a.name.localeCompare(b.name))
    .slice(0, SUGGESTIONS)
    .map((one) => one.name);
}

export function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 20) return Math.abs(a.length - b.length);
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replace = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replace, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
