// OpenAI Responses: POST …/responses (SSE or JSON), with function and custom (free-form) tools.
import { nextId, sse, SSE_HEADERS, split } from './shared.mjs';

export const name = 'openai-responses';

export const route = (method, path) => (method === 'POST' && /\/responses$/.test(path) ? 'turn' : undefined);

function flatten(tools) {
  return tools.flatMap((tool) => (tool.type === 'namespace' ? flatten(tool.tools ?? []) : [tool]));
}

export function parse(body) {
  const input = Array.isArray(body.input) ? body.input : [];
  const toolResults = input.filter((item) => /_call_output$/.test(item.type ?? '')).length;
  const tools = flatten(body.tools ?? [])
    .filter((tool) => tool.type === 'function' || tool.type === 'custom')
    .map((tool) => ({ name: tool.name, schema: tool.parameters ?? {}, custom: tool.type === 'custom' }));
  const schema = body.text?.format?.schema;
  return { model: body.model, stream: body.stream === true, tools, toolResults, schema };
}

const usageOf = (usage) => ({
  input_tokens: usage.input,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: usage.output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: usage.input + usage.output,
});

function callItem(call, status) {
  if (call.custom)
    return {
      type: 'custom_tool_call',
      id: nextId('ctc'),
      call_id: nextId('call'),
      name: call.name,
      input: '',
      status,
    };
  return {
    type: 'function_call',
    id: nextId('fc'),
    call_id: nextId('call'),
    name: call.name,
    arguments: '',
    status,
  };
}

export class Writer {
  constructor(send, request, usage) {
    this.send = send;
    this.usage = usage;
    this.sequence = 0;
    this.items = [];
    this.message = undefined;
    this.response = {
      id: nextId('resp'),
      object: 'response',
      created_at: Math.floor(Date.now() / 1000),
      model: request.model,
      status: 'in_progress',
      output: [],
    };
  }

  static headers = SSE_HEADERS;

  #event(data) {
    const full = { ...data, sequence_number: this.sequence };
    this.sequence += 1;
    return sse(full, full.type);
  }

  async begin() {
    await this.send(this.#event({ type: 'response.created', response: this.response }));
    await this.send(this.#event({ type: 'response.in_progress', response: this.response }));
  }

  async text(part) {
    if (!this.message) {
      this.message = {
        type: 'message',
        id: nextId('msg'),
        role: 'assistant',
        status: 'in_progress',
        content: [],
      };
      this.partial = [];
      const at = { output_index: this.items.length };
      await this.send(this.#event({ type: 'response.output_item.added', ...at, item: this.message }));
      await this.send(
        this.#event({
          type: 'response.content_part.added',
          ...at,
          item_id: this.message.id,
          content_index: 0,
          part: { type: 'output_text', text: '', annotations: [] },
        }),
      );
    }
    this.partial.push(part);
    await this.send(
      this.#event({
        type: 'response.output_text.delta',
        output_index: this.items.length,
        item_id: this.message.id,
        content_index: 0,
        delta: part,
      }),
    );
  }

  async #closeText() {
    if (!this.message) return;
    const text = this.partial.join('');
    const part = { type: 'output_text', text, annotations: [] };
    const at = { output_index: this.items.length };
    const item = { ...this.message, status: 'completed', content: [part] };
    this.message = undefined;
    await this.send(
      this.#event({ type: 'response.output_text.done', ...at, item_id: item.id, content_index: 0, text }),
    );
    await this.send(
      this.#event({ type: 'response.content_part.done', ...at, item_id: item.id, content_index: 0, part }),
    );
    await this.send(this.#event({ type: 'response.output_item.done', ...at, item }));
    this.items.push(item);
  }

  async tool(call, parts) {
    await this.#closeText();
    const item = callItem(call, 'in_progress');
    const at = { output_index: this.items.length };
    const kind = call.custom ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
    const field = call.custom ? 'input' : 'arguments';
    const text = call.custom ? call.input : JSON.stringify(call.input);
    await this.send(this.#event({ type: 'response.output_item.added', ...at, item }));
    for (const part of split(text, parts))
      await this.send(this.#event({ type: `${kind}.delta`, ...at, item_id: item.id, delta: part }));
    await this.send(this.#event({ type: `${kind}.done`, ...at, item_id: item.id, [field]: text }));
    const done = { ...item, [field]: text, status: 'completed' };
    await this.send(this.#event({ type: 'response.output_item.done', ...at, item: done }));
    this.items.push(done);
  }

  async finish() {
    await this.#closeText();
    return this.#event({
      type: 'response.completed',
      response: { ...this.response, status: 'completed', output: this.items, usage: usageOf(this.usage) },
    });
  }
}

export function whole(request, usage, text, calls) {
  const output = [];
  if (text)
    output.push({
      type: 'message',
      id: nextId('msg'),
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text, annotations: [] }],
    });
  for (const call of calls) {
    const item = callItem(call, 'completed');
    output.push(
      call.custom ? { ...item, input: call.input } : { ...item, arguments: JSON.stringify(call.input) },
    );
  }
  return {
    id: nextId('resp'),
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    model: request.model,
    status: 'completed',
    output,
    usage: usageOf(usage),
  };
}
