/** Line ends of a text: which there are, and a copy with LF only whose places can be told in the original. Pure. */
import type { Span } from './text-match';

export type LineEnd = '\n' | '\r\n' | '\r';

export function withLf(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** The line end that most lines have; LF when there is none. */
export function dominantLineEnd(text: string): LineEnd {
  let crlf = 0;
  let lf = 0;
  let cr = 0;
  for (const [end] of text.matchAll(/\r\n|\n|\r/g)) {
    if (end === '\r\n') crlf++;
    else if (end === '\n') lf++;
    else cr++;
  }
  if (crlf > lf && crlf >= cr) return '\r\n';
  return cr > lf ? '\r' : '\n';
}

export interface LfCopy {
  readonly text: string;
  /** Where a span of the copy is in the original. A line end at its beginning is taken whole. */
  original(span: Span): Span;
}

export function lfCopy(text: string): LfCopy {
  if (!text.includes('\r')) return { text, original: (span) => span };
  // Places in the copy at which an LF stands for CRLF, in order; each moves everything after it by one.
  const shortened: number[] = [];
  let copied = 0;
  let from = 0;
  for (let at = text.indexOf('\r\n'); at !== -1; at = text.indexOf('\r\n', from)) {
    copied += at - from;
    shortened.push(copied);
    copied += 1;
    from = at + 2;
  }
  const shift = (place: number): number => place + countBelow(shortened, place);
  return {
    text: withLf(text),
    original: ({ start, end }) => ({ start: shift(start), end: shift(end) }),
  };
}

/** How many of the ascending numbers are below `limit`. */
function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface LinePiece {
  readonly body: string;
  /** Empty for the last piece. */
  readonly end: string;
}

/** At least one piece; a text that ends with a line end has an empty last piece. */
export function linePieces(text: string): readonly LinePiece[] {
  const pieces: LinePiece[] = [];
  let from = 0;
  for (const match of text.matchAll(/\r\n|\n|\r/g)) {
    pieces.push({ body: text.slice(from, match.index), end: match[0] });
    from = match.index + match[0].length;
  }
  pieces.push({ body: text.slice(from), end: '' });
  return pieces;
}
