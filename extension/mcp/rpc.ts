/** JSON-RPC 2.0 between two equals over any channel: requests with answers, progress and cancellation. It knows no method of its own. */

export interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Carries messages. `send` rejects when one could not be handed over. */
export interface Channel {
  /** Resolves when messages can be sent. `closed` comes at most once, and not after `close`. */
  open(receive: (message: Message) => void, closed: (why: string) => void): Promise<void>;
  send(message: Message, signal?: AbortSignal): Promise<void>;
  /** Told once both sides have agreed on it. */
  agreed?(protocolVersion: string): void;
  /** All that it started is gone when it resolves. */
  close(): Promise<void>;
}

export type Handler = (params: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<unknown>;

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds without an answer or a word of progress. */
  readonly timeoutMs: number;
  /** Milliseconds in all. Default: `timeoutMs`, however much progress there is. */
  readonly longestMs?: number;
  readonly progress?: (params: Readonly<Record<string, unknown>>) => void;
}

export class RpcError extends Error {
  override readonly name = 'RpcError';
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

export interface Peer {
  request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    options: RequestOptions,
  ): Promise<unknown>;
  notify(method: string, params?: Readonly<Record<string, unknown>>): Promise<void>;
  receive(message: Message): void;
  /** Everything that waits fails with this. */
  fail(why: string): void;
}

interface Waiting {
  settle(answer: { readonly result: unknown } | { readonly error: Error }): void;
  progressed(params: Readonly<Record<string, unknown>>): void;
}

interface PeerState {
  readonly channel: Channel;
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly noticed: (method: string, params: Readonly<Record<string, unknown>>) => void;
  readonly waiting: Map<number | string, Waiting>;
  readonly serving: Map<number | string, AbortController>;
  next: number;
}

export function createPeer(
  channel: Channel,
  handlers: Readonly<Record<string, Handler>>,
  noticed: (method: string, params: Readonly<Record<string, unknown>>) => void,
): Peer {
  const state: PeerState = { channel, handlers, noticed, waiting: new Map(), serving: new Map(), next: 1 };
  return {
    request: (method, params, options) => request(state, method, params, options),
    notify: (method, params) =>
      channel.send({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) }),
    receive: (message) => receive(state, message),
    fail(why) {
      for (const one of state.waiting.values()) one.settle({ error: new Error(why) });
      for (const one of state.serving.values()) one.abort();
    },
  };
}

function request(
  state: PeerState,
  method: string,
  params: Readonly<Record<string, unknown>>,
  { signal, timeoutMs, longestMs = timeoutMs, progress }: RequestOptions,
): Promise<unknown> {
  signal?.throwIfAborted();
  const id = state.next++;
  const withToken = progress === undefined ? params : { ...params, _meta: { progressToken: id } };
  return new Promise((resolve, reject) => {
    const began = Date.now();
    const settle: Waiting['settle'] = (answer) => {
      if (!state.waiting.delete(id)) return;
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
      if ('error' in answer) reject(answer.error);
      else resolve(answer.result);
    };
    const give = (why: string, error: Error): void => {
      if (!state.waiting.has(id)) return;
      settle({ error });
      // What the server did not finish it need not go on with; the first request of all cannot be taken back.
      const notice = { requestId: id, reason: why };
      if (method !== 'initialize')
        state.channel
          .send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: notice })
          .catch(() => undefined);
    };
    const late = (): void => {
      // It may wait for an answer of the person.
      if (state.serving.size > 0) timer = setTimeout(late, timeoutMs);
      else give('timeout', new Error(`No answer within ${Math.round(timeoutMs / 1000)} s.`));
    };
    const aborted = (): void => give('the user stopped it', reasonOf(signal));
    let timer = setTimeout(late, timeoutMs);
    signal?.addEventListener('abort', aborted, { once: true });
    state.waiting.set(id, {
      settle,
      progressed(said) {
        clearTimeout(timer);
        timer = setTimeout(late, Math.max(0, Math.min(timeoutMs, began + longestMs - Date.now())));
        progress?.(said);
      },
    });
    state.channel
      .send({ jsonrpc: '2.0', id, method, params: withToken }, signal)
      .catch((error: unknown) =>
        settle({ error: error instanceof Error ? error : new Error(String(error)) }),
      );
  });
}

function reasonOf(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new Error('Stopped.');
}

function receive(state: PeerState, message: Message): void {
  const { id, method, params = {} } = message;
  if (method === undefined) {
    if (id === undefined) return;
    const { error } = message;
    state.waiting
      .get(id)
      ?.settle(
        error === undefined ? { result: message.result } : { error: new RpcError(error.code, error.message) },
      );
    return;
  }
  if (id !== undefined) return void serve(state, id, method, params);
  if (method === 'notifications/progress') {
    const token = params['progressToken'];
    if (typeof token === 'number' || typeof token === 'string') state.waiting.get(token)?.progressed(params);
    return;
  }
  if (method === 'notifications/cancelled') {
    const wanted = params['requestId'];
    if (typeof wanted === 'number' || typeof wanted === 'string') state.serving.get(wanted)?.abort();
    return;
  }
  state.noticed(method, params);
}

async function serve(
  state: PeerState,
  id: number | string,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<void> {
  const handler = Object.hasOwn(state.handlers, method) ? state.handlers[method] : undefined;
  const controller = new AbortController();
  state.serving.set(id, controller);
  let answer: Message;
  try {
    answer =
      handler === undefined
        ? { jsonrpc: '2.0', id, error: { code: -32601, message: `Sluice does not answer ${method}.` } }
        : { jsonrpc: '2.0', id, result: await handler(params, controller.signal) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    answer = {
      jsonrpc: '2.0',
      id,
      error: { code: error instanceof RpcError ? error.code : -32603, message },
    };
  }
  state.serving.delete(id);
  // A request that was taken back gets no answer.
  if (!controller.signal.aborted) await state.channel.send(answer).catch(() => undefined);
}

/** One message from its text. Throws an Error that says what it is instead. */
export function parseMessage(text: string): Message {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || (value as { jsonrpc?: unknown }).jsonrpc !== '2.0')
    throw new Error(`Not a message of the protocol: ${text.slice(0, 200)}`);
  return value as Message;
}
