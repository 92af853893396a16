/** The other wires against the scripted server: the main job on real files, and everything that can go wrong. */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { buildRoute } from '../../../extension/models/routes';
import type { ServerConfig, ServerTransport } from '../../../extension/models/routes';
import type { ModelEvent, ModelRequest, Transport } from '../../../extension/models/transport';
import { CLOSING_TEXT, failingTestPlan, mainJob } from '../../fakes/model-server/main-job.ts';
import { startModelServer } from '../../fakes/model-server/server.ts';
import type { ModelServer, ServerOptions } from '../../fakes/model-server/server.ts';
import type { Reply, Scenario } from '../../fakes/model-server/scenario.ts';
import { openBench } from '../../fakes/practice-bench/bench.ts';

const WIRES: readonly ServerTransport[] = ['anthropic', 'openai-chat', 'openai-responses', 'ollama'];
const KEY = 'sk-test-0123456789';
let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});
async function serve(scenario: Scenario, options: ServerOptions = {}): Promise<ModelServer> {
  server = await startModelServer(scenario, options);
  return server;
}
function route(transport: ServerTransport, url: string, more: Partial<ServerConfig> = {}): Transport {
  const baseUrl = transport.startsWith('openai') ? `${url}/v1` : url;
  return buildRoute(
    {
      id: 'r',
      transport,
      baseUrl,
      model: 'some-model',
      limits: { firstByteMs: 5000, idleMs: 5000 },
      ...more,
    },
    { secrets: { get: () => Promise.resolve(KEY) } },
  ).transport;
}
function tree(folder: string, base = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) Object.assign(found, tree(path, `${base}${name}/`));
    else found[`${base}${name}`] = readFileSync(path, 'utf8');
  }
  return found;
}
const REQUEST: ModelRequest = {
  system: 's',
  tools: [{ name: 'Read', description: 'r', inputSchema: { type: 'object' } }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
  conversationId: 'c',
};
async function all(transport: Transport, signal = new AbortController().signal): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of transport.stream(REQUEST, signal)) if (event.type !== 'alive') events.push(event);
  return events;
}
const one = (reply: Reply): Scenario => ({ responses: [reply], afterLast: 'repeat' });
const TEXT = { blocks: [{ type: 'text', text: 'one two three four five six seven' }] } as const;

describe.each(WIRES.map((wire) => [wire] as const))('%s', (wire) => {
  it('carries the main job from red to green', { timeout: 30_000 }, async () => {
    const made = await serve({ responses: [] });
    const bench = await openBench(route(wire, made.url), tree('test/fixtures/workspaces/failing-test'));
    try {
      made.play(mainJob({ ...failingTestPlan(bench.root), everyMs: 0, tailMs: 20 }));
      expect(
        await bench.play('Find the failing test, make the smallest safe fix, and run the test again.'),
      ).toContain(CLOSING_TEXT);
      expect(await bench.read('src/shipping.js')).toContain('subtotal >= FREE_SHIPPING_FROM');
      expect(bench.parallel).toEqual([['Read', 'Read']]);
      expect(made.requests.flatMap((request) => request.refused)).toEqual([]);
      expect(made.requests).toHaveLength(6);
    } finally {
      await bench.remove();
    }
  });

  it('streams text and reasoning, with usage', async () => {
    const { url } = await serve(
      one({
        blocks: [
          { type: 'thinking', thinking: 'hm hm', signature: 'sg' },
          { type: 'text', text: 'Grüße 😀' },
        ],
        usage: { input: 7, output: 3 },
      }),
    );
    const events = await all(route(wire, url));
    expect(events.flatMap((event) => (event.type === 'block' ? [event.block.type] : []))).toEqual([
      'thinking',
      'text',
    ]);
    expect(events.at(-1)).toMatchObject({
      type: 'stop',
      reason: 'end_turn',
      usage: { inputTokens: 7, outputTokens: 3 },
    });
  });

  it.each<readonly [string, Reply, string, boolean]>([
    ['a refused connection', { ...TEXT, fault: { type: 'refuse' } }, 'network', true],
    ['a reset in the middle', { ...TEXT, fault: { type: 'reset', afterEvents: 3 } }, 'network', true],
    ['a body that ends too early', { ...TEXT, fault: { type: 'cut', afterEvents: 3 } }, 'network', true],
    [
      'rubbish in the stream',
      {
        ...TEXT,
        fault: {
          type: 'malformed',
          afterEvents: 3,
          bytes: wire === 'ollama' ? '{oops\n' : 'event: content_block_delta\ndata: {oops\n\n',
        },
      },
      'bad_response',
      true,
    ],
    [
      'an error in the stream',
      {
        ...TEXT,
        fault: {
          type: 'error_event',
          afterEvents: 3,
          error: { type: 'overloaded_error', message: 'The server is overloaded' },
        },
      },
      'overloaded',
      true,
    ],
    [
      '429 with a wait',
      {
        error: {
          status: 429,
          headers: { 'retry-after': '3' },
          body: { error: { message: 'Rate limit reached', type: 'rate_limit_error' } },
        },
      },
      'rate_limit',
      true,
    ],
    ['529', { error: { status: 529, body: { error: { message: 'Overloaded' } } } }, 'overloaded', true],
    [
      '500 with a page',
      { error: { status: 500, body: '<html><title>500 Internal Server Error</title></html>' } },
      'server',
      true,
    ],
    [
      'a prompt that is too long',
      {
        error: { status: 400, body: { error: { message: 'prompt is too long: 300 tokens > 200 maximum' } } },
      },
      'context_overflow',
      false,
    ],
    [
      'an unknown model',
      {
        error: {
          status: 404,
          body: { error: { message: "model 'some-model' not found", type: 'not_found_error' } },
        },
      },
      'not_found',
      false,
    ],
  ])('turns %s into one classified error', async (_name, reply, kind, retryable) => {
    const { url } = await serve(one(reply));
    const events = await all(route(wire, url));
    const end = events.at(-1);
    if (end?.type !== 'error') throw new Error(JSON.stringify(end));
    expect({ kind: end.error.kind, retryable: end.error.retryable }, end.error.message).toEqual({
      kind,
      retryable,
    });
    expect(events.filter((event) => event.type === 'error' || event.type === 'stop')).toHaveLength(1);
    expect(JSON.stringify(end)).not.toContain(KEY);
    if (kind === 'rate_limit') expect(end.error.retryAfterMs).toBe(3000);
  });

  it('says that the key is wrong', async () => {
    const { url } = await serve(one(TEXT), { apiKey: 'right' });
    expect((await all(route(wire, url))).at(-1)).toMatchObject({
      type: 'error',
      error: { kind: 'auth', status: 401, retryable: false },
    });
  });

  it('reads gzip and pieces of any size', async () => {
    for (const shape of [{ gzip: true }, { chunkBytes: 1 }] as const) {
      const { url, close } = await serve(one({ ...TEXT, ...shape }));
      expect((await all(route(wire, url))).at(-1)?.type).toBe('stop');
      await close();
    }
  });

  it('gives up on silence, waits for a slow first token, and stops at once when it is told to', async () => {
    const quick = { limits: { firstByteMs: 20_000, idleMs: 600 } };
    const silent = await serve(one({ ...TEXT, fault: { type: 'hang', afterEvents: 3 } }));
    expect((await all(route(wire, silent.url, quick))).at(-1)).toMatchObject({
      type: 'error',
      error: { kind: 'stalled' },
    });
    const control = new AbortController();
    setTimeout(() => {
      control.abort();
    }, 60);
    // The server hangs: a route that did not listen would wait for minutes and then call it stalled.
    expect((await all(route(wire, silent.url), control.signal)).map((event) => event.type)).not.toContain(
      'error',
    );
    await silent.close();
    const slow = await serve(one({ ...TEXT, firstEventDelayMs: 1_000 }));
    expect((await all(route(wire, slow.url, quick))).at(-1)?.type).toBe('stop');
  });
});

describe('openai-chat', () => {
  it('learns from a refusal what a server does not take', async () => {
    const refuse = (message: string, param: string): Reply => ({
      error: {
        status: 400,
        body: { error: { message, type: 'invalid_request_error', param, code: 'unsupported_parameter' } },
      },
    });
    const { url, requests } = await serve({
      responses: [refuse('Extra inputs are not permitted: stream_options', 'stream_options'), TEXT],
    });
    const transport = route('openai-chat', url);
    expect((await all(transport)).at(-1)).toMatchObject({ type: 'error', error: { retryable: true } });
    expect((await all(transport)).at(-1)?.type).toBe('stop');
    expect(requests.map((request) => 'stream_options' in request.body)).toEqual([true, false]);
  });

  it.each([['openai-chat'], ['ollama']] as const)(
    'recovers reasoning and calls that %s models print as text',
    async (wire) => {
      const printed =
        '<think>hm</think>I read it. <tool_call>{"name":"Read","arguments":{"file_path":"/a"}}</tool_call>';
      const { url } = await serve({
        responses: [
          { blocks: [{ type: 'text', text: printed, deltas: 30 }] },
          {
            blocks: [{ type: 'text', text: 'Use <tool_call>{"name":"Format"}</tool_call> or <think> tags.' }],
          },
        ],
      });
      const transport = route(wire, url);
      const events = await all(transport);
      const blocks = events.flatMap((event) => (event.type === 'block' ? [event.block] : []));
      expect(blocks).toMatchObject([
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'I read it. ' },
        { type: 'tool_use', name: 'Read', input: { file_path: '/a' } },
      ]);
      expect(events.at(-1)).toMatchObject({ type: 'stop', reason: 'tool_use' });
      expect(events.some((event) => event.type === 'notice')).toBe(true);
      const plain = await all(transport);
      expect(plain.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('')).toBe(
        'Use <tool_call>{"name":"Format"}</tool_call> or <think> tags.',
      );
      expect(plain.at(-1)).toMatchObject({ type: 'stop', reason: 'end_turn' });
    },
  );

  it('takes a whole completion for an answer', async () => {
    const whole = {
      id: 'x',
      object: 'chat.completion',
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
    };
    const { url } = await serve(one({ error: { status: 200, body: whole } }));
    const events = await all(route('openai-chat', url));
    expect(events.find((event) => event.type === 'text')).toMatchObject({ text: 'Hi.' });
    expect(events.at(-1)).toMatchObject({ type: 'stop', reason: 'end_turn' });
  });
});

describe('ollama', () => {
  it('asks for its window, and says how to get a missing model', async () => {
    const { url, requests } = await serve({
      responses: [TEXT, { error: { status: 404, body: { error: "model 'some-model' not found" } } }],
    });
    const transport = route('ollama', url, { numCtx: 16_384 });
    expect(transport.info.contextTokens).toBe(16_384);
    await all(transport);
    expect(requests[0]?.body).toMatchObject({ options: { num_ctx: 16_384 }, truncate: false });
    const end = (await all(transport)).at(-1);
    expect(end?.type === 'error' ? end.error.message : '').toContain('ollama pull some-model');
  });
});
