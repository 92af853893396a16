/**
 * Finds the instructions that apply: the user's, then each root's, then those of folders that the task touches, so that the nearest stands last
 * and has the last word. A folder that is not trusted brings none.
 */
import { dirname, join, relative, sep } from 'node:path';
import picomatch from 'picomatch';
import type { Files } from '../../ports';
import type { Workspace } from '../../tools/tool';
import { fieldsOf } from '../definitions/fields';
import { readFrontMatter } from '../definitions/front-matter';
import { complaintsOf } from '../definitions/problem';
import type { DefinitionProblem } from '../definitions/problem';
import { markdownFiles, readDefinition } from '../definitions/source';
import type { Scope } from '../definitions/source';
import { withIncludes } from './includes';

export interface InstructionDeps {
  readonly files: Files;
  mayRead(path: string): Promise<boolean>;
}

export interface Instruction {
  readonly path: string;
  readonly text: string;
  readonly scope: Scope;
  /** The file that named it with `@`. */
  readonly includedBy?: string;
}

/** Told when a file that fits one of the globs is touched. */
export interface PathRule extends Instruction {
  readonly globs: readonly string[];
  /** Globs are about paths below it. */
  readonly root: string;
}

export interface Instructions {
  /** From the farthest to the nearest. */
  readonly always: readonly Instruction[];
  readonly rules: readonly PathRule[];
  readonly problems: readonly DefinitionProblem[];
}

/** In a root. What stands later wins. */
const ROOT_FILES = [
  join('.github', 'copilot-instructions.md'),
  'CLAUDE.md',
  join('.claude', 'CLAUDE.md'),
  'AGENTS.md',
  'CLAUDE.local.md',
];
/** In a folder below a root. */
const NESTED_FILES = ['CLAUDE.md', 'AGENTS.md'];
const USER_FILES = [join('.claude', 'CLAUDE.md'), join('.sluice', 'AGENTS.md')];

/** Never rejects. */
export async function findInstructions(deps: InstructionDeps, workspace: Workspace): Promise<Instructions> {
  const problems: DefinitionProblem[] = [];
  const { roots, home, trusted } = workspace;
  const always: Instruction[] = [];
  const rules: PathRule[] = [];
  const take = async (path: string, scope: Scope): Promise<void> =>
    void always.push(...(await fileWithIncludes(deps, workspace, path, scope, problems)));
  for (const name of USER_FILES) await take(join(home, name), 'user');
  await readRules(deps, workspace, home, 'user', { always, rules, problems });
  for (const root of trusted ? roots : []) {
    for (const name of ROOT_FILES) await take(join(root, name), 'workspace');
    await readRules(deps, workspace, root, 'workspace', { always, rules, problems });
  }
  return { always: withoutRepeats(always), rules, problems };
}

async function fileWithIncludes(
  deps: InstructionDeps,
  { home }: Workspace,
  path: string,
  scope: Scope,
  problems: DefinitionProblem[],
): Promise<readonly Instruction[]> {
  const text = await readDefinition(deps, path, scope, problems);
  if (text === undefined || text.trim() === '') return [];
  const found = await withIncludes({ ...deps, home }, path, text, problems);
  return found.map((one) => ({
    path: one.path,
    text: one.text
      .replace(/^\uFEFF/, '')
      .replace(/\r\n?/g, '\n')
      .trim(),
    scope,
    ...(one.path === path ? {} : { includedBy: path }),
  }));
}

interface Collected {
  readonly always: Instruction[];
  readonly rules: PathRule[];
  readonly problems: DefinitionProblem[];
}

async function readRules(
  deps: InstructionDeps,
  workspace: Workspace,
  root: string,
  scope: Scope,
  into: Collected,
): Promise<void> {
  const files = await markdownFiles(deps, join(root, '.sluice', 'rules'), scope, into.problems);
  for (const { path, text } of files) {
    const complaints = complaintsOf(path, into.problems);
    const matter = readFrontMatter(text, complaints);
    if (matter === undefined) continue;
    const fields = fieldsOf(matter, complaints);
    const globs = fields.list('globs') ?? fields.list('paths') ?? fields.list('applyTo') ?? [];
    for (const key of ['paths', 'applyTo']) fields.list(key);
    fields.flag('alwaysApply');
    fields.finish(['description', 'name', 'title']);
    if (matter.body === '') {
      complaints.warning(1, 1, 'The rule has no text after its front matter.');
      continue;
    }
    const rule: Instruction = { path, text: matter.body, scope };
    // The user's rules are about whatever is open.
    if (globs.length === 0) into.always.push(rule);
    else
      for (const under of scope === 'user' ? workspace.roots : [root])
        into.rules.push({ ...rule, globs, root: under });
  }
}

/** CLAUDE.md is often a copy of AGENTS.md, or names it; each file and each text is told once. */
function withoutRepeats(all: readonly Instruction[]): readonly Instruction[] {
  const texts = new Set<string>();
  const paths = new Set<string>();
  const last = [...all].reverse().filter(({ path, text }) => {
    if (texts.has(text) || paths.has(path)) return false;
    texts.add(text);
    paths.add(path);
    return true;
  });
  return last.reverse();
}

/** What a file adds that is touched for the first time: rules whose globs fit it, and instructions of the folders above it. */
export async function instructionsFor(
  deps: InstructionDeps,
  workspace: Workspace,
  path: string,
  { rules }: Instructions,
  /** The folder's own instructions are known already. */
  visited = false,
): Promise<readonly Instruction[]> {
  const root = workspace.roots.find((one) => path.startsWith(one + sep));
  if (root === undefined || !workspace.trusted) return [];
  const found: Instruction[] = [];
  const folders: string[] = [];
  for (let folder = dirname(path); !visited && folder.length > root.length; folder = dirname(folder))
    folders.unshift(folder);
  for (const folder of folders)
    for (const name of NESTED_FILES)
      found.push(...(await fileWithIncludes(deps, workspace, join(folder, name), 'workspace', [])));
  const fits = rules.filter((rule) => rule.root === root && fitsOne(rule.globs, relative(root, path)));
  return withoutRepeats([...found, ...fits]);
}

function fitsOne(globs: readonly string[], path: string): boolean {
  const name = path.split(sep).join('/');
  return globs.some((glob) => {
    const plain = glob.replace(/^\.?\//, '');
    return picomatch.isMatch(name, plain.includes('/') ? plain : `**/${plain}`, { dot: true });
  });
}
