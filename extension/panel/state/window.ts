/**
 * How much of a conversation a webview is given: its newest rows within a budget, without long bodies, which it asks for when a person
 * opens them. Pure; it never changes a row.
 */
import type { Delta } from '../../protocol/messages';
import type { CallRow, Row, TextRow, ThinkingRow } from '../../protocol/view-state';

type CallPatch = Partial<Omit<CallRow, 'type' | 'id'>>;

/** Longer bodies stay with the host until they are asked for. */
export const BODY_CAP = 8_192;
/** Rows of a snapshot, and of one answer to `older`. */
const ROWS = 50;
const OLDER_ROWS = 100;
/** Bytes of rows in one message; the header has the rest of the 256 KB that a first message may have. */
const BUDGET = 180_000;
/** What stays of a long target. */
const HEAD = 2_000;
/** Of a text that does not fit into the first message, what follows it at once. */
const PIECE = 160_000;

/** The row without what is long; itself when nothing is. */
export function light(row: Row): Row {
  switch (row.type) {
    case 'thinking':
      return row.open || row.text.length <= BODY_CAP ? row : { ...row, text: '', more: row.text.length };
    case 'call':
      return { ...row, ...lightCall(row) };
    case 'boundary': {
      const { summary = '', ...rest } = row;
      return summary.length <= BODY_CAP ? row : { ...rest, more: summary.length };
    }
    default:
      return row;
  }
}

/** As `light`, for what changes on a call. */
export function lightPatch(patch: CallPatch): CallPatch {
  return { ...patch, ...lightCall(patch) };
}

function lightCall({ hunks, output, target }: CallPatch): CallPatch {
  const size = hunks === undefined ? 0 : sizeOf(hunks);
  const long = size > BODY_CAP;
  const tail = output !== undefined && output.length > BODY_CAP ? output.slice(-BODY_CAP) : undefined;
  const cut = target !== undefined && target.text.length > BODY_CAP ? headOf(target.text) : undefined;
  const left =
    (long ? size : 0) + (tail === undefined ? 0 : (output?.length ?? 0) - tail.length) + (cut?.more ?? 0);
  return {
    ...(long ? { hunks: [] } : {}),
    ...(tail === undefined ? {} : { output: tail }),
    ...(cut === undefined || target === undefined ? {} : { target: { ...target, text: cut.text } }),
    ...(left === 0 ? {} : { more: left }),
  };
}

function headOf(text: string): { readonly text: string; readonly more: number } {
  const end = wholeCharacters(text, HEAD);
  return { text: text.slice(0, end), more: text.length - end };
}

export interface Window {
  readonly rows: readonly Row[];
  /** Rows above. */
  readonly earlier: number;
  /** What follows the first message: the rest of a text that is too long for it. */
  readonly rest: readonly Delta[];
}

/** The newest rows. */
export function newestRows(rows: readonly Row[]): Window {
  let start = rows.length;
  let left = BUDGET;
  const taken: Row[] = [];
  while (start > 0 && taken.length < ROWS && left > 0) {
    const row = rows[start - 1];
    if (row === undefined) break;
    const sent = light(row);
    const size = sizeOf(sent);
    if (size > left) {
      if (!isText(sent) || size < BUDGET / 2) {
        if (taken.length > 0) break;
      } else return { ...cutText(taken, sent, left), earlier: start - 1 };
    }
    taken.unshift(sent);
    left -= size;
    start--;
  }
  return { rows: taken, earlier: start, rest: [] };
}

/** Rows above the one at `end`. */
export function rowsAbove(rows: readonly Row[], end: number): Omit<Window, 'rest'> {
  let start = end;
  let left = BUDGET;
  const taken: Row[] = [];
  while (start > 0 && taken.length < OLDER_ROWS) {
    const row = rows[start - 1];
    if (row === undefined) break;
    const sent = light(row);
    left -= sizeOf(sent);
    if (left < 0 && taken.length > 0) break;
    taken.unshift(sent);
    start--;
  }
  return { rows: taken, earlier: start };
}

function isText(row: Row): row is TextRow | ThinkingRow {
  return row.type === 'text' || row.type === 'thinking';
}

function cutText(
  below: readonly Row[],
  row: TextRow | ThinkingRow,
  room: number,
): Pick<Window, 'rows' | 'rest'> {
  // A character is up to six bytes once it is written as JSON.
  const { id, text } = row;
  const first = wholeCharacters(text, Math.max(1, Math.floor((room * text.length) / sizeOf(row))));
  const rest: Delta[] = [];
  for (let at = first; at < text.length;) {
    const end = wholeCharacters(text, at + PIECE);
    rest.push({ type: 'append', id, at, text: text.slice(at, end) });
    at = end;
  }
  // Open, so that what follows is read on from there and not all over again.
  if (!row.open) rest.push(closing(row));
  return { rows: [{ ...row, open: true, text: text.slice(0, first) }, ...below], rest };
}

function closing(row: TextRow | ThinkingRow): Delta {
  const { id } = row;
  if (row.type === 'text' || row.durationMs === undefined) return { type: 'close', id };
  return { type: 'close', id, durationMs: row.durationMs };
}

/** A cut never falls into the middle of a character of two units. */
function wholeCharacters(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at;
}

const encoder = new TextEncoder();
const sizeOf = (value: unknown): number => encoder.encode(JSON.stringify(value)).byteLength;
