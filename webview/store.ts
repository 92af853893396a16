/**
 * The webview's copy of the view state. It applies deltas with the shared reducer and tells listeners at most once a frame, each
 * row's listeners only when that row changed. It never changes the state by itself.
 */
import { apply, mutableView, newRows } from '../extension/protocol/apply';
import type { MutableView } from '../extension/protocol/apply';
import type { Delta } from '../extension/protocol/messages';
import type { Header, Row, ViewState } from '../extension/protocol/view-state';
import { foldKey, regroup } from './items';
import type { Item } from './items';

type Listener = () => void;
type Unsubscribe = () => void;

export interface Store {
  /** Undefined until the first snapshot. */
  readonly header: () => Header | undefined;
  readonly row: (id: string) => Row | undefined;
  /** Read-only view of a list that changes in place. */
  readonly rows: () => readonly Row[];
  /** What was appended to a row since the last call, when that is all that happened to it; undefined otherwise. */
  readonly takeGrowth: (id: string) => string | undefined;
  /** Read-only view of a list that changes in place; `onItems` says when. */
  readonly items: () => readonly Item[];
  /** Rows above the first one that the host has and this copy does not. */
  readonly earlier: () => number;
  /** How often everything was loaded anew. */
  readonly loads: () => number;
  readonly load: (state: ViewState, earlier?: number) => void;
  /** Puts rows above all others. */
  readonly prepend: (rows: readonly Row[], earlier: number) => void;
  /** Puts a whole row in the place of one that was cut. */
  readonly fill: (row: Row) => void;
  /** False when a delta does not fit what is here: the state can no longer be trusted. */
  readonly apply: (deltas: readonly Delta[]) => boolean;
  readonly onRow: (id: string, listener: Listener) => Unsubscribe;
  readonly onHeader: (listener: Listener) => Unsubscribe;
  /** `from` is the index of the first item that may be another one than before. */
  readonly onItems: (listener: ItemsListener) => Unsubscribe;
}

export type ItemsListener = (from: number) => void;

export function createStore(schedule: (flush: () => void) => void): Store {
  let view: MutableView | undefined;
  const top = { earlier: 0, loads: 0 };
  const byId = new Map<string, Row>();
  const items: Item[] = [];
  const growth = createGrowth();
  const listeners = createListeners();
  const changes = createChanges((changed) => {
    if (changed.from !== undefined && view !== undefined) {
      const from = regroup(items, view.rows, changed.from);
      listeners.items.forEach((listener) => listener(from));
    }
    tellRows(changed, listeners);
  }, schedule);

  const applyOne = (to: MutableView, delta: Delta): boolean => {
    const fits = fitsIn(byId, delta);
    growth.note(delta);
    if (delta.type === 'earlier') top.earlier += delta.kept ?? 0;
    changes.note(applyDelta(to, byId, delta));
    return fits;
  };
  return {
    header: () => view?.header,
    row: (id) => byId.get(id),
    rows: () => view?.rows ?? [],
    takeGrowth: growth.take,
    items: () => items,
    earlier: () => top.earlier,
    loads: () => top.loads,
    load(state, above = 0) {
      Object.assign(top, { earlier: above, loads: top.loads + 1 });
      view = mutableView(state);
      byId.clear();
      index(byId, view.rows);
      growth.clear();
      items.length = 0;
      changes.note({ header: true, from: 0, rows: listeners.rows.keys() });
    },
    prepend(rows, above) {
      if (view === undefined) return;
      top.earlier = above;
      view.rows.unshift(...rows);
      index(byId, rows);
      changes.note({ from: 0 });
    },
    fill(row) {
      if (view === undefined || !replaced(view.rows, row)) return;
      index(byId, [row]);
      growth.forget(row.id);
      changes.note({ rows: [row.id] });
    },
    apply(deltas) {
      const to = view;
      return to === undefined || deltas.reduce((fits, delta) => applyOne(to, delta) && fits, true);
    },
    onRow: (id, listener) => subscribeRow(listeners.rows, id, listener),
    onHeader: (listener) => subscribe(listeners.header, listener),
    onItems: (listener) => subscribe(listeners.items, listener),
  };
}

function index(byId: Map<string, Row>, rows: readonly Row[]): void {
  for (const row of rows) byId.set(row.id, row);
}

/** False when there is no such row. */
function replaced(rows: Row[], row: Row): boolean {
  const at = rows.findIndex(({ id }) => id === row.id);
  if (at >= 0) rows[at] = row;
  return at >= 0;
}

function tellRows(
  { rows, header }: { readonly rows: readonly string[]; readonly header: boolean },
  listeners: Listeners,
): void {
  for (const id of rows) listeners.rows.get(id)?.forEach((listener) => listener());
  if (header) listeners.header.forEach((listener) => listener());
}

/** Text goes where it was said to go, or something was lost. */
function fitsIn(byId: ReadonlyMap<string, Row>, delta: Delta): boolean {
  if (delta.type !== 'append') return true;
  const row = byId.get(delta.id);
  return (row?.type === 'text' || row?.type === 'thinking') && row.text.length === delta.at;
}

interface Growth {
  readonly note: (delta: Delta) => void;
  readonly take: (id: string) => string | undefined;
  readonly forget: (id: string) => void;
  readonly clear: () => void;
}

/** Appended text in pieces: to find it in the whole text again would cost as much as the whole text is long. */
function createGrowth(): Growth {
  const pieces = new Map<string, string[]>();
  return {
    note(delta) {
      if (delta.type === 'row') pieces.delete(delta.row.id);
      else if (delta.type === 'remove') pieces.delete(delta.id);
      else if (delta.type === 'append') pieces.get(delta.id)?.push(delta.text);
    },
    take(id) {
      const grown = pieces.get(id);
      pieces.set(id, []);
      return grown?.join('');
    },
    forget: (id) => void pieces.delete(id),
    clear: () => pieces.clear(),
  };
}

/** What a delta touched. `from` is set when the list of items may have changed from that row index on. */
interface Touched {
  readonly header?: boolean;
  readonly from?: number;
  readonly rows?: Iterable<string>;
}

function applyDelta(view: MutableView, byId: Map<string, Row>, delta: Delta): Touched {
  if (delta.type === 'header') {
    apply(view, delta);
    return { header: true };
  }
  if (delta.type === 'earlier') {
    for (const row of newRows(view.rows, delta.rows)) byId.set(row.id, row);
    apply(view, delta);
    return { from: 0 };
  }
  const id = delta.type === 'row' ? delta.row.id : delta.id;
  const before = byId.get(id);
  if (delta.type === 'remove') {
    if (before === undefined) return {};
    const from = view.rows.lastIndexOf(before);
    byId.delete(id);
    apply(view, delta);
    return { from };
  }
  const index = apply(view, delta);
  const after = view.rows[index];
  if (after === undefined) return {};
  byId.set(id, after);
  const regroups = before?.type !== after.type || foldKey(before) !== foldKey(after);
  return regroups ? { rows: [id], from: index } : { rows: [id] };
}

interface Changes {
  note(touched: Touched): void;
}

/** Gathers what was touched and tells it once a frame. */
function createChanges(
  tell: (changed: {
    readonly header: boolean;
    readonly from: number | undefined;
    readonly rows: readonly string[];
  }) => void,
  schedule: (flush: () => void) => void,
): Changes {
  let header = false;
  let from: number | undefined;
  let rows = new Set<string>();
  let scheduled = false;
  const flush = (): void => {
    const changed = { header, from, rows: [...rows] };
    scheduled = false;
    header = false;
    from = undefined;
    rows = new Set();
    tell(changed);
  };
  return {
    note(touched) {
      header ||= touched.header === true;
      if (touched.from !== undefined) from = Math.min(touched.from, from ?? touched.from);
      for (const id of touched.rows ?? []) rows.add(id);
      if (scheduled) return;
      scheduled = true;
      schedule(flush);
    },
  };
}

interface Listeners {
  readonly rows: Map<string, Set<Listener>>;
  readonly header: Set<Listener>;
  readonly items: Set<ItemsListener>;
}

function createListeners(): Listeners {
  return { rows: new Map(), header: new Set(), items: new Set() };
}

function subscribeRow(rows: Map<string, Set<Listener>>, id: string, listener: Listener): Unsubscribe {
  const own = rows.get(id) ?? new Set();
  rows.set(id, own.add(listener));
  return () => {
    own.delete(listener);
    if (own.size === 0) rows.delete(id);
  };
}

function subscribe<L>(listeners: Set<L>, listener: L): Unsubscribe {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
