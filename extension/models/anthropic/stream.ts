/**
 * Reads the raw events of an Anthropic stream into our own: accumulation by block, so that nothing half-parsed can be taken for whole.
 * It tolerates what compatible servers do (repeated starts, whole input in the start, unknown events) and throws on nothing but misuse.
 */
import type { StopReason, Usage } from '../../protocol/vocabulary';
import type { AssistantBlock } from '../message';
import type { ModelEvent } from '../transport';
import { isRecord } from '../errors/answer';
import { readInput } from '../wire/call-input';

interface OpenBlock {
  readonly key: number;
  readonly kind: 'text' | 'thinking' | 'call' | 'native';
  /** The start event's block, verbatim; for native blocks it collects the deltas. */
  readonly data: Record<string, unknown>;
  text: string;
  signature: string;
}

interface State {
  readonly emit: (event: ModelEvent) => void;
  readonly newId: () => string;
  readonly requestId: string | undefined;
  readonly open: Map<number, OpenBlock>;
  /** Key of a call without arguments: it looks the same whole and cut, until another block starts. */
  unsure: number | undefined;
  usage: Usage;
  started: boolean;
  keys: number;
  calls: number;
  rawStop: string | undefined;
  ended: boolean;
}

export interface AnthropicReader {
  /** One raw event. Emits in order; after the end of the response it ignores everything. */
  read(event: unknown): void;
  /** The wire ended: closes a response whose stop reason was seen. False = it was cut. */
  finish(): boolean;
}

const STOPS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end_turn',
  tool_use: 'tool_use',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  refusal: 'refusal',
  pause_turn: 'pause_turn',
  model_context_window_exceeded: 'context_window',
};

const USAGE_FIELDS: readonly (readonly [string, keyof Usage])[] = [
  ['input_tokens', 'inputTokens'],
  ['output_tokens', 'outputTokens'],
  ['cache_read_input_tokens', 'cacheReadTokens'],
  ['cache_creation_input_tokens', 'cacheWriteTokens'],
];

function str(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function kindOf(type: string): OpenBlock['kind'] {
  if (type === 'text' || type === 'thinking') return type;
  return type === 'tool_use' ? 'call' : 'native';
}

/** What the deltas of a call add up to; some servers send the whole input in the start event instead. */
function rawInput(open: OpenBlock): string {
  const given = open.data['input'];
  if (open.text !== '' || !isRecord(given) || Object.keys(given).length === 0) return open.text;
  return JSON.stringify(given);
}

/** Blocks that only this provider knows: server tools and their results, compaction and whatever comes next. */
function nativeData(open: OpenBlock): Record<string, unknown> {
  if (open.text === '') return open.data;
  const { input } = readInput(open.text);
  return { ...open.data, input };
}

function takeUsage(state: State, value: unknown): void {
  if (!isRecord(value)) return;
  const found: Record<string, number> = {};
  for (const [theirs, ours] of USAGE_FIELDS) {
    const count = value[theirs];
    if (typeof count === 'number') found[ours] = count;
  }
  const details = value['output_tokens_details'];
  if (isRecord(details) && typeof details['thinking_tokens'] === 'number') {
    found['reasoningTokens'] = details['thinking_tokens'];
  }
  state.usage = { ...state.usage, ...found };
}

function settleUnsure(state: State, certain: boolean): void {
  if (state.unsure === undefined) return;
  state.emit({ type: 'call_ready', key: state.unsure, certain });
  state.unsure = undefined;
}

function addText(state: State, block: OpenBlock, text: string): void {
  if (text === '') return;
  block.text += text;
  if (block.kind === 'call') state.emit({ type: 'call_delta', key: block.key, json: text });
  else if (block.kind !== 'native') state.emit({ type: block.kind, key: block.key, text });
}

function begin(state: State, index: number, data: Record<string, unknown>): OpenBlock {
  settleUnsure(state, true);
  const block: OpenBlock = {
    key: state.keys,
    kind: kindOf(str(data['type'])),
    data: { ...data },
    text: '',
    signature: str(data['signature']),
  };
  state.keys += 1;
  state.open.set(index, block);
  if (block.kind === 'call') state.emit({ type: 'call_started', key: block.key, name: str(data['name']) });
  if (block.kind === 'text') addText(state, block, str(data['text']));
  if (block.kind === 'thinking') addText(state, block, str(data['thinking']));
  return block;
}

function closeCall(state: State, block: OpenBlock): void {
  const { input, unparsed, empty } = readInput(rawInput(block));
  const { key } = block;
  const wireId = str(block.data['id']);
  state.calls += 1;
  const made: AssistantBlock = {
    type: 'tool_use',
    id: state.newId(),
    ...(wireId === '' ? {} : { wireId }),
    name: str(block.data['name']),
    input,
    ...(unparsed === undefined ? {} : { unparsed }),
  };
  state.emit({ type: 'block', key, block: made });
  if (unparsed !== undefined) state.emit({ type: 'call_ready', key, certain: false, unparsed });
  else if (empty) state.unsure = key;
  // A complete, non-empty object cannot be a cut one: a cut falls inside the text, and an unclosed brace never parses. What remains
  // is a cut exactly behind the last brace, where the call is whole all the same. So it counts as certain when its block closes,
  // also as the last block of the response; what has side effects waits for the end of the response anyway.
  else state.emit({ type: 'call_ready', key, certain: true });
}

function finishedBlock(block: OpenBlock): AssistantBlock | undefined {
  const { text, signature, data } = block;
  switch (block.kind) {
    case 'text':
      return text === '' ? undefined : { type: 'text', text };
    case 'thinking':
      if (text === '' && signature === '') return undefined;
      return { type: 'thinking', thinking: text, ...(signature === '' ? {} : { signature }) };
    case 'native':
      if (data['type'] === 'redacted_thinking') return { type: 'redacted_thinking', data: str(data['data']) };
      return { type: 'native', data: nativeData(block) };
    case 'call':
      return undefined;
  }
}

function close(state: State, index: number): void {
  const block = state.open.get(index);
  if (block === undefined) return;
  state.open.delete(index);
  if (block.kind === 'call') {
    closeCall(state, block);
    return;
  }
  const made = finishedBlock(block);
  if (made !== undefined) state.emit({ type: 'block', key: block.key, block: made });
}

function takeDelta(state: State, index: number, delta: Record<string, unknown>): void {
  const type = str(delta['type']);
  const known = state.open.get(index);
  if (type === 'text_delta')
    addText(state, known ?? begin(state, index, { type: 'text' }), str(delta['text']));
  else if (type === 'thinking_delta') {
    addText(state, known ?? begin(state, index, { type: 'thinking' }), str(delta['thinking']));
  } else if (known === undefined) return;
  else if (type === 'input_json_delta') addText(state, known, str(delta['partial_json']));
  else if (type === 'signature_delta') known.signature += str(delta['signature']);
  else if (known.kind === 'native') {
    for (const [name, value] of Object.entries(delta)) {
      if (name !== 'type' && typeof value === 'string') known.data[name] = str(known.data[name]) + value;
    }
  }
}

function start(state: State, message: unknown): void {
  // Some proxies send the start twice with the same id.
  if (state.started) return;
  state.started = true;
  const data = isRecord(message) ? message : {};
  takeUsage(state, data['usage']);
  const id = str(data['id']);
  const model = str(data['model']);
  state.emit({
    type: 'start',
    ...(id === '' ? {} : { messageId: id }),
    ...(state.requestId === undefined ? {} : { requestId: state.requestId }),
    ...(model === '' ? {} : { model }),
  });
  state.emit({ type: 'usage', usage: state.usage });
  const content = Array.isArray(data['content']) ? data['content'].filter(isRecord) : [];
  for (const [index, block] of content.entries()) {
    begin(state, -1 - index, block);
    close(state, -1 - index);
  }
  if (typeof data['stop_reason'] === 'string') state.rawStop = data['stop_reason'];
}

function end(state: State): void {
  if (state.ended || state.rawStop === undefined) return;
  for (const index of [...state.open.keys()]) close(state, index);
  settleUnsure(state, false);
  state.ended = true;
  const known = STOPS[state.rawStop] ?? 'other';
  const reason = known === 'end_turn' && state.calls > 0 ? 'tool_use' : known;
  state.emit({ type: 'stop', reason, raw: state.rawStop, usage: state.usage });
}

function messageDelta(state: State, event: Record<string, unknown>): void {
  takeUsage(state, event['usage']);
  const delta = isRecord(event['delta']) ? event['delta'] : {};
  if (typeof delta['stop_reason'] === 'string') state.rawStop = delta['stop_reason'];
  const details = delta['stop_details'];
  if (!isRecord(details)) return;
  const words = str(details['explanation']);
  if (words !== '') state.emit({ type: 'notice', text: words });
}

function read(state: State, event: Record<string, unknown>): void {
  const index = typeof event['index'] === 'number' ? event['index'] : 0;
  switch (event['type']) {
    case 'message_start':
      start(state, event['message']);
      break;
    case 'content_block_start':
      if (isRecord(event['content_block']) && !state.open.has(index))
        begin(state, index, event['content_block']);
      break;
    case 'content_block_delta':
      if (isRecord(event['delta'])) takeDelta(state, index, event['delta']);
      break;
    case 'content_block_stop':
      close(state, index);
      break;
    case 'message_delta':
      messageDelta(state, event);
      break;
    case 'message_stop':
      end(state);
      break;
    default:
      break;
  }
}

export function anthropicReader(
  emit: (event: ModelEvent) => void,
  newId: () => string,
  requestId: string | undefined,
): AnthropicReader {
  const state: State = {
    emit,
    newId,
    requestId,
    open: new Map(),
    unsure: undefined,
    usage: {},
    started: false,
    keys: 0,
    calls: 0,
    rawStop: undefined,
    ended: false,
  };
  return {
    read: (event) => {
      if (!state.ended && isRecord(event)) read(state, event);
    },
    finish: () => {
      end(state);
      return state.ended;
    },
  };
}
