/**
 * The one reducer of the panel's state, used by the webview, the host and tests alike. Pure; the cost of a delta does not depend
 * on the number of rows above it: rows are found by walking back from the end, and only the touched row is copied.
 */
import type { Delta } from './messages';
import type { CallRow, Header, Row, ViewState } from './view-state';

/** Characters of live output kept on a call row. */
export const OUTPUT_CAP = 8_192;

/** A view state whose row list may be changed in place by {@link apply}. Rows themselves are never mutated, only replaced. */
export interface MutableView {
  header: ViewState['header'];
  readonly rows: Row[];
}

export function mutableView(state: ViewState): MutableView {
  return { header: state.header, rows: [...state.rows] };
}

/** Applies one delta in place; returns the index of the row that changed, or -1 when only the header did or nothing matched. */
export function apply(view: MutableView, delta: Delta): number {
  switch (delta.type) {
    case 'header':
      view.header = patchHeader(view.header, delta.patch, delta.drop);
      return -1;
    case 'row': {
      const at = indexOfRow(view.rows, delta.row.id);
      if (at >= 0) view.rows[at] = delta.row;
      else if (delta.known === true) return -1;
      else view.rows.push(delta.row);
      return at >= 0 ? at : view.rows.length - 1;
    }
    case 'append':
      return replace(view.rows, delta.id, (row) =>
        (row.type === 'text' || row.type === 'thinking') && row.text.length === delta.at
          ? { ...row, text: row.text + delta.text }
          : row,
      );
    case 'close':
      return replace(view.rows, delta.id, (row) => {
        if (row.type === 'text') return { ...row, open: false };
        if (row.type !== 'thinking') return row;
        return delta.durationMs === undefined
          ? { ...row, open: false }
          : { ...row, open: false, durationMs: delta.durationMs };
      });
    case 'call':
      return replace(view.rows, delta.id, (row) =>
        row.type === 'call' ? patchCall(row, delta.patch, delta.drop) : row,
      );
    case 'output':
      return replace(view.rows, delta.id, (row) =>
        row.type === 'call' ? { ...row, output: keepTail((row.output ?? '') + delta.text) } : row,
      );
    case 'remove': {
      const at = indexOfRow(view.rows, delta.id);
      if (at >= 0) view.rows.splice(at, 1);
      return -1;
    }
    case 'earlier':
      view.rows.unshift(...newRows(view.rows, delta.rows));
      return -1;
  }
}

/** Rows that are there already stay where they are. */
export function newRows(rows: readonly Row[], earlier: readonly Row[]): readonly Row[] {
  const known = new Set(rows.map(({ id }) => id));
  return earlier.filter(({ id }) => !known.has(id));
}

function patchHeader(header: Header, patch: Partial<Header>, drop: readonly (keyof Header)[] = []): Header {
  const next: Record<string, unknown> = { ...header, ...patch };
  for (const key of drop) delete next[key];
  return next as unknown as Header;
}

function patchCall(row: CallRow, patch: Partial<CallRow>, drop: readonly (keyof CallRow)[] = []): CallRow {
  const next: Record<string, unknown> = { ...row, ...patch };
  for (const key of drop) delete next[key];
  return next as unknown as CallRow;
}

function keepTail(text: string): string {
  return text.length <= OUTPUT_CAP ? text : text.slice(text.length - OUTPUT_CAP);
}

function indexOfRow(rows: readonly Row[], id: string): number {
  for (let i = rows.length - 1; i >= 0; i--) if (rows[i]?.id === id) return i;
  return -1;
}

function replace(rows: Row[], id: string, change: (row: Row) => Row): number {
  const at = indexOfRow(rows, id);
  const row = rows[at];
  if (row === undefined) return -1;
  rows[at] = change(row);
  return at;
}
