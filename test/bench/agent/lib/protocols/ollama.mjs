// Ollama: POST /api/chat (NDJSON, streamed unless stream is false), /api/tags, /api/show, /api/version.
export const name = 'ollama';

export function route(method, path) {
  if (method === 'POST' && path === '/api/chat') return 'turn';
  if (path === '/api/tags' || path === '/api/show' || path === '/api/version') return 'info';
  return undefined;
}

const details = {
  parent_model: '',
  format: 'gguf',
  family: 'bench',
  families: ['bench'],
  parameter_size: '8B',
  quantization_level: 'Q4_0',
};

export function info(path, models) {
  if (path === '/api/version') return { version: '0.12.0' };
  if (path === '/api/show') {
    const modelInfo = { 'general.architecture': 'bench', 'bench.context_length': 200000 };
    return {
      modelfile: '',
      parameters: '',
      template: '{{ .Prompt }}',
      details,
      model_info: modelInfo,
      capabilities: ['completion', 'tools'],
    };
  }
  return {
    models: models.map((model) => ({
      name: model,
      model,
      modified_at: '2025-01-01T00:00:00Z',
      size: 1,
      digest: '0'.repeat(64),
      details,
    })),
  };
}

export function parse(body) {
  const toolResults = (body.messages ?? []).filter((message) => message.role === 'tool').length;
  const tools = (body.tools ?? []).map((tool) => ({
    name: tool.function.name,
    schema: tool.function.parameters ?? {},
  }));
  const schema = typeof body.format === 'object' ? body.format : undefined;
  return { model: body.model, stream: body.stream !== false, tools, toolResults, schema };
}

const done = (usage) => ({
  done: true,
  done_reason: 'stop',
  total_duration: 1,
  load_duration: 1,
  prompt_eval_count: usage.input,
  prompt_eval_duration: 1,
  eval_count: usage.output,
  eval_duration: 1,
});

export class Writer {
  constructor(send, request, usage) {
    this.send = send;
    this.model = request.model;
    this.usage = usage;
  }

  static headers = { 'content-type': 'application/x-ndjson' };

  #line(message, extra = { done: false }) {
    return `${JSON.stringify({ model: this.model, created_at: new Date().toISOString(), message: { role: 'assistant', ...message }, ...extra })}\n`;
  }

  async begin() {}

  text(part) {
    return this.send(this.#line({ content: part }));
  }

  // Ollama sends a tool call whole.
  tool(call) {
    return this.send(
      this.#line({ content: '', tool_calls: [{ function: { name: call.name, arguments: call.input } }] }),
    );
  }

  async finish() {
    return this.#line({ content: '' }, done(this.usage));
  }
}

export function whole(request, usage, text, calls) {
  const message = { role: 'assistant', content: text };
  if (calls.length)
    message.tool_calls = calls.map((call) => ({ function: { name: call.name, arguments: call.input } }));
  return { model: request.model, created_at: new Date().toISOString(), message, ...done(usage) };
}
