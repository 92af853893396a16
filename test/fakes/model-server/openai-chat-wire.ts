/** The Chat Completions wire of the fake model server, as OpenAI streams it. Reasoning goes out as `reasoning_content`, as most others do. */
import type { Reply, ScriptBlock, SeenResult } from './scenario.ts';
import type { Body, Frame, Ids, Wire } from './wire.ts';
import { contentText, cut, isObject, list, paced, text, tokens, words } from './wire.ts';

const PAUSE: Frame = { type: 'pause', ms: 0 };

function between(block: ScriptBlock): Frame[] {
  if (block.type === 'ping')
    return [{ type: 'event', name: 'comment', bytes: ': OPENROUTER PROCESSING\n\n' }];
  if (block.type === 'raw') return [{ type: 'event', name: 'raw', bytes: block.bytes }];
  if (block.type !== 'pause') return [];
  return [
    ...(block.holdUntil === undefined ? [] : [{ type: 'gate' as const, name: block.holdUntil }]),
    ...(block.ms === undefined ? [] : [{ type: 'pause' as const, ms: block.ms }]),
  ];
}

function stopOf(reply: Reply): string {
  const calls = (reply.blocks ?? []).some((block) => block.type === 'tool_use');
  return reply.stop ?? (calls ? 'tool_calls' : 'stop');
}

function usageOf(reply: Reply, body: Body): Record<string, unknown> {
  const prompt = reply.usage?.input ?? tokens(body);
  const output = reply.usage?.output ?? tokens(reply.blocks ?? []);
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: reply.usage?.cacheRead ?? 0 },
  };
}

function* frames(reply: Reply, body: Body, ids: Ids): Iterable<Frame> {
  const head = {
    id: ids.next('chatcmpl-'),
    object: 'chat.completion.chunk',
    created: 1_780_000_000,
    model: reply.model ?? text(body['model']),
  };
  const chunk = (delta: Record<string, unknown>, block: number, finish: string | null = null): Frame => ({
    type: 'event',
    name: 'chunk',
    block,
    bytes: `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
  });
  yield chunk({ role: 'assistant', content: '' }, 0);
  let calls = 0;
  for (const [index, block] of (reply.blocks ?? []).entries()) {
    if (block.type === 'text') {
      yield* paced(
        block.deltas === undefined ? words(block.text) : cut(block.text, block.deltas),
        block,
        (piece) => chunk({ content: piece }, index),
      );
    } else if (block.type === 'thinking') {
      yield* paced(words(block.thinking), block, (piece) => chunk({ reasoning_content: piece }, index));
    } else if (block.type === 'tool_use') {
      const call = calls++;
      const args = block.inputText ?? JSON.stringify(block.input);
      yield chunk(
        {
          tool_calls: [
            {
              index: call,
              id: block.id ?? ids.next('call_'),
              type: 'function',
              function: { name: block.name, arguments: '' },
            },
          ],
        },
        index,
      );
      yield* paced(cut(args, block.deltas ?? 1), block, (piece) =>
        chunk({ tool_calls: [{ index: call, function: { arguments: piece } }] }, index),
      );
    } else yield* between(block);
  }
  yield chunk({}, (reply.blocks ?? []).length, stopOf(reply));
  const wants = isObject(body['stream_options']) && body['stream_options']['include_usage'] === true;
  if (wants) {
    yield {
      type: 'event',
      name: 'usage',
      bytes: `data: ${JSON.stringify({ ...head, choices: [], usage: usageOf(reply, body) })}\n\n`,
    };
  }
  yield { type: 'event', name: 'done', bytes: 'data: [DONE]\n\n' };
  yield PAUSE;
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

const MODELS = ['gpt-5.5', 'gpt-5.4-mini', 'local-model'];

export const openaiChatWire: Wire = {
  name: 'openai-chat',
  contentType: 'text/event-stream; charset=utf-8',
  handles: (path) => path.endsWith('/chat/completions'),
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
  errorEvent: (error) =>
    `data: ${JSON.stringify({ error: { message: error.message, type: error.type, param: null, code: null } })}\n\n`,
  headers: (ids) => ({ 'x-request-id': ids.next('req_') }),
  get: (path) =>
    path.endsWith('/models') && !path.includes('/v1/messages')
      ? { object: 'list', data: MODELS.map((id) => ({ id, object: 'model', owned_by: 'fake' })) }
      : undefined,
};
