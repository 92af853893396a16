/**
 * Keeps the transcript's elements to what can be seen: measures rows as they appear, moves the extent with scrolling, and stays at the
 * bottom unless the person went up. Owns all reading and writing of scroll positions.
 */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';
import type { Item } from '../../items';
import type { Store } from '../../store';
import { useRerender } from '../panel-context';
import { extentAt, extentAtEnd, extentFromScratch, NOTHING } from './extent';
import type { Extent } from './extent';

export interface TranscriptWindow {
  readonly extent: Extent;
  /** False while the person reads further up. */
  readonly following: boolean;
  readonly toEnd: () => void;
  /** Brings an item onto the page and into view; `done` runs once its element exists. */
  readonly reveal: (index: number, done: (row: HTMLElement) => void) => void;
  readonly onScroll: () => void;
}

/** Guesses for rows that were never on the page. */
const GUESS: Readonly<Record<Item['type'], number>> = {
  prompt: 64,
  text: 120,
  thinking: 28,
  call: 28,
  notice: 28,
  error: 96,
  outcome: 40,
  plain: 28,
};
const AT_END_PX = 12;

interface Live {
  extent: Extent;
  count: number;
  following: boolean;
  lastTop: number;
  session: string | undefined;
  readonly heights: Map<string, number>;
  readonly observed: Map<string, Element>;
}

export function useWindow(
  store: Store,
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): TranscriptWindow {
  const rerender = useRerender();
  const [following, setFollowing] = useState(true);
  const live = useRef<Live>({
    extent: NOTHING,
    count: 0,
    following: true,
    lastTop: 0,
    session: undefined,
    heights: new Map(),
    observed: new Map(),
  }).current;

  const control = useRef(createControl(store, scroller, live, rerender, setFollowing)).current;
  useLayoutEffect(() => store.onItems(control.itemsChanged), [store, control]);
  useObservers(live, content, control.keepAtEnd);
  useLayoutEffect(() => {
    // The first items came before anything could be measured.
    control.itemsChanged(0);
  }, [control]);

  return { extent: live.extent, following, ...control };
}

function createControl(
  store: Store,
  scroller: RefObject<HTMLElement | null>,
  live: Live,
  rerender: () => void,
  setFollowing: (following: boolean) => void,
) {
  const heightOf = (index: number): number => {
    const item = store.items()[index];
    return item === undefined ? 0 : (live.heights.get(item.key) ?? GUESS[item.type]);
  };
  const follow = (on: boolean): void => {
    if (live.following === on) return;
    live.following = on;
    setFollowing(on);
  };
  const place = (from: number): void => {
    const box = scroller.current;
    const count = store.items().length;
    const viewport = box?.clientHeight ?? 600;
    const top = box?.scrollTop ?? 0;
    const outside = from < live.extent.first || live.extent.first >= Math.max(1, count);
    const before = outside
      ? extentFromScratch(count, heightOf, top, top + viewport)
      : grown(live, count, heightOf);
    live.count = count;
    const after = live.following
      ? extentAtEnd(before, count, heightOf, viewport)
      : extentAt(before, count, heightOf, top, top + viewport);
    const same =
      after.first === live.extent.first &&
      after.last === live.extent.last &&
      after.above === live.extent.above;
    live.extent = after;
    if (!same || from < Infinity) rerender();
  };
  const keepAtEnd = (): void => {
    const box = scroller.current;
    if (box === null || !live.following) return;
    box.scrollTop = box.scrollHeight;
    live.lastTop = box.scrollTop;
  };

  return {
    keepAtEnd,
    itemsChanged(from: number): void {
      const session = store.header()?.sessionId;
      const count = store.items().length;
      const asked = count > live.count && store.items().at(-1)?.type === 'prompt';
      if (session !== live.session || asked) follow(true);
      if (session !== live.session) live.heights.clear();
      live.session = session;
      place(from);
    },
    onScroll(): void {
      const box = scroller.current;
      if (box === null) return;
      const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight <= AT_END_PX;
      if (atEnd) follow(true);
      else if (box.scrollTop < live.lastTop) follow(false);
      live.lastTop = box.scrollTop;
      if (!live.following) place(Infinity);
    },
    toEnd(): void {
      follow(true);
      place(0);
      keepAtEnd();
    },
    reveal(index: number, done: (row: HTMLElement) => void): void {
      const item = store.items()[index];
      const box = scroller.current;
      if (item === undefined || box === null) return;
      const element = rowElement(box, item.key);
      if (element !== undefined) return done(element);
      follow(false);
      box.scrollTop = extentFromScratch(index + 1, heightOf, Infinity, Infinity).above;
      place(0);
      requestAnimationFrame(() => {
        const row = rowElement(box, item.key);
        if (row !== undefined) done(row);
      });
    },
  };
}

/** Items were added or taken away at the end: what is not mounted of them counts as below. */
function grown(live: Live, count: number, heightOf: (index: number) => number): Extent {
  const { extent } = live;
  if (count === live.count) return extent;
  const last = Math.min(extent.last, count);
  let below = 0;
  for (let i = last; i < count; i++) below += heightOf(i);
  return { ...extent, last, below };
}

function rowElement(box: HTMLElement, key: string): HTMLElement | undefined {
  return box.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`) ?? undefined;
}

/** Measures every row that is on the page, and tells when the page as a whole has grown. */
function useObservers(live: Live, content: RefObject<HTMLElement | null>, keepAtEnd: () => void): void {
  const observer = useRef<ResizeObserver | undefined>(undefined);
  observer.current ??= new ResizeObserver((entries) => {
    for (const entry of entries) {
      const key = entry.target instanceof HTMLElement ? entry.target.dataset['row'] : undefined;
      const height = entry.borderBoxSize[0]?.blockSize ?? 0;
      if (key !== undefined && height > 0) live.heights.set(key, height);
    }
    keepAtEnd();
  });
  useLayoutEffect(() => {
    const page = content.current;
    const watch = observer.current;
    if (page === null || watch === undefined) return;
    const present = new Set<string>();
    for (const row of page.querySelectorAll<HTMLElement>(':scope > [data-row]')) {
      const key = row.dataset['row'] ?? '';
      present.add(key);
      if (live.observed.get(key) === row) continue;
      live.observed.set(key, row);
      watch.observe(row);
    }
    for (const [key, row] of live.observed) {
      if (present.has(key)) continue;
      watch.unobserve(row);
      live.observed.delete(key);
    }
  });
  useLayoutEffect(() => {
    const watch = observer.current;
    const page = content.current;
    if (page !== null) watch?.observe(page);
    return () => watch?.disconnect();
  }, [content]);
}
