/**
 * Finds the rule about a command. Deny and ask rules look through paths, case, wrappers and git's own options; allow rules need the
 * words as the person wrote them and every risky word spelled out (policy S7, S8, S11, S18).
 */
import type { CommandView, Part, ShellKind } from '../shell/part';
import { programName, ruleWords } from '../shell/part';
import { isPlain } from '../reading/script';
import { gitVerb } from '../programs/escalation';
import { patternAllows, patternCatches, patternSpells } from './command-pattern';
import type { CommandPattern } from './command-pattern';
import type { Rule } from './rule';

/** A deny or ask rule that catches one of the views. */
export function protectiveCommandRule(
  rules: readonly Rule[],
  views: readonly CommandView[],
  source: string,
  shell: ShellKind,
): Rule | undefined {
  return rules.find((rule) => {
    if (rule.target.type !== 'command') return false;
    const { pattern } = rule.target;
    if (!pattern) return true;
    if (pattern.compound) return squeezed(source).includes(squeezed(pattern.source.replace(/:?\*$/, '')));
    return views.some((view) => catches(pattern, view.words, shell));
  });
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}

function catches(pattern: CommandPattern, words: readonly string[], shell: ShellKind): boolean {
  return spellings(words, shell).some(
    (spelling) => patternCatches(pattern, spelling) || patternCatches(named(pattern, shell), spelling),
  );
}

/** The same command as rules may name it: with its path, without it, without git's options, with bundled options sorted. */
function spellings(words: readonly string[], shell: ShellKind): readonly (readonly string[])[] {
  const [first = '', ...rest] = words;
  const bare = [programName(first, shell), ...rest];
  const all = [words, bare, unbundled(bare)];
  if (bare[0] === 'git') {
    const verb = gitVerb(rest);
    const plain = ['git', ...rest.slice(rest.indexOf(verb))];
    all.push(plain, unbundled(plain));
  }
  return all;
}

const namedPatterns = new WeakMap<CommandPattern, Map<ShellKind, CommandPattern>>();

/** A rule about an alias or a path is about the program behind it; bundled options are taken apart on both sides. */
function named(pattern: CommandPattern, shell: ShellKind): CommandPattern {
  const known = namedPatterns.get(pattern) ?? new Map<ShellKind, CommandPattern>();
  namedPatterns.set(pattern, known);
  const found = known.get(shell) ?? makeNamed(pattern, shell);
  known.set(shell, found);
  return found;
}

function makeNamed(pattern: CommandPattern, shell: ShellKind): CommandPattern {
  const [first = '', ...rest] = pattern.words;
  if (first.includes('*') || pattern.kind === 'glob') return pattern;
  const words = unbundled([programName(first, shell), ...rest]);
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\u{1}');
  const end = pattern.kind === 'prefix' ? '(?:\u{1}.*)?' : '';
  return { ...pattern, wide: new RegExp(`^${escaped}${end}$`, 'sui') };
}

/** `rm -rf x`, `rm -fr x` and `rm -r -f x` are one command: the options before the first operand, letter by letter, in order. */
function unbundled(words: readonly string[]): readonly string[] {
  const [first = '', ...rest] = words;
  const end = rest.findIndex((word) => !/^-[A-Za-z]+$/.test(word));
  const bundle = rest.slice(0, end < 0 ? undefined : end);
  const letters = [...new Set(bundle.flatMap((word) => [...word.slice(1)]))].sort();
  return [first, ...letters.map((letter) => `-${letter}`), ...rest.slice(bundle.length)];
}

/** What a rule must write out to cover a command. */
export interface Demands {
  /** Words that escalate. `undefined`: something that no rule but the exact one can cover. */
  readonly spelled: readonly (string | undefined)[];
  /** The last word that a rule must write without a wildcard; -1 when a wildcard may cover all. */
  readonly literal: number;
}

/** An allow rule for one level of a command: itself, or the inner command of a transparent wrapper. */
export function permissiveCommandRule(
  rules: readonly Rule[],
  part: Part,
  from: number,
  demands: Demands,
): Rule | undefined {
  const words = ruleWords(part).slice(from);
  const first = part.words[from];
  if (!first || !isPlain(first)) return undefined;
  return rules.find((rule) => {
    if (rule.target.type !== 'command') return false;
    const { pattern } = rule.target;
    if (!pattern) return demands.spelled.length === 0 && demands.literal < 0;
    if (!patternAllows(pattern, words)) return false;
    if (pattern.kind === 'exact') return true;
    return (
      pattern.literalWords > demands.literal &&
      demands.spelled.every((token) => token !== undefined && patternSpells(pattern, token))
    );
  });
}
