/**
 * Turns the flat list of rows into what the transcript shows line by line: reads and searches of one step folded together, and the
 * rail that joins neighbouring calls. Pure; only the end of the list is looked at again when rows are added.
 */
import type { Row } from '../extension/protocol/view-state';

export interface Item {
  /** Id of the first row: stays the same while a fold grows. */
  readonly key: string;
  /** `plain` is a row type that this version does not know. */
  readonly type: Row['type'] | 'plain';
  readonly ids: readonly string[];
  /** Index of the first row in the list of rows. */
  readonly start: number;
  /** The rail goes on to the call above / below. */
  readonly joinsAbove: boolean;
  readonly joinsBelow: boolean;
}

const KNOWN: ReadonlySet<string> = new Set<Row['type']>([
  'prompt',
  'attached',
  'text',
  'thinking',
  'call',
  'notice',
  'error',
  'outcome',
  'boundary',
]);

/** Rows with the same key next to each other share a line; undefined = a line of its own. */
export function foldKey(row: Row): string | undefined {
  if (row.type !== 'call' || (row.kind !== 'read' && row.kind !== 'search')) return undefined;
  if (row.state === 'waiting' || row.approval !== undefined) return undefined;
  if (row.end !== undefined && row.end !== 'ok') return undefined;
  return `step ${row.step ?? ''}`;
}

/** Brings `items` up to date in place after rows from index `from` on were added, removed or changed their fold; returns the first index looked at. */
export function regroup(items: Item[], rows: readonly Row[], from: number): number {
  let at = items.length;
  while (at > 0 && (items[at - 1]?.start ?? 0) >= from) at--;
  // The item before may take the new row into its fold, and the one before that may join its rail to it.
  at = Math.max(0, at - 2);
  const old = items.splice(at);
  const reusable = new Map(old.map((item) => [item.key, item]));
  let index = old[0]?.start ?? rowAfter(items);
  while (index < rows.length) {
    const count = foldLength(rows, index);
    const item = makeItem(rows, index, count);
    const before = reusable.get(item.key);
    items.push(before !== undefined && same(before, item) ? before : item);
    index += count;
  }
  return at;
}

function rowAfter(items: readonly Item[]): number {
  const last = items.at(-1);
  return last === undefined ? 0 : last.start + last.ids.length;
}

function foldLength(rows: readonly Row[], start: number): number {
  const first = rows[start];
  const key = first === undefined ? undefined : foldKey(first);
  if (key === undefined) return 1;
  let end = start + 1;
  for (let row = rows[end]; row !== undefined && foldKey(row) === key; row = rows[end]) end++;
  return end - start;
}

function makeItem(rows: readonly Row[], start: number, count: number): Item {
  const members = rows.slice(start, start + count);
  const first = members[0];
  const type = first !== undefined && KNOWN.has(first.type) ? first.type : 'plain';
  return {
    key: first?.id ?? `row ${start}`,
    type,
    ids: members.map((row) => row.id),
    start,
    joinsAbove: type === 'call' && rows[start - 1]?.type === 'call',
    joinsBelow: type === 'call' && rows[start + count]?.type === 'call',
  };
}

function same(a: Item, b: Item): boolean {
  return (
    a.type === b.type &&
    a.start === b.start &&
    a.joinsAbove === b.joinsAbove &&
    a.joinsBelow === b.joinsBelow &&
    a.ids.length === b.ids.length &&
    a.ids.every((id, i) => id === b.ids[i])
  );
}
