/** The Responses wire of the fake model server: numbered events, one item a block. */
import type { Reply, ScriptBlock, SeenResult } from './scenario.ts';
import type { Body, Frame, Ids, Wire } from './wire.ts';
import { contentText, cut, list, paced, text, tokens, words } from './wire.ts';

function usageOf(reply: Reply, body: Body): Record<string, unknown> {
  const input = reply.usage?.input ?? tokens(body);
  const output = reply.usage?.output ?? tokens(reply.blocks ?? []);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: reply.usage?.cacheRead ?? 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

type Event = (name: string, data: Record<string, unknown>, block?: number) => Frame;

function* textFrames(
  block: Extract<ScriptBlock, { type: 'text' }>,
  index: number,
  event: Event,
  ids: Ids,
): Iterable<Frame> {
  const id = ids.next('msg_');
  const item = { id, type: 'message', role: 'assistant', status: 'in_progress', content: [] as unknown[] };
  yield event('response.output_item.added', { output_index: index, item }, index);
  yield* paced(
    block.deltas === undefined ? words(block.text) : cut(block.text, block.deltas),
    block,
    (piece) =>
      event(
        'response.output_text.delta',
        { output_index: index, content_index: 0, item_id: id, delta: piece },
        index,
      ),
  );
  yield event(
    'response.output_item.done',
    {
      output_index: index,
      item: {
        ...item,
        status: 'completed',
        content: [{ type: 'output_text', text: block.text, annotations: [] }],
      },
    },
    index,
  );
}

function* thinkingFrames(
  block: Extract<ScriptBlock, { type: 'thinking' }>,
  index: number,
  event: Event,
  ids: Ids,
): Iterable<Frame> {
  const id = ids.next('rs_');
  yield event(
    'response.output_item.added',
    { output_index: index, item: { id, type: 'reasoning', summary: [] } },
    index,
  );
  yield* paced(words(block.thinking), block, (piece) =>
    event(
      'response.reasoning_summary_text.delta',
      { output_index: index, summary_index: 0, item_id: id, delta: piece },
      index,
    ),
  );
  const item = {
    id,
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: block.thinking }],
    encrypted_content: block.signature ?? ids.next('gAAAA'),
  };
  yield event('response.output_item.done', { output_index: index, item }, index);
}

function* callFrames(
  block: Extract<ScriptBlock, { type: 'tool_use' }>,
  index: number,
  event: Event,
  ids: Ids,
): Iterable<Frame> {
  const id = ids.next('fc_');
  const args = block.inputText ?? JSON.stringify(block.input);
  const item = {
    id,
    type: 'function_call',
    status: 'in_progress',
    call_id: block.id ?? ids.next('call_'),
    name: block.name,
    arguments: '',
  };
  yield event('response.output_item.added', { output_index: index, item }, index);
  yield* paced(cut(args, block.deltas ?? 1), block, (piece) =>
    event(
      'response.function_call_arguments.delta',
      { output_index: index, item_id: id, delta: piece },
      index,
    ),
  );
  yield event(
    'response.function_call_arguments.done',
    { output_index: index, item_id: id, arguments: args },
    index,
  );
  yield event(
    'response.output_item.done',
    { output_index: index, item: { ...item, status: 'completed', arguments: args } },
    index,
  );
}

function* frames(reply: Reply, body: Body, ids: Ids): Iterable<Frame> {
  let sequence = 0;
  const event: Event = (name, data, block) => {
    const bytes = `event: ${name}\ndata: ${JSON.stringify({ type: name, sequence_number: sequence++, ...data })}\n\n`;
    return block === undefined ? { type: 'event', name, bytes } : { type: 'event', name, block, bytes };
  };
  const response = {
    id: ids.next('resp_'),
    object: 'response',
    model: reply.model ?? text(body['model']),
    output: [] as unknown[],
  };
  yield event('response.created', { response: { ...response, status: 'in_progress' } });
  let index = 0;
  for (const block of reply.blocks ?? []) {
    if (block.type === 'text') yield* textFrames(block, index++, event, ids);
    else if (block.type === 'thinking') yield* thinkingFrames(block, index++, event, ids);
    else if (block.type === 'tool_use') yield* callFrames(block, index++, event, ids);
    else if (block.type === 'raw') yield { type: 'event', name: 'raw', bytes: block.bytes };
    else if (block.type === 'ping') yield { type: 'event', name: 'comment', bytes: ': ping\n\n' };
    else if (block.type === 'pause') {
      if (block.holdUntil !== undefined) yield { type: 'gate', name: block.holdUntil };
      if (block.ms !== undefined) yield { type: 'pause', ms: block.ms };
    }
  }
  const cutShort = reply.stop === 'max_output_tokens' || reply.stop === 'content_filter';
  const end = cutShort
    ? { status: 'incomplete', incomplete_details: { reason: reply.stop } }
    : { status: 'completed' };
  yield event(cutShort ? 'response.incomplete' : 'response.completed', {
    response: { ...response, ...end, usage: usageOf(reply, body) },
  });
}

function resultsOf(input: readonly Body[]): SeenResult[] {
  const last = input.findLastIndex(
    (item) =>
      item['role'] === 'assistant' || item['type'] === 'function_call' || item['type'] === 'reasoning',
  );
  return input
    .slice(last + 1)
    .filter((item) => item['type'] === 'function_call_output')
    .map((item) => {
      const said = contentText(item['output']);
      return {
        callId: text(item['call_id']),
        text: said.replace(/^Error: /, ''),
        isError: said.startsWith('Error: '),
      };
    });
}

/** Items of one assistant turn stand in a row. */
function turns(input: readonly Body[]): number {
  const isOurs = (item: Body | undefined): boolean =>
    item?.['role'] === 'assistant' || item?.['type'] === 'function_call' || item?.['type'] === 'reasoning';
  return input.filter((item, index) => isOurs(item) && !isOurs(input[index - 1])).length;
}

export const openaiResponsesWire: Wire = {
  name: 'openai-responses',
  contentType: 'text/event-stream; charset=utf-8',
  handles: (path) => path.endsWith('/responses'),
  view: (body) => {
    const input = list(body['input']);
    return {
      step: turns(input),
      model: text(body['model']),
      results: resultsOf(input),
      userText: contentText(input.findLast((item) => item['role'] === 'user')?.['content']),
      toolNames: list(body['tools']).map((tool) => text(tool['name'])),
    };
  },
  frames,
  errorEvent: (error) =>
    `event: error\ndata: ${JSON.stringify({ type: 'error', code: error.type, message: error.message, param: null })}\n\n`,
  headers: (ids) => ({ 'x-request-id': ids.next('req_') }),
};
