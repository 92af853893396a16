/**
 * The fault server: every way in which a wire fails, under the real loop. The class is right, the turn recovers or ends as it should, no
 * side effect happens twice or out of a broken answer, and a stop ends it at once.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { TurnEvent } from '../../../extension/agent/events';
import { buildRoute } from '../../../extension/models/routes';
import type { ServerTransport } from '../../../extension/models/routes';
import type { Limits } from '../../../extension/models/wire/live-fetch';
import type { Route } from '../../../extension/models/transport';
import { collect, outcomeOf, rig } from '../../fakes/conversation';
import type { Rig } from '../../fakes/conversation';
import { startModelServer } from '../../fakes/model-server/server.ts';
import type { ModelServer } from '../../fakes/model-server/server.ts';
import type { Reply, Scenario } from '../../fakes/model-server/scenario.ts';

const WIRES: readonly ServerTransport[] = ['anthropic', 'openai-chat', 'openai-responses', 'ollama'];
let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const QUICK: Limits = { firstByteMs: 4_000, idleMs: 300 };

async function serve(wire: ServerTransport, scenario: Scenario, limits: Limits = QUICK): Promise<Rig> {
  server = await startModelServer(scenario);
  const route: Route = buildRoute(
    {
      id: 'r',
      transport: wire,
      baseUrl: wire.startsWith('openai') ? `${server.url}/v1` : server.url,
      model: 'some-model',
      limits,
    },
    { secrets: { get: async () => 'sk-fault-0123456789' } },
  );
  const specs = ['Change', 'Look'].map((name) => ({
    name,
    description: name,
    inputSchema: { type: 'object', properties: { tag: { type: 'string' } } },
  }));
  return rig({ script: [], deps: { route, specs } });
}

/** An answer that asks for a side effect, long enough to break anywhere. */
const ACTS: Reply = {
  blocks: [
    { type: 'text', text: 'I will do it now, step by step.' },
    { type: 'tool_use', name: 'Change', input: { tag: 'once' }, deltas: 4 },
  ],
};
const DONE: Reply = { blocks: [{ type: 'text', text: 'It is done.' }] };

const started = ({ ledger }: Rig): number => ledger.filter(({ what }) => what === 'start').length;
const abandoned = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.type === 'attempt_abandoned' ? [event.error.kind] : []));

describe.each(WIRES.map((wire) => [wire] as const))('%s', (wire) => {
  it('recovers from a connection that breaks after any number of bytes, and acts once', async () => {
    for (const afterBytes of [0, 1, 40, 150, 333, 500, 700, 900]) {
      const made = await serve(wire, {
        responses: [{ ...ACTS, fault: { type: 'reset', afterBytes } }, ACTS, DONE],
      });
      const events = await collect(made.conversation.submit({ text: 'go' }));
      expect([afterBytes, outcomeOf(events).kind, started(made)]).toEqual([afterBytes, 'completed', 1]);
      // Where the break came after the end of the answer, there was nothing to recover from.
      expect(['network', undefined]).toContain(abandoned(events)[0]);
      await server?.close();
    }
  });

  it.each<readonly [string, Reply, readonly string[]]>([
    ['a body that ends too early', { ...ACTS, fault: { type: 'cut', afterEvents: 4 } }, ['network']],
    ['silence in the middle', { ...ACTS, fault: { type: 'hang', afterEvents: 4 } }, ['stalled']],
    ['a refused connection', { ...ACTS, fault: { type: 'refuse' } }, ['network']],
    [
      'an error in a 200 stream',
      {
        ...ACTS,
        fault: {
          type: 'error_event',
          afterEvents: 4,
          error: { type: 'overloaded_error', message: 'Overloaded' },
        },
      },
      ['overloaded'],
    ],
    [
      'an error object with status 200',
      { error: { status: 200, body: { error: { message: 'Service overloaded, try again', code: 503 } } } },
      ['overloaded', 'server', 'bad_response'],
    ],
    [
      '429 with Retry-After',
      {
        error: {
          status: 429,
          headers: { 'retry-after': '0.1' },
          body: { error: { message: 'Rate limit', type: 'rate_limit_error' } },
        },
      },
      ['rate_limit'],
    ],
    ['529', { error: { status: 529, body: { error: { message: 'Overloaded' } } } }, ['overloaded']],
    [
      'a page with status 500',
      { error: { status: 500, body: '<html><title>500 Internal Server Error</title></html>' } },
      ['server'],
    ],
    [
      'a page with status 200',
      { error: { status: 200, body: '<html><title>Sign in to the network</title></html>' } },
      ['bad_response'],
    ],
  ])('recovers from %s, and acts once', async (_name, broken, kinds) => {
    const made = await serve(wire, { responses: [broken, ACTS, DONE] });
    const events = await collect(made.conversation.submit({ text: 'go' }));
    expect(kinds).toContain(abandoned(events)[0]);
    expect([outcomeOf(events).kind, started(made)]).toEqual(['completed', 1]);
    expect(server?.requests.flatMap(({ refused }) => refused)).toEqual([]);
  });

  it('takes events that come twice for what they are, and acts at most once', async () => {
    const made = await serve(wire, {
      responses: [{ ...ACTS, fault: { type: 'duplicate' } }, ACTS, DONE, DONE],
    });
    const events = await collect(made.conversation.submit({ text: 'go' }));
    expect(outcomeOf(events).kind).toBe('completed');
    // A wire that sends calls whole cannot tell a copy from a second wish; every other one can.
    if (wire !== 'ollama') expect(started(made)).toBeLessThanOrEqual(1);
  });

  it.each<readonly [string, Reply, string]>([
    [
      'a wrong key',
      {
        error: {
          status: 401,
          body: {
            error: { message: 'invalid x-api-key', type: 'authentication_error', code: 'invalid_api_key' },
          },
        },
      },
      'auth',
    ],
    [
      'too many bytes (413)',
      {
        error: {
          status: 413,
          body: { error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
        },
      },
      'bad_request',
    ],
    ...[
      'prompt is too long: 333404 tokens > 200000 maximum',
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.",
      'the request exceeds the available context size (8192 tokens), try increasing it',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    ].map(
      (message) =>
        [
          `an overflow in other words: ${message.slice(0, 24)}…`,
          { error: { status: 400, body: { error: { message, type: 'invalid_request_error' } } } },
          'context_exhausted',
        ] as const,
    ),
  ])('ends the turn with %s, after one request', async (_name, refusal, kind) => {
    const made = await serve(wire, { responses: [refusal, DONE] });
    const outcome = outcomeOf(await collect(made.conversation.submit({ text: 'go' })));
    expect(outcome.error?.kind ?? outcome.kind).toBe(kind);
    expect(server?.requests).toHaveLength(1);
    expect(JSON.stringify(outcome)).not.toContain('sk-fault');
  });

  it.each<readonly [string, Reply]>([
    ['nothing was answered yet', { fault: { type: 'no_answer' } }],
    ['the answer hangs', { ...ACTS, fault: { type: 'hang', afterEvents: 3 } }],
    ['the next try is waited for', { error: { status: 429, headers: { 'retry-after': '60' }, body: {} } }],
  ])('stops at once while %s', async (_name, reply) => {
    const made = await serve(
      wire,
      { responses: [reply], afterLast: 'repeat' },
      { firstByteMs: 60_000, idleMs: 60_000 },
    );
    const events = collect(made.conversation.submit({ text: 'go' }));
    await new Promise((resolve) => setTimeout(resolve, 150));
    const begin = performance.now();
    made.conversation.stop();
    const outcome = outcomeOf(await events);
    expect(performance.now() - begin).toBeLessThan(1_000);
    expect([outcome.kind, started(made)]).toEqual(['interrupted', 0]);
  });
});

/** Real time, for a quiet machine: SLUICE_SLOW_TESTS=1. */
it.runIf(process.env['SLUICE_SLOW_TESTS'] === '1').each(WIRES.map((wire) => [wire] as const))(
  'waits 90 seconds for the first token over %s with the limits that it has by itself',
  { timeout: 120_000 },
  async (wire) => {
    server = await startModelServer({ responses: [{ ...DONE, firstEventDelayMs: 90_000 }] });
    const { transport } = buildRoute(
      {
        id: 'r',
        transport: wire,
        baseUrl: wire.startsWith('openai') ? `${server.url}/v1` : server.url,
        model: 'm',
      },
      { secrets: { get: async () => undefined } },
    );
    const made = rig({ script: [], deps: { route: { id: 'r', title: 'R', detail: '', transport } } });
    const events = await collect(made.conversation.submit({ text: 'go' }));
    expect(outcomeOf(events).kind).toBe('completed');
    expect(abandoned(events)).toEqual([]);
  },
);
