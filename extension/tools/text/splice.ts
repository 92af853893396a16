/**
 * Puts new text in the place of a span of the original. Only what the edit changes is written anew: lines that old and new text share keep
 * the original's own characters and line ends, and new lines take over the line ends and the indentation style that stand around them.
 */
import { diffArrays } from 'diff';
import { indentMap } from './indent';
import type { IndentMap } from './indent';
import { dominantLineEnd, linePieces, withLf } from './line-ends';
import type { LinePiece } from './line-ends';
import type { MatchKind, Span } from './text-match';
import { withoutMark } from './text-match';
import { plainLine } from './tolerant-match';

export interface Splice extends Span {
  readonly text: string;
}

/** The splices must not overlap; their order does not matter. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const splice of [...splices].sort((a, b) => a.start - b.start)) {
    parts.push(text.slice(from, splice.start), splice.text);
    from = splice.end;
  }
  parts.push(text.slice(from));
  return parts.join('');
}

/** What to write in place of `span`, which was found for `oldText` as `kind` says. */
export function spliceFor(
  text: string,
  span: Span,
  kind: MatchKind,
  oldText: string,
  newText: string,
): Splice {
  const matched = text.slice(span.start, span.end);
  const literal = kind === 'exact' && matched === oldText;
  // An edit of nothing but line ends, and one that names them itself, means them as they are.
  if (literal && (withLf(oldText) === withLf(newText) || (oldText.includes('\r') && newText.includes('\r'))))
    return { ...span, text: newText };
  if (literal && !text.includes('\r') && !newText.includes('\r')) return { ...span, text: newText };
  return { ...span, text: merged(text, span, kind, oldText, newText) };
}

function merged(text: string, span: Span, kind: MatchKind, oldText: string, newText: string): string {
  const original = linePieces(text.slice(span.start, span.end));
  const olds = withLf(withoutMark(oldText)).split('\n');
  const news = withLf(withoutMark(newText)).split('\n');
  const indents = kind === 'tolerant' ? indentMap(olds, original) : undefined;
  const lines = pairLines(olds, news).map(({ from, body }): LinePiece => {
    const source = from === undefined ? undefined : original[from];
    if (from === undefined || !source) return { body: indents ? indents.translate(body) : body, end: '' };
    const old = olds[from] ?? '';
    if (old === body) return source;
    return { body: indents ? graft(old, body, source.body, indents) : body, end: source.end };
  });
  return joined(lines, original, lineEndAt(text, span));
}

/** The line end of the line in which the span ends, or of the one before; else what the text mostly has. */
function lineEndAt(text: string, span: Span): string {
  const after = /\r\n|\n|\r/.exec(text.slice(span.end, span.end + 20_000));
  if (after) return after[0];
  const before = /(\r\n|\n|\r)[^\r\n]*$/.exec(text.slice(0, span.start));
  return before?.[1] ?? dominantLineEnd(text);
}

/** Every line but the last gets a line end: its own, that of the line above, or the first there is. */
function joined(lines: readonly LinePiece[], original: readonly LinePiece[], around: string): string {
  let end = original.find((piece) => piece.end !== '')?.end ?? around;
  return lines
    .map((line, index) => {
      if (index === lines.length - 1) return line.body;
      if (line.end !== '') end = line.end;
      return line.body + end;
    })
    .join('');
}

interface PairedLine {
  /** Index of the old line that it is or replaces; undefined for a line that is new. */
  readonly from: number | undefined;
  readonly body: string;
}

/** Above this many changed lines finding what they share costs more than it keeps. */
const MOST_COMPARED = 1_500;

function pairLines(olds: readonly string[], news: readonly string[]): readonly PairedLine[] {
  const shared = Math.min(olds.length, news.length);
  let head = 0;
  while (head < shared && olds[head] === news[head]) head++;
  let tail = 0;
  while (tail < shared - head && olds[olds.length - 1 - tail] === news[news.length - 1 - tail]) tail++;
  const middle = pairMiddle(olds.slice(head, olds.length - tail), news.slice(head, news.length - tail));
  return [
    ...news.slice(0, head).map((body, index) => ({ from: index, body })),
    ...middle.map(({ from, body }) => ({ from: from === undefined ? undefined : from + head, body })),
    ...news.slice(news.length - tail).map((body, index) => ({ from: olds.length - tail + index, body })),
  ];
}

function pairMiddle(olds: readonly string[], news: readonly string[]): readonly PairedLine[] {
  if (olds.length + news.length > MOST_COMPARED) return replaced(0, olds.length, news);
  const lines: PairedLine[] = [];
  let at = 0;
  let removed = 0;
  for (const change of diffArrays([...olds], [...news])) {
    if (change.removed) removed = change.value.length;
    else if (change.added) {
      lines.push(...replaced(at, removed, change.value));
      at += removed;
      removed = 0;
    } else {
      at += removed;
      removed = 0;
      for (const body of change.value) lines.push({ from: at++, body });
    }
  }
  return lines;
}

/** New lines stand for the removed ones one by one; what is left over is new. */
function replaced(at: number, count: number, news: readonly string[]): readonly PairedLine[] {
  return news.map((body, index) => ({ from: index < count ? at + index : undefined, body }));
}

/** Applies the change from `oldLine` to `newLine` to the original line, which differs from `oldLine` in whitespace or quotes only. */
function graft(oldLine: string, newLine: string, original: string, indents: IndentMap): string {
  const [oldIndent, oldRest] = splitIndent(oldLine);
  const [newIndent, newRest] = splitIndent(newLine);
  const [indent, rest] = splitIndent(original);
  const begin = newIndent === oldIndent ? indent : indents.translate(newIndent);
  const oldPlain = plainLine(oldRest);
  const plain = plainLine(rest);
  if (oldPlain.text !== plain.text) return begin + newRest;
  const kept = sharedEnds(oldRest, newRest);
  const head = atPlace(oldPlain.places, kept.head);
  const tail = Math.max(head, atPlace(oldPlain.places, oldRest.length - kept.tail));
  const headEnd = plain.places[head] ?? rest.length;
  const tailStart = plain.places[tail] ?? rest.length;
  const oldHead = oldPlain.places[head] ?? oldRest.length;
  const oldTail = oldPlain.places[tail] ?? oldRest.length;
  const changed = newRest.slice(oldHead, newRest.length - (oldRest.length - oldTail));
  return begin + rest.slice(0, headEnd) + changed + rest.slice(tailStart);
}

/** The last plain character that begins at or before `index` of its line, so that a run of blanks is never cut. */
function atPlace(places: readonly number[], index: number): number {
  let found = 0;
  for (const [position, place] of places.entries()) if (place <= index) found = position;
  return found;
}

function sharedEnds(a: string, b: string): { readonly head: number; readonly tail: number } {
  const shared = Math.min(a.length, b.length);
  let head = 0;
  while (head < shared && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < shared - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return { head, tail };
}

function splitIndent(line: string): readonly [string, string] {
  const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
  return [indent, line.slice(indent.length)];
}
