/**
 * The command part of a rule: `npm test` exactly, `npm run:*` those words and then anything, `git * main` with wildcards. Matches
 * lists of words, so that quotes and spacing never matter. What the words do is judged elsewhere.
 */
import { parseBash } from '../reading/bash-parser';
import { isPlain, staticValue, UNKNOWN } from '../reading/script';

export interface CommandPattern {
  readonly source: string;
  readonly kind: 'exact' | 'prefix' | 'glob';
  /** The words as written, wildcards included; for a prefix without the `:*`. */
  readonly words: readonly string[];
  readonly regex: RegExp;
  readonly wide: RegExp;
  /** How many of the first words hold no wildcard. */
  readonly literalWords: number;
  /** True when the text is more than one simple command: such a rule can deny and ask but allows nothing. */
  readonly compound: boolean;
}

/** Between words; never part of a word that is matched. */
const GAP = '\u{1}';

/** A sentence instead of a pattern says why there is none. */
export function compileCommandPattern(spec: string): CommandPattern | string {
  if (spec.includes('\0') || spec.includes(GAP)) return 'It holds a control character.';
  const prefix = /^(.*):\*$/s.exec(spec)?.[1];
  const text = (prefix ?? spec).trim();
  if (text === '') return 'It names no command.';
  const kind = prefix !== undefined ? 'prefix' : text.includes('*') ? 'glob' : 'exact';
  const words = kind === 'glob' ? text.split(/\s+/) : plainWords(text);
  const source = kind === 'glob' ? globSource(words) : words.map(escapeRegex).join(GAP);
  const end = kind === 'prefix' ? `(?:${GAP}.*)?` : '';
  const optional = kind === 'glob' && words.length > 1 && words.at(-1) === '*';
  const wideSource = optional ? `${globSource(words.slice(0, -1))}(?:${GAP}.*)?` : source;
  return {
    source: spec,
    kind,
    words,
    regex: new RegExp(`^${source}${end}$`, 'su'),
    wide: new RegExp(`^${wideSource}${end}$`, 'sui'),
    literalWords: kind === 'glob' ? leading(words) : words.length,
    compound: /[;&|<>\n`]|\$\(/.test(unquoted(text)),
  };
}

/** The rule's words by the shell's own quoting; a text that is no command is split at spaces. */
function plainWords(text: string): readonly string[] {
  try {
    const { script } = parseBash(text);
    if (script.type === 'command' && script.redirects.length + script.assignments.length === 0) {
      const values = script.words.map((word) => staticValue(word, '~')?.value ?? word.source);
      if (values.length > 0 && script.words.some((word) => !isPlain(word))) return values;
    }
  } catch {
    // Rules need not be whole commands.
  }
  return text.split(/\s+/);
}

function unquoted(text: string): string {
  return text.replace(/'[^']*'|"[^"]*"|\\./gs, '');
}

function leading(words: readonly string[]): number {
  const first = words.findIndex((word) => word.includes('*'));
  return first < 0 ? words.length : first;
}

function globSource(words: readonly string[]): string {
  return words.map((word) => word.split('*').map(escapeRegex).join('.*')).join(GAP);
}

function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** For what allows: every literal word must be there exactly; unknown parts match wildcards only. */
export function patternAllows(pattern: CommandPattern, words: readonly string[]): boolean {
  return !pattern.compound && pattern.regex.test(words.join(GAP));
}

/** For what denies or asks: case does not matter, and a wildcard at the end may stand for nothing. */
export function patternCatches(pattern: CommandPattern, words: readonly string[]): boolean {
  return pattern.wide.test(words.join(GAP));
}

/** True when the rule writes this very option, so that it was meant. */
export function patternSpells(pattern: CommandPattern, token: string): boolean {
  if (token.includes(UNKNOWN)) return false;
  return pattern.words.some(
    (word) => word === token || (/^-.+\*$/.test(word) && token.startsWith(word.slice(0, -1))),
  );
}
