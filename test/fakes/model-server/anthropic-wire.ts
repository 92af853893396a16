/**
 * The Anthropic Messages wire of the fake model server: event names, order, ids, usage and pings as the real service sends them.
 * It checks nothing (request-rules.mjs does) and decides nothing (the scenario does).
 */
import type { Pace, Reply, ScriptBlock, SeenResult } from './scenario.ts';
import type { Body, Frame, Ids, Wire } from './wire.ts';
import { contentText, cut, isObject, list, paced, text, tokens, words } from './wire.ts';

function event(name: string, data: Readonly<Record<string, unknown>>, block?: number): Frame {
  const bytes = `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`;
  return block === undefined ? { type: 'event', name, bytes } : { type: 'event', name, block, bytes };
}

function delta(index: number, value: Readonly<Record<string, unknown>>): Frame {
  return event('content_block_delta', { index, delta: value }, index);
}

function pieces(value: string, pace: Pace, fallback: (value: string) => string[]): string[] {
  return pace.deltas === undefined ? fallback(value) : cut(value, pace.deltas);
}

function inputText(block: Extract<ScriptBlock, { type: 'tool_use' }>): string {
  return block.inputText ?? JSON.stringify(block.input);
}

function* blockFrames(block: ScriptBlock, index: number, ids: Ids): Iterable<Frame> {
  const start = (content: Readonly<Record<string, unknown>>): Frame =>
    event('content_block_start', { index, content_block: content }, index);
  switch (block.type) {
    case 'text':
      yield start({ type: 'text', text: '' });
      yield* paced(pieces(block.text, block, words), block, (piece) =>
        delta(index, { type: 'text_delta', text: piece }),
      );
      break;
    case 'thinking':
      yield start({ type: 'thinking', thinking: '', signature: '' });
      yield* paced(pieces(block.thinking, block, words), block, (piece) =>
        delta(index, { type: 'thinking_delta', thinking: piece }),
      );
      if (block.signature !== '') {
        yield delta(index, { type: 'signature_delta', signature: block.signature ?? ids.next('Eqsig') });
      }
      break;
    case 'redacted_thinking':
      yield start({ type: 'redacted_thinking', data: block.data });
      break;
    case 'tool_use':
      yield start({
        type: 'tool_use',
        id: block.id ?? ids.next('toolu_'),
        name: block.name,
        input: {},
      });
      yield delta(index, { type: 'input_json_delta', partial_json: '' });
      yield* paced(
        pieces(inputText(block), block, (value) => (value === '{}' || value === '' ? [] : [value])),
        block,
        (piece) => delta(index, { type: 'input_json_delta', partial_json: piece }),
      );
      break;
    case 'pause':
    case 'ping':
    case 'raw':
      return;
  }
  yield event('content_block_stop', { index }, index);
}

function* betweenFrames(block: ScriptBlock): Iterable<Frame> {
  if (block.type === 'ping') yield event('ping', {});
  if (block.type === 'raw') yield { type: 'event', name: 'raw', bytes: block.bytes };
  if (block.type === 'pause') {
    if (block.holdUntil !== undefined) yield { type: 'gate', name: block.holdUntil };
    if (block.ms !== undefined) yield { type: 'pause', ms: block.ms };
  }
}

function usageOf(reply: Reply, body: Body): { readonly start: object; readonly end: object } {
  const cacheRead = reply.usage?.cacheRead ?? 0;
  const cacheWrite = reply.usage?.cacheWrite ?? 0;
  const input = reply.usage?.input ?? tokens(body);
  const output = reply.usage?.output ?? tokens(reply.blocks ?? []);
  const prompt = {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
  };
  return {
    start: { ...prompt, output_tokens: 1, service_tier: 'standard' },
    end: { ...prompt, output_tokens: output },
  };
}

function stopOf(reply: Reply): string {
  const calls = (reply.blocks ?? []).some((block) => block.type === 'tool_use');
  return reply.stop ?? (calls ? 'tool_use' : 'end_turn');
}

function* frames(reply: Reply, body: Body, ids: Ids): Iterable<Frame> {
  const usage = usageOf(reply, body);
  yield event('message_start', {
    message: {
      id: ids.next('msg_'),
      type: 'message',
      role: 'assistant',
      model: reply.model ?? text(body['model']),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usage.start,
    },
  });
  let index = 0;
  for (const block of reply.blocks ?? []) {
    if (block.type === 'pause' || block.type === 'ping' || block.type === 'raw') {
      yield* betweenFrames(block);
      continue;
    }
    let first = true;
    for (const frame of blockFrames(block, index, ids)) {
      yield frame;
      // The real service pings once, right after the first block has started.
      if (first && index === 0) yield event('ping', {});
      first = false;
    }
    index += 1;
  }
  yield event('message_delta', {
    delta: { stop_reason: stopOf(reply), stop_sequence: null },
    usage: usage.end,
  });
  yield event('message_stop', {});
}

function wholeBlock(block: ScriptBlock, ids: Ids): object[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text }];
    case 'thinking':
      return [
        { type: 'thinking', thinking: block.thinking, signature: block.signature ?? ids.next('Eqsig') },
      ];
    case 'redacted_thinking':
      return [{ type: 'redacted_thinking', data: block.data }];
    case 'tool_use':
      return [{ type: 'tool_use', id: block.id ?? ids.next('toolu_'), name: block.name, input: block.input }];
    case 'pause':
    case 'ping':
    case 'raw':
      return [];
  }
}

function resultsOf(message: Body | undefined): SeenResult[] {
  return list(message?.['content'])
    .filter((block) => block['type'] === 'tool_result')
    .map((block) => ({
      callId: text(block['tool_use_id']),
      text: contentText(block['content']),
      isError: block['is_error'] === true,
    }));
}

function lastUserText(messages: readonly Body[]): string {
  for (const message of messages.toReversed()) {
    if (message['role'] !== 'user') continue;
    const said = contentText(
      typeof message['content'] === 'string'
        ? message['content']
        : list(message['content']).filter((block) => block['type'] === 'text'),
    );
    if (said !== '') return said;
  }
  return '';
}

const MODEL_IDS = ['claude-opus-4-8', 'claude-sonnet-4-6', 'claude-haiku-4-5'];
const model = (id: string): object => ({
  type: 'model',
  id,
  display_name: id,
  created_at: '2026-01-01T00:00:00Z',
  max_input_tokens: 200_000,
  max_tokens: 64_000,
});

export const anthropicWire: Wire = {
  name: 'anthropic-messages',
  contentType: 'text/event-stream; charset=utf-8',
  handles: (path) => path.endsWith('/v1/messages'),
  view: (body) => {
    const messages = list(body['messages']);
    const last = messages.at(-1);
    return {
      step: messages.filter((message) => message['role'] === 'assistant').length,
      model: text(body['model']),
      results: last?.['role'] === 'user' ? resultsOf(last) : [],
      userText: lastUserText(messages),
      toolNames: list(body['tools']).map((tool) => text(tool['name'])),
    };
  },
  frames,
  whole: (reply, body, ids) => ({
    id: ids.next('msg_'),
    type: 'message',
    role: 'assistant',
    model: reply.model ?? text(body['model']),
    content: (reply.blocks ?? []).flatMap((block) => wholeBlock(block, ids)),
    stop_reason: stopOf(reply),
    stop_sequence: null,
    usage: usageOf(reply, body).end,
  }),
  errorEvent: (error) => `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`,
  headers: (ids) => ({ 'request-id': ids.next('req_'), 'anthropic-organization-id': 'org-fake' }),
  get: (path) => {
    const id = /\/v1\/models\/([^/?]+)$/.exec(path)?.[1];
    if (id !== undefined) return model(id);
    if (/\/v1\/models(\?|$)/.test(path)) return { data: MODEL_IDS.map(model), has_more: false };
    return undefined;
  },
};

/** For scenarios that look into raw bodies. */
export function contentBlocks(message: unknown): Record<string, unknown>[] {
  return isObject(message) ? list(message['content']) : [];
}
