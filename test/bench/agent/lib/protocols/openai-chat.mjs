// OpenAI Chat Completions: POST …/chat/completions (SSE or JSON).
import { nextId, sse, SSE_HEADERS, split } from './shared.mjs';

export const name = 'openai-chat';

export const route = (method, path) =>
  method === 'POST' && /\/chat\/completions$/.test(path) ? 'turn' : undefined;

export function parse(body) {
  const toolResults = (body.messages ?? []).filter((message) => message.role === 'tool').length;
  const tools = (body.tools ?? [])
    .filter((tool) => tool.function)
    .map((tool) => ({ name: tool.function.name, schema: tool.function.parameters ?? {} }));
  const schema = body.response_format?.json_schema?.schema;
  return {
    model: body.model,
    stream: body.stream === true,
    tools,
    toolResults,
    schema,
    wantsUsage: body.stream_options?.include_usage === true,
  };
}

const usageOf = (usage) => ({
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
});

export class Writer {
  constructor(send, request, usage) {
    this.send = send;
    this.request = request;
    this.usage = usage;
    this.calls = 0;
    this.base = {
      id: nextId('chatcmpl'),
      object: 'chat.completion.chunk',
      created: Math.floor(Date.now() / 1000),
      model: request.model,
    };
  }

  static headers = SSE_HEADERS;

  #chunk(delta, finish = null) {
    return this.send(sse({ ...this.base, choices: [{ index: 0, delta, finish_reason: finish }] }));
  }

  begin() {
    return this.#chunk({ role: 'assistant', content: '' });
  }

  text(part) {
    return this.#chunk({ content: part });
  }

  async tool(call, parts) {
    const index = this.calls;
    this.calls += 1;
    await this.#chunk({
      tool_calls: [
        { index, id: nextId('call'), type: 'function', function: { name: call.name, arguments: '' } },
      ],
    });
    for (const part of split(JSON.stringify(call.input), parts)) {
      await this.#chunk({ tool_calls: [{ index, function: { arguments: part } }] });
    }
  }

  async finish() {
    await this.#chunk({}, this.calls ? 'tool_calls' : 'stop');
    if (this.request.wantsUsage)
      await this.send(sse({ ...this.base, choices: [], usage: usageOf(this.usage) }));
    return 'data: [DONE]\n\n';
  }
}

export function whole(request, usage, text, calls) {
  const message = { role: 'assistant', content: text || null };
  if (calls.length) {
    message.tool_calls = calls.map((call) => ({
      id: nextId('call'),
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.input) },
    }));
  }
  return {
    id: nextId('chatcmpl'),
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: request.model,
    choices: [{ index: 0, message, finish_reason: calls.length ? 'tool_calls' : 'stop' }],
    usage: usageOf(usage),
  };
}
