/** Glob: files by name, those that changed last first. */
import { isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { FileError } from '../ports';
import { optionalText } from './inputs/schema';
import { resolvePath, shownPath } from './inputs/paths';
import { ToolError } from './tool';
import type { Tool, ToolContext, Workspace } from './tool';

const SHOWN = 100;
const MOST_FOUND = 10_000;
/** Asking each of more files for its time would take longer than the order is worth. */
const MOST_DATED = 2_000;

const input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .describe(
      'Glob, e.g. **/*.ts or src/**/*.{js,jsx}. Without a slash it is matched against names in all folders.',
    ),
  path: optionalText('Folder to look in. Default: the working folder.'),
});
type Input = z.infer<typeof input>;

interface Output {
  readonly pattern: string;
  readonly folder: string;
  readonly shown: readonly string[];
  readonly total: number;
  /** There are more than were counted. */
  readonly incomplete: boolean;
  readonly newestFirst: boolean;
  readonly durationMs: number;
}

const DESCRIPTION = `Finds files by name. Returns up to ${SHOWN} paths, those that changed last first.
- Leaves out what .gitignore and .sluiceignore exclude, and version control folders; includes other hidden files.
- To list a folder use the pattern * with path. To search in files use Grep.`;

export const globTool: Tool<Input, Output> = {
  name: 'Glob',
  title: 'Find files',
  kind: 'search',
  description: DESCRIPTION,
  input,
  interrupt: 'cancel',
  maxResultChars: 40_000,
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  effects: (value, workspace) => [{ type: 'search', path: placeOf(value, workspace).folder }],
  target: (value) => ({
    text: value.path === undefined ? value.pattern : `${value.pattern} in ${value.path}`,
  }),
  run,
  forModel: (output) => [{ type: 'text', text: textOf(output) }],
  forTranscript: (output) => ({
    filenames: output.shown,
    durationMs: Math.round(output.durationMs),
    numFiles: output.shown.length,
    truncated: output.total > output.shown.length || output.incomplete,
    totalMatches: output.total,
    countIsComplete: !output.incomplete,
  }),
  summary: (output) => ({
    text: `${output.total}${output.incomplete ? '+' : ''} ${output.total === 1 ? 'file' : 'files'}`,
    body: output.shown.join('\n').slice(0, 8_000),
  }),
};

/** An absolute pattern, or one that leaves the folder, is a folder and a pattern in it. */
function placeOf(value: Input, workspace: Workspace): { readonly folder: string; readonly pattern: string } {
  const folder = resolvePath(value.path ?? '.', workspace);
  const pattern = value.pattern.replace(/^~(?=\/)/, workspace.home);
  if (!isAbsolute(pattern) && !pattern.startsWith('../')) return { folder, pattern };
  const parts = pattern.split(/[\\/]/);
  const firstGlob = parts.findIndex((part) => /[*?[{]/.test(part));
  const fixed = firstGlob === -1 ? parts.length - 1 : firstGlob;
  const prefix = parts.slice(0, fixed).join('/') || '/';
  return {
    folder: isAbsolute(prefix) ? prefix : join(folder, prefix),
    pattern: `/${parts.slice(fixed).join('/')}`,
  };
}

async function run(value: Input, context: ToolContext): Promise<Output> {
  const began = performance.now();
  const { folder, pattern } = placeOf(value, context.workspace);
  const result = await searched(folder, () =>
    context.search.run({ kind: 'files', pattern, path: folder, limit: MOST_FOUND }, context.signal),
  );
  const paths = result.kind === 'files' ? result.paths : [];
  const newestFirst = paths.length <= MOST_DATED;
  const ordered = newestFirst ? await byTime(paths, context) : paths;
  return {
    pattern: value.pattern,
    folder,
    shown: ordered.slice(0, SHOWN).map((path) => shownPath(path, context.workspace)),
    total: paths.length,
    incomplete: result.truncated,
    newestFirst,
    durationMs: performance.now() - began,
  };
}

async function byTime(paths: readonly string[], { files }: ToolContext): Promise<readonly string[]> {
  const dated = await Promise.all(
    paths.map(async (path) => ({
      path,
      time: (await files.stat(path).catch(() => undefined))?.mtimeMs ?? 0,
    })),
  );
  return dated.sort((a, b) => b.time - a.time || (a.path < b.path ? -1 : 1)).map((one) => one.path);
}

/** A search with its errors in words for the model. */
export async function searched<T>(path: string, search: () => Promise<T>): Promise<T> {
  try {
    return await search();
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (error.reason === 'not_found')
      throw new ToolError(
        'not_found',
        `${path} does not exist. Check the path, or leave it out to search the working folder.`,
      );
    throw new ToolError(
      error.reason === 'io' ? 'invalid' : error.reason,
      `${error.message}\nCorrect the pattern and call again.`,
    );
  }
}

function textOf(output: Output): string {
  if (output.total === 0)
    return `No files match ${output.pattern} in ${output.folder}. (Files that .gitignore or .sluiceignore exclude are not looked at.)`;
  const list = output.shown.join('\n');
  if (output.total <= output.shown.length) return list;
  const order = output.newestFirst ? 'those that changed last' : 'the first by name';
  return `${list}\n\n(${output.shown.length} of ${output.total}${output.incomplete ? ' or more' : ''} files are shown: ${order}. Use a narrower pattern or path to see others.)`;
}
