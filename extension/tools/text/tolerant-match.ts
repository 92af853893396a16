/**
 * Finds text although its whitespace or quotes are written differently: tabs for spaces, another indentation, trailing blanks, typographic
 * quotes, no-break spaces, invisible characters. Line by line, so that a span always begins and ends where the named text does.
 */
import type { Span } from './text-match';

const QUOTES: Readonly<Record<string, string>> = {
  '\u2018': "'",
  '\u2019': "'",
  '\u201A': "'",
  '\u201B': "'",
  '\u2032': "'",
  '\u201C': '"',
  '\u201D': '"',
  '\u201E': '"',
  '\u201F': '"',
  '\u2033': '"',
};
const SPACE = /^\s$/;
const INVISIBLE = /^[\u200B\u2060\uFEFF\u00AD]$/;
/** Lines of more characters are minified or data; comparing them loosely costs much and finds nothing sensible. */
const LONGEST_LINE = 50_000;

/** A line as it is compared, and where its characters are in the line as it is. */
export interface PlainLine {
  /** Trimmed, each run of whitespace one space, plain quotes, canonical form per character. */
  readonly text: string;
  /** Index in the original line of each character of `text`, and last the end of its last character. */
  readonly places: readonly number[];
}

export function plainLine(line: string): PlainLine {
  let text = '';
  const places: number[] = [];
  let end = 0;
  let spaceAt = -1;
  for (const { 0: cluster, index } of line.matchAll(CLUSTER)) {
    if (INVISIBLE.test(cluster)) continue;
    if (SPACE.test(cluster)) {
      if (text !== '' && spaceAt === -1) spaceAt = index;
      continue;
    }
    if (spaceAt !== -1) {
      text += ' ';
      places.push(spaceAt);
      spaceAt = -1;
    }
    const plain = QUOTES[cluster] ?? cluster.normalize('NFC');
    for (let unit = 0; unit < plain.length; unit++) places.push(index);
    text += plain;
    end = index + cluster.length;
  }
  places.push(end);
  return { text, places };
}

/** A character with the marks that combine with it: the smallest piece that may be cut off. */
const CLUSTER = /\P{M}\p{M}*|\p{M}+/gu;

/** Whether the place between two characters of the plain line is one in the original line too. */
function isBoundary(line: PlainLine, at: number): boolean {
  return at === 0 || line.places[at] !== line.places[at - 1];
}

interface FileLine {
  readonly start: number;
  readonly body: string;
}

/** Spans in order. `wanted` has LF line ends. Nothing is found for text that is whitespace only. */
export function tolerantSpans(text: string, wanted: string): readonly Span[] {
  const named = wanted.split('\n');
  const plainNamed = named.map(plainLine);
  if (plainNamed.every((line) => line.text === '')) return [];
  const lines = fileLines(text);
  const plain: (PlainLine | undefined)[] = [];
  const plainAt = (index: number): PlainLine => (plain[index] ??= comparable(lines[index]?.body ?? ''));
  const spans: Span[] = [];
  for (let first = 0; first + named.length <= lines.length; first++) {
    if (named.length === 1)
      spans.push(...withinLine(lines[first], plainAt(first), named[0] ?? '', plainNamed[0]));
    else {
      const span = acrossLines(lines, plainAt, first, named, plainNamed);
      if (span) spans.push(span);
    }
  }
  return spans;
}

/** An over-long line equals nothing. */
function comparable(body: string): PlainLine {
  return body.length > LONGEST_LINE ? { text: '\0', places: [body.length, body.length] } : plainLine(body);
}

function withinLine(
  line: FileLine | undefined,
  plain: PlainLine,
  named: string,
  wanted: PlainLine | undefined,
): readonly Span[] {
  if (!line || !wanted) return [];
  const spans: Span[] = [];
  for (let at = plain.text.indexOf(wanted.text); at !== -1; at = plain.text.indexOf(wanted.text, at + 1)) {
    if (!isBoundary(plain, at) || !isBoundary(plain, at + wanted.text.length)) continue;
    const indented = at === 0 && /^\s/.test(named);
    const start = indented ? 0 : (plain.places[at] ?? 0);
    spans.push({
      start: line.start + start,
      end: line.start + endOf(plain, line.body, at + wanted.text.length),
    });
  }
  return spans;
}

/** The first named line is the end of a line, the last the beginning of one, those between are whole. */
function acrossLines(
  lines: readonly FileLine[],
  plainAt: (index: number) => PlainLine,
  first: number,
  named: readonly string[],
  wanted: readonly PlainLine[],
): Span | undefined {
  const last = named.length - 1;
  for (let index = 1; index < last; index++)
    if (plainAt(first + index).text !== wanted[index]?.text) return undefined;
  const head = plainAt(first);
  const headText = wanted[0]?.text ?? '';
  const tail = plainAt(first + last);
  const tailText = wanted[last]?.text ?? '';
  if (!head.text.endsWith(headText) || !tail.text.startsWith(tailText)) return undefined;
  const firstLine = lines[first];
  const lastLine = lines[first + last];
  if (!firstLine || !lastLine) return undefined;
  const from = head.text.length - headText.length;
  if (!isBoundary(head, from) || !isBoundary(tail, tailText.length)) return undefined;
  const whole = from === 0 && /^\s|^$/.test(named[0] ?? '');
  const start = whole ? 0 : (head.places[from] ?? firstLine.body.length);
  // A named text that ends with a line end stops before the next line's indentation.
  const end = named[last] === '' ? 0 : endOf(tail, lastLine.body, tailText.length);
  return { start: firstLine.start + start, end: lastLine.start + end };
}

/** Where the first `length` characters of a plain line end in the line itself. */
function endOf(plain: PlainLine, body: string, length: number): number {
  if (length === 0) return 0;
  if (length >= plain.text.length) return plain.places.at(-1) ?? body.length;
  // Before a space that was a run of blanks, that run is left out.
  return plain.places[length] ?? body.length;
}

function fileLines(text: string): readonly FileLine[] {
  const lines: FileLine[] = [];
  let start = 0;
  for (const end of text.matchAll(/\r\n|\n|\r/g)) {
    lines.push({ start, body: text.slice(start, end.index) });
    start = end.index + end[0].length;
  }
  lines.push({ start, body: text.slice(start) });
  return lines;
}
