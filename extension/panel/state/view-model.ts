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
  /** Everything, as one message. Changes that were still to be sent are part of it. */
  snapshot(): HostMessage;
  /** What came after delta `have`; a snapshot when that is too long ago. */
  since(have: number): HostMessage;
  /** Where messages go from now on. Changes are numbered and kept whether or not they go anywhere. */
  sendTo(listener: Listener): void;
  /** No effect when messages go elsewhere by now. */
  stopSending(listener: Listener): void;
  dispose(): void;
}

export function createViewModel(initial: ViewState, ticker: Ticker = systemTicker): ViewModel {
  const view = mutableView(initial);
  const translator = createTranslator(() => ticker.now());
  const outbox = createOutbox();
  let ring: Delta[] = [];
  let seq = 0;
  let lastFlush = -Infinity;
  let cancel: (() => void) | undefined;
  let listener: Listener | undefined;

  const flush = () => {
    cancel?.();
    cancel = undefined;
    const deltas = outbox.take();
    if (deltas.length === 0) return;
    lastFlush = ticker.now();
    const first = seq + 1;
    seq += deltas.length;
    ring = ring.concat(deltas).slice(-RING);
    listener?.({ type: 'deltas', seq: first, deltas });
  };
  const change = (deltas: readonly Delta[]) => {
    for (const delta of deltas) {
      apply(view, delta);
      outbox.put(delta);
    }
    if (deltas.length === 0 || cancel !== undefined) return;
    cancel = ticker.after(Math.max(0, lastFlush + FLUSH_MS - ticker.now()), flush);
  };
  const snapshot = (): HostMessage => {
    flush();
    return {
      type: 'snapshot',
      protocol: PROTOCOL,
      seq,
      state: { header: view.header, rows: [...view.rows] },
    };
  };
  return {
    view,
    feed: (event) => change(translator.translate(event, view.header)),
    change,
    stopping: () => change(translator.stopping(view.header)),
    snapshot,
    since(have) {
      flush();
      const missing = seq - have;
      if (missing < 0 || missing > ring.length) return snapshot();
      return { type: 'deltas', seq: have + 1, deltas: missing === 0 ? [] : ring.slice(-missing) };
    },
    sendTo: (next) => {
      listener = next;
    },
    stopSending: (previous) => {
      if (listener === previous) listener = undefined;
    },
    dispose: () => cancel?.(),
  };
}

interface Outbox {
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
