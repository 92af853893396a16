/**
 * Finds the text that an edit names: first as it is, then with other line ends, then with other whitespace or quotes. Every answer is a
 * span of the original text; nothing is changed here.
 */
import { lfCopy, withLf } from './line-ends';
import { tolerantSpans } from './tolerant-match';

/** Half-open, in UTF-16 units of the original text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** How exactly the text was named. */
export type MatchKind = 'exact' | 'line_ends' | 'tolerant';

export interface Matches {
  readonly kind: MatchKind;
  /** In order; they overlap when the text repeats into itself. */
  readonly spans: readonly Span[];
}

const BYTE_ORDER_MARK = '\uFEFF';

/** Undefined when the text is nowhere, however tolerantly one looks. `wanted` must not be empty. */
export function findMatches(text: string, wanted: string): Matches | undefined {
  const asGiven = occurrences(text, wanted);
  if (asGiven.length > 0 && (wanted.includes('\r') || !text.includes('\r')))
    return { kind: 'exact', spans: asGiven };
  const plain = withLf(withoutMark(wanted));
  if (plain === '') return undefined;
  // Lines that differ only in their ends look the same to the model, so all of them count.
  const copy = lfCopy(text);
  const spans = occurrences(copy.text, plain).map((span) => copy.original(span));
  if (spans.length > 0) return { kind: spans.length === asGiven.length ? 'exact' : 'line_ends', spans };
  const tolerant = tolerantSpans(text, plain);
  return tolerant.length > 0 ? { kind: 'tolerant', spans: tolerant } : undefined;
}

/** Overlapping ones too: a text that could be meant twice is meant twice. */
export function occurrences(text: string, wanted: string): readonly Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1))
    spans.push({ start: at, end: at + wanted.length });
  return spans;
}

/** The spans that are replaced when all are: of overlapping ones the first. */
export function withoutOverlap(spans: readonly Span[]): readonly Span[] {
  const kept: Span[] = [];
  for (const span of spans) if (span.start >= (kept.at(-1)?.end ?? 0)) kept.push(span);
  return kept;
}

export function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}
