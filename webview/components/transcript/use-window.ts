/** Ties the log's elements to `follow.ts`: measures rows as they appear and renders again when other ones should be on the page. */
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { RefObject } from 'preact';
import { useRerender } from '../panel-context';
import type { Panel } from '../panel-context';
import { createFollow } from './follow';
import type { Follow } from './follow';

export function useWindow(
  { store, memory, askOlder }: Pick<Panel, 'store' | 'memory' | 'askOlder'>,
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): Follow {
  const rerender = useRerender();
  const session = useCallback(() => store.header()?.sessionId, [store]);
  const log = useMemo(
    () =>
      createFollow({
        items: store.items,
        session,
        loads: store.loads,
        remembered: () => memory.place(session() ?? ''),
        remember: (place) => memory.setPlace(session() ?? '', place),
        askOlder() {
          askOlder();
          return store.earlier() > 0 || store.header()?.earlier === true;
        },
        box: () => scroller.current,
        changed: rerender,
      }),
    [store, memory, askOlder, session, scroller, rerender],
  );
  useLayoutEffect(() => {
    log.itemsChanged(0);
    return store.onItems(log.itemsChanged);
  }, [store, log]);
  useLayoutEffect(() => {
    if (log.extent().first === 0) askOlder();
  });
  useMeasuring(log, scroller, content);
  useLayoutEffect(() => log.rendered());
  return log;
}

function useMeasuring(
  log: Follow,
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): void {
  const observed = useRef(new Map<string, Element>()).current;
  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        for (const entry of entries) {
          const key = entry.target instanceof HTMLElement ? entry.target.dataset['row'] : undefined;
          const height = entry.borderBoxSize[0]?.blockSize ?? 0;
          if (key !== undefined && height > 0) log.measured(key, height);
        }
        log.onResize();
      }),
    [log],
  );
  useEffect(() => () => observer.disconnect(), [observer]);
  useLayoutEffect(() => {
    if (scroller.current !== null) observer.observe(scroller.current);
    if (content.current !== null) observer.observe(content.current);
  }, [observer, scroller, content]);
  useLayoutEffect(() => {
    const rows = [...(content.current?.children ?? [])].filter(
      (child): child is HTMLElement => child instanceof HTMLElement && child.dataset['row'] !== undefined,
    );
    const present = new Set<string>();
    for (const row of rows) {
      const key = row.dataset['row'] ?? '';
      present.add(key);
      if (observed.get(key) === row) continue;
      observed.set(key, row);
      observer.observe(row);
    }
    for (const [key, row] of observed) {
      if (present.has(key)) continue;
      observer.unobserve(row);
      observed.delete(key);
    }
  });
}
