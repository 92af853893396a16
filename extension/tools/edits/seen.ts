/**
 * Whether the model knows what it is about to change. Judged by content, never by time: a file that something touched without changing
 * it is unchanged, and a change elsewhere in the file does not stand in the way of an edit whose own text is as the model saw it.
 */
import type { TextSnapshot } from '../../ports';
import type { LineTable } from '../text/lines';
import { lineOf } from '../text/lines';
import type { MatchKind, Span } from '../text/text-match';
import { ToolError } from '../tool';
import type { ReadLedger } from '../tool';

type Range = readonly [number, number];
type Seen = ReturnType<ReadLedger['get']>;

export function mustBeRead(path: string, seen: Seen): asserts seen is NonNullable<Seen> {
  if (!seen)
    throw new ToolError(
      'not_read',
      `${path} has not been read in this session. Call Read on it first, then make the edit from what it shows.`,
    );
}

/** Returns a sentence for the model when the file has changed since, but not where it is edited. Throws when it must read again. */
export function checkSeen(
  path: string,
  snapshot: TextSnapshot,
  seen: NonNullable<Seen>,
  table: LineTable,
  spans: readonly Span[],
  how: { readonly kind: MatchKind; readonly all: boolean },
): string | undefined {
  if (seen.hash !== snapshot.hash) {
    // Only text that is exactly what the model named, at one place, is certain to be what it saw.
    if (how.kind !== 'tolerant' && !how.all && spans.length === 1)
      return `Note: ${path} has changed elsewhere since you read it; the text you named was unchanged. Read it again before you rely on the rest.`;
    throw new ToolError(
      'stale',
      `${path} has changed since you read it${snapshot.dirty ? ' (it has unsaved changes in the editor)' : ''}. Read it again, then make the edit from what it shows now.`,
    );
  }
  const unseen = spans.map((span) => linesOf(table, span)).filter((lines) => !covers(seen.ranges, lines));
  const [first] = unseen;
  // Replacing everywhere says that every place is meant, seen or not; some of them must have been seen.
  if (!first || (how.all && unseen.length < spans.length)) return undefined;
  throw new ToolError(
    'not_read',
    `The text stands in ${describeLines(first)} of ${path}, which you have not been shown (you have seen ${seen.ranges.map(describeLines).join(', ')}). Call Read with offset ${first[0]}, then make the edit.`,
  );
}

export function linesOf(table: LineTable, span: Span): Range {
  const first = lineOf(table, span.start);
  const last = lineOf(table, Math.max(span.start, span.end - 1));
  return [first, last];
}

export function covers(ranges: readonly Range[], lines: Range): boolean {
  return ranges.some(([from, to]) => from <= lines[0] && lines[1] <= to);
}

export function describeLines([from, to]: Range): string {
  if (from === to) return `line ${from}`;
  return to >= Number.MAX_SAFE_INTEGER ? `line ${from} to the end` : `lines ${from}–${to}`;
}

interface Shift {
  /** Lines of the old text that were replaced. */
  readonly lines: Range;
  /** Lines that there are now in their place, minus those that there were. */
  readonly by: number;
}

/** After an edit: the ranges that were known, moved to where their lines are now. The new lines themselves are known. */
export function movedRanges(ranges: readonly Range[], shifts: readonly Shift[]): readonly Range[] {
  const ordered = [...shifts].sort((a, b) => a.lines[0] - b.lines[0]);
  const moved = (line: number, isEnd: boolean): number => {
    if (line >= Number.MAX_SAFE_INTEGER) return line;
    const before = ordered.filter((shift) => (isEnd ? shift.lines[0] <= line : shift.lines[1] < line));
    return line + before.reduce((sum, shift) => sum + shift.by, 0);
  };
  return ranges
    .map(([from, to]): Range => [moved(from, false), moved(to, true)])
    .filter(([from, to]) => from <= to);
}
