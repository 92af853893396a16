/** What counts as known of a model, and who beats whom. */
import { describe, expect, it } from 'vitest';
import { factsIn, factsOf, learning } from '../../../extension/models/facts';
import type { Facts, FactStore } from '../../../extension/models/facts';
import { localPlace } from '../../../extension/models/probe';
import { buildRoute } from '../../../extension/models/routes';
import type { RouteConfig } from '../../../extension/models/routes';
import type { RouteError, Transport } from '../../../extension/models/transport';

function store(known: Readonly<Record<string, Facts>> = {}): FactStore & { readonly learned: Facts[] } {
  const learned: Facts[] = [];
  return {
    learned,
    get: ({ model }) => known[model] ?? {},
    learn: (_origin, facts) => void learned.push(facts),
    mayAsk: ({ model }) => known[model] === undefined && learned.length === 0,
  };
}
const secrets = { get: async () => undefined };
const info = (config: RouteConfig, known?: Readonly<Record<string, Facts>>) =>
  buildRoute(config, { secrets, facts: store(known) }).transport.info;

describe('what is known of a model', () => {
  it('is the catalogue’s, then what its server said, then what the person set', () => {
    const config = { id: 'r', transport: 'openai-chat', model: 'gpt-5' } as const;
    expect(info(config).contextTokens).toBe(272_000);
    expect(info(config, { 'gpt-5': { contextTokens: 100_000 } })).toMatchObject({
      contextTokens: 100_000,
      price: { input: 1.25 },
    });
    expect(
      info({ ...config, info: { contextTokens: 50_000 } }, { 'gpt-5': { contextTokens: 100_000 } })
        .contextTokens,
    ).toBe(50_000);
  });

  it('does not take a price or a window for a model of the editor from the catalogue', () => {
    const config: RouteConfig = { id: 'e', transport: 'vscode-lm', model: 'copilot/gpt-5.5' };
    const lm = { send: () => Promise.reject(new Error('unused')) };
    const made = buildRoute(config, { secrets, editorModel: () => lm, facts: store() }).transport;
    expect(made.info.price).toBeUndefined();
    expect(made.info.contextTokens).toBeUndefined();
    expect(made.info.images).toBe(true);
  });

  it('asks Ollama for no more window than the model reads, and counts with what it asks for', () => {
    const config: RouteConfig = { id: 'o', transport: 'ollama', model: 'small' };
    expect(info(config).contextTokens).toBe(32_768);
    expect(info(config, { small: { contextTokens: 8_192 } }).contextTokens).toBe(8_192);
    expect(info(config, { small: { contextTokens: 262_144 } }).contextTokens).toBe(32_768);
    expect(info({ ...config, numCtx: 65_536 }, { small: { contextTokens: 8_192 } }).contextTokens).toBe(
      65_536,
    );
  });

  it('leaves a route of the editor to the editor', () => {
    expect(() => buildRoute({ id: 'e', transport: 'vscode-lm', model: 'a/b' }, { secrets })).toThrow(
      /no editor here/,
    );
  });
});

describe('what a refusal teaches', () => {
  const error = (more: Partial<RouteError>): RouteError => ({
    kind: 'bad_request',
    message: '',
    retryable: false,
    ...more,
  });

  it('is a window, a cap, or that there are no tools', () => {
    expect(factsIn(error({ kind: 'context_overflow', limit: { contextTokens: 8192 } }))).toEqual({
      contextTokens: 8192,
    });
    expect(factsIn(error({ kind: 'output_cap', limit: { outputTokens: 4096 } }))).toEqual({
      outputTokens: 4096,
    });
    expect(factsIn(error({ cause: 'tools_unsupported' }))).toEqual({ tools: false });
  });

  it('is nothing where the number belongs to the account and not to the model', () => {
    expect(factsIn(error({ kind: 'rate_limit', limit: { contextTokens: 30_000 } }))).toEqual({});
  });

  it('is kept while the events pass as they are', async () => {
    const facts = store();
    const end = {
      type: 'error',
      error: error({ kind: 'context_overflow', limit: { contextTokens: 8192 } }),
    } as const;
    const transport: Transport = {
      origin: { transport: 'ollama', baseUrl: 'http://x', model: 'm' },
      info: { id: 'm' },
      async *stream() {
        yield { type: 'text', key: 0, text: 'a' };
        yield end;
      },
    };
    const seen = [];
    const request = { system: '', tools: [], messages: [], conversationId: 'c' };
    const learner = learning(transport, { store: facts, info: () => transport.info, ask: async () => ({}) });
    for await (const event of learner.stream(request, new AbortController().signal)) seen.push(event);
    expect(seen).toEqual([{ type: 'text', key: 0, text: 'a' }, end]);
    expect(facts.learned).toEqual([{ contextTokens: 8192 }]);
  });

  it('is asked of the server too, once, when a route that was written by hand is first used', async () => {
    const asked: string[] = [];
    const windows: number[] = [];
    const known: Record<string, Facts> = {};
    const facts: FactStore = {
      get: ({ model }) => known[model] ?? {},
      learn: ({ model }, more) => void (known[model] = more),
      mayAsk: ({ model }) => known[model] === undefined,
    };
    const { transport } = buildRoute(
      { id: 'o', transport: 'ollama', model: 'mine' },
      {
        secrets,
        facts,
        fetch: async (input, init) => {
          const path = new URL(input as string).pathname;
          asked.push(path);
          const { options } = (await new Response(init?.body).json().catch(() => ({}))) as {
            options?: { num_ctx: number };
          };
          if (options !== undefined) windows.push(options.num_ctx);
          if (path !== '/api/show') return new Response('{"error":"no"}', { status: 500 });
          const shown = { capabilities: ['tools'], model_info: { 'x.context_length': 4_096 } };
          return new Response(JSON.stringify(shown));
        },
      },
    );
    expect(transport.info).toMatchObject({ contextTokens: 32_768 });
    expect(transport.info.tools).toBeUndefined();
    const request = { system: '', tools: [], messages: [], conversationId: 'c' };
    for (let n = 0; n < 2; n++) {
      for await (const _ of transport.stream(request, new AbortController().signal)) void _;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(transport.info).toMatchObject({ contextTokens: 4_096, tools: true, images: false });
    expect([...asked].sort()).toEqual(['/api/chat', '/api/chat', '/api/show']);
    expect(windows).toEqual([32_768, 4_096]);
  });

  it('keeps only what counts', () => {
    expect(factsOf({ contextTokens: 5, bytes: 7, id: 'm' } as Facts)).toEqual({ contextTokens: 5 });
  });
});

it.each([
  ['192.168.1.20', 'http://192.168.1.20:11434'],
  ['0.0.0.0:9999', 'http://127.0.0.1:9999'],
  ['0.0.0.0', 'http://127.0.0.1:11434'],
  ['https://ollama.example.com/', 'https://ollama.example.com'],
  ['http://box:80', 'http://box'],
  ['not an address at all', undefined],
])('reads OLLAMA_HOST=%s', (host, address) => {
  expect(localPlace('Ollama', 'ollama', host)?.baseUrl).toBe(address);
});
