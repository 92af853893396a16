/**
 * A `fetch` that watches the bytes of one answer: liveness is bytes, not events, because SDKs swallow pings and comments. It limits the
 * wait for the first byte and the silence between bytes, never the whole. It only
 * tells: the caller aborts.
 */

export type FetchLike = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface Limits {
  /** Milliseconds until the first byte of the body. Local servers load a model first. */
  readonly firstByteMs: number;
  /** Milliseconds between bytes. */
  readonly idleMs: number;
}

export type Silence = 'no_first_byte' | 'silent';

export interface Watch {
  readonly fetch: FetchLike;
  /** Readers of streams tell of each chunk; of any other answer the fetch itself does. */
  readonly heard: () => void;
  readonly stop: () => void;
}

/** Answers that are read by readers of ours. A second stream around these would cost more than reading them. */
const STREAMED = /^(?:text\/event-stream|application\/x-ndjson)\b/i;

/** Passes the body on and tells of each chunk. */
function tap(body: ReadableStream<Uint8Array>, onBytes: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          return;
        }
        onBytes();
        controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

export function watchFetch(
  fetch: FetchLike,
  limits: Limits,
  onSilence: (silence: Silence) => void,
  onBytes: () => void = () => undefined,
): Watch {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = Date.now();
  let heard = false;

  const check = (): void => {
    const limit = heard ? limits.idleMs : limits.firstByteMs;
    const silent = Date.now() - last;
    if (silent >= limit) {
      onSilence(heard ? 'silent' : 'no_first_byte');
      return;
    }
    // Re-armed only when it fires: a timer per chunk would be work per token.
    timer = setTimeout(check, limit - silent);
  };
  const arm = (): void => {
    clearTimeout(timer);
    last = Date.now();
    timer = setTimeout(check, heard ? limits.idleMs : limits.firstByteMs);
  };
  const bytes = (): void => {
    last = Date.now();
    if (!heard) {
      heard = true;
      arm();
    }
    onBytes();
  };

  return {
    fetch: async (input, init) => {
      arm();
      const response = await fetch(input, init);
      if (response.body === null || STREAMED.test(response.headers.get('content-type') ?? ''))
        return response;
      return new Response(tap(response.body, bytes), {
        status: response.status,
        statusText: response.statusText,
        headers: response.headers,
      });
    },
    heard: bytes,
    stop: () => {
      clearTimeout(timer);
    },
  };
}
