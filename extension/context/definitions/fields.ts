/** Takes typed values out of a front matter and says, with its line, what does not fit. */
import type { FrontMatter } from './front-matter';
import { meant } from './problem';
import type { Complaints } from './problem';

export interface Fields {
  text(key: string): string | undefined;
  /** A YAML list, or one text with commas. */
  list(key: string): readonly string[] | undefined;
  flag(key: string): boolean | undefined;
  wholeNumber(key: string): number | undefined;
  /** Where a key stands; the first line when it is missing. */
  lineOf(key: string): number;
  /** Says which keys nobody asked for. `quiet` ones are known to be for others. */
  finish(quiet: readonly string[]): void;
}

export function fieldsOf({ fields }: FrontMatter, complaints: Complaints): Fields {
  const asked = new Set<string>();
  const take = <T>(key: string, want: string, read: (value: unknown) => T | undefined): T | undefined => {
    asked.add(key);
    const field = fields.get(key);
    if (field === undefined || field.value === null || field.value === undefined) return undefined;
    const value = read(field.value);
    if (value === undefined)
      complaints.warning(field.line, field.column, `"${key}" must be ${want}; it is left out.`);
    return value;
  };
  return {
    text: (key) => take(key, 'a text', textOf),
    list: (key) => take(key, 'a list, or a text with commas', listOf),
    flag: (key) => take(key, 'true or false', flagOf),
    wholeNumber: (key) => take(key, 'a whole number of at least 1', numberOf),
    lineOf: (key) => fields.get(key)?.line ?? 1,
    finish(quiet) {
      for (const [key, { line, column }] of fields) {
        if (asked.has(key) || quiet.includes(key)) continue;
        complaints.warning(
          line,
          column,
          `"${key}" is not a key that Sluice uses here.${meant(key, [...asked])}`,
        );
      }
    },
  };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  // `argument-hint: [file]` is a YAML list, and was meant as it is written.
  if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return value.map((one) => `[${one}]`).join(' ');
  return undefined;
}

function listOf(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return splitList(value);
  if (!Array.isArray(value)) return undefined;
  const texts = value.map(textOf);
  return texts.every((one) => one !== undefined) ? texts.filter((one) => one !== '') : undefined;
}

/** At commas that stand in no parentheses, brackets or braces: `Bash(git add:*, x), Read`, `*.{ts,tsx}`. */
export function splitList(text: string): readonly string[] {
  const parts = [''];
  let depth = 0;
  for (const letter of text.replace(/^\[(.*)\]$/s, '$1')) {
    if ('([{'.includes(letter)) depth++;
    if (')]}'.includes(letter)) depth--;
    if (letter === ',' && depth <= 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim().replace(/^(["'])(.*)\1$/, '$2')).filter((part) => part !== '');
}

function flagOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  const word = value.trim().toLowerCase();
  if (['true', 'yes', 'on'].includes(word)) return true;
  return ['false', 'no', 'off'].includes(word) ? false : undefined;
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 1 ? number : undefined;
}
