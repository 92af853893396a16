/**
 * Which part of a long list is on the page, and how tall the parts are that are not. Pure arithmetic; moving an edge costs what it
 * moves over, never the length of the list.
 */

/** Items `first` … `last`-1 exist as elements; `above` and `below` are the heights of the spacers for the rest. */
export interface Extent {
  readonly first: number;
  readonly last: number;
  readonly above: number;
  readonly below: number;
}

export type HeightOf = (index: number) => number;

/** What is kept ready outside the visible part, in pixels, and how many items at least. */
const READY_PX = 800;
const SLACK_PX = 2_400;
const READY_ITEMS = 12;

export const NOTHING: Extent = { first: 0, last: 0, above: 0, below: 0 };

/** The end of the list: as much as fills the view, and some more. Goes on from `before` when that is not far off. */
export function extentAtEnd(before: Extent, count: number, heightOf: HeightOf, viewport: number): Extent {
  let first = count;
  let sum = 0;
  while (first > 0 && (sum < viewport + READY_PX || count - first < READY_ITEMS)) sum += heightOf(--first);
  // What is mounted stays for a while: dropping an item with every new one would move the page under a selection.
  let kept = first;
  while (kept > before.first && sum < viewport + SLACK_PX) sum += heightOf(--kept);
  return { first: kept, last: count, above: shifted(before.above, before.first, kept, heightOf), below: 0 };
}

/** Anywhere else. `top` and `bottom` are the visible part in pixels from the start of the list. */
export function extentAt(
  before: Extent,
  count: number,
  heightOf: HeightOf,
  top: number,
  bottom: number,
): Extent {
  let { first, above } = before;
  first = Math.min(first, Math.max(0, count - 1));
  while (first > 0 && above > top - READY_PX) above -= heightOf(--first);
  while (first < count - 1 && above + heightOf(first) < top - SLACK_PX) above += heightOf(first++);
  if (first === 0) above = 0;
  let last = first;
  let edge = above;
  while (last < count && (edge < bottom + READY_PX || last - first < READY_ITEMS)) edge += heightOf(last++);
  let kept = last;
  while (kept < Math.min(before.last, count) && edge < bottom + SLACK_PX) edge += heightOf(kept++);
  return { first, last: kept, above: Math.max(0, above), below: rest(before, kept, count, heightOf) };
}

/** From nothing known: adds up everything. For a new list and for jumps. */
export function extentFromScratch(count: number, heightOf: HeightOf, top: number, bottom: number): Extent {
  let first = 0;
  let above = 0;
  while (first < count - 1 && above + heightOf(first) < top - READY_PX) above += heightOf(first++);
  const start: Extent = { first, last: first, above, below: 0 };
  const { last } = extentAt(start, count, heightOf, top, bottom);
  return { first, last, above, below: sum(last, count, heightOf) };
}

/** Items were added or taken away at the end; what is not on the page of them counts as below. */
export function extentGrown(before: Extent, was: number, count: number, heightOf: HeightOf): Extent {
  if (count === was) return before;
  const last = Math.min(before.last, count);
  const below =
    before.last < was && count > was ? before.below + sum(was, count, heightOf) : sum(last, count, heightOf);
  return { ...before, last, below };
}

function shifted(above: number, from: number, to: number, heightOf: HeightOf): number {
  if (to === 0) return 0;
  return Math.max(0, to < from ? above - sum(to, from, heightOf) : above + sum(from, to, heightOf));
}

function rest(before: Extent, last: number, count: number, heightOf: HeightOf): number {
  if (last >= count) return 0;
  const below =
    last < before.last
      ? before.below + sum(last, before.last, heightOf)
      : before.below - sum(before.last, last, heightOf);
  return Math.max(0, below);
}

function sum(from: number, to: number, heightOf: HeightOf): number {
  let total = 0;
  for (let i = from; i < to; i++) total += heightOf(i);
  return total;
}
