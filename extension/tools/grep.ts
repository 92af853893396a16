/** Grep: text in files by regular expression. */
import * as z from 'zod';
import type { SearchLine, SearchQuery } from '../ports';
import { searched } from './glob';
import { flag, optionalText, wholeNumber } from './inputs/schema';
import { resolvePath, shownPath } from './inputs/paths';
import { sizedText } from './results/result-size';
import type { Tool, ToolContext } from './tool';

const MAX_CHARS = 20_000;
const DEFAULT_LIMIT = 250;
const MOST_LINES = 50_000;
const BODY_CHARS = 8_000;

const input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .describe('Regular expression (ripgrep dialect). Escape literal braces and dots.'),
  path: optionalText('File or folder to search. Default: the working folder.'),
  glob: optionalText('Only files whose path matches, e.g. *.ts or src/**/*.{js,jsx}.'),
  type: optionalText('Only files of this type, e.g. ts, js, py, rust, go, java, md.'),
  output_mode: z
    .preprocess((value) => value ?? undefined, z.enum(['content', 'files_with_matches', 'count']).optional())
    .optional()
    .describe('content: the lines; files_with_matches (default): the paths; count: matching lines per file.'),
  '-i': flag('Ignore case.'),
  '-n': flag('Line numbers with content. Default true.'),
  '-A': wholeNumber('Lines to show after each match, with content.'),
  '-B': wholeNumber('Lines to show before each match, with content.'),
  '-C': wholeNumber('Lines to show before and after each match, with content.'),
  multiline: flag('Let the pattern match across lines; . then matches line ends too. Default false.'),
  head_limit: wholeNumber(`Stop after this many lines or paths. Default ${DEFAULT_LIMIT}; 0 means no limit.`),
});
type Input = z.infer<typeof input>;
type Mode = 'content' | 'files_with_matches' | 'count';

interface Output {
  readonly mode: Mode;
  readonly files: readonly string[];
  readonly matches: number;
  readonly truncated: boolean;
  readonly limit: number;
  /** As the mode has it, before it is cut to size. */
  readonly listing: string;
  readonly text: string;
}

const DESCRIPTION = `Searches file contents with a regular expression (ripgrep).
- Default output is the paths of files with matches; set output_mode to content for the lines, count for numbers per file.
- Narrow with path, glob or type. Leaves out what .gitignore and .sluiceignore exclude; a file named by path is always searched.
- Use this instead of grep or rg through Bash.`;

export const grepTool: Tool<Input, Output> = {
  name: 'Grep',
  title: 'Search in files',
  kind: 'search',
  description: DESCRIPTION,
  input,
  interrupt: 'cancel',
  maxResultChars: MAX_CHARS,
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  effects: (value, workspace) => [{ type: 'search', path: resolvePath(value.path ?? '.', workspace) }],
  target: (value) => ({
    text: [value.pattern, value.path === undefined ? '' : `in ${value.path}`, value.glob ?? value.type ?? '']
      .filter((part) => part !== '')
      .join(' '),
  }),
  run,
  forModel: (output) => [{ type: 'text', text: output.text }],
  forTranscript,
  summary: (output) => ({
    text: summaryText(output),
    body: output.listing.slice(0, BODY_CHARS),
  }),
};

async function run(value: Input, context: ToolContext): Promise<Output> {
  const mode = value.output_mode ?? 'files_with_matches';
  const path = resolvePath(value.path ?? '.', context.workspace);
  const limit = value.head_limit === 0 ? MOST_LINES : (value.head_limit ?? DEFAULT_LIMIT);
  const query = queryOf(value, mode, path, limit);
  const result = await searched(path, () => context.search.run(query, context.signal));
  const lines = result.kind === 'text' ? result.lines : [];
  const counts = countsByFile(lines);
  const all = [...counts].map(([file, count]) => ({ file: shownPath(file, context.workspace), count }));
  const files = mode === 'count' ? all.slice(0, limit) : all;
  const oneFile = files.length === 1 && counts.has(path);
  const listing = listingOf(mode, lines, files, {
    numbers: value['-n'] !== false,
    show: (file) => (oneFile ? '' : shownPath(file, context.workspace)),
  });
  const truncated = result.truncated || files.length < all.length;
  const matches = files.reduce((sum, file) => sum + file.count, 0);
  const output = { mode, files: files.map((file) => file.file), matches, truncated, limit, listing };
  if (files.length === 0) return { ...output, text: nothingFound(value, path) };
  const sized = await sizedText(listing, MAX_CHARS, context);
  return {
    ...output,
    text: [headline(output), sized.text, limitNote(output)].filter((part) => part !== '').join('\n'),
  };
}

function queryOf(value: Input, mode: Mode, path: string, limit: number): SearchQuery {
  const around = mode === 'content' ? value['-C'] : undefined;
  const before = mode === 'content' ? (value['-B'] ?? around) : undefined;
  const after = mode === 'content' ? (value['-A'] ?? around) : undefined;
  return {
    kind: 'text',
    pattern: value.pattern,
    path,
    ...(value.glob !== undefined && { glob: value.glob }),
    ...(value.type !== undefined && { fileType: value.type }),
    ...(value['-i'] === true && { ignoreCase: true }),
    ...(value.multiline === true && { multiline: true }),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    ...(mode === 'files_with_matches' && { maxPerFile: 1 }),
    limit: mode === 'count' ? MOST_LINES : limit,
  };
}

function countsByFile(lines: readonly SearchLine[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) if (line.match) counts.set(line.path, (counts.get(line.path) ?? 0) + 1);
  return counts;
}

interface Style {
  readonly numbers: boolean;
  /** Empty when the path goes without saying. */
  readonly show: (path: string) => string;
}

function listingOf(
  mode: Mode,
  lines: readonly SearchLine[],
  files: readonly { readonly file: string; readonly count: number }[],
  style: Style,
): string {
  switch (mode) {
    case 'content':
      return contentListing(lines, style);
    case 'files_with_matches':
      return files.map(({ file }) => file).join('\n');
    case 'count':
      return files.map(({ file, count }) => `${file}:${count}`).join('\n');
  }
}

/** As ripgrep prints it: `:` after a match, `-` after a line around one, `--` between groups that are apart. */
function contentListing(lines: readonly SearchLine[], { numbers, show }: Style): string {
  const around = lines.some((line) => !line.match);
  const out: string[] = [];
  let previous: SearchLine | undefined;
  for (const line of lines) {
    const apart = previous && (previous.path !== line.path || previous.line + 1 !== line.line);
    if (around && apart) out.push('--');
    const sign = line.match ? ':' : '-';
    const path = show(line.path);
    out.push(`${path === '' ? '' : path + sign}${numbers ? String(line.line) + sign : ''}${line.text}`);
    previous = line;
  }
  return out.join('\n');
}

type Found = Omit<Output, 'text'>;

function headline({ mode, files, matches, truncated }: Found): string {
  const atLeast = truncated ? 'at least ' : '';
  const inFiles = `${files.length} ${files.length === 1 ? 'file' : 'files'}`;
  switch (mode) {
    case 'content':
      return '';
    case 'files_with_matches':
      return `Found ${atLeast}${inFiles}:`;
    case 'count':
      return `Found ${atLeast}${matches} matching ${matches === 1 ? 'line' : 'lines'} in ${inFiles}:`;
  }
}

function limitNote({ truncated, limit, mode }: Found): string {
  if (!truncated) return '';
  const what = mode === 'content' ? 'matching lines' : 'files';
  return `(Only the first ${limit} ${what} are shown; there are more. Narrow the search with path, glob or type, or raise head_limit.)`;
}

function nothingFound(value: Input, path: string): string {
  const filters = [
    value.glob === undefined ? '' : `glob ${value.glob}`,
    value.type === undefined ? '' : `type ${value.type}`,
  ].filter((part) => part !== '');
  return `No matches found for ${value.pattern} in ${path}${filters.length > 0 ? ` (${filters.join(', ')})` : ''}. (Files that .gitignore or .sluiceignore exclude are not searched.)`;
}

function summaryText({ mode, files, matches, truncated }: Output): string {
  const more = truncated ? '+' : '';
  const inFiles = `${files.length}${more} ${files.length === 1 && !truncated ? 'file' : 'files'}`;
  if (files.length === 0) return 'no results';
  if (mode === 'files_with_matches') return inFiles;
  return `${matches}${more} ${matches === 1 && !truncated ? 'result' : 'results'} in ${inFiles}`;
}

function forTranscript(output: Output): unknown {
  const { mode, files, matches, truncated, limit, listing } = output;
  const limited = truncated && { appliedLimit: limit };
  switch (mode) {
    case 'content': {
      const content = listing.slice(0, MAX_CHARS);
      return {
        mode,
        numFiles: files.length,
        filenames: files,
        content,
        numLines: listing === '' ? 0 : listing.split('\n').length,
        ...limited,
      };
    }
    case 'files_with_matches':
      return { mode, numFiles: files.length, filenames: files, ...limited };
    case 'count':
      return {
        mode,
        numFiles: files.length,
        filenames: files,
        content: listing,
        numMatches: matches,
        ...limited,
      };
  }
}
