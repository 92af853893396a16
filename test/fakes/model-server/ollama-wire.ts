/** Ollama's own wire of the fake model server: NDJSON, whole calls, arguments as objects. */
import type { Reply, SeenResult } from './scenario.ts';
import type { Body, Frame, Ids, Wire } from './wire.ts';
import { contentText, cut, isObject, list, paced, text, tokens, words } from './wire.ts';

function* frames(reply: Reply, body: Body, _ids: Ids): Iterable<Frame> {
  const head = { model: reply.model ?? text(body['model']), created_at: '2026-09-01T00:00:00Z' };
  const line = (message: Record<string, unknown>, block: number): Frame => ({
    type: 'event',
    name: 'line',
    block,
    bytes: `${JSON.stringify({ ...head, message: { role: 'assistant', content: '', ...message }, done: false })}\n`,
  });
  for (const [index, block] of (reply.blocks ?? []).entries()) {
    if (block.type === 'text') {
      yield* paced(
        block.deltas === undefined ? words(block.text) : cut(block.text, block.deltas),
        block,
        (piece) => line({ content: piece }, index),
      );
    } else if (block.type === 'thinking') {
      yield* paced(words(block.thinking), block, (piece) => line({ thinking: piece }, index));
    } else if (block.type === 'tool_use') {
      yield line({ tool_calls: [{ function: { name: block.name, arguments: block.input } }] }, index);
    } else if (block.type === 'raw') yield { type: 'event', name: 'raw', bytes: block.bytes };
    else if (block.type === 'pause') {
      if (block.holdUntil !== undefined) yield { type: 'gate', name: block.holdUntil };
      if (block.ms !== undefined) yield { type: 'pause', ms: block.ms };
    }
  }
  const counts = {
    prompt_eval_count: reply.usage?.input ?? tokens(body),
    eval_count: reply.usage?.output ?? tokens(reply.blocks ?? []),
  };
  const end = {
    ...head,
    message: { role: 'assistant', content: '' },
    done: true,
    done_reason: reply.stop ?? 'stop',
    ...counts,
  };
  yield { type: 'event', name: 'done', bytes: `${JSON.stringify(end)}\n` };
}

function resultsOf(messages: readonly Body[]): SeenResult[] {
  const last = messages.findLastIndex((message) => message['role'] === 'assistant');
  return messages
    .slice(last + 1)
    .filter((message) => message['role'] === 'tool')
    .map((message) => {
      const said = contentText(message['content']);
      return {
        callId: text(message['tool_call_id']),
        text: said.replace(/^Error: /, ''),
        isError: said.startsWith('Error: '),
      };
    });
}

const MODEL = {
  name: 'qwen3:8b',
  model: 'qwen3:8b',
  size: 5_200_000_000,
  details: { family: 'qwen3', parameter_size: '8.2B', quantization_level: 'Q4_K_M' },
};

export const ollamaWire: Wire = {
  name: 'ollama-chat',
  contentType: 'application/x-ndjson',
  handles: (path) => path.endsWith('/api/chat'),
  view: (body) => {
    const messages = list(body['messages']);
    return {
      step: messages.filter((message) => message['role'] === 'assistant').length,
      model: text(body['model']),
      results: resultsOf(messages),
      userText: contentText(messages.findLast((message) => message['role'] === 'user')?.['content']),
      toolNames: list(body['tools']).map((tool) =>
        isObject(tool['function']) ? text(tool['function']['name']) : '',
      ),
    };
  },
  frames,
  errorEvent: (error) => `${JSON.stringify({ error: error.message })}\n`,
  headers: () => ({}),
  get: (path) => {
    if (path === '/api/version') return { version: '0.12.3' };
    if (path === '/api/tags') return { models: [MODEL] };
    return undefined;
  },
  post: (path) =>
    path === '/api/show'
      ? {
          capabilities: ['completion', 'tools', 'thinking'],
          model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': 40_960 },
          details: MODEL.details,
        }
      : undefined,
};
