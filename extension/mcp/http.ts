/**
 * Carries the Model Context Protocol over HTTP: each message is a POST whose answer is JSON or an event stream, and one more stream brings
 * what the server says by itself (Streamable HTTP). `sse` speaks the form before it. Redirects are refused: an address was agreed to.
 */
import { createParser } from 'eventsource-parser';
import type { EventSourceMessage } from 'eventsource-parser';
import { parseMessage } from './rpc';
import type { Channel, Message } from './rpc';

export interface HttpPlace {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For the log. */
  readonly log: (line: string) => void;
}

/** The server answered with a status that is no success. */
export class HttpStatusError extends Error {
  override readonly name = 'HttpStatusError';
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const MOST_BYTES = 20 * 1024 * 1024;
const RETRY_MS = 1_000;
const MOST_RETRIES = 5;

interface Wire extends HttpPlace {
  readonly life: AbortController;
  receive: (message: Message) => void;
  closed: (why: string) => void;
  session: string | undefined;
  version: string | undefined;
  listening: boolean;
}

export function streamableHttp(place: HttpPlace): Channel {
  const wire: Wire = {
    ...place,
    life: new AbortController(),
    receive: () => undefined,
    closed: () => undefined,
    session: undefined,
    version: undefined,
    listening: false,
  };
  return {
    open(receive, closed) {
      wire.receive = receive;
      wire.closed = closed;
      return Promise.resolve();
    },
    send: (message, signal) => post(wire, message, signal),
    agreed(version) {
      wire.version = version;
    },
    async close() {
      const { session } = wire;
      wire.life.abort();
      // Good manners; nobody waits for it long, and many servers refuse it.
      if (session !== undefined)
        await fetch(wire.url, {
          method: 'DELETE',
          headers: headersOf(wire),
          redirect: 'error',
          signal: AbortSignal.timeout(1_000),
        }).catch(() => undefined);
    },
  };
}

function headersOf({ headers, session, version }: Wire): Record<string, string> {
  return {
    ...headers,
    ...(session === undefined ? {} : { 'mcp-session-id': session }),
    ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
  };
}

async function post(wire: Wire, message: Message, signal: AbortSignal | undefined): Promise<void> {
  const response = await reach(wire, {
    method: 'POST',
    headers: {
      ...headersOf(wire),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(message),
    redirect: 'error',
    signal: signal === undefined ? wire.life.signal : AbortSignal.any([wire.life.signal, signal]),
  });
  if (!response.ok) throw await refusal(wire, response);
  wire.session = response.headers.get('mcp-session-id') ?? wire.session;
  const type = response.headers.get('content-type') ?? '';
  if (type.includes('text/event-stream')) {
    void follow(wire, response, message.id, signal);
  } else if (type.includes('application/json')) {
    const text = await boundedText(response);
    const value: unknown = text === '' ? [] : JSON.parse(text);
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value])
      wire.receive(parseMessage(JSON.stringify(one)));
  } else await response.body?.cancel();
  if (message.method === 'notifications/initialized') void listen(wire);
}

/** A server that cannot be reached is gone. */
async function reach(wire: Wire, request: RequestInit): Promise<Response> {
  try {
    return await fetch(wire.url, request);
  } catch (error) {
    if (request.signal?.aborted === true) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
    const why = `The server at ${new URL(wire.url).origin} cannot be reached${cause}.`;
    wire.closed(why);
    throw new Error(why, { cause: error });
  }
}

async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunksOf(response)) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MOST_BYTES) throw new Error('The server sent a message that is too large.');
  }
  return text;
}

function chunksOf({ body }: Response): AsyncIterable<Uint8Array<ArrayBuffer>> {
  return (body ?? []) as AsyncIterable<Uint8Array<ArrayBuffer>>;
}

async function refusal(wire: Wire, response: Response): Promise<HttpStatusError> {
  const { status } = response;
  const words = (await boundedText(response).catch(() => '')).replace(/\s+/g, ' ').slice(0, 300);
  // The session is over; whoever holds the connection begins a new one.
  if (status === 404 && wire.session !== undefined) wire.closed('The server no longer knows the session.');
  const advice = status === 401 ? ' It wants a sign-in: put a token into "headers" of its definition.' : '';
  return new HttpStatusError(status, `The server answered ${String(status)}.${advice} ${words}`.trim());
}

/** Reads the stream that answers a request; one that breaks off is taken up again where it ended. */
async function follow(
  wire: Wire,
  first: Response,
  id: Message['id'],
  signal: AbortSignal | undefined,
): Promise<void> {
  let answered = false;
  const place: Place = { last: undefined, retryMs: RETRY_MS };
  const receive = (message: Message): void => {
    if (message.method === undefined && message.id === id) answered = true;
    wire.receive(message);
  };
  await readStream(first, receive, place, wire.log).catch((error: unknown) => wire.log(String(error)));
  for (
    let tries = 0;
    !answered && id !== undefined && !wire.life.signal.aborted && signal?.aborted !== true;
    tries++
  ) {
    if (place.last === undefined || tries >= MOST_RETRIES)
      return wire.receive({ jsonrpc: '2.0', id, error: { code: -32000, message: 'The answer broke off.' } });
    await pause(place.retryMs, wire.life.signal);
    await resume(wire, receive, place).catch((error: unknown) => wire.log(String(error)));
  }
}

/** What the server says by itself. Servers need not offer it. */
async function listen(wire: Wire): Promise<void> {
  if (wire.listening) return;
  wire.listening = true;
  const place: Place = { last: undefined, retryMs: RETRY_MS };
  for (let failures = 0; failures < MOST_RETRIES && !wire.life.signal.aborted;) {
    try {
      if (!(await resume(wire, wire.receive, place))) return;
      failures = 0;
    } catch (error) {
      failures += 1;
      if (!wire.life.signal.aborted) wire.log(String(error));
    }
    await pause(place.retryMs * 2 ** failures, wire.life.signal);
  }
}

interface Place {
  last: string | undefined;
  retryMs: number;
}

/** False when the server offers no such stream. */
async function resume(wire: Wire, receive: (message: Message) => void, place: Place): Promise<boolean> {
  const response = await fetch(wire.url, {
    headers: {
      ...headersOf(wire),
      accept: 'text/event-stream',
      ...(place.last === undefined ? {} : { 'last-event-id': place.last }),
    },
    redirect: 'error',
    signal: wire.life.signal,
  });
  if (!response.ok || !(response.headers.get('content-type') ?? '').includes('text/event-stream')) {
    await response.body?.cancel();
    return false;
  }
  await readStream(response, receive, place, wire.log);
  return true;
}

async function readStream(
  response: Response,
  receive: (message: Message) => void,
  place: Place,
  log: (line: string) => void,
  other: (event: EventSourceMessage) => void = () => undefined,
): Promise<void> {
  let pending = 0;
  const parser = createParser({
    onEvent(event) {
      pending = 0;
      if (event.id !== undefined && event.id !== '') place.last = event.id;
      if (event.event !== undefined && event.event !== 'message') return other(event);
      if (event.data === '') return;
      try {
        receive(parseMessage(event.data));
      } catch (error) {
        log(String(error));
      }
    },
    onRetry(ms) {
      place.retryMs = Math.min(60_000, Math.max(0, ms));
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunksOf(response)) {
    pending += chunk.length;
    if (pending > MOST_BYTES) throw new Error('The server sent a message that is too large.');
    parser.feed(decoder.decode(chunk, { stream: true }));
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}

/** HTTP with SSE, the form of 2024: one stream for all that the server says, and an address that it names for what it is told. */
export function oldSse({ url, headers, log }: HttpPlace): Channel {
  const life = new AbortController();
  let target: URL | undefined;
  return {
    async open(receive, closed) {
      const response = await fetch(url, {
        headers: { ...headers, accept: 'text/event-stream' },
        redirect: 'error',
        signal: life.signal,
      });
      if (!response.ok)
        throw new HttpStatusError(response.status, `The server answered ${String(response.status)}.`);
      await new Promise<void>((resolve, reject) => {
        const endpoint = ({ event, data }: EventSourceMessage): void => {
          const named = event === 'endpoint' ? URL.parse(data, url) : null;
          if (named === null) return;
          // An address elsewhere would get what this server was given.
          if (named.origin !== new URL(url).origin)
            return reject(new Error('The server names an address of another host.'));
          target = named;
          resolve();
        };
        readStream(response, receive, { last: undefined, retryMs: 0 }, log, endpoint)
          .then(
            () => 'The stream ended.',
            (error: unknown) => String(error),
          )
          .then(
            (why) => {
              reject(new Error(why));
              if (target !== undefined && !life.signal.aborted) closed(why);
            },
            () => undefined,
          );
      });
    },
    async send(message, signal) {
      if (target === undefined) throw new Error('The server has named no address.');
      const response = await fetch(target, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(message),
        redirect: 'error',
        signal: signal === undefined ? life.signal : AbortSignal.any([life.signal, signal]),
      });
      await response.body?.cancel();
      if (!response.ok)
        throw new HttpStatusError(response.status, `The server answered ${String(response.status)}.`);
    },
    close() {
      life.abort();
      return Promise.resolve();
    },
  };
}
