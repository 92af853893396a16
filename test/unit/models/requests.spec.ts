/** Twelve conversations on every wire and dialect: what leaves is what real servers take, byte-stable from step to step. */
import { describe, expect, it } from 'vitest';
import { anthropicTransport } from '../../../extension/models/anthropic/transport';
import { chatTransport } from '../../../extension/models/openai/chat';
import type { DialectName } from '../../../extension/models/openai/dialects';
import { responsesTransport } from '../../../extension/models/openai/responses';
import { ollamaTransport } from '../../../extension/models/ollama/transport';
import type { Message } from '../../../extension/models/message';
import type { ModelInfo, ModelRequest, ToolSpec, Transport } from '../../../extension/models/transport';
import { check } from '../../fakes/model-server/request-rules.mjs';
import type { RuleOptions } from '../../fakes/model-server/request-rules.mjs';
import { lmMessages } from '../../../extension/models/vscode-lm/transport';
import { pairingProblems } from '../../fakes/pairing';
import { CONVERSATIONS, user } from './conversations';

const TOOLS: readonly ToolSpec[] = [
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

interface Target {
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

const TARGETS: Readonly<Record<string, Target>> = {
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
async function bodyOf(target: Target, requests: readonly ModelRequest[]): Promise<string[]> {
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

const request = (messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: 'Be brief.',
  tools: TOOLS,
  messages,
  conversationId: 'c',
  ...more,
});
const origins = async (target: Target): Promise<Transport['origin']> =>
  target.make(() => Promise.reject(new Error('unused'))).origin;

it('would notice a request that a server refuses', () => {
  const orphan = {
    model: 'm',
    max_tokens: 1,
    tools: [],
    messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: 'y' }] }],
  };
  expect(check('anthropic-messages', orphan).map((finding) => finding.rule)).toContain('orphan-result');
});

describe.each(Object.entries(TARGETS))('%s', (_name, target) => {
  it.each(Object.entries(CONVERSATIONS))('carries %s', async (_title, make) => {
    const messages = make(await origins(target));
    const wishes: readonly Partial<ModelRequest>[] = [
      {},
      { effort: 'high' },
      { tools: [] },
      { maxOutputTokens: 4096 },
      { system: '' },
    ];
    const bodies = await bodyOf(
      target,
      wishes.map((wish, index) => request(messages, { ...wish, conversationId: String(index) })),
    );
    expect(bodies).toHaveLength(wishes.length);
    for (const body of bodies) {
      const findings = check(target.wire, JSON.parse(body) as unknown, target.rules).filter(
        (finding) => finding.status !== 0 || finding.rule.startsWith('orphan'),
      );
      expect(findings.map((finding) => `${finding.rule}: ${JSON.stringify(finding.body)}`)).toEqual([]);
    }
  });

  it('is legal at every step of a long turn, and each step begins with the bytes of the one before', async () => {
    const make = CONVERSATIONS['twenty steps'];
    if (make === undefined) throw new Error('missing');
    const messages = make(await origins(target));
    const steps = messages.flatMap((message, index) =>
      message.role === 'user' ? [request(messages.slice(0, index + 1))] : [],
    );
    const bodies = (await bodyOf(target, steps)).map((body) =>
      body.replaceAll(',"cache_control":{"type":"ephemeral"}', ''),
    );
    for (const [index, body] of bodies.entries()) {
      expect(
        check(target.wire, JSON.parse(body) as unknown, target.rules).filter(
          (finding) => finding.status !== 0,
        ),
      ).toEqual([]);
      const before = bodies[index - 1];
      if (before !== undefined) expect(body.startsWith(before.slice(0, -2))).toBe(true);
    }
  });

  it('stays legal when a conversation comes over from any other route in the middle of its work', async () => {
    for (const other of Object.values(TARGETS)) {
      const from = await origins(other);
      for (const make of Object.values(CONVERSATIONS)) {
        const [body = '{}'] = await bodyOf(target, [request(make(from))]);
        expect(
          check(target.wire, JSON.parse(body) as unknown, target.rules).filter(
            (finding) => finding.status !== 0,
          ),
        ).toEqual([]);
      }
    }
  });
});

describe('a conversation that changes routes after any step', () => {
  const FROM = [
    'anthropic, adaptive thinking',
    'openai reasoning',
    'moonshot',
    'responses',
    'ollama',
  ] as const;
  it.each(Object.entries(TARGETS))(
    'stays legal on the way to %s, and carries no reasoning along',
    async (_name, target) => {
      const here = await origins(target);
      for (const name of FROM) {
        const other = TARGETS[name];
        if (other === undefined) throw new Error(name);
        const there = await origins(other);
        for (const make of Object.values(CONVERSATIONS)) {
          const [before, after] = [make(there), make(here)];
          const mixes = before.flatMap((message, step) =>
            message.role === 'user' && step > 0 ? [[...before.slice(0, step), ...after.slice(step)]] : [],
          );
          for (const body of await bodyOf(
            target,
            mixes.map((mix, n) => request(mix, { conversationId: String(n) })),
          )) {
            const findings = check(target.wire, JSON.parse(body) as unknown, target.rules);
            expect(findings.filter(({ status }) => status !== 0)).toEqual([]);
          }
          const [whole = ''] = await bodyOf(target, [request(before)]);
          if (there.transport !== here.transport || there.model !== here.model)
            expect(whole).not.toContain('Let me think.');
        }
      }
    },
  );
});

describe('vscode-lm', () => {
  const ORIGIN = { transport: 'vscode-lm', baseUrl: 'vscode', model: 'vendor/m' };
  /** As the loop's own checker reads a conversation. */
  const asMessages = (messages: ReturnType<typeof lmMessages>): Message[] =>
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
        : ({ role, content, origin: ORIGIN } as Message);
    });

  it.each(Object.entries(CONVERSATIONS))('carries %s', (_title, make) => {
    const messages = make(ORIGIN);
    for (let count = 1; count <= messages.length; count++) {
      if (messages[count - 1]?.role !== 'user') continue;
      // Without a system prompt: it would stand as text before the first turn's own.
      const sent = lmMessages(request(messages.slice(0, count), { system: '' }), false);
      expect(pairingProblems(asMessages(sent))).toEqual([]);
      expect(sent.flatMap(({ parts }) => parts).filter(({ type }) => type === 'thinking')).toEqual([]);
      for (const part of sent.flatMap(({ parts }) => parts))
        if (part.type === 'call') expect(part.name).toMatch(/^[\w-]{1,64}$/);
    }
    const [first] = lmMessages(request(messages), false);
    expect([first?.role, first?.parts[0]]).toEqual(['user', { type: 'text', text: 'Be brief.' }]);
  });
});

it('a step that may call nothing keeps its tools and says so, where the wire has a word for it', async () => {
  const messages = [user('go')];
  for (const [name, target] of Object.entries(TARGETS)) {
    const [body = ''] = await bodyOf(target, [request(messages, { toolChoice: 'none' })]);
    const sent = JSON.parse(body) as { readonly tools?: readonly unknown[]; readonly tool_choice?: unknown };
    expect([name, sent.tools?.length]).toEqual([name, TOOLS.length]);
    const word = target.wire === 'anthropic-messages' ? { type: 'none' } : 'none';
    const silent = target.wire === 'ollama-chat' || sent.tool_choice === undefined;
    if (target.wire === 'anthropic-messages' || target.wire === 'openai-responses' || name.startsWith('open'))
      expect([name, sent.tool_choice]).toEqual([name, word]);
    else expect([name, silent]).toEqual([name, true]);
  }
});
