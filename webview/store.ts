/**
 * The webview's copy of the view state. It applies deltas with the shared reducer and tells listeners at most once a frame, each
 * row's listeners only when that row changed. It never changes the state by itself.
 */
import { apply, mutableView } from '../extension/protocol/apply';
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
  /** Read-only view of a list that changes in place; `onItems` says when. */
  readonly items: () => readonly Item[];
  readonly load: (state: ViewState) => void;
  readonly apply: (deltas: readonly Delta[]) => void;
  readonly onRow: (id: string, listener: Listener) => Unsubscribe;
  readonly onHeader: (listener: Listener) => Unsubscribe;
  /** `from` is the index of the first item that may be another one than before. */
  readonly onItems: (listener: (from: number) => void) => Unsubscribe;
}

export function createStore(schedule: (flush: () => void) => void): Store {
  let view: MutableView | undefined;
  const byId = new Map<string, Row>();
  const items: Item[] = [];
  const rowListeners = new Map<string, Set<Listener>>();
  const headerListeners = new Set<Listener>();
  const itemListeners = new Set<(from: number) => void>();

  const dirtyRows = new Set<string>();
  let dirtyHeader = false;
  let dirtyItemsFrom: number | undefined;
  let scheduled = false;

  const flush = (): void => {
    scheduled = false;
    const ids = [...dirtyRows];
    const header = dirtyHeader;
    const from = dirtyItemsFrom;
    dirtyRows.clear();
    dirtyHeader = false;
    dirtyItemsFrom = undefined;
    if (from !== undefined && view !== undefined) {
      const changed = regroup(items, view.rows, from);
      for (const listener of [...itemListeners]) listener(changed);
    }
    for (const id of ids) for (const listener of [...(rowListeners.get(id) ?? [])]) listener();
    if (header) for (const listener of [...headerListeners]) listener();
  };
  const wake = (): void => {
    if (scheduled) return;
    scheduled = true;
    schedule(flush);
  };
  const itemsFrom = (index: number): void => {
    dirtyItemsFrom = Math.min(index, dirtyItemsFrom ?? index);
  };

  const applyOne = (state: MutableView, delta: Delta): void => {
    if (delta.type === 'header') {
      apply(state, delta);
      dirtyHeader = true;
      return;
    }
    const id = delta.type === 'row' ? delta.row.id : delta.id;
    if (delta.type === 'remove') {
      const gone = byId.get(id);
      if (gone === undefined) return;
      itemsFrom(state.rows.lastIndexOf(gone));
      byId.delete(id);
      apply(state, delta);
      return;
    }
    const before = byId.get(id);
    const index = apply(state, delta);
    const after = state.rows[index];
    if (after === undefined) return;
    byId.set(id, after);
    dirtyRows.add(id);
    if (before === undefined || before.type !== after.type || foldKey(before) !== foldKey(after))
      itemsFrom(index);
  };

  return {
    header: () => view?.header,
    row: (id) => byId.get(id),
    rows: () => view?.rows ?? [],
    items: () => items,
    load(state) {
      view = mutableView(state);
      byId.clear();
      for (const row of view.rows) byId.set(row.id, row);
      for (const id of rowListeners.keys()) dirtyRows.add(id);
      items.length = 0;
      itemsFrom(0);
      dirtyHeader = true;
      wake();
    },
    apply(deltas) {
      if (view === undefined) return;
      for (const delta of deltas) applyOne(view, delta);
      wake();
    },
    onRow: (id, listener) => {
      const listeners = rowListeners.get(id) ?? new Set();
      rowListeners.set(id, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) rowListeners.delete(id);
      };
    },
    onHeader: (listener) => subscribe(headerListeners, listener),
    onItems: (listener) => subscribe(itemListeners, listener),
  };
}

function subscribe<L>(listeners: Set<L>, listener: L): Unsubscribe {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
