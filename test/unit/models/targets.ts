/** The wires and dialects that requests are tried on, each with the rules of its servers. */
import { expect } from 'vitest';
import { anthropicTransport } from '../../../extension/models/anthropic/transport';
import { chatTransport } from '../../../extension/models/openai/chat';
import type { DialectName } from '../../../extension/models/openai/dialects';
import { responsesTransport } from '../../../extension/models/openai/responses';
import { ollamaTransport } from '../../../extension/models/ollama/transport';
import type { Message } from '../../../extension/models/message';
import type { ModelInfo, ModelRequest, ToolSpec, Transport } from '../../../extension/models/transport';
import type { lmMessages } from '../../../extension/models/vscode-lm/transport';
import { check } from '../../fakes/model-server/request-rules.mjs';
import type { RuleOptions } from '../../fakes/model-server/request-rules.mjs';

export const TOOLS: readonly ToolSpec[] = [
  {
    name: 'Bash',
    description: 'Runs',
    inputSchema: { type: 'object', properties: { list: { type: 'array' } }, anyOf: [{ required: ['list'] }] },
  },
  {
    name: 'Read',
    description: 'Reads',
    inputSchema: { $schema: 'x', type: 'object', properties: { file_path: { type: 'string' } } },
  },
];

export interface Target {
  readonly wire: string;
  readonly rules: RuleOptions;
  make(fetch: (input: unknown, init?: RequestInit) => Promise<Response>): Transport;
}

const apiKey = (): Promise<string> => Promise.resolve('key');
const anthropic = (model: string, rules: RuleOptions, info: Partial<ModelInfo> = {}): Target => ({
  wire: 'anthropic-messages',
  rules,
  make: (fetch) =>
    anthropicTransport({ baseUrl: 'http://x', model, info: { id: model, ...info }, apiKey, fetch }),
});
const chat = (dialect: DialectName, model: string, rules: RuleOptions): Target => ({
  wire: 'openai-chat',
  rules,
  make: (fetch) =>
    chatTransport({
      baseUrl: 'http://x/v1',
      model,
      info: { id: model, ...(rules.images === undefined ? {} : { images: rules.images }) },
      apiKey,
      fetch,
      dialect,
    }),
});

export const TARGETS: Readonly<Record<string, Target>> = {
  'anthropic, adaptive thinking': anthropic('claude-opus-4-8', {
    thinking: 'adaptive',
    sampling: false,
    forcedToolChoice: false,
  }),
  'anthropic, manual thinking': anthropic('claude-haiku-4-5', { thinking: 'manual' }),
  'anthropic, no images': anthropic('other-model', { images: false }, { images: false }),
  openai: chat('openai', 'gpt-4o', { dialect: 'openai' }),
  'openai reasoning': chat('openai', 'gpt-5.5', { dialect: 'openai-reasoning' }),
  mistral: chat('mistral', 'devstral-latest', { dialect: 'mistral' }),
  deepseek: chat('deepseek', 'deepseek-v4-pro', { dialect: 'deepseek-thinking', images: false }),
  moonshot: chat('moonshot', 'kimi-k3', { dialect: 'moonshot-thinking' }),
  gemini: chat('gemini', 'gemini-3.7-flash', { dialect: 'gemini' }),
  'strict keys': chat('strict', 'm', { dialect: 'strict-keys' }),
  vllm: chat('plain', 'm', { dialect: 'vllm' }),
  lmstudio: chat('plain', 'm', { dialect: 'lmstudio' }),
  openrouter: chat('openrouter', 'm', { dialect: 'vllm' }),
  responses: {
    wire: 'openai-responses',
    rules: {},
    make: (fetch) =>
      responsesTransport({
        baseUrl: 'http://x/v1',
        model: 'gpt-5.5',
        info: { id: 'gpt-5.5' },
        apiKey,
        fetch,
      }),
  },
  ollama: {
    wire: 'ollama-chat',
    rules: {},
    make: (fetch) => ollamaTransport({ baseUrl: 'http://x', model: 'qwen3', info: { id: 'qwen3' }, fetch }),
  },
};

/** Sends a request into a `fetch` that keeps the body and refuses. */
export async function bodyOf(target: Target, requests: readonly ModelRequest[]): Promise<string[]> {
  const bodies: string[] = [];
  const transport = target.make((_input, init) => {
    bodies.push(new TextDecoder().decode(init?.body as Uint8Array<ArrayBuffer>));
    return Promise.resolve(new Response('{"error":{"message":"kept"}}', { status: 418 }));
  });
  for (const request of requests) {
    for await (const event of transport.stream(request, new AbortController().signal)) {
      expect(['alive', 'error']).toContain(event.type);
    }
  }
  return bodies;
}

export const request = (messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: 'Be brief.',
  tools: TOOLS,
  messages,
  conversationId: 'c',
  ...more,
});
export const origins = async (target: Target): Promise<Transport['origin']> =>
  target.make(() => Promise.reject(new Error('unused'))).origin;

const LM_ORIGIN = { transport: 'vscode-lm', baseUrl: 'vscode', model: 'vendor/m' };
/** As the loop's own checker reads a conversation. */
export const asMessages = (messages: ReturnType<typeof lmMessages>): Message[] =>
  messages.map(({ role, parts }): Message => {
    const content = parts.map((part) => {
      if (part.type === 'call')
        return { type: 'tool_use' as const, id: part.callId, name: part.name, input: {} };
      if (part.type === 'result')
        return {
          type: 'tool_result' as const,
          callId: part.callId,
          content: [{ type: 'text' as const, text: part.text }],
          isError: false,
        };
      return { type: 'text' as const, text: part.type === 'text' ? part.text : part.type };
    });
    return role === 'user'
      ? ({ role, content } as Message)
      : ({ role, content, origin: LM_ORIGIN } as Message);
  });

/** What a server of this wire would refuse. */
export function refusals(target: Target, body: string): readonly string[] {
  return check(target.wire, JSON.parse(body) as unknown, target.rules)
    .filter(({ status }) => status !== 0)
    .map((finding) => `${finding.rule}: ${JSON.stringify(finding.body)}`);
}
