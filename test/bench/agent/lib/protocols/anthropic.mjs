// Anthropic Messages: POST /v1/messages (SSE or JSON) and /v1/messages/count_tokens.
import { nextId, sse, SSE_HEADERS, split } from './shared.mjs';

export const name = 'anthropic';

export function route(method, path) {
  if (method !== 'POST') return undefined;
  if (/\/messages\/count_tokens$/.test(path)) return 'count';
  return /\/messages$/.test(path) ? 'turn' : undefined;
}

export function parse(body) {
  let toolResults = 0;
  for (const message of body.messages ?? []) {
    if (message.role !== 'user' || !Array.isArray(message.content)) continue;
    for (const block of message.content) if (block.type === 'tool_result') toolResults += 1;
  }
  const tools = (body.tools ?? [])
    .filter((tool) => tool.input_schema)
    .map((tool) => ({ name: tool.name, schema: tool.input_schema }));
  const schema = body.output_config?.format?.schema ?? body.output_format?.schema;
  return { model: body.model, stream: body.stream === true, tools, toolResults, schema };
}

export const count = (tokens) => ({ input_tokens: tokens });

export class Writer {
  constructor(send, request, usage) {
    this.send = send;
    this.model = request.model;
    this.usage = usage;
    this.index = -1;
    this.open = false;
    this.calls = 0;
  }

  static headers = SSE_HEADERS;

  #event(data) {
    return this.send(sse(data, data.type));
  }

  async begin() {
    const message = {
      id: nextId('msg'),
      type: 'message',
      role: 'assistant',
      model: this.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
    };
    message.usage = {
      input_tokens: this.usage.input,
      output_tokens: 1,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    };
    await this.#event({ type: 'message_start', message });
    await this.#event({ type: 'ping' });
  }

  async #closeText() {
    if (!this.open) return;
    this.open = false;
    await this.#event({ type: 'content_block_stop', index: this.index });
  }

  async text(part) {
    if (!this.open) {
      this.index += 1;
      this.open = true;
      await this.#event({
        type: 'content_block_start',
        index: this.index,
        content_block: { type: 'text', text: '' },
      });
    }
    await this.#event({
      type: 'content_block_delta',
      index: this.index,
      delta: { type: 'text_delta', text: part },
    });
  }

  async tool(call, parts) {
    await this.#closeText();
    this.index += 1;
    this.calls += 1;
    const block = { type: 'tool_use', id: nextId('toolu'), name: call.name, input: {} };
    await this.#event({ type: 'content_block_start', index: this.index, content_block: block });
    for (const part of split(JSON.stringify(call.input), parts)) {
      await this.#event({
        type: 'content_block_delta',
        index: this.index,
        delta: { type: 'input_json_delta', partial_json: part },
      });
    }
    await this.#event({ type: 'content_block_stop', index: this.index });
  }

  async finish() {
    await this.#closeText();
    const delta = { stop_reason: this.calls ? 'tool_use' : 'end_turn', stop_sequence: null };
    await this.#event({ type: 'message_delta', delta, usage: { output_tokens: this.usage.output } });
    return sse({ type: 'message_stop' }, 'message_stop');
  }
}

export function whole(request, usage, text, calls) {
  const content = text ? [{ type: 'text', text }] : [];
  for (const call of calls)
    content.push({ type: 'tool_use', id: nextId('toolu'), name: call.name, input: call.input });
  return {
    id: nextId('msg'),
    type: 'message',
    role: 'assistant',
    model: request.model,
    content,
    stop_reason: calls.length ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: usage.input,
      output_tokens: usage.output,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  };
}
