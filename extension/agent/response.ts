/**
 * Reads one streamed response: re-emits what the panel needs at once, hands finished calls to the executor while the stream goes on, and
 * keeps what must be remembered. It decides nothing about what follows.
 */
import { unreachable, type StopReason, type Usage } from '../protocol/vocabulary';
import type { NewId } from '../ports';
import type { AssistantBlock, ToolUseBlock } from '../models/message';
import type { ModelEvent, RouteError } from '../models/transport';
import type { Tool } from '../tools/tool';
import type { TurnEvent } from './events';
import type { Executor } from './calls/executor';

export type ResponseEnd =
  | {
      readonly type: 'stop';
      readonly reason: StopReason;
      readonly raw: string;
      readonly native?: Readonly<Record<string, unknown>>;
    }
  | { readonly type: 'error'; readonly error: RouteError }
  | { readonly type: 'aborted' };

export interface Response {
  /** The provider's id, or one of ours when it gave none. */
  readonly messageId: string;
  readonly requestId?: string;
  /** Finished blocks, in order; call ids are our own. */
  readonly blocks: readonly AssistantBlock[];
  /** Text of a block that was still open at the end. */
  readonly partialText: string;
  readonly usage: Usage;
  readonly end: ResponseEnd;
}

export interface ResponseDeps {
  readonly emit: (event: TurnEvent) => void;
  readonly newId: NewId;
  readonly tools: ReadonlyMap<string, Tool>;
}

interface Reading {
  readonly deps: ResponseDeps;
  readonly executor: Executor;
  /** Names the response in events; known before the provider has said its own id. */
  readonly eventId: string;
  messageId: string;
  requestId?: string;
  readonly blocks: AssistantBlock[];
  /** Chunks of text blocks that are still open. */
  readonly open: Map<number, string[]>;
  /** Calls whose block is complete. */
  readonly calls: Map<number, ToolUseBlock>;
  readonly readied: Set<number>;
  usage: Usage;
  end?: ResponseEnd;
}

/** Reads to the end of the stream, to its error, or to the abort, whichever comes first. Never throws. */
export async function readResponse(
  deps: ResponseDeps,
  stream: AsyncIterable<ModelEvent>,
  executor: Executor,
  signal: AbortSignal,
): Promise<Response> {
  const eventId = deps.newId();
  const reading: Reading = {
    deps,
    executor,
    eventId,
    messageId: `msg_${eventId.replaceAll('-', '')}`,
    blocks: [],
    open: new Map(),
    calls: new Map(),
    readied: new Set(),
    usage: {},
  };
  try {
    for await (const event of untilAborted(stream, signal)) {
      take(reading, event);
      if (reading.end) break;
    }
  } catch (error) {
    reading.end = { type: 'error', error: thrown(error) };
  }
  const end = signal.aborted
    ? ({ type: 'aborted' } as const)
    : (reading.end ?? { type: 'error', error: CUT });
  if (end.type === 'stop')
    for (const [key, block] of reading.calls) if (!reading.readied.has(key)) executor.ready(key, block);
  return {
    messageId: reading.messageId,
    ...(reading.requestId === undefined ? {} : { requestId: reading.requestId }),
    blocks: reading.blocks,
    partialText: [...reading.open.values()].map((parts) => parts.join('')).join(''),
    usage: reading.usage,
    end,
  };
}

const CUT: RouteError = {
  kind: 'bad_response',
  message: 'The response ended without its end mark.',
  retryable: true,
};

function thrown(error: unknown): RouteError {
  return {
    kind: 'bad_response',
    message: `The transport failed: ${error instanceof Error ? error.message : String(error)}`,
    retryable: false,
  };
}

function take(reading: Reading, event: ModelEvent): void {
  const { deps, executor, eventId } = reading;
  switch (event.type) {
    case 'start':
      if (event.messageId) reading.messageId = event.messageId;
      if (event.requestId) reading.requestId = event.requestId;
      return;
    case 'alive':
      return;
    case 'text': {
      const parts = reading.open.get(event.key);
      if (parts) parts.push(event.text);
      else reading.open.set(event.key, [event.text]);
      deps.emit({ type: 'text_delta', messageId: eventId, key: event.key, text: event.text });
      return;
    }
    case 'thinking':
      deps.emit({ type: 'thinking_delta', messageId: eventId, key: event.key, text: event.text });
      return;
    case 'call_started':
      receive(reading, event.key, event.name);
      return;
    case 'call_delta':
      return;
    case 'block':
      takeBlock(reading, event.key, event.block);
      return;
    case 'call_ready': {
      const block = reading.calls.get(event.key);
      if (!block || !event.certain) return;
      reading.readied.add(event.key);
      executor.ready(event.key, block);
      return;
    }
    case 'usage':
      reading.usage = { ...reading.usage, ...event.usage };
      return;
    case 'notice':
      deps.emit({ type: 'notice', level: 'info', text: event.text });
      return;
    case 'stop':
      reading.usage = { ...reading.usage, ...event.usage };
      reading.end = {
        type: 'stop',
        reason: event.reason,
        raw: event.raw,
        ...(event.native ? { native: event.native } : {}),
      };
      return;
    case 'error':
      reading.end = { type: 'error', error: event.error };
      return;
    default:
      return unreachable(event);
  }
}

function takeBlock(reading: Reading, key: number, block: AssistantBlock): void {
  reading.open.delete(key);
  if (block.type === 'text' || block.type === 'thinking') {
    reading.deps.emit({ type: 'block_ended', messageId: reading.eventId, key, kind: block.type });
  }
  if (block.type !== 'tool_use') {
    reading.blocks.push(block);
    return;
  }
  const call = receive(reading, key, block.name);
  // From here on the call has one identity, ours; the wire's id is kept beside it to answer that wire.
  const own: ToolUseBlock = { ...block, id: call.id };
  call.block = own;
  reading.blocks.push(own);
  reading.calls.set(key, own);
}

function receive(reading: Reading, key: number, name: string): ReturnType<Executor['receive']> {
  const tool = reading.deps.tools.get(name);
  return reading.executor.receive(key, name, reading.eventId, tool?.kind ?? 'other', tool?.title ?? name);
}

/** The stream, ended at once by the abort even when the transport does not heed it. */
async function* untilAborted<T>(
  stream: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  const iterator = stream[Symbol.asyncIterator]();
  let onAbort = (): void => undefined;
  const aborted = new Promise<'aborted'>((resolve) => {
    onAbort = () => resolve('aborted');
    if (signal.aborted) resolve('aborted');
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    for (;;) {
      const next = iterator.next();
      const step = await Promise.race([next, aborted]);
      if (step === 'aborted') {
        next.catch(() => undefined);
        return;
      }
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a transport that does not heed its abort would hold the turn.
    Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
