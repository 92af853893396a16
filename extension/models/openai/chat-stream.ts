/**
 * Reads the raw chunks of a Chat Completions stream, whoever sent them: calls are put together by index, then id, reasoning is taken from
 * whichever field holds it, and nothing may run before the finish reason.
 */
import type { StopReason, Usage } from '../../protocol/vocabulary';
import type { ModelEvent } from '../transport';
import { isRecord } from '../errors/answer';
import { ResponseState } from '../wire/response-state';
import type { CallDraft } from '../wire/response-state';
import { NOT_NATIVE, TextRecovery } from '../wire/text-recovery';
import type { ChatNative } from './chat-request';

export interface ChatReader {
  read(chunk: unknown): void;
  /** The wire ended. `doneSeen` = it said `[DONE]`. False = the response was cut. */
  finish(doneSeen: boolean): boolean;
  readonly anything: boolean;
}

interface State {
  readonly response: ResponseState;
  readonly text: TextRecovery;
  readonly emit: (event: ModelEvent) => void;
  readonly requestId: string | undefined;
  readonly byIndex: Map<number, CallDraft>;
  readonly calls: CallDraft[];
  readonly extra: Record<string, unknown>;
  readonly details: unknown[];
  reasoningField: 'reasoning_content' | 'reasoning' | undefined;
  last: CallDraft | undefined;
  started: boolean;
  refused: boolean;
  rawStop: string;
  usage: Usage;
  ended: boolean;
}

const STOPS: Readonly<Record<string, StopReason>> = {
  stop: 'end_turn',
  end: 'end_turn',
  eos: 'end_turn',
  end_turn: 'end_turn',
  tool_calls: 'tool_use',
  tool_use: 'tool_use',
  function_call: 'tool_use',
  length: 'max_tokens',
  max_tokens: 'max_tokens',
  model_length: 'context_window',
  model_context_window_exceeded: 'context_window',
  content_filter: 'content_filter',
  sensitive: 'content_filter',
  refusal: 'refusal',
};

function str(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** Usage comes at the top, in a choice, or under `x_groq`; the last counts. */
function takeUsage(
  state: State,
  chunk: Record<string, unknown>,
  choice: Record<string, unknown> | undefined,
): void {
  const groq = isRecord(chunk['x_groq']) ? chunk['x_groq']['usage'] : undefined;
  const found = [chunk['usage'], groq, choice?.['usage']].find(isRecord);
  if (found === undefined) return;
  const prompt = number(found['prompt_tokens']);
  const inDetails = isRecord(found['prompt_tokens_details']) ? found['prompt_tokens_details'] : {};
  const outDetails = isRecord(found['completion_tokens_details']) ? found['completion_tokens_details'] : {};
  const cached =
    number(inDetails['cached_tokens']) ??
    number(found['prompt_cache_hit_tokens']) ??
    number(found['cached_tokens']);
  const output = number(found['completion_tokens']);
  const reasoning = number(outDetails['reasoning_tokens']);
  state.usage = {
    ...(prompt === undefined ? {} : { inputTokens: Math.max(0, prompt - (cached ?? 0)) }),
    ...(cached === undefined ? {} : { cacheReadTokens: cached }),
    ...(output === undefined ? {} : { outputTokens: output }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  };
}

/** Text of reasoning that stands only in the details. */
function detailsText(details: readonly Record<string, unknown>[]): string {
  return details.map((detail) => str(detail['text']) || str(detail['summary'])).join('');
}

/** Pieces of one detail are joined, so that what goes back is what the server meant. */
function keepDetails(state: State, details: readonly Record<string, unknown>[]): void {
  for (const detail of details) {
    const last = state.details.at(-1);
    const continues =
      isRecord(last) &&
      last['type'] === detail['type'] &&
      last['index'] === detail['index'] &&
      detail['type'] !== 'reasoning.encrypted';
    if (!continues) {
      state.details.push({ ...detail });
      continue;
    }
    for (const [name, value] of Object.entries(detail)) {
      const isText = name === 'text' || name === 'summary';
      if (isText && typeof value === 'string') last[name] = str(last[name]) + value;
      else if (value !== null && value !== undefined) last[name] = value;
    }
  }
}

function takeReasoning(state: State, delta: Record<string, unknown>): void {
  const details = records(delta['reasoning_details']);
  keepDetails(state, details);
  const content = str(delta['reasoning_content']);
  const reasoning = str(delta['reasoning']);
  // Some gateways send the same text in both fields: it counts once.
  const field = content !== '' ? 'reasoning_content' : reasoning !== '' ? 'reasoning' : undefined;
  if (field !== undefined) state.reasoningField ??= field;
  const text = content !== '' ? content : reasoning !== '' ? reasoning : detailsText(details);
  state.response.say('thinking', text);
}

/** Mistral sends content as a list of parts when the model reasons. */
function takeParts(state: State, parts: readonly Record<string, unknown>[]): void {
  for (const part of parts) {
    if (part['type'] === 'thinking') {
      const inner = part['thinking'];
      state.response.say(
        'thinking',
        typeof inner === 'string'
          ? inner
          : records(inner)
              .map((piece) => str(piece['text']))
              .join(''),
      );
    } else state.text.feed(str(part['text']));
  }
}

function argumentText(value: unknown): string {
  if (typeof value === 'string') return value;
  return isRecord(value) ? JSON.stringify(value) : '';
}

/** The call that a delta belongs to: by index, unless it brings another id with a name; else by a new id or name. */
function callOf(state: State, delta: Record<string, unknown>, id: string, name: string): CallDraft {
  const index = number(delta['index']);
  const known = index === undefined ? undefined : state.byIndex.get(index);
  const begin = (): CallDraft => {
    const call = state.response.begin(name, id);
    state.calls.push(call);
    if (index !== undefined) state.byIndex.set(index, call);
    return call;
  };
  if (index !== undefined) {
    const another =
      known !== undefined && id !== '' && known.wireId !== '' && id !== known.wireId && name !== '';
    return known === undefined || another ? begin() : known;
  }
  const last = state.last;
  if (last === undefined) return begin();
  const sameId = id === '' || id === last.wireId;
  const isNew = id !== '' && id !== last.wireId;
  return isNew ||
    (name !== '' &&
      sameId &&
      (id === '' || last.args !== '') &&
      last.name !== '' &&
      (id === '' || name !== last.name))
    ? begin()
    : last;
}

function takeCalls(state: State, deltas: readonly Record<string, unknown>[]): void {
  for (const delta of deltas) {
    const fn = isRecord(delta['function']) ? delta['function'] : {};
    const id = str(delta['id']);
    const name = str(fn['name']);
    const call = callOf(state, delta, id, name);
    if (call.wireId === '' && id !== '') call.wireId = id;
    state.response.name(call, name);
    state.response.args(call, argumentText(fn['arguments']));
    state.last = call;
    if (delta['extra_content'] !== undefined && delta['extra_content'] !== null) {
      state.extra[String(state.calls.indexOf(call))] = delta['extra_content'];
    }
  }
}

/** The form before tools: one call, without an id. */
function takeFunctionCall(state: State, value: Record<string, unknown>): void {
  const call = state.last ?? state.response.begin(str(value['name']), '');
  if (state.last === undefined) state.calls.push(call);
  state.last = call;
  state.response.name(call, str(value['name']));
  state.response.args(call, argumentText(value['arguments']));
}

function takeDelta(state: State, delta: Record<string, unknown>): void {
  takeReasoning(state, delta);
  const content = delta['content'];
  if (typeof content === 'string') state.text.feed(content);
  else takeParts(state, records(content));
  const refusal = str(delta['refusal']);
  if (refusal !== '') {
    state.refused = true;
    state.response.say('text', refusal);
  }
  takeCalls(state, records(delta['tool_calls']));
  if (isRecord(delta['function_call'])) takeFunctionCall(state, delta['function_call']);
}

function start(state: State, chunk: Record<string, unknown>): void {
  if (state.started) return;
  const id = str(chunk['id']);
  const model = str(chunk['model']);
  // Azure opens with a frame that knows neither.
  if (model === '' && records(chunk['choices']).length === 0) return;
  state.started = true;
  state.emit({
    type: 'start',
    ...(id === '' ? {} : { messageId: id }),
    ...(state.requestId === undefined ? {} : { requestId: state.requestId }),
    ...(model === '' ? {} : { model }),
  });
}

function read(state: State, chunk: Record<string, unknown>): void {
  start(state, chunk);
  const choice = records(chunk['choices']).find((candidate) => (candidate['index'] ?? 0) === 0);
  takeUsage(state, chunk, choice);
  if (choice === undefined) return;
  const delta = isRecord(choice['delta'])
    ? choice['delta']
    : isRecord(choice['message'])
      ? choice['message']
      : undefined;
  if (delta !== undefined) takeDelta(state, delta);
  const stop = str(choice['finish_reason']);
  if (stop !== '') state.rawStop = stop;
}

function stopReason(state: State): StopReason {
  const known = state.rawStop === '' ? 'end_turn' : (STOPS[state.rawStop] ?? 'other');
  if (state.refused && known === 'end_turn') return 'refusal';
  return known === 'end_turn' && state.response.calls > 0 ? 'tool_use' : known;
}

function nativeOf(state: State): ChatNative {
  return {
    ...(state.reasoningField === undefined ? {} : { reasoningField: state.reasoningField }),
    ...(state.details.length === 0 ? {} : { reasoningDetails: state.details }),
    ...(Object.keys(state.extra).length === 0 ? {} : { extraContent: state.extra }),
  };
}

function end(state: State): void {
  state.ended = true;
  state.text.end();
  state.response.endSaying();
  if (state.text.recovered) state.emit({ type: 'notice', text: NOT_NATIVE });
  for (const call of state.calls) state.response.endCall(call, false);
  const native = nativeOf(state);
  state.emit({
    type: 'stop',
    reason: stopReason(state),
    raw: state.rawStop,
    usage: state.usage,
    ...(Object.keys(native).length === 0 ? {} : { native: native as Readonly<Record<string, unknown>> }),
  });
}

export function chatReader(
  emit: (event: ModelEvent) => void,
  newId: () => string,
  requestId: string | undefined,
  toolNames: readonly string[] = [],
): ChatReader {
  const response = new ResponseState(emit, newId);
  const state: State = {
    response,
    text: new TextRecovery(response, toolNames),
    emit,
    requestId,
    byIndex: new Map(),
    calls: [],
    extra: {},
    details: [],
    reasoningField: undefined,
    last: undefined,
    started: false,
    refused: false,
    rawStop: '',
    usage: {},
    ended: false,
  };
  return {
    get anything() {
      return state.response.said || state.calls.length > 0;
    },
    read: (chunk) => {
      if (!state.ended && isRecord(chunk)) read(state, chunk);
    },
    finish: (doneSeen) => {
      const something = state.response.said || state.calls.length > 0;
      if (!state.ended && (state.rawStop !== '' || (doneSeen && something))) end(state);
      return state.ended;
    },
  };
}
