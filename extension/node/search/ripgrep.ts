/** Search with a ripgrep binary. Everything that decides what is found beyond the regular expression itself is set here, not left to a user's configuration. */
import { spawn } from 'node:child_process';
import { FileError } from '../../ports';
import type { SearchLine, SearchResult } from '../../ports';
import { nameGlob } from './glob';
import { filesResult, leftIn, linesResult, NEVER_SEARCHED, shownLine } from './plan';
import type { FileMatches, SearchPlan } from './plan';

/** More than anybody reads; beyond it the search ends and says that it is not complete. */
const MOST_FILES = 200_000;
const MOST_LINES = 50_000;

/** The binary could not be started; another engine may do. */
export class EngineMissing extends Error {
  override readonly name = 'EngineMissing';
}

export async function ripgrepSearch(
  binary: string,
  plan: SearchPlan,
  signal: AbortSignal,
): Promise<SearchResult> {
  return plan.query.kind === 'files' ? listFiles(binary, plan, signal) : searchText(binary, plan, signal);
}

async function listFiles(binary: string, plan: SearchPlan, signal: AbortSignal): Promise<SearchResult> {
  const paths: string[] = [];
  const args = ['--files', '--null', ...commonArgs(plan), '--', plan.query.path];
  await runRipgrep(binary, args, plan.root, signal, '\0', (path) => {
    if (path !== '' && plan.wanted(path)) paths.push(path);
    return paths.length < MOST_FILES;
  });
  const folders = new Map<string, Promise<boolean>>();
  const kept = await Promise.all(paths.map((path) => leftIn(plan, path, folders)));
  return filesResult(
    paths.filter((_, index) => kept[index]),
    plan.query.limit,
  );
}

async function searchText(binary: string, plan: SearchPlan, signal: AbortSignal): Promise<SearchResult> {
  const found: FileMatches[] = [];
  let current: SearchLine[] = [];
  let matches = 0;
  let incomplete = false;
  await runRipgrep(binary, textArgs(plan), plan.root, signal, '\n', (line) => {
    const message = parseMessage(line);
    switch (message?.type) {
      case 'match':
      case 'context': {
        const lines = linesOf(message.data, message.type === 'match');
        current.push(...lines);
        if (message.type === 'match') matches += lines.length;
        break;
      }
      case 'end': {
        const path = textOf(message.data.path);
        if (message.data.binary_offset === null && current.length > 0 && plan.wanted(path))
          found.push({ path, lines: current });
        current = [];
        break;
      }
      default:
        break;
    }
    incomplete = matches > MOST_LINES;
    return !incomplete;
  });
  const folders = new Map<string, Promise<boolean>>();
  const kept = await Promise.all(found.map((file) => leftIn(plan, file.path, folders)));
  return linesResult(
    found.filter((_, index) => kept[index]),
    plan.query.limit,
    incomplete,
  );
}

function commonArgs(plan: SearchPlan): readonly string[] {
  return [
    '--no-config',
    '--no-messages',
    '--hidden',
    '--no-ignore-dot',
    '--no-ignore-exclude',
    '--no-ignore-global',
    // Outside a repository .gitignore files count all the same, but those above may be about something else altogether.
    ...(plan.repository === undefined ? ['--no-require-git', '--no-ignore-parent'] : []),
    ...NEVER_SEARCHED.flatMap((name) => ['--glob', `!${name}`]),
    ...typeArgs(plan),
  ];
}

/** Types do not override ignore files, as ripgrep's globs would. */
function typeArgs({ query, typeGlobs, isFile }: SearchPlan): readonly string[] {
  if (isFile) return [];
  if (query.fileType !== undefined && !typeGlobs) return ['--type', query.fileType];
  const name = query.kind === 'files' ? nameGlob(query.pattern) : nameGlob(query.glob ?? '');
  const globs = typeGlobs ?? (name === undefined ? [] : [name]);
  if (globs.length === 0) return [];
  return [...globs.flatMap((glob) => ['--type-add', `sluice:${glob}`]), '--type', 'sluice'];
}

function textArgs(plan: SearchPlan): readonly string[] {
  const { query } = plan;
  return [
    '--json',
    '--crlf',
    '--engine',
    'auto',
    ...commonArgs(plan),
    ...(query.ignoreCase ? ['--ignore-case'] : ['--case-sensitive']),
    ...(query.multiline ? ['--multiline', '--multiline-dotall'] : []),
    ...(query.before ? ['--before-context', String(query.before)] : []),
    ...(query.after ? ['--after-context', String(query.after)] : []),
    ...(query.maxPerFile ? ['--max-count', String(query.maxPerFile)] : []),
    '--regexp',
    query.pattern,
    '--',
    query.path,
  ];
}

/** ripgrep gives what is not UTF-8 in base64. */
type RgText = { readonly text: string } | { readonly bytes: string };
interface RgLines {
  readonly path: RgText;
  readonly lines: RgText;
  readonly line_number: number;
  readonly submatches: readonly { readonly match: RgText }[];
}
type RgMessage =
  | { readonly type: 'match' | 'context'; readonly data: RgLines }
  | { readonly type: 'end'; readonly data: { readonly path: RgText; readonly binary_offset: number | null } }
  | { readonly type: 'begin' | 'summary'; readonly data: unknown };

function parseMessage(line: string): RgMessage | undefined {
  return line === '' ? undefined : (JSON.parse(line) as RgMessage);
}

function textOf(value: RgText): string {
  return 'text' in value ? value.text : Buffer.from(value.bytes, 'base64').toString('utf8');
}

/** One entry per line: a match over several lines comes as one message. */
function linesOf(data: RgLines, match: boolean): readonly SearchLine[] {
  const path = textOf(data.path);
  const matched = data.submatches[0] ? textOf(data.submatches[0].match) : undefined;
  return textOf(data.lines)
    .replace(/\r?\n$/, '')
    .split('\n')
    .map((text, index) => ({
      path,
      line: data.line_number + index,
      text: shownLine(text.replace(/\r$/, ''), matched),
      match,
    }));
}

/** Calls `take` with each record; `false` ends the search. */
function runRipgrep(
  binary: string,
  args: readonly string[],
  cwd: string,
  signal: AbortSignal,
  separator: '\n' | '\0',
  take: (record: string) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopped = (): FileError => new FileError('io', 'The search was stopped.');
    if (signal.aborted) return reject(stopped());
    const child = spawn(binary, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    const abort = (): void => void child.kill('SIGKILL');
    signal.addEventListener('abort', abort, { once: true });
    let rest = '';
    let problem = '';
    let enough = false;
    child.stdout.setEncoding('utf8');
    child.stderr.setEncoding('utf8');
    child.stdout.on('data', (text: string) => {
      if (enough) return;
      const records = (rest + text).split(separator);
      rest = records.pop() ?? '';
      enough = !records.every(take);
      if (enough) child.kill('SIGKILL');
    });
    child.stderr.on('data', (text: string) => (problem += text.slice(0, 4_000)));
    child.once('error', (error) => reject(new EngineMissing(error.message)));
    child.once('close', (code) => {
      signal.removeEventListener('abort', abort);
      if (signal.aborted) reject(stopped());
      else if (!enough && code === 2 && problem.trim() !== '') reject(new FileError('io', problem.trim()));
      else resolve();
    });
  });
}
