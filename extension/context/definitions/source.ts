/** Where definitions come from, from the strongest to the weakest, and how their files are found and read. It parses nothing. */
import { join, relative, sep } from 'node:path';
import type { Files } from '../../ports';
import type { Workspace } from '../../tools/tool';
import { complaintsOf } from './problem';
import type { DefinitionProblem } from './problem';

export type Scope = 'workspace' | 'user' | 'plugin' | 'built-in';

export interface Origin {
  readonly scope: Scope;
  /** Absolute; empty for what is built in. */
  readonly path: string;
  /** The plugin that brought it. */
  readonly plugin?: string;
}

export interface SourceFolder {
  readonly scope: Scope;
  /** Holds `commands`, `skills`, `agents` …, absolute. */
  readonly folder: string;
  readonly plugin?: string;
}

export interface DefinitionDeps {
  readonly files: Files;
  /** Whether the gate lets the agent read this file of the workspace: what a definition says goes to the model. */
  mayRead(path: string): Promise<boolean>;
}

/** A folder that is not trusted brings nothing. The first of two equal names counts. */
export function sourceFolders({ roots, home, trusted }: Workspace): readonly SourceFolder[] {
  const inside = trusted ? roots : [];
  return [
    ...inside.map((root): SourceFolder => ({ scope: 'workspace', folder: join(root, '.sluice') })),
    ...inside.map((root): SourceFolder => ({ scope: 'workspace', folder: join(root, '.claude') })),
    { scope: 'user', folder: join(home, '.sluice') },
    { scope: 'user', folder: join(home, '.claude') },
  ];
}

export interface FoundFile {
  readonly path: string;
  readonly text: string;
  /** Below the folder that was searched, with `/`. */
  readonly name: string;
}

const MOST_FILES = 500;
const DEEPEST = 6;
export const MOST_CHARS = 256 * 1024;

/** Every Markdown file below, sorted by name. A folder that does not exist holds none. */
export async function markdownFiles(
  deps: DefinitionDeps,
  folder: string,
  scope: Scope,
  problems: DefinitionProblem[],
): Promise<readonly FoundFile[]> {
  const found: string[] = [];
  await walk(deps.files, folder, 0, found);
  found.sort();
  if (found.length > MOST_FILES)
    complaintsOf(folder, problems).warning(
      1,
      1,
      `This folder holds ${found.length} files; the first ${MOST_FILES} are read.`,
    );
  const read = await Promise.all(
    found.slice(0, MOST_FILES).map(async (path): Promise<FoundFile | undefined> => {
      const text = await readDefinition(deps, path, scope, problems);
      return text === undefined
        ? undefined
        : { path, text, name: relative(folder, path).split(sep).join('/') };
    }),
  );
  return read.filter((file) => file !== undefined);
}

async function walk(files: Files, folder: string, depth: number, found: string[]): Promise<void> {
  if (depth > DEEPEST || found.length > MOST_FILES) return;
  const entries = await files.list(folder).catch(() => []);
  for (const { name, type } of entries) {
    const path = join(folder, name);
    if (type === 'directory') await walk(files, path, depth + 1, found);
    else if (/\.md$/i.test(name) && (type === 'file' || type === 'symlink')) found.push(path);
  }
}

/** Undefined when there is none, or when it may not be read; the second is told. */
export async function readDefinition(
  deps: DefinitionDeps,
  path: string,
  scope: Scope,
  problems: DefinitionProblem[],
): Promise<string | undefined> {
  const complaints = complaintsOf(path, problems);
  if ((await deps.files.stat(path).catch(() => undefined)) === undefined) return undefined;
  try {
    if (scope === 'workspace' && !(await deps.mayRead(path))) {
      complaints.error(1, 1, 'The permission rules do not let this file be read.');
      return undefined;
    }
    const { text } = await deps.files.readText(path);
    if (text.length <= MOST_CHARS) return text;
    complaints.error(1, 1, `The file has ${text.length} characters; at most ${MOST_CHARS} are read.`);
  } catch (error) {
    complaints.error(1, 1, error instanceof Error ? error.message : 'The file could not be read.');
  }
  return undefined;
}
