/**
 * Decides which items are on the page and whether the view keeps to the newest line. The only owner of the log's scroll position; it
 * knows elements only as boxes that scroll.
 */
import type { Item } from '../../items';
import type { Place } from '../../memory';
import { extentAt, extentAtEnd, extentFromScratch, extentGrown, NOTHING } from './extent';
import type { Extent } from './extent';

export interface FollowOptions {
  readonly items: () => readonly Item[];
  readonly session: () => string | undefined;
  /** How often everything was loaded anew. */
  readonly loads: () => number;
  /** Where this session was being read when the view went away; undefined: at its end, where sessions begin. */
  readonly remembered: () => Place | undefined;
  readonly remember: (place: Place | undefined) => void;
  /** False when there is nothing above. */
  readonly askOlder: () => boolean;
  readonly box: () => HTMLElement | null;
  /** The extent or `following` changed. */
  readonly changed: () => void;
}

export interface Follow {
  readonly extent: () => Extent;
  /** False while the person reads further up. */
  readonly following: () => boolean;
  readonly itemsChanged: (from: number) => void;
  /** The page is as `extent` says. */
  readonly rendered: () => void;
  readonly measured: (key: string, height: number) => void;
  readonly onScroll: () => void;
  /** The page has another height than before. */
  readonly onResize: () => void;
  /** The person opens or closes something: what they look at must not move away under the pointer. */
  readonly hold: () => void;
  readonly toEnd: () => void;
  /** Brings an item onto the page; `done` runs once its element exists. */
  readonly reveal: (index: number, done: (row: HTMLElement) => void) => void;
}

/** Guesses for rows that were never on the page. */
const GUESS: Readonly<Record<Item['type'], number>> = {
  prompt: 64,
  attached: 30,
  text: 120,
  thinking: 28,
  call: 28,
  notice: 28,
  error: 96,
  outcome: 40,
  boundary: 32,
  plain: 28,
};
const AT_END_PX = 12;
const HOLD_MS = 250;

/** State of one log; `options` give it eyes. */
interface Log {
  readonly options: FollowOptions;
  readonly heights: Map<string, number>;
  extent: Extent;
  count: number;
  following: boolean;
  lastTop: number;
  heldUntil: number;
  session: string | undefined;
  /** The first item. */
  firstKey: string | undefined;
  /** Rows with their places on the screen, when items came in above them: there they stay. */
  anchors: readonly { readonly key: string; readonly top: number }[];
  loads: number;
  /** A place to go back to whose row is not here yet. */
  goal: Place | undefined;
}

export function createFollow(options: FollowOptions): Follow {
  const log: Log = {
    options,
    heights: new Map(),
    extent: NOTHING,
    count: 0,
    following: true,
    lastTop: 0,
    heldUntil: 0,
    session: undefined,
    firstKey: undefined,
    anchors: [],
    loads: -1,
    goal: undefined,
  };
  return {
    extent: () => log.extent,
    following: () => log.following,
    measured: (key, height) => void log.heights.set(key, height),
    itemsChanged: (from) => itemsChanged(log, from),
    rendered: () => backInPlace(log),
    onScroll: () => scrolled(log),
    onResize: () => (log.following ? keepAtEnd(log) : replace(log)),
    hold() {
      log.heldUntil = performance.now() + HOLD_MS;
      setTimeout(() => scrolled(log), HOLD_MS);
    },
    toEnd() {
      log.heldUntil = 0;
      follow(log, true);
      place(log, 0);
      options.changed();
      keepAtEnd(log);
    },
    reveal: (index, done) => reveal(log, index, done),
  };
}

function heightOf(log: Log): (index: number) => number {
  const items = log.options.items();
  return (index) => {
    const item = items[index];
    return item === undefined ? 0 : (log.heights.get(item.key) ?? GUESS[item.type]);
  };
}

function follow(log: Log, on: boolean): void {
  if (log.following === on) return;
  log.following = on;
  if (on) log.goal = undefined;
  log.options.changed();
}

function itemsChanged(log: Log, from: number): void {
  const { items, session, changed, loads, remembered } = log.options;
  const above = session() === log.session && log.loads === loads() && cameAbove(log);
  const asked = items().length > log.count && items().at(-1)?.type === 'prompt';
  log.firstKey = items()[0]?.key;
  if (session() !== log.session) log.heights.clear();
  if (log.loads !== loads()) {
    log.goal = remembered();
    follow(log, log.goal === undefined);
  } else if (asked) follow(log, true);
  log.session = session();
  log.loads = loads();
  // What came in above the page leaves on the page what is there; the scroll position is put right once it is drawn.
  if (!above) place(log, from);
  changed();
  seek(log);
}

/** Goes back to where somebody was reading, once its row is here. */
function seek(log: Log): void {
  const { goal, options } = log;
  const box = options.box();
  if (goal === undefined || box === null) return;
  const index = options.items().findIndex(({ ids }) => ids.includes(goal.row));
  if (index < 0) {
    if (options.askOlder()) return;
    log.goal = undefined;
    follow(log, true);
    return keepAtEnd(log);
  }
  reveal(log, index, (row) => {
    box.scrollTop += row.getBoundingClientRect().top - box.getBoundingClientRect().top - goal.offset;
    log.lastTop = box.scrollTop;
    log.goal = undefined;
    replace(log);
  });
}

function rememberPlace(log: Log): void {
  const box = log.options.box();
  if (box === null || log.goal !== undefined) return;
  if (log.following) return log.options.remember(undefined);
  const top = box.getBoundingClientRect().top;
  for (const row of box.querySelectorAll<HTMLElement>('[data-row]')) {
    const { top: rowTop, bottom } = row.getBoundingClientRect();
    if (bottom <= top) continue;
    return log.options.remember({ row: row.dataset['row'] ?? '', offset: Math.round(rowTop - top) });
  }
}

/** Items above the first one move nothing that is on the page. True when nothing else changed. */
function cameAbove(log: Log): boolean {
  const items = log.options.items();
  const box = log.options.box();
  const count = items.findIndex(({ key }) => key === log.firstKey);
  if (count <= 0 || box === null) return false;
  const top = box.getBoundingClientRect().top;
  log.anchors = [...box.querySelectorAll<HTMLElement>('[data-row]')].map((row) => ({
    key: row.dataset['row'] ?? '',
    top: row.getBoundingClientRect().top - top,
  }));
  const { first, last, above, below } = log.extent;
  const height = heightOf(log);
  let added = 0;
  for (let at = 0; at < count; at++) added += height(at);
  log.extent = { first: first + count, last: last + count, above: above + added, below };
  log.count += count;
  return log.count === items.length;
}

function backInPlace(log: Log): void {
  const box = log.options.box();
  if (box === null || log.anchors.length === 0) return;
  const { anchors } = log;
  log.anchors = [];
  for (const { key, top } of anchors) {
    const row = rowElement(box, key);
    if (row === undefined) continue;
    box.scrollTop += row.getBoundingClientRect().top - box.getBoundingClientRect().top - top;
    log.lastTop = box.scrollTop;
    return;
  }
}

/** `from` is the first item that may be another one than before; Infinity when only the scroll position changed. */
function place(log: Log, from: number): void {
  const box = log.options.box();
  const count = log.options.items().length;
  const height = heightOf(log);
  const viewport = box?.clientHeight ?? 600;
  const top = box?.scrollTop ?? 0;
  const unknown = from < log.extent.first || log.extent.first >= Math.max(1, count);
  const before = unknown
    ? extentFromScratch(count, height, top, top + viewport)
    : extentGrown(log.extent, log.count, count, height);
  log.count = count;
  log.extent = log.following
    ? extentAtEnd(before, count, height, viewport)
    : extentAt(before, count, height, top, top + viewport);
}

function keepAtEnd(log: Log): void {
  const box = log.options.box();
  if (box === null || !log.following || performance.now() < log.heldUntil) return;
  box.scrollTop = box.scrollHeight;
  log.lastTop = box.scrollTop;
}

function scrolled(log: Log): void {
  const box = log.options.box();
  if (box === null || log.goal !== undefined) return;
  const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight <= AT_END_PX;
  const held = performance.now() < log.heldUntil;
  if (atEnd) follow(log, true);
  else if (box.scrollTop < log.lastTop || (!held && log.heldUntil > 0)) follow(log, false);
  if (!held) log.heldUntil = 0;
  log.lastTop = box.scrollTop;
  if (!log.following) replace(log);
  rememberPlace(log);
}

/** The view moved, or rows turned out to have other heights than was guessed. */
function replace(log: Log): void {
  const before = log.extent;
  place(log, Infinity);
  if (before.first !== log.extent.first || before.last !== log.extent.last) log.options.changed();
}

function reveal(log: Log, index: number, done: (row: HTMLElement) => void): void {
  const item = log.options.items()[index];
  const box = log.options.box();
  if (item === undefined || box === null) return;
  const element = rowElement(box, item.key);
  if (element !== undefined) return done(element);
  follow(log, false);
  box.scrollTop = extentFromScratch(index + 1, heightOf(log), Infinity, Infinity).above;
  place(log, 0);
  log.options.changed();
  requestAnimationFrame(() => {
    const row = rowElement(box, item.key);
    if (row !== undefined) done(row);
  });
}

function rowElement(box: HTMLElement, key: string): HTMLElement | undefined {
  return box.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`) ?? undefined;
}
