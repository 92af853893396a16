/**
 * One simple command in its place: what it says, where it runs and what is known of variables there. Offers the readings of its
 * words that the checks need. It decides nothing.
 */
import type { Grammar } from '../reading/grammars';
import type { RuleSet } from '../rules/rule-set';
import type { Surroundings } from '../paths/locate';
import type { Assignment, Redirect, Scope, SimpleCommand, StaticValue, Word } from '../reading/script';
import { possibleValues, staticValue, UNKNOWN } from '../reading/script';
import { canonicalCmdlet, canonicalDos } from '../programs/powershell-aliases';
import { unwrap } from '../programs/wrappers';
import type { Wrapped } from '../programs/wrappers';

export type ShellKind = 'bash' | 'zsh' | 'powershell' | 'cmd';

/** What a repository's own configuration could start. */
export type GitTrust =
  | { readonly type: 'clean' }
  /** `hash` is absent when it cannot be accepted for good. */
  | { readonly type: 'programs'; readonly names: readonly string[]; readonly hash: string | undefined };

/** One command line to be judged, with all that the answer may depend on. */
export interface CommandQuestion {
  readonly command: string;
  /** Absolute. */
  readonly cwd: string;
  readonly tool: string;
  readonly shell: ShellKind;
  readonly rules: RuleSet;
  /** Whether the read-only table allows. Default of the product: true. */
  readonly readOnlyAuto: boolean;
  readonly around: Surroundings;
  /** Undefined when they could not be loaded: then nothing is understood. */
  /** Of the shell; undefined when it could not be loaded. */
  readonly grammar: Grammar | undefined;
  readonly gitTrust: (cwd: string) => Promise<GitTrust>;
  readonly secretsBelow: (folder: string, skipsHidden: boolean) => Promise<'none' | 'some' | 'unknown'>;
  readonly hiddenBy?: (path: string) => string | undefined;
}

export interface Part {
  readonly source: string;
  readonly words: readonly Word[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly Redirect[];
  /** Folders in which it may run; more than one after a `cd` that may fail. */
  readonly cwds: readonly string[];
  readonly variables: ReadonlyMap<string, string>;
  /** Its input is the output of another command. */
  readonly piped: boolean;
  /** Its condition or loop may run it often or never. */
  readonly inBranch: boolean;
  /** Started by a wrapper or an inline script: the outer command needs the permission, this one can only object. */
  readonly inner: boolean;
}

export function partOf(
  command: SimpleCommand,
  place: Omit<Part, 'source' | 'words' | 'assignments' | 'redirects'>,
): Part {
  const { source, words, assignments, redirects } = command;
  return { source, words, assignments, redirects, ...place };
}

export function scopeOf(part: Part, question: CommandQuestion): Scope {
  return { home: question.around.workspace.home, variables: part.variables };
}

/** Words as the shell would pass them, when all are certain. */
export function staticWords(part: Part, question: CommandQuestion): readonly StaticValue[] | undefined {
  const values: StaticValue[] = [];
  for (const word of part.words) {
    const value = staticValue(word, question.around.workspace.home);
    if (!value) return undefined;
    values.push(value);
  }
  return values;
}

/** Words for allow rules: what is not certain is {@link UNKNOWN}, so that only a wildcard can match it. */
export function ruleWords(part: Part): readonly string[] {
  return part.words.map((word) => staticValue(word, '~')?.value ?? UNKNOWN);
}

/** Words for protective checks: braces expanded, variables replaced where they are known and split where they are bare. */
export function wideWords(part: Part, question: CommandQuestion): readonly string[] {
  const scope = scopeOf(part, question);
  return part.words.flatMap((word) => {
    const [value = '', ...expanded] = possibleValues(word, scope);
    if (expanded.length > 0) return expanded;
    const splits = word.pieces.some((piece) => piece.type === 'variable' && !piece.quoted);
    return splits ? value.split(/\s+/).filter((text) => text !== '') : [value];
  });
}

/** The program's name without path, extension, escapes and zsh's `=`. */
export function programName(word: string, shell: ShellKind): string {
  const base =
    word
      .replace(/^[\\=]+/, '')
      .split(/[/\\]/)
      .at(-1) ?? '';
  const name = base.replace(/\.(?:exe|cmd|bat|com|ps1)$/i, '').toLowerCase();
  if (shell === 'cmd') return canonicalDos(name);
  return shell === 'powershell' ? canonicalCmdlet(name) : name;
}

export interface CommandView {
  readonly words: readonly string[];
  /** How it is started: undefined for the command itself. */
  readonly through: Wrapped | undefined;
  /** Which word of the whole command it begins with. */
  readonly at: number;
}

const MAX_VIEWS = 40;

/** The command itself and all that it is seen to start, outermost first. */
export function commandViews(words: readonly string[], shell: ShellKind): readonly CommandView[] {
  const views: CommandView[] = [];
  const add = (at: number, through: Wrapped | undefined): void => {
    const [first, ...rest] = words.slice(at);
    if (first === undefined || views.length >= MAX_VIEWS) return;
    const named = [programName(first, shell), ...rest];
    views.push({ words: named, through, at });
    const wrapped = unwrap(named);
    if (!wrapped) return;
    if (wrapped.inner !== undefined) add(at + wrapped.inner, wrapped);
    // An option that is not known hides where the inner command begins: it may begin anywhere.
    else
      for (let start = at + 1; start < words.length; start++)
        views.push({ words: words.slice(start), through: wrapped, at: start });
    for (const action of moreActions(named, wrapped)) add(at + action, wrapped);
  };
  add(0, undefined);
  return views;
}

/** `find` can have several actions. */
function moreActions(words: readonly string[], wrapped: Wrapped): readonly number[] {
  if (words[0] !== 'find') return [];
  return words.flatMap((word, index) =>
    /^-(?:exec|execdir|ok|okdir)$/.test(word) && index + 1 !== wrapped.inner ? [index + 1] : [],
  );
}
