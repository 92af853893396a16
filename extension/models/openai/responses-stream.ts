/**
 * Reads the raw events of a Responses stream. Items are told apart by their position, because ids change from event to event on some
 * servers; a call is whole when its item is done.
 */
import type { StopReason, Usage } from '../../protocol/vocabulary';
import type { ModelEvent } from '../transport';
import { isRecord } from '../errors/answer';
import { ResponseState } from '../wire/response-state';
import type { CallDraft } from '../wire/response-state';
import type { ResponsesNative } from './responses-request';

interface Item {
  readonly type: string;
  call: CallDraft | undefined;
  said: boolean;
  /** Summary part that is being read; a new one begins a paragraph. */
  part: unknown;
  finished: boolean;
}

export interface ResponsesReader {
  read(event: unknown): void;
  /** False = the response was cut. */
  finish(): boolean;
}

/** Thrown for an error that the stream itself reports; `error` is its body. */
export class ResponsesFailure extends Error {
  override readonly name = 'ResponsesFailure';
  constructor(readonly error: unknown) {
    super('The response failed');
  }
}

interface State {
  readonly response: ResponseState;
  readonly emit: (event: ModelEvent) => void;
  readonly requestId: string | undefined;
  readonly items: Map<number, Item>;
  readonly reasoning: unknown[];
  readonly phases: (string | null)[];
  started: boolean;
  refused: boolean;
  ended: boolean;
}

function str(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function usageOf(value: unknown): Usage {
  if (!isRecord(value)) return {};
  const number = (field: unknown): number | undefined => (typeof field === 'number' ? field : undefined);
  const input = number(value['input_tokens']);
  const output = number(value['output_tokens']);
  const inDetails = isRecord(value['input_tokens_details']) ? value['input_tokens_details'] : {};
  const outDetails = isRecord(value['output_tokens_details']) ? value['output_tokens_details'] : {};
  const cached = number(inDetails['cached_tokens']);
  const reasoning = number(outDetails['reasoning_tokens']);
  return {
    ...(input === undefined ? {} : { inputTokens: Math.max(0, input - (cached ?? 0)) }),
    ...(cached === undefined ? {} : { cacheReadTokens: cached }),
    ...(output === undefined ? {} : { outputTokens: output }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  };
}

function start(state: State, response: unknown): void {
  if (state.started || !isRecord(response)) return;
  state.started = true;
  const id = str(response['id']);
  const model = str(response['model']);
  state.emit({
    type: 'start',
    ...(id === '' ? {} : { messageId: id }),
    ...(state.requestId === undefined ? {} : { requestId: state.requestId }),
    ...(model === '' ? {} : { model }),
  });
}

const CALL_TYPES = new Set(['function_call', 'custom_tool_call']);

function itemAt(state: State, index: number, type: string, data: Record<string, unknown> = {}): Item {
  const known = state.items.get(index);
  if (known !== undefined) return known;
  // Every item is a block of its own, also two of a kind in a row.
  state.response.endSaying();
  const call = CALL_TYPES.has(type)
    ? state.response.begin(str(data['name']), str(data['call_id']))
    : undefined;
  const made: Item = { type, call, said: false, part: undefined, finished: false };
  state.items.set(index, made);
  return made;
}

function sayPart(state: State, item: Item, part: unknown, text: string): void {
  if (text === '') return;
  const newPart = item.said && item.part !== part;
  item.part = part;
  item.said = true;
  state.response.say('thinking', newPart ? `\n\n${text}` : text);
}

function partTexts(item: Record<string, unknown>, field: string): string[] {
  return records(item[field]).map((part) => str(part['text']) || str(part['refusal']));
}

/** What an item holds when it is done, for servers that streamed nothing of it. */
function sayRest(state: State, item: Item, data: Record<string, unknown>): void {
  if (item.said) return;
  if (item.type === 'message') {
    if (records(data['content']).some((part) => part['type'] === 'refusal')) state.refused = true;
    const text = partTexts(data, 'content').join('');
    item.said = text !== '';
    state.response.say('text', text);
    return;
  }
  const parts = [...partTexts(data, 'summary'), ...partTexts(data, 'content')];
  for (const [index, text] of parts.entries()) sayPart(state, item, index, text);
}

function finishCall(state: State, item: Item, data: Record<string, unknown>): void {
  const { call } = item;
  if (call === undefined) return;
  if (call.wireId === '') call.wireId = str(data['call_id']);
  state.response.name(call, str(data['name']));
  if (item.type === 'custom_tool_call')
    call.args = JSON.stringify({ input: str(data['input']) || call.args });
  else if (call.args === '')
    state.response.args(
      call,
      typeof data['arguments'] === 'string'
        ? data['arguments']
        : isRecord(data['arguments'])
          ? JSON.stringify(data['arguments'])
          : '',
    );
  const status = str(data['status']);
  state.response.endCall(call, status === 'completed' || status === '');
}

function finishItem(state: State, index: number, data: Record<string, unknown>): void {
  const type = str(data['type']);
  const item = itemAt(state, index, type, data);
  if (item.finished) return;
  item.finished = true;
  if (item.call !== undefined) finishCall(state, item, data);
  else if (type === 'message') {
    sayRest(state, item, data);
    if (item.said) state.phases.push(typeof data['phase'] === 'string' ? data['phase'] : null);
    state.response.endSaying();
  } else if (type === 'reasoning') {
    sayRest(state, item, data);
    keepReasoning(state, item, data);
  } else state.response.add({ type: 'native', data });
}

/** Reasoning that shows nothing still has to go back: it gets an empty block to stand for it. */
function keepReasoning(state: State, item: Item, data: Record<string, unknown>): void {
  const encrypted = str(data['encrypted_content']);
  state.response.endSaying();
  if (!item.said && encrypted !== '') state.response.add({ type: 'thinking', thinking: '' });
  if (item.said || encrypted !== '') state.reasoning.push(data);
}

function stopOf(
  state: State,
  response: Record<string, unknown>,
): { readonly reason: StopReason; readonly raw: string } {
  const status = str(response['status']) || 'completed';
  const details = isRecord(response['incomplete_details'])
    ? str(response['incomplete_details']['reason'])
    : '';
  if (status === 'incomplete') {
    const reason =
      details === 'content_filter'
        ? 'content_filter'
        : details === 'max_output_tokens'
          ? 'max_tokens'
          : 'other';
    return { reason, raw: `incomplete:${details}` };
  }
  if (state.refused) return { reason: 'refusal', raw: status };
  return { reason: state.response.calls > 0 ? 'tool_use' : 'end_turn', raw: status };
}

function end(state: State, response: Record<string, unknown>): void {
  // Only where nothing was streamed: positions in the end event need not be those of the stream.
  if (state.items.size === 0) {
    for (const [index, item] of records(response['output']).entries()) finishItem(state, index, item);
  }
  state.response.endSaying();
  // Calls that were never done belong to a response that was cut off.
  for (const item of state.items.values())
    if (item.call !== undefined) state.response.endCall(item.call, false);
  state.ended = true;
  const native: ResponsesNative = {
    ...(state.reasoning.length === 0 ? {} : { reasoning: state.reasoning }),
    ...(state.phases.every((phase) => phase === null) ? {} : { phases: state.phases }),
  };
  state.emit({
    type: 'stop',
    ...stopOf(state, response),
    usage: usageOf(response['usage']),
    ...(Object.keys(native).length === 0 ? {} : { native: native as Readonly<Record<string, unknown>> }),
  });
}

function delta(state: State, type: string, event: Record<string, unknown>): void {
  const index = typeof event['output_index'] === 'number' ? event['output_index'] : state.items.size - 1;
  const text = str(event['delta']);
  if (type === 'response.output_text.delta' || type === 'response.refusal.delta') {
    const item = itemAt(state, index, 'message');
    item.said ||= text !== '';
    if (type === 'response.refusal.delta') state.refused = true;
    state.response.say('text', text);
  } else if (type === 'response.reasoning_summary_text.delta') {
    sayPart(state, itemAt(state, index, 'reasoning'), event['summary_index'], text);
  } else if (type === 'response.reasoning_text.delta') {
    sayPart(state, itemAt(state, index, 'reasoning'), event['content_index'], text);
  } else if (
    type === 'response.function_call_arguments.delta' ||
    type === 'response.custom_tool_call_input.delta'
  ) {
    const { call } = itemAt(state, index, 'function_call');
    if (call !== undefined) state.response.args(call, text);
  }
}

function read(state: State, event: Record<string, unknown>): void {
  const type = str(event['type']);
  const response = isRecord(event['response']) ? event['response'] : undefined;
  const index = typeof event['output_index'] === 'number' ? event['output_index'] : state.items.size;
  switch (type) {
    case 'response.created':
    case 'response.in_progress':
    case 'response.queued':
      start(state, response);
      break;
    case 'response.output_item.added':
      if (isRecord(event['item'])) itemAt(state, index, str(event['item']['type']), event['item']);
      break;
    case 'response.output_item.done':
      if (isRecord(event['item'])) finishItem(state, index, event['item']);
      break;
    case 'response.completed':
    case 'response.incomplete':
    case 'response.done':
      start(state, response);
      end(state, response ?? {});
      break;
    case 'response.failed':
      throw new ResponsesFailure(
        response?.['error'] ?? event['error'] ?? { message: 'The response failed.' },
      );
    case 'error':
      throw new ResponsesFailure(isRecord(event['error']) ? event['error'] : event);
    default:
      // A whole response object instead of events.
      if (event['object'] === 'response' && Array.isArray(event['output'])) {
        start(state, event);
        end(state, event);
      } else delta(state, type, event);
  }
}

export function responsesReader(
  emit: (event: ModelEvent) => void,
  newId: () => string,
  requestId: string | undefined,
): ResponsesReader {
  const state: State = {
    response: new ResponseState(emit, newId),
    emit,
    requestId,
    items: new Map(),
    reasoning: [],
    phases: [],
    started: false,
    refused: false,
    ended: false,
  };
  return {
    read: (event) => {
      if (!state.ended && isRecord(event)) read(state, event);
    },
    finish: () => state.ended,
  };
}
