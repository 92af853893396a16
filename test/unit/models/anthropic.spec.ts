/** The Anthropic transport against the scripted server, through the real SDK over a loopback socket. */
import { afterEach, describe, expect, it } from 'vitest';
import { anthropicTransport } from '../../../extension/models/anthropic/transport';
import type { AnthropicOptions } from '../../../extension/models/anthropic/transport';
import type { AssistantMessage, Message } from '../../../extension/models/message';
import type { ModelEvent, ModelRequest, ToolSpec, Transport } from '../../../extension/models/transport';
import { startModelServer } from '../../fakes/model-server/server.ts';
import type { ModelServer, ServerOptions } from '../../fakes/model-server/server.ts';
import type { Reply, Scenario } from '../../fakes/model-server/scenario.ts';

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(scenario: Scenario, options: ServerOptions = {}): Promise<ModelServer> {
  server = await startModelServer(scenario, options);
  return server;
}

const READ: ToolSpec = {
  name: 'Read',
  description: 'Reads a file',
  inputSchema: { type: 'object', properties: { file_path: { type: 'string' } }, required: ['file_path'] },
};
const ask = (messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: 'You are a test.',
  tools: [READ],
  messages,
  conversationId: 'c1',
  ...more,
});
const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });

function route(url: string, options: Partial<AnthropicOptions> = {}): Transport {
  let count = 0;
  return anthropicTransport({
    baseUrl: url,
    model: 'claude-sonnet-4-6',
    info: { id: 'claude-sonnet-4-6' },
    apiKey: () => Promise.resolve('sk-ant-test-key'),
    newId: () => `call-${String((count += 1))}`,
    limits: { firstByteMs: 5000, idleMs: 5000 },
    ...options,
  });
}

async function all(
  transport: Transport,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of transport.stream(request, signal)) events.push(event);
  return events;
}

const one = (reply: Reply): Scenario => ({ responses: [reply], afterLast: 'repeat' });
const types = (events: readonly ModelEvent[]): string[] => [...new Set(events.map((event) => event.type))];
const last = (events: readonly ModelEvent[]): ModelEvent | undefined => events.at(-1);
function errorOf(events: readonly ModelEvent[]): Extract<ModelEvent, { type: 'error' }>['error'] {
  const end = last(events);
  if (end?.type !== 'error') throw new Error(`expected an error, got ${JSON.stringify(end)}`);
  expect(events.filter((event) => event.type === 'error' || event.type === 'stop')).toHaveLength(1);
  return end.error;
}
function messageOf(transport: Transport, events: readonly ModelEvent[]): AssistantMessage {
  return {
    role: 'assistant',
    origin: transport.origin,
    content: events.flatMap((event) => (event.type === 'block' ? [event.block] : [])),
  };
}

describe('a response', () => {
  it('arrives as text, thinking and calls in order, with usage and the request id', async () => {
    const { url } = await serve(
      one({
        blocks: [
          { type: 'thinking', thinking: 'Let me look.', signature: 'sig' },
          { type: 'text', text: 'I read ünï 😀 it.' },
          { type: 'tool_use', name: 'Read', input: { file_path: '/a' }, id: 'toolu_1', deltas: 7 },
        ],
        usage: { input: 10, output: 20, cacheRead: 5, cacheWrite: 3 },
      }),
    );
    // A slow machine shows bytes that carry nothing yet; they stand anywhere and say nothing.
    const events = await all(route(url), ask([user('go')]));
    expect(types(events).filter((type) => type !== 'alive')).toEqual([
      'start',
      'usage',
      'thinking',
      'block',
      'text',
      'call_started',
      'call_delta',
      'call_ready',
      'stop',
    ]);
    const blocks = events.flatMap((event) => (event.type === 'block' ? [event.block] : []));
    expect(blocks).toEqual([
      { type: 'thinking', thinking: 'Let me look.', signature: 'sig' },
      { type: 'text', text: 'I read ünï 😀 it.' },
      { type: 'tool_use', id: 'call-1', wireId: 'toolu_1', name: 'Read', input: { file_path: '/a' } },
    ]);
    expect(events.filter((event) => event.type === 'call_delta')).toHaveLength(7);
    expect(last(events)).toEqual({
      type: 'stop',
      reason: 'tool_use',
      raw: 'tool_use',
      usage: { inputTokens: 10, outputTokens: 20, cacheReadTokens: 5, cacheWriteTokens: 3 },
    });
    // Under load the route may be called alive before.
    const start = events.find((event) => event.type === 'start');
    expect(start?.type === 'start' ? start.requestId : '').toMatch(/^req_/);
  });

  it('announces a whole call as certain when its block closes, while the stream goes on', async () => {
    const { url } = await serve(
      one({
        blocks: [
          { type: 'tool_use', name: 'Read', input: { file_path: '/a' } },
          { type: 'pause', holdUntil: 'go on' },
          { type: 'text', text: 'later' },
        ],
      }),
    );
    const seen: ModelEvent[] = [];
    for await (const event of route(url).stream(ask([user('go')]), new AbortController().signal)) {
      seen.push(event);
      if (event.type === 'call_ready') server?.open('go on');
    }
    expect(seen.find((event) => event.type === 'call_ready')).toMatchObject({ certain: true });
    expect(last(seen)?.type).toBe('stop');
  });

  it('does not call a call without arguments certain until another block starts', async () => {
    const call = { type: 'tool_use', name: 'Read', input: {} } as const;
    const { url } = await serve({
      responses: [{ blocks: [call], stop: 'max_tokens' }, { blocks: [call, { type: 'text', text: 'x' }] }],
    });
    const cut = await all(route(url), ask([user('go')]));
    expect(cut.find((event) => event.type === 'call_ready')).toMatchObject({ certain: false });
    expect(last(cut)).toMatchObject({ type: 'stop', reason: 'max_tokens' });
    const whole = await all(route(url), ask([user('go')]));
    expect(whole.find((event) => event.type === 'call_ready')).toMatchObject({ certain: true });
  });

  it('gives broken arguments back with their own text, never as {}', async () => {
    const { url } = await serve(
      one({
        blocks: [{ type: 'tool_use', name: 'Read', input: {}, inputText: '{"file_path":"/a' }],
        stop: 'max_tokens',
      }),
    );
    const events = await all(route(url), ask([user('go')]));
    expect(events.find((event) => event.type === 'call_ready')).toMatchObject({
      certain: false,
      unparsed: { raw: '{"file_path":"/a' },
    });
  });

  it('survives any cutting of the bytes, gzip and pings', async () => {
    const reply: Reply = {
      blocks: [
        { type: 'text', text: 'Grüße 😀 und mehr' },
        { type: 'ping' },
        { type: 'raw', bytes: ': comment\n\n' },
        { type: 'text', text: 'b' },
      ],
    };
    for (const shape of [{ chunkBytes: 1 }, { chunkBytes: 7 }, { gzip: true }] as const) {
      const { url, close } = await serve(one({ ...reply, ...shape }));
      const events = await all(route(url), ask([user('go')]));
      expect(events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('')).toBe(
        'Grüße 😀 und mehrb',
      );
      await close();
    }
  });
});

describe('a request', () => {
  it('sends key, version and the prefix with cache marks, and stays byte-stable from step to step', async () => {
    const { url, requests } = await serve({
      responses: [
        {
          blocks: [
            { type: 'thinking', thinking: 'hm', signature: 'abc' },
            { type: 'tool_use', name: 'Read', input: { file_path: '/a' }, id: 'toolu_a' },
            { type: 'tool_use', name: 'Read', input: { file_path: '/b' }, id: 'toolu_b' },
          ],
        },
        { blocks: [{ type: 'text', text: 'done' }] },
      ],
    });
    const transport = route(url);
    const first = [user('go')];
    const answer = messageOf(transport, await all(transport, ask(first)));
    const results: Message = {
      role: 'user',
      content: answer.content.flatMap((block) =>
        block.type === 'tool_use'
          ? [
              {
                type: 'tool_result' as const,
                callId: block.id,
                content: [{ type: 'text' as const, text: 'x' }],
                isError: false,
              },
            ]
          : [],
      ),
    };
    await all(transport, ask([...first, answer, results]));
    expect(requests.map((request) => request.refused)).toEqual([[], []]);
    expect(requests[0]?.headers).toMatchObject({
      'x-api-key': 'sk-ant-test-key',
      'anthropic-version': '2023-06-01',
    });
    const [one_, two] = requests.map((request) =>
      (request.raw ?? '').replaceAll(',"cache_control":{"type":"ephemeral"}', ''),
    );
    expect(two?.startsWith((one_ ?? '').slice(0, -2))).toBe(true);
    expect(two).toContain('"signature":"abc"');
    expect(two).toContain('"tool_use_id":"toolu_b"');
    expect(requests[1]?.raw.match(/cache_control/g)).toHaveLength(3);
  });

  it('sends no key header when the route has no key', async () => {
    const { url, requests } = await serve(one({ blocks: [{ type: 'text', text: 'x' }] }));
    await all(
      route(`${url}/v1/`, { apiKey: () => Promise.resolve(undefined), headers: { 'x-team': 'a' } }),
      ask([user('go')]),
    );
    expect(requests[0]?.headers).toMatchObject({ 'x-team': 'a' });
    expect(requests[0]?.headers).not.toHaveProperty('x-api-key');
    expect(requests[0]?.path).toBe('/v1/messages');
  });

  it('strips reasoning of another origin and rewrites foreign ids in call and result alike', async () => {
    const { url, requests } = await serve(one({ blocks: [{ type: 'text', text: 'x' }] }));
    const foreign: AssistantMessage = {
      role: 'assistant',
      origin: { transport: 'openai-chat', baseUrl: 'http://x', model: 'm' },
      content: [
        { type: 'thinking', thinking: 'secret', signature: 'foreign' },
        { type: 'tool_use', id: 'functions.Bash:0', wireId: 'functions.Bash:0', name: 'Read', input: {} },
        { type: 'text', text: 'after the call' },
      ],
    };
    const result: Message = {
      role: 'user',
      content: [
        { type: 'text', text: 'and now' },
        { type: 'tool_result', callId: 'functions.Bash:0', content: [], isError: true },
      ],
    };
    await all(route(url), ask([user('a'), user('b'), foreign, result]));
    const { messages } = requests[0]?.body as {
      messages: { role: string; content: Record<string, unknown>[] }[];
    };
    expect(requests[0]?.refused).toEqual([]);
    expect(messages.map((message) => message.content.map((block) => block['type']))).toEqual([
      ['text', 'text'],
      ['text', 'tool_use'],
      ['tool_result', 'text'],
    ]);
    expect(messages[1]?.content[1]?.['id']).toBe(messages[2]?.content[0]?.['tool_use_id']);
  });

  it('answers calls without a result and turns orphan results into text', async () => {
    const { url, requests } = await serve(one({ blocks: [{ type: 'text', text: 'x' }] }));
    const transport = route(url);
    const call: AssistantMessage = {
      role: 'assistant',
      origin: transport.origin,
      content: [{ type: 'tool_use', id: 'c1', name: 'Read', input: {} }],
    };
    const orphan: Message = {
      role: 'user',
      content: [
        { type: 'tool_result', callId: 'gone', content: [{ type: 'text', text: 'old' }], isError: false },
      ],
    };
    await all(transport, ask([user('a'), call, orphan]));
    await all(transport, ask([call], { conversationId: 'c2' }));
    await all(
      transport,
      ask([user('x'), { ...call, content: [{ type: 'text', text: '  ' }] }], { conversationId: 'c3' }),
    );
    expect(requests.map((request) => request.refused)).toEqual([[], [], []]);
  });

  it('keeps the tools of earlier steps when a step may call none', async () => {
    const { url, requests } = await serve(one({ blocks: [{ type: 'text', text: 'x' }] }));
    const transport = route(url);
    await all(transport, ask([user('a')]));
    await all(transport, ask([user('a'), user('b')], { tools: [] }));
    expect(requests[1]?.body).toMatchObject({ tool_choice: { type: 'none' }, tools: [{ name: 'Read' }] });
  });

  it('drops earlier reasoning in the same step in which the prefix changes', async () => {
    const { url, requests } = await serve(
      one({
        blocks: [
          { type: 'thinking', thinking: 't', signature: 's' },
          { type: 'text', text: 'x' },
        ],
      }),
    );
    const transport = route(url);
    const first = user('a');
    const answer = messageOf(transport, await all(transport, ask([first])));
    await all(transport, ask([first, answer, user('b')]));
    await all(transport, ask([user('summary'), answer, user('c')]));
    expect(requests[1]?.raw).toContain('"thinking":"t"');
    expect(requests[2]?.raw).not.toContain('"thinking":"t"');
  });

  it('leaves reasoning out of the next try when the server says that it is bound to another prefix', async () => {
    const refusal = {
      error: {
        status: 400,
        body: {
          type: 'error',
          error: {
            type: 'invalid_request_error',
            message:
              'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.',
          },
        },
      },
    };
    const { url, requests } = await serve({ responses: [refusal, refusal] });
    const transport = route(url);
    const answer: AssistantMessage = {
      role: 'assistant',
      origin: transport.origin,
      content: [
        { type: 'thinking', thinking: 't', signature: 's' },
        { type: 'text', text: 'x' },
      ],
    };
    const request = ask([user('a'), answer, user('b')]);
    expect(errorOf(await all(transport, request)).retryable).toBe(true);
    expect(errorOf(await all(transport, request)).retryable).toBe(false);
    expect(requests[1]?.raw).not.toContain('"thinking":"t"');
  });
});

describe('what goes wrong', () => {
  it('says that the key is wrong, without the key', async () => {
    const { url } = await serve(one({ blocks: [] }), { apiKey: 'right' });
    const error = errorOf(await all(route(url), ask([user('go')])));
    expect(error).toMatchObject({ kind: 'auth', status: 401, retryable: false, action: 'ask-key' });
    expect(error.requestId).toMatch(/^req_/);
    expect(JSON.stringify(error)).not.toContain('sk-ant-test-key');
  });

  it('says that the server cannot be reached', async () => {
    const { url, close } = await serve(one({ blocks: [] }));
    await close();
    const error = errorOf(await all(route(url), ask([user('go')])));
    expect(error).toMatchObject({ kind: 'network', retryable: true });
    expect(error.message).toContain(url);
    expect(error.message).toContain('ECONNREFUSED');
  });

  const TEXT = { blocks: [{ type: 'text', text: 'one two three four five' }] } as const;
  it.each<readonly [string, Reply, string, boolean]>([
    ['a connection closed before any answer', { ...TEXT, fault: { type: 'refuse' } }, 'network', true],
    ['a reset in the middle', { ...TEXT, fault: { type: 'reset', afterBytes: 700 } }, 'network', true],
    ['a body that ends too early', { ...TEXT, fault: { type: 'cut', afterEvents: 5 } }, 'network', true],
    [
      'a line that is no JSON',
      {
        ...TEXT,
        fault: { type: 'malformed', afterEvents: 4, bytes: 'event: content_block_delta\ndata: {oops\n\n' },
      },
      'bad_response',
      true,
    ],
    [
      'an error event in the stream',
      {
        ...TEXT,
        fault: {
          type: 'error_event',
          afterEvents: 4,
          error: { type: 'overloaded_error', message: 'Overloaded' },
        },
      },
      'overloaded',
      true,
    ],
    [
      'a page instead of an answer',
      { error: { status: 502, body: '<html><head><title>502 Bad Gateway</title></head></html>' } },
      'server',
      true,
    ],
    ['a 200 that is a page', { error: { status: 200, body: '<html>hello</html>' } }, 'bad_response', true],
    [
      'a rate limit',
      {
        error: {
          status: 429,
          headers: { 'retry-after': '7' },
          body: { type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } },
        },
      },
      'rate_limit',
      true,
    ],
    [
      'too long a prompt',
      {
        error: {
          status: 400,
          body: {
            type: 'error',
            error: {
              type: 'invalid_request_error',
              message: 'prompt is too long: 210000 tokens > 200000 maximum',
            },
          },
        },
      },
      'context_overflow',
      false,
    ],
  ])('turns %s into one classified error', async (_name, reply, kind, retryable) => {
    const { url } = await serve(one(reply));
    const error = errorOf(await all(route(url), ask([user('go')])));
    expect({ kind: error.kind, retryable: error.retryable }).toEqual({ kind, retryable });
    if (kind === 'rate_limit') expect(error.retryAfterMs).toBe(7000);
    if (kind === 'context_overflow')
      expect(error.limit).toEqual({ contextTokens: 200000, requestedTokens: 210000 });
  });

  it.each<readonly [string, Reply]>([
    ['sends nothing at all', { fault: { type: 'no_answer' } }],
    ['stops in the middle', { ...TEXT, fault: { type: 'hang', afterEvents: 4 } }],
  ])('gives up on a server that %s', async (_name, reply) => {
    const { url, requests } = await serve(one(reply));
    const error = errorOf(
      await all(route(url, { limits: { firstByteMs: 300, idleMs: 200 } }), ask([user('go')])),
    );
    expect(error).toMatchObject({ kind: 'stalled', retryable: true });
    await expect.poll(() => requests[0]?.aborted, { timeout: 10_000 }).toBe(true);
  });

  it('is not stalled while pings come', async () => {
    const ping = [{ type: 'pause', ms: 400 }, { type: 'ping' }] as const;
    const { url } = await serve(
      one({
        blocks: [
          { type: 'text', text: 'a' },
          ...ping,
          ...ping,
          ...ping,
          ...ping,
          { type: 'text', text: 'b' },
        ],
      }),
    );
    const events = await all(
      route(url, { limits: { firstByteMs: 20_000, idleMs: 1_200 } }),
      ask([user('go')]),
    );
    expect(last(events)?.type).toBe('stop');
  });

  // Either server says nothing more, and a route that did not listen would wait for minutes and then call it stalled.
  it('ends at once and without an error when the caller aborts, wherever the stream is', async () => {
    for (const reply of [
      { fault: { type: 'no_answer' } },
      { ...TEXT, fault: { type: 'hang', afterEvents: 4 } },
    ] as const) {
      const { url, requests, close } = await serve(one(reply));
      const control = new AbortController();
      setTimeout(() => {
        control.abort();
      }, 100);
      const events = await all(route(url), ask([user('go')]), control.signal);
      expect(types(events)).not.toContain('error');
      await expect.poll(() => requests[0]?.aborted, { timeout: 10_000 }).toBe(true);
      await close();
    }
  });
});
