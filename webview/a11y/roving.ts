/**
 * Roving focus over the transcript's rows: one row is the Tab stop, arrow keys, Home and End move, Enter and Space open, and the
 * controls inside a row join the Tab order only while that row has the focus. Works on elements marked `data-row`, `data-ctl`,
 * `data-scroll` and `data-main`.
 */
import type { Item } from '../items';

export interface RovingOptions {
  readonly items: () => readonly Item[];
  readonly reveal: (index: number, done: (row: HTMLElement) => void) => void;
  /** The person wants out of the transcript. */
  readonly leave: () => void;
}

export interface Roving {
  readonly refresh: (log: HTMLElement) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onFocusIn: (event: FocusEvent) => void;
}

const INSIDE = '[data-ctl]';

export function createRoving({ items, reveal, leave }: RovingOptions): Roving {
  /** The row that the person last was in. */
  let chosen: string | undefined;
  let stop: HTMLElement | undefined;

  const controls = (row: HTMLElement, index: 0 | -1): void => {
    for (const control of row.querySelectorAll<HTMLElement>(INSIDE)) control.tabIndex = index;
  };
  const makeStop = (row: HTMLElement): void => {
    if (stop !== undefined && stop !== row) {
      stop.tabIndex = -1;
      controls(stop, -1);
    }
    row.tabIndex = 0;
    stop = row;
  };
  const focusItem = (index: number): void => {
    const bounded = Math.max(0, Math.min(items().length - 1, index));
    reveal(bounded, (row) => {
      row.focus();
    });
  };
  const indexOf = (row: HTMLElement): number => items().findIndex((item) => item.key === row.dataset['row']);

  return {
    refresh(log) {
      if (chosen !== undefined && stop?.isConnected === true) return;
      const rows = log.querySelectorAll<HTMLElement>('[data-row]');
      const again = [...rows].find((row) => row.dataset['row'] === chosen);
      // Until the person has been somewhere, the way in is the newest row. A row that was scrolled away keeps its place.
      const row = again ?? rows[rows.length - 1];
      if (row !== undefined) makeStop(row);
    },
    onFocusIn(event) {
      const row = rowOf(event.target);
      if (row === undefined) return;
      chosen = row.dataset['row'];
      makeStop(row);
      controls(row, 0);
    },
    onKeyDown(event) {
      const row = rowOf(event.target);
      if (row === undefined || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey)
        return;
      const onRow = event.target === row;
      if (!onRow && !movesFrom(event.target)) return;
      const step = moves(event.key, items().length, indexOf(row));
      if (step !== undefined) focusItem(step);
      else if (event.key === 'Escape') leave();
      else if (!onRow || !pressed(event.key, row)) return;
      event.preventDefault();
    },
  };
}

function moves(key: string, count: number, at: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return at + 1;
    case 'ArrowUp':
      return at - 1;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}

/** Enter and Space open or close; without anything to open they go to the row's first control. Left and right say which. */
function pressed(key: string, row: HTMLElement): boolean {
  const main = row.querySelector<HTMLElement>('[data-main]');
  const open = main?.getAttribute('aria-expanded') === 'true';
  if (key === 'Enter' || key === ' ') {
    const target = main ?? row.querySelector<HTMLElement>('[data-ask-primary], [data-ctl]');
    if (main !== null) main.click();
    else target?.focus();
    return target !== null;
  }
  if ((key === 'ArrowRight' && main !== null && !open) || (key === 'ArrowLeft' && main !== null && open)) {
    main.click();
    return true;
  }
  return false;
}

function rowOf(target: EventTarget | null): HTMLElement | undefined {
  return target instanceof Element ? (target.closest<HTMLElement>('[data-row]') ?? undefined) : undefined;
}

/** Fields and scrollable parts keep their own arrow keys. */
function movesFrom(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && !target.matches('textarea, input, select, [data-scroll]');
}
