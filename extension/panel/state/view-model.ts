/**
 * The host's copy of what the panel shows, and the numbered stream of changes that keeps a webview equal to it.
 * It never imports vscode and never resends text: adjacent appends are joined, and at most twenty messages a second leave.
 */
import type { Delta, HostMessage } from '../../protocol/messages';
import { PROTOCOL } from '../../protocol/messages';
import type { ViewState } from '../../protocol/view-state';
import { OUTPUT_CAP, apply, mutableView } from '../../protocol/apply';
import type { MutableView } from '../../protocol/apply';
import type { TurnEvent } from '../../agent/events';
import { createTranslator } from './translate';
import { light, lightPatch, newestRows, rowsAbove } from './window';

/** Milliseconds between two messages to the webview. */
export const FLUSH_MS = 50;
/** Changes kept for a webview that missed some. */
const RING = 2_000;

export interface Ticker {
  now(): number;
  /** Calls back once; returns a function that takes it back. */
  after(ms: number, run: () => void): () => void;
}

export const systemTicker: Ticker = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

type Listener = (message: HostMessage) => void;

export interface ViewModel {
  readonly view: Readonly<MutableView>;
  feed(event: TurnEvent): void;
  change(deltas: readonly Delta[]): void;
  /** Shows that the person asked to stop. */
  stopping(): void;
  /** The newest part of everything. Changes that were still to be sent are part of it. */
  snapshot(): readonly HostMessage[];
  /** What came after delta `have`; a snapshot when that is too long ago. */
  since(have: number): readonly HostMessage[];
  /** Rows above the one named. */
  older(before: string): readonly HostMessage[];
  /** A row with all that was left out of it. */
  whole(id: string): readonly HostMessage[];
  /**
   * Where messages go from now on. Changes are numbered and kept whether or not they go anywhere. While `mayGo` says no they are
   * gathered, until {@link goOn}.
   */
  sendTo(listener: Listener, mayGo?: () => boolean): void;
  goOn(): void;
  /** No effect when messages go elsewhere by now. */
  stopSending(listener: Listener): void;
  dispose(): void;
}

export function createViewModel(initial: ViewState, ticker: Ticker = systemTicker): ViewModel {
  const view = mutableView(initial);
  const translator = createTranslator(() => ticker.now());
  const numbers = createNumbers();
  const post = createPost(ticker, numbers);
  const change = (deltas: readonly Delta[]) => {
    for (const delta of deltas) {
      const rows = view.rows.length;
      apply(view, delta);
      post.put(lightDelta(delta, view.rows.length === rows));
    }
  };
  const snapshot = (): readonly HostMessage[] => {
    post.flush();
    const { rows, earlier, rest } = newestRows(view.rows);
    const state = { header: view.header, rows };
    const first = { type: 'snapshot', protocol: PROTOCOL, seq: numbers.last(), state, earlier } as const;
    return [first, ...rest.map((delta) => numbers.give([delta]))];
  };
  return {
    view,
    feed: (event) => change(translator.translate(event, view.header)),
    change,
    stopping: () => change(translator.stopping(view.header)),
    snapshot,
    since(have) {
      post.flush();
      const missing = numbers.after(have);
      return missing === undefined ? snapshot() : [missing];
    },
    older(before) {
      post.flush();
      const end = view.rows.findIndex(({ id }) => id === before);
      return end < 0 ? snapshot() : [{ type: 'rows', seq: numbers.last(), ...rowsAbove(view.rows, end) }];
    },
    whole(id) {
      post.flush();
      const row = view.rows.find((each) => each.id === id);
      return row === undefined ? [] : [{ type: 'whole_row', seq: numbers.last(), row }];
    },
    sendTo: post.sendTo,
    goOn: post.goOn,
    stopSending: post.stopSending,
    dispose: post.dispose,
  };
}

type Post = Pick<ViewModel, 'sendTo' | 'goOn' | 'stopSending' | 'dispose'> & {
  put(delta: Delta): void;
  /** Numbers at once what waits, and sends it where messages go. */
  flush(): void;
};

/** When changes leave, and where to. */
function createPost(ticker: Ticker, numbers: Numbers): Post {
  const outbox = createOutbox();
  let lastFlush = -Infinity;
  let cancel: (() => void) | undefined;
  let listener: Listener | undefined;
  let mayGo: (() => boolean) | undefined;
  const flush = (): void => {
    cancel?.();
    cancel = undefined;
    const deltas = outbox.take();
    if (deltas.length === 0) return;
    lastFlush = ticker.now();
    const message = numbers.give(deltas);
    listener?.(message);
  };
  const flushIfMay = (): void => {
    cancel = undefined;
    if (listener === undefined || mayGo?.() !== false) flush();
  };
  const schedule = (): void => {
    cancel ??= ticker.after(Math.max(0, lastFlush + FLUSH_MS - ticker.now()), flushIfMay);
  };
  return {
    flush,
    put(delta) {
      outbox.put(delta);
      schedule();
    },
    sendTo: (next, may) => {
      listener = next;
      mayGo = may;
    },
    goOn: () => {
      if (!outbox.isEmpty()) schedule();
    },
    stopSending: (previous) => {
      if (listener === previous) listener = undefined;
    },
    dispose: () => cancel?.(),
  };
}

interface Numbers {
  last(): number;
  give(deltas: readonly Delta[]): HostMessage;
  /** Undefined when that is too long ago, or was never sent. */
  after(have: number): HostMessage | undefined;
}

/** Numbers what is sent, and keeps the last of it. */
function createNumbers(): Numbers {
  let ring: Delta[] = [];
  let seq = 0;
  return {
    last: () => seq,
    give(deltas) {
      const first = seq + 1;
      seq += deltas.length;
      ring = ring.concat(deltas).slice(-RING);
      return { type: 'deltas', seq: first, deltas };
    },
    after(have) {
      const missing = seq - have;
      if (missing < 0 || missing > ring.length) return undefined;
      return { type: 'deltas', seq: have + 1, deltas: missing === 0 ? [] : ring.slice(-missing) };
    },
  };
}

/** What the webview gets of a change; the host keeps all of it. */
function lightDelta(delta: Delta, known: boolean): Delta {
  if (delta.type === 'call') return { ...delta, patch: lightPatch(delta.patch) };
  // Which of them the webview has is not known: it asks for them, as for all that stands above.
  if (delta.type === 'earlier') return { type: 'earlier', rows: [], kept: delta.rows.length };
  if (delta.type !== 'row') return delta;
  const row = light(delta.row);
  return known ? { type: 'row', row, known } : { type: 'row', row };
}

interface Outbox {
  isEmpty(): boolean;
  put(delta: Delta): void;
  take(): readonly Delta[];
}

/**
 * Changes that wait for the next message. Text that follows text of the same row is joined with it, so that a fast stream
 * costs one change a message and not one a token.
 */
function createOutbox(): Outbox {
  let deltas: Delta[] = [];
  let lastOf = new Map<string, number>();
  return {
    isEmpty: () => deltas.length === 0,
    put(delta) {
      const id = rowOf(delta);
      const at = lastOf.get(id);
      const previous = at === undefined ? undefined : deltas[at];
      const joined = previous === undefined ? undefined : join(previous, delta);
      if (at !== undefined && joined !== undefined) {
        deltas[at] = joined;
        return;
      }
      lastOf.set(id, deltas.length);
      deltas.push(delta);
    },
    take() {
      const taken = deltas;
      deltas = [];
      lastOf = new Map();
      return taken;
    },
  };
}

function rowOf(delta: Delta): string {
  switch (delta.type) {
    case 'header':
      return '';
    case 'row':
      return delta.row.id;
    case 'earlier':
      return '^';
    default:
      return delta.id;
  }
}

function join(a: Delta, b: Delta): Delta | undefined {
  if (a.type === 'append' && b.type === 'append' && b.at === a.at + a.text.length)
    return { ...a, text: a.text + b.text };
  if (a.type === 'output' && b.type === 'output') {
    const text = a.text + b.text;
    return { ...a, text: text.length > OUTPUT_CAP ? text.slice(-OUTPUT_CAP) : text };
  }
  if (a.type === 'header' && b.type === 'header' && a.drop === undefined && b.drop === undefined)
    return { ...a, patch: { ...a.patch, ...b.patch } };
  return undefined;
}
