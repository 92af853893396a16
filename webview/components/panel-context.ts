/** What every component may use: the store to read, `post` to say what the person did, and the memory of this view. */
import { createContext } from 'preact';
import { useCallback, useContext, useLayoutEffect, useReducer } from 'preact/hooks';
import type { WebviewMessage } from '../../extension/protocol/messages';
import type { Header, Row } from '../../extension/protocol/view-state';
import type { Inbox } from '../inbox';
import type { Store } from '../store';
import type { Memory } from '../memory';

export interface Panel {
  readonly store: Store;
  readonly memory: Memory;
  readonly inbox: Inbox;
  readonly post: (message: WebviewMessage) => void;
  /** Rows above the first one, if there are any. */
  readonly askOlder: () => void;
}

const Context = createContext<Panel | undefined>(undefined);
export const PanelProvider = Context.Provider;

export function usePanel(): Panel {
  const panel = useContext(Context);
  if (panel === undefined) throw new Error('No panel above this component.');
  return panel;
}

export function useRerender(): () => void {
  const [, bump] = useReducer<number, undefined>((n) => n + 1, 0);
  return useCallback(() => bump(undefined), []);
}

export function useHeader(): Header | undefined {
  const { store } = usePanel();
  const rerender = useRerender();
  useLayoutEffect(() => store.onHeader(rerender), [store, rerender]);
  return store.header();
}

export function useRow(id: string): Row | undefined {
  const { store } = usePanel();
  const rerender = useRerender();
  useLayoutEffect(() => store.onRow(id, rerender), [store, id, rerender]);
  return store.row(id);
}

/** `ids` must keep its identity while its contents are the same. */
export function useRows(ids: readonly string[]): readonly Row[] {
  const { store } = usePanel();
  const rerender = useRerender();
  useLayoutEffect(() => {
    const stops = ids.map((id) => store.onRow(id, rerender));
    return () => stops.forEach((stop) => stop());
  }, [store, ids, rerender]);
  return ids.map((id) => store.row(id)).filter((row) => row !== undefined);
}
