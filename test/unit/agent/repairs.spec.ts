import { describe, expect, it } from 'vitest';
import { DEFAULT_RETRY } from '../../../extension/agent/limits/retry';
import type { RouteError } from '../../../extension/models/transport';
import { collect, outcomeOf, rig } from '../../fakes/conversation';
import { call, respond, scriptedTransport, type Play } from '../../fakes/scripted-transport';

const fails = (error: RouteError): Play =>
  function* () {
    yield { type: 'error', error };
  };
const cap: RouteError = {
  kind: 'output_cap',
  message: 'max_tokens: 64000 > 8192',
  retryable: false,
  limit: { outputTokens: 8_192 },
};
const overflow: RouteError = { kind: 'context_overflow', message: 'prompt is too long', retryable: false };
const gone: RouteError = { kind: 'quota', message: 'out of credit', retryable: false };

describe('a request that the route refuses', () => {
  it('asks again once with the cap that the server named', async () => {
    const ok = rig({ script: [fails(cap), respond([{ text: 'fits' }])] });
    expect(outcomeOf(await collect(ok.conversation.submit({ text: 'go' }))).kind).toBe('completed');
    expect(ok.transport.requests.map((request) => request.maxOutputTokens)).toEqual([undefined, 8_192]);
    const never = rig({ script: [fails(cap), fails(cap), respond([{ text: 'never asked' }])] });
    expect(outcomeOf(await collect(never.conversation.submit({ text: 'go' }))).kind).toBe('route_error');
    expect(never.transport.requests).toHaveLength(2);
  });

  it('says so when it is too large and there is nothing to make smaller', async () => {
    const not = rig({ script: [fails(overflow), fails(overflow)] });
    expect(outcomeOf(await collect(not.conversation.submit({ text: 'go' })))).toMatchObject({
      kind: 'context_exhausted',
      next: { type: 'compact' },
    });
    expect(not.transport.requests).toHaveLength(1);
  });

  it('moves to the fallback route once and goes on there', async () => {
    const other = scriptedTransport([respond([{ text: 'from the other' }])]);
    const { conversation, recorder } = rig({
      script: [fails(gone)],
      deps: { fallback: () => ({ id: 'other', title: 'Other', detail: '', transport: other }) },
    });
    const events = await collect(conversation.submit({ text: 'go' }));
    expect(outcomeOf(events).kind).toBe('completed');
    expect(conversation.route.id).toBe('other');
    expect(events.some((event) => event.type === 'route_changed')).toBe(true);
    expect(recorder.entries.some((entry) => entry.type === 'note' && entry.record.type === 'route')).toBe(
      true,
    );
  });

  it('does not move back and forth between two routes that both fail', async () => {
    const other = scriptedTransport([fails(gone), fails(gone)]);
    const { conversation, transport } = rig({
      script: [fails(gone), fails(gone)],
      deps: {
        fallback: (failed) =>
          failed.id === 'other'
            ? { id: 'scripted', title: 'S', detail: '', transport }
            : { id: 'other', title: 'O', detail: '', transport: other },
      },
    });
    expect(outcomeOf(await collect(conversation.submit({ text: 'go' }))).kind).toBe('route_error');
    expect(transport.requests.length + other.requests.length).toBe(2);
  });

  it('continues an answer that the output limit cut, up to three times', async () => {
    const cut = respond([{ text: 'part' }], 'max_tokens');
    const { conversation, transport } = rig({ script: [cut, cut, cut, cut] });
    expect(outcomeOf(await collect(conversation.submit({ text: 'go' })))).toMatchObject({
      kind: 'output_limit',
      steps: 4,
    });
    expect(JSON.stringify(transport.requests[1]?.messages.at(-1))).toContain('exactly where it stopped');
  });

  it('waits as long as the server asks, and not at all when that is too long', async () => {
    const busy = (retryAfterMs: number): RouteError => ({
      kind: 'rate_limit',
      message: '429',
      retryable: true,
      retryAfterMs,
    });
    const waits = rig({ script: [fails(busy(5)), respond([{ text: 'ok' }])] });
    expect(outcomeOf(await collect(waits.conversation.submit({ text: 'go' }))).kind).toBe('completed');
    const gives = rig({ script: [fails(busy(3_600_000)), respond([{ text: 'never' }])] });
    expect(outcomeOf(await collect(gives.conversation.submit({ text: 'go' })))).toMatchObject({
      kind: 'route_error',
      next: { type: 'retry' },
    });
  });

  it('asks again at once when the person wants it', async () => {
    const { conversation } = rig({
      settings: { retry: { ...DEFAULT_RETRY, baseMs: 60_000 } },
      script: [fails({ kind: 'network', message: 'down', retryable: true }), respond([{ text: 'up' }])],
    });
    const events = [];
    for await (const event of conversation.submit({ text: 'go' })) {
      events.push(event);
      if (event.type === 'retry_waiting') conversation.retryNow();
    }
    expect(outcomeOf(events).kind).toBe('completed');
  });
});

describe('what an earlier process left', () => {
  const block = { type: 'tool_use' as const, id: 'toolu_old', name: 'Change', input: { tag: 'edit' } };
  const messages = [
    { role: 'user' as const, content: [{ type: 'text' as const, text: 'go' }] },
    {
      role: 'assistant' as const,
      content: [block],
      origin: { transport: 'scripted', baseUrl: 'memory:', model: 'script-1' },
    },
  ];
  const resumed = { messages, pending: [block], tokens: 0, usd: 0 };

  it('is asked about and run when the turn is continued', async () => {
    const { conversation, transport, ledger } = rig({
      script: [respond([{ text: 'ok' }])],
      deps: { resumed },
    });
    expect(outcomeOf(await collect(conversation.continueTurn())).kind).toBe('completed');
    expect(ledger.map((entry) => entry.what)).toEqual(['start', 'end']);
    expect(JSON.stringify(transport.requests[0]?.messages.at(-1))).toContain('did edit');
  });

  it('is told as not run when a new prompt comes instead', async () => {
    const { conversation, transport, ledger } = rig({
      script: [respond([{ text: 'ok' }])],
      deps: { resumed },
    });
    expect(outcomeOf(await collect(conversation.submit({ text: 'something else' }))).kind).toBe('completed');
    expect(ledger).toEqual([]);
    expect(JSON.stringify(transport.requests[0]?.messages)).toContain(
      'program restarted before this call started',
    );
  });

  it('is a prompt without an answer: the loop takes it up', async () => {
    const only = { ...resumed, messages: messages.slice(0, 1), pending: [] };
    const { conversation, transport } = rig({ script: [respond([{ text: 'ok' }])], deps: { resumed: only } });
    expect(outcomeOf(await collect(conversation.continueTurn())).kind).toBe('completed');
    expect(transport.requests[0]?.messages).toHaveLength(1);
  });
});

describe('a transport that ends without its end mark', () => {
  it('is an attempt that died, not an answer', async () => {
    const { conversation, ledger } = rig({
      script: [
        function* () {
          yield { type: 'start' };
          yield* call(0, 'Change', { tag: 'edit' });
        },
        respond([{ text: 'ok' }]),
      ],
    });
    const events = await collect(conversation.submit({ text: 'go' }));
    expect(outcomeOf(events).kind).toBe('completed');
    expect(events.some((event) => event.type === 'attempt_abandoned')).toBe(true);
    expect(ledger).toEqual([]);
  });
});

describe('the mode of a session that is opened again', () => {
  it('is told when it is not what the conversation was last told', async () => {
    const first = rig({ script: [respond([{ text: 'a plan' }])] });
    first.conversation.setMode('plan');
    await collect(first.conversation.submit({ text: 'go' }));
    const messages = first.conversation.messages();
    for (const [mode, times] of [
      ['plan', 0],
      ['ask', 1],
    ] as const) {
      const again = rig({
        script: [respond([{ text: 'ok' }])],
        deps: { mode, resumed: { messages, pending: [], tokens: 0, usd: 0 } },
      });
      await collect(again.conversation.submit({ text: 'and now' }));
      const later = again.transport.requests[0]?.messages.slice(messages.length) ?? [];
      expect(JSON.stringify(later).split('Permission mode: ').length - 1).toBe(times);
    }
  });
});
