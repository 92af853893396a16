/** When named text is nowhere: the place that is most like it, and the first character at which the two part. */
import { lineBody, lineTable } from './lines';
import type { LineTable } from './lines';

export interface Nearest {
  /** 1-based, inclusive. */
  readonly firstLine: number;
  readonly lastLine: number;
  /** Where the texts part: 1-based line and column of the file. */
  readonly line: number;
  readonly column: number;
  readonly fileLine: string;
  readonly namedLine: string;
}

/** Beyond this many lines only lines that are equal but for blanks are looked for. */
const MOST_COMPARED = 20_000;

/** Undefined when nothing in the text is at all like it. `named` has LF line ends. */
export function nearestPlace(text: string, named: string): Nearest | undefined {
  const table = lineTable(text);
  const wanted = named.split('\n');
  const first = bestAlignment(table, wanted) ?? mostAlike(table, wanted);
  return first === undefined ? undefined : describe(table, wanted, first);
}

/** The start line at which most of the named lines stand as they are, but for blanks. */
function bestAlignment(table: LineTable, wanted: readonly string[]): number | undefined {
  const places = new Map<string, number[]>();
  for (const [index, line] of wanted.entries()) {
    const key = line.trim();
    if (key.length > 2) places.set(key, [...(places.get(key) ?? []), index]);
  }
  const votes = new Map<number, number>();
  for (let line = 1; line <= table.count; line++) {
    const key = lineBody(table, line).trim();
    for (const index of places.get(key) ?? []) {
      const start = line - index;
      votes.set(start, (votes.get(start) ?? 0) + Math.min(key.length, 80));
    }
  }
  const [best] = [...votes].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return best?.[0];
}

/** The line most like the most telling named line. */
function mostAlike(table: LineTable, wanted: readonly string[]): number | undefined {
  if (table.count > MOST_COMPARED) return undefined;
  const telling = [...wanted.entries()].sort((a, b) => b[1].trim().length - a[1].trim().length)[0];
  if (!telling || telling[1].trim() === '') return undefined;
  const pairs = pairsOf(telling[1].trim());
  let best: number | undefined;
  let score = 0.5;
  for (let line = 1; line <= table.count; line++) {
    const body = lineBody(table, line).trim();
    if (body.length > telling[1].length * 4) continue;
    const alike = likeness(pairs, pairsOf(body));
    if (alike > score) {
      score = alike;
      best = line - telling[0];
    }
  }
  return best;
}

function pairsOf(text: string): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < text.length; at++) pairs.add(text.slice(at, at + 2));
  return pairs;
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 0;
  let shared = 0;
  for (const pair of a) if (b.has(pair)) shared++;
  return (2 * shared) / (a.size + b.size);
}

function describe(table: LineTable, wanted: readonly string[], first: number): Nearest {
  const parts = wanted.map((namedLine, index) => {
    const line = first + index;
    const exists = line >= 1 && line <= table.count;
    return { line, namedLine, fileLine: exists ? lineBody(table, line) : '', exists };
  });
  const last = wanted.length - 1;
  // The first named line may be the end of a line of the file, the last one the beginning.
  const same = parts.map(({ fileLine, namedLine, exists }, index) => {
    if (!exists) return namedLine === '' && index === last;
    if (fileLine === namedLine) return true;
    if (index === 0 && last > 0) return fileLine.endsWith(namedLine);
    return index === last && last > 0 && fileLine.startsWith(namedLine);
  });
  const differing = parts[same.indexOf(false)] ?? parts[0];
  const { line, fileLine, namedLine } = differing ?? { line: first, fileLine: '', namedLine: '' };
  return {
    firstLine: Math.max(1, first),
    lastLine: Math.max(1, Math.min(table.count, first + last)),
    line: Math.max(1, Math.min(table.count, line)),
    column: firstDifference(fileLine, namedLine) + 1,
    fileLine,
    namedLine,
  };
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}

const NAMES: Readonly<Record<string, string>> = {
  '\t': 'a tab',
  ' ': 'a space',
  '\u00A0': 'a no-break space (U+00A0)',
  '\u200B': 'a zero-width space (U+200B)',
  '\uFEFF': 'a byte order mark (U+FEFF)',
};

/** A character for a sentence. */
export function characterName(line: string, column: number): string {
  const character = String.fromCodePoint(line.codePointAt(column - 1) ?? 0);
  if (column > line.length) return 'the end of the line';
  const code = character.codePointAt(0) ?? 0;
  const hex = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return NAMES[character] ?? (code > 0x7e || code < 0x20 ? `"${character}" (${hex})` : `"${character}"`);
}
