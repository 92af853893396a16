/** Search without ripgrep: a walk over the folders in plain JavaScript. Slower, and the same answers. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { FileError } from '../../ports';
import type { SearchLine, SearchQuery, SearchResult } from '../../ports';
import { ignoreFiles } from './ignore-files';
import { filesResult, linesResult, NEVER_SEARCHED, shownLine, byText } from './plan';
import type { FileMatches, SearchPlan } from './plan';
import { FILE_TYPES } from './file-types';

const LARGEST_BYTES = 64 * 1024 * 1024;
const FILES_AT_ONCE = 16;

export async function walkerSearch(plan: SearchPlan, signal: AbortSignal): Promise<SearchResult> {
  const { query } = plan;
  if (query.fileType !== undefined && !plan.typeGlobs)
    throw new FileError(
      'io',
      `unrecognized file type: ${query.fileType}. Known: ${Object.keys(FILE_TYPES).join(', ')}.`,
    );
  const expression = query.kind === 'text' ? compile(query) : undefined;
  const paths = (await allFiles(plan, signal)).filter((path) => plan.wanted(path));
  if (!expression) return filesResult(paths, query.limit);
  return searchFiles([...paths].sort(byText), expression, query, signal);
}

async function allFiles(plan: SearchPlan, signal: AbortSignal): Promise<readonly string[]> {
  if (plan.isFile) return [plan.query.path];
  const git = ignoreFiles({
    fileName: '.gitignore',
    top: plan.repository ?? plan.root,
    stopsAtRepository: plan.repository !== undefined,
  });
  const found: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    if (signal.aborted) throw new FileError('io', 'The search was stopped.');
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const folders: string[] = [];
    for (const entry of entries) {
      if (NEVER_SEARCHED.includes(entry.name) || !(entry.isFile() || entry.isDirectory())) continue;
      const path = folder.endsWith(sep) ? folder + entry.name : join(folder, entry.name);
      const isFolder = entry.isDirectory();
      if ((await git.ignored(path, isFolder)) || (await plan.sluice.ignored(path, isFolder))) continue;
      if (isFolder) folders.push(path);
      else found.push(path);
    }
    await Promise.all(folders.map(walk));
  };
  await walk(plan.root);
  return found;
}

async function searchFiles(
  paths: readonly string[],
  expression: RegExp,
  query: SearchQuery,
  signal: AbortSignal,
): Promise<SearchResult> {
  const found: FileMatches[] = [];
  let matches = 0;
  for (let at = 0; at < paths.length && matches <= query.limit; at += FILES_AT_ONCE) {
    if (signal.aborted) throw new FileError('io', 'The search was stopped.');
    const batch = paths.slice(at, at + FILES_AT_ONCE);
    const texts = await Promise.all(batch.map((path) => searchableText(path, query.multiline === true)));
    for (const [index, path] of batch.entries()) {
      const text = texts[index];
      const lines = text === undefined ? [] : matchingLines(path, text, expression, query);
      matches += lines.filter((line) => line.match).length;
      if (lines.length > 0) found.push({ path, lines });
    }
  }
  return linesResult(found, query.limit, false);
}

/** Undefined for what is binary, too large or unreadable. */
async function searchableText(path: string, multiline: boolean): Promise<string | undefined> {
  try {
    if ((await stat(path)).size > LARGEST_BYTES) return undefined;
    const bytes = await readFile(path);
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.subarray(2).toString('utf16le');
    if (bytes[0] === 0xfe && bytes[1] === 0xff)
      return Buffer.from(bytes.subarray(2, bytes.length - (bytes.length % 2)))
        .swap16()
        .toString('utf16le');
    // Like ripgrep, which looks at the beginning only when it has to hold the whole file.
    if ((multiline ? bytes.subarray(0, 64 * 1024) : bytes).includes(0)) return undefined;
    const text = bytes.toString('utf8');
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  } catch {
    return undefined;
  }
}

function matchingLines(
  path: string,
  text: string,
  expression: RegExp,
  query: SearchQuery,
): readonly SearchLine[] {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  if (text.endsWith('\n')) lines.pop();
  const matched = query.multiline ? acrossLines(text, expression) : byLine(lines, expression);
  const all = [...matched].filter(([line]) => line < lines.length);
  const kept = query.maxPerFile ? all.slice(0, query.maxPerFile) : all;
  const hits = new Map(kept);
  const shown = new Set<number>();
  for (const line of hits.keys()) {
    const from = Math.max(0, line - (query.before ?? 0));
    const to = Math.min(lines.length - 1, line + (query.after ?? 0));
    for (let number = from; number <= to; number++) shown.add(number);
  }
  return [...shown]
    .sort((a, b) => a - b)
    .map((number) => ({
      path,
      line: number + 1,
      text: shownLine(lines[number] ?? '', hits.get(number)),
      match: hits.has(number),
    }));
}

/** Line index → what matched there first. */
function byLine(lines: readonly string[], expression: RegExp): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const [index, line] of lines.entries()) {
    expression.lastIndex = 0;
    const match = expression.exec(line);
    if (match) found.set(index, match[0]);
  }
  return found;
}

function acrossLines(text: string, expression: RegExp): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  let line = 0;
  let from = 0;
  for (const match of text.matchAll(expression)) {
    line += countOf(text.slice(from, match.index));
    from = match.index;
    const last = line + countOf(match[0].replace(/\n$/, ''));
    for (let number = line; number <= last; number++) if (!found.has(number)) found.set(number, match[0]);
  }
  return found;
}

function countOf(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

const POSIX: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  blank: '\\t ',
  digit: '0-9',
  lower: 'a-z',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\s',
  upper: 'A-Z',
  word: '\\w',
  xdigit: '0-9A-Fa-f',
};

/** ripgrep's dialect as JavaScript's, as far as the two can be matched; the rest is an error with the engine's own words. */
function compile(query: SearchQuery): RegExp {
  const inline = /^\(\?([ims]+)\)/.exec(query.pattern);
  const source = query.pattern
    .slice(inline?.[0].length ?? 0)
    .replace(/\(\?P</g, '(?<')
    .replace(/\[:(\w+):\]/g, (whole, name: string) => POSIX[name] ?? whole)
    .replace(/\\A/g, '^')
    .replace(/\\z/g, '$');
  const flags = new Set(['g', ...(query.multiline ? ['m', 's'] : [])]);
  for (const flag of inline?.[1] ?? '') flags.add(flag);
  if (query.ignoreCase) flags.add('i');
  const wanted = [...flags].join('');
  try {
    return new RegExp(source, `${wanted}u`);
  } catch {
    // Without `u` needless escapes such as \- or \" are allowed, as they are in ripgrep.
    try {
      return new RegExp(source, wanted);
    } catch (error) {
      throw new FileError('io', error instanceof Error ? error.message : String(error));
    }
  }
}
