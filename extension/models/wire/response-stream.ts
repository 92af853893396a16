/**
 * The frame around one streamed response, the same for every transport: abort, liveness, exactly one end, and failures as events.
 * A transport gives it a `run` that emits; it knows no wire.
 */
import type { ModelEvent, RouteError } from '../transport';
import { plainError } from '../errors/diagnose';
import { watchFetch } from './live-fetch';
import type { FetchLike, Limits, Silence } from './live-fetch';

export interface Run {
  readonly emit: (event: ModelEvent) => void;
  readonly fetch: FetchLike;
  /** To be called for each chunk of a stream that is read. */
  readonly heard: () => void;
  readonly signal: AbortSignal;
}

export interface StreamOptions {
  readonly fetch: FetchLike;
  readonly limits: Limits;
  /** Classifies what `run` threw, when neither the caller nor the watch ended it. */
  readonly explain: (problem: unknown) => RouteError;
}

/** No more than one `alive` in this many milliseconds. */
const ALIVE_EVERY_MS = 1000;

/** What follows the end of an answer (a last empty line, the end of the body) is awaited this long: the connection can then be used again. */
const TAIL_MS = 1000;

/**
 * The request is over. `fetch` holds on to a request and its body until its signal is aborted or the next full collection; with bodies of a
 * megabyte, and a step a second, that is a lot to hold. The reason is made once: an exception of its own for each request costs its stack.
 */
const OVER = new Error('This request is over.');

/** The end of a stream that its wire did not end. */
export function cutError(): RouteError {
  return plainError('network', 'The connection was closed before the answer was complete.', true);
}

function stalledError(verdict: Silence, limits: Limits): RouteError {
  const seconds = Math.round((verdict === 'silent' ? limits.idleMs : limits.firstByteMs) / 1000);
  const words =
    verdict === 'silent'
      ? `The server stopped in the middle of its answer and sent nothing for ${String(seconds)} s.`
      : `The server took the request but sent nothing for ${String(seconds)} s.`;
  return plainError('stalled', words, true);
}

/** Text that is still in the queue, and may grow there. */
interface Growing {
  readonly type: 'text' | 'thinking';
  readonly key: number;
  text: string;
  pieces?: number;
}

/** What has been emitted and not yet been yielded, and who waits for it. Pieces of one text that come at once leave as one. */
interface Queue {
  /** Empties it. */
  take(): readonly ModelEvent[];
  readonly isEmpty: boolean;
  emit(event: ModelEvent): void;
  /** Resolves when there is something new to look at. */
  changed(): Promise<void>;
  rouse(): void;
  /** Milliseconds since the epoch of the last event. */
  lastAt(): number;
}

function makeQueue(): Queue {
  let events: ModelEvent[] = [];
  let growing: Growing | undefined;
  let wake: (() => void) | undefined;
  let ended = false;
  let last = Date.now();
  const rouse = (): void => {
    wake?.();
    wake = undefined;
  };
  const add = (event: ModelEvent): void => {
    if (event.type !== 'text' && event.type !== 'thinking') {
      growing = undefined;
      events.push(event);
    } else if (growing?.type === event.type && growing.key === event.key) {
      growing.text += event.text;
      growing.pieces = (growing.pieces ?? 1) + 1;
    } else {
      growing = { ...event };
      events.push(growing);
    }
  };
  return {
    take() {
      const taken = events;
      events = [];
      growing = undefined;
      return taken;
    },
    get isEmpty() {
      return events.length === 0;
    },
    rouse,
    lastAt: () => last,
    emit: (event) => {
      // Nothing follows the end.
      if (ended) return;
      ended = event.type === 'stop' || event.type === 'error';
      last = Date.now();
      add(event);
      rouse();
    },
    changed: () =>
      new Promise<void>((resolve) => {
        wake = resolve;
      }),
  };
}

/** Starts `run`; whatever happens, the queue gets an end. What is returned leaves it: at once, or, after a good end, when it does not end by itself. */
function launch(
  run: (run: Run) => Promise<void>,
  options: StreamOptions,
  queue: Queue,
  control: AbortController,
): (ended: boolean) => void {
  let over = false;
  let tail: ReturnType<typeof setTimeout> | undefined;
  const finished = (): void => {
    over = true;
    clearTimeout(tail);
    watch.stop();
    control.abort(OVER);
  };
  const watch = watchFetch(
    options.fetch,
    options.limits,
    (silence) => {
      queue.emit({ type: 'error', error: stalledError(silence, options.limits) });
      control.abort();
    },
    () => {
      if (Date.now() - queue.lastAt() >= ALIVE_EVERY_MS) queue.emit({ type: 'alive' });
    },
  );
  // Not awaited by anybody: a server that ignores the abort must not hold the turn. Both arms are handled.
  void run({
    emit: (event) => {
      queue.emit(event);
    },
    // The signal goes to `fetch` itself: SDKs would put a controller of their own in between.
    fetch: (input, init) => watch.fetch(input, { ...init, signal: control.signal }),
    heard: watch.heard,
    signal: control.signal,
  }).then(
    () => {
      queue.emit({ type: 'error', error: cutError() });
      finished();
    },
    (problem: unknown) => {
      queue.emit({ type: 'error', error: options.explain(problem) });
      finished();
    },
  );
  return (ended) => {
    watch.stop();
    if (over) return;
    if (ended) tail = setTimeout(() => control.abort(), TAIL_MS);
    else control.abort();
  };
}

/** Runs `run` and yields what it emits. Ends plainly after an abort by the caller; else with exactly one `stop` or `error`. */
export async function* responseStream(
  run: (run: Run) => Promise<void>,
  options: StreamOptions,
  caller: AbortSignal,
): AsyncGenerator<ModelEvent> {
  if (caller.aborted) return;
  const queue = makeQueue();
  const leave = launch(run, options, queue, new AbortController());
  let ended = false;
  const onAbort = (): void => {
    leave(false);
    queue.rouse();
  };
  caller.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      for (const event of queue.take()) {
        // The caller may abort between two events that were already here.
        if (isAborted(caller)) return;
        ended = event.type === 'stop';
        yield event;
        if (event.type === 'stop' || event.type === 'error') return;
      }
      if (isAborted(caller)) return;
      if (queue.isEmpty) await queue.changed();
    }
  } finally {
    caller.removeEventListener('abort', onAbort);
    leave(ended);
  }
}

/** A call, because the compiler takes a flag that it saw false for false for ever. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
