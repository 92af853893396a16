/** Puts the files that an instructions file names with `@path` behind its text: each once, not too deep, not too much, and only what may be read. */
import { dirname, isAbsolute, join } from 'node:path';
import type { Files } from '../../ports';
import { complaintsOf } from '../definitions/problem';
import type { DefinitionProblem } from '../definitions/problem';

export interface IncludeDeps {
  readonly files: Files;
  readonly home: string;
  /** Whether this file may go to the model because that one names it. */
  mayRead(path: string): Promise<boolean>;
}

export interface Included {
  readonly path: string;
  readonly text: string;
}

const DEEPEST = 5;
const MOST_CHARS = 200_000;

interface Walk {
  readonly deps: IncludeDeps;
  readonly problems: DefinitionProblem[];
  readonly found: Included[];
  chars: number;
}

/** The file itself and then what it names, in the order in which it is named. */
export async function withIncludes(
  deps: IncludeDeps,
  path: string,
  text: string,
  problems: DefinitionProblem[],
): Promise<readonly Included[]> {
  const walk: Walk = { deps, problems, found: [], chars: 0 };
  await visit(walk, path, text, [path]);
  return walk.found;
}

async function visit(walk: Walk, path: string, text: string, chain: readonly string[]): Promise<void> {
  walk.found.push({ path, text });
  walk.chars += text.length;
  for (const { target, line, column } of namedIn(text)) {
    const complaints = complaintsOf(path, walk.problems);
    const to = resolve(walk.deps, path, target);
    if (chain.includes(to)) {
      complaints.warning(line, column, `@${target} leads back to this file; it is not included again.`);
      continue;
    }
    if (walk.found.some((one) => one.path === to)) continue;
    if (chain.length > DEEPEST) {
      complaints.warning(line, column, `@${target} is more than ${DEEPEST} files deep; it is left out.`);
      continue;
    }
    const found = await textOf(walk, to);
    // A word with an @ in front need not be a file.
    if (found === 'none') {
      if (/\.\w+$/.test(target)) complaints.warning(line, column, `@${target}: there is no such file.`);
    } else if (found === 'refused')
      complaints.warning(line, column, `@${target} may not be read; it is left out.`);
    else if (walk.chars + found.text.length > MOST_CHARS)
      complaints.warning(
        line,
        column,
        `@${target} would make the instructions longer than ${MOST_CHARS} characters; it is left out.`,
      );
    else await visit(walk, to, found.text, [...chain, to]);
  }
}

async function textOf({ deps }: Walk, path: string): Promise<{ readonly text: string } | 'none' | 'refused'> {
  const stat = await deps.files.stat(path).catch(() => undefined);
  if (stat === undefined || stat.type === 'directory') return 'none';
  if (!(await deps.mayRead(path))) return 'refused';
  try {
    return { text: (await deps.files.readText(path)).text };
  } catch {
    return 'refused';
  }
}

function resolve({ home }: IncludeDeps, from: string, target: string): string {
  if (target.startsWith('~/')) return join(home, target.slice(2));
  return isAbsolute(target) ? target : join(dirname(from), target);
}

interface Named {
  readonly target: string;
  readonly line: number;
  readonly column: number;
}

/** `@path` where a word begins, outside code. */
export function namedIn(text: string): readonly Named[] {
  const found: Named[] = [];
  let fence: string | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === undefined) fence = mark;
      else if (mark.startsWith(fence)) fence = undefined;
      continue;
    }
    if (fence !== undefined) continue;
    const plain = line.replace(/`[^`]*`/g, (code) => ' '.repeat(code.length));
    for (const match of plain.matchAll(/(^|[\s(])@((?:~\/|\.{0,2}\/)?[\w.-][\w./-]*)/g)) {
      const target = (match[2] ?? '').replace(/[.,;:]+$/, '');
      if (target === '') continue;
      found.push({ target, line: index + 1, column: (match.index ?? 0) + (match[1]?.length ?? 0) + 1 });
    }
  }
  return found;
}
