/**
 * Rules of all sources in one list. Decides which of them count (what a repository grants counts only after the person accepted
 * exactly that text) and says what is wrong with the others. It matches nothing.
 */
import { parseRule } from './rule';
import type { Rule, RuleList, RuleSource } from './rule';

export interface RuleTexts {
  readonly source: RuleSource;
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  /** Allow rules of a repository that the person has not accepted; `allow` then holds those that were. */
  readonly waiting?: readonly string[];
}

export interface RuleWarning {
  readonly rule: Rule;
  readonly text: string;
}

export interface RuleSet {
  readonly allow: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly deny: readonly Rule[];
  /** Rules that could not be read in an ask or deny list: whatever they were meant for asks. */
  readonly broken: readonly Rule[];
  /** Allow rules of the repository that wait for the person. */
  readonly waiting: readonly Rule[];
  readonly warnings: readonly RuleWarning[];
}

export const NO_RULES: RuleSet = { allow: [], ask: [], deny: [], broken: [], waiting: [], warnings: [] };

/** Both lists at once; `more` comes last. */
export function joinRules(rules: RuleSet, more: RuleSet): RuleSet {
  return {
    allow: [...rules.allow, ...more.allow],
    ask: [...rules.ask, ...more.ask],
    deny: [...rules.deny, ...more.deny],
    broken: [...rules.broken, ...more.broken],
    waiting: [...rules.waiting, ...more.waiting],
    warnings: [...rules.warnings, ...more.warnings],
  };
}

const LISTS: readonly RuleList[] = ['allow', 'ask', 'deny'];

/** Origins that somebody else can write: a file that comes with a repository, or text that the model brought. */
const FOREIGN: ReadonlySet<RuleSource['origin']> = new Set(['project', 'frontmatter']);

/** `accepted` holds the texts of foreign allow rules that the person has accepted. */
export function collectRules(
  texts: readonly RuleTexts[],
  accepted: ReadonlySet<string> = new Set(),
): RuleSet {
  const held = new Set<Rule>();
  const agreed = new Set<Rule>();
  const rules = texts.flatMap((group) => {
    const read = (list: RuleList, text: string): Rule => parseRule(text, list, group.source);
    const own = LISTS.flatMap((list) => (group[list] ?? []).map((text) => read(list, text)));
    const waiting = (group.waiting ?? []).map((text) => read('allow', text));
    for (const rule of waiting) held.add(rule);
    if (group.waiting) for (const rule of own) agreed.add(rule);
    return [...own, ...waiting];
  });
  const readable = rules.filter((rule) => rule.target.type !== 'unreadable');
  // An exception takes away from what is allowed, whoever wrote it.
  const counts = (rule: Rule): boolean =>
    isNegated(rule) ||
    (!held.has(rule) && (!FOREIGN.has(rule.source.origin) || agreed.has(rule) || accepted.has(rule.text)));
  const allow = readable.filter((rule) => rule.list === 'allow');
  return {
    allow: allow.filter(counts),
    waiting: allow.filter((rule) => !counts(rule)),
    ask: readable.filter((rule) => rule.list === 'ask' && !isNegated(rule)),
    deny: readable.filter((rule) => rule.list === 'deny' && !isNegated(rule)),
    broken: rules.filter((rule) => rule.target.type === 'unreadable' && rule.list !== 'allow'),
    warnings: rules.flatMap((rule) => {
      const text = warningOf(rule);
      return text === undefined ? [] : [{ rule, text }];
    }),
  };
}

export function isNegated(rule: Rule): boolean {
  return rule.target.type === 'files' && rule.target.spec?.negated === true;
}

function warningOf(rule: Rule): string | undefined {
  const { target } = rule;
  if (target.type === 'unreadable') {
    const effect =
      rule.list === 'allow' ? 'It grants nothing.' : 'Until it is repaired, what it was meant for asks.';
    return `This rule cannot be read. ${target.why} ${effect}`;
  }
  if (isNegated(rule) && rule.list !== 'allow')
    return 'A rule with ! never loosens; it has no effect in this list.';
  if (target.type === 'command' && target.pattern?.compound === true && rule.list === 'allow') {
    return 'This names more than one command. Allow each command by a rule of its own.';
  }
  return undefined;
}
