import { describe, expect, it } from 'vitest';
import { askWrites, collect, outcomeOf, rig } from '../../fakes/conversation';
import { call, respond, text } from '../../fakes/scripted-transport';

describe('a turn', () => {
  it('runs calls, gives their results back in received order and completes', async () => {
    const { conversation, transport, recorder } = rig({
      script: [
        respond([
          { text: 'Let me look.' },
          { tool: 'Look', input: { tag: 'slow', ms: 40 } },
          { tool: 'Look', input: { tag: 'fast', ms: 1 } },
        ]),
        respond([{ text: 'Done.' }]),
      ],
    });
    const events = await collect(conversation.submit({ text: 'go' }));
    expect(outcomeOf(events).kind).toBe('completed');
    const results = transport.requests[1]?.messages.at(-1);
    expect(
      results?.content.map((block) => (block.type === 'tool_result' ? block.content[0] : block)),
    ).toEqual([
      { type: 'text', text: 'did slow' },
      { type: 'text', text: 'did fast' },
    ]);
    expect(recorder.breaches).toEqual([]);
  });

  it('starts a read-only call while the response still streams, and a side effect only after its good end', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const { conversation, ledger } = rig({
      script: [
        async function* () {
          yield { type: 'start' };
          yield* call(0, 'Look', { tag: 'read' });
          yield* call(1, 'Change', { tag: 'edit' });
          await new Promise((resolve) => setTimeout(resolve, 30));
          expect(ledger.filter((entry) => entry.what === 'start').map((entry) => entry.tag)).toEqual([
            'read',
          ]);
          release();
          yield { type: 'stop', reason: 'tool_use', raw: 'tool_use', usage: {} };
        },
        respond([{ text: 'ok' }]),
      ],
    });
    await collect(conversation.submit({ text: 'go' }));
    await gate;
    expect(ledger.filter((entry) => entry.what === 'start').map((entry) => entry.tag)).toEqual([
      'read',
      'edit',
    ]);
  });

  it.each(['max_tokens', 'refusal', 'content_filter', 'context_window'] as const)(
    'runs no side effect of a response that ended with %s',
    async (reason) => {
      const { conversation, ledger, recorder } = rig({
        script: [respond([{ tool: 'Change', input: { tag: 'edit' } }], reason), respond([{ text: 'ok' }])],
      });
      await collect(conversation.submit({ text: 'go' }));
      expect(ledger).toEqual([]);
      expect(recorder.breaches).toEqual([]);
      const result = recorder.entries.find((entry) => entry.type === 'result');
      expect(result?.type === 'result' && result.record.cause).toBe('response_cut');
    },
  );

  it('turns a denial into a result and goes on', async () => {
    const { conversation, transport } = rig({
      gate: askWrites,
      approver: { ask: async () => ({ type: 'deny', words: 'use the other file', by: 'card' }) },
      script: [
        respond([{ tool: 'Change', input: { tag: 'edit' } }]),
        respond([{ text: 'I will not, then.' }]),
      ],
    });
    const outcome = outcomeOf(await collect(conversation.submit({ text: 'go' })));
    expect(outcome.kind).toBe('completed');
    expect(outcome.denials).toHaveLength(1);
    expect(JSON.stringify(transport.requests[1]?.messages.at(-1))).toContain('use the other file');
  });

  it('counts a failing approver and a failing judge as no', async () => {
    for (const options of [
      { gate: askWrites, approver: { ask: () => Promise.reject(new Error('dialog broke')) } },
      { gate: { judge: () => Promise.reject(new Error('judge broke')) } },
    ]) {
      const { conversation, ledger } = rig({
        ...options,
        script: [respond([{ tool: 'Change', input: { tag: 'edit' } }]), respond([{ text: 'ok' }])],
      });
      expect(outcomeOf(await collect(conversation.submit({ text: 'go' }))).kind).toBe('completed');
      expect(ledger).toEqual([]);
    }
  });

  it('shows the person all of the reason why a call failed or a rule refused it', async () => {
    const { conversation } = rig({
      gate: {
        judge: async ({ tool }) =>
          tool === 'Change'
            ? { type: 'deny', because: { source: 'rule', text: 'The folder is not trusted.' } }
            : { type: 'allow', because: { source: 'default', text: 'Test.' } },
      },
      script: [
        respond([
          { tool: 'Look', input: { tag: 'reading', fail: true } },
          { tool: 'Change', input: { tag: 'edit' } },
        ]),
        respond([{ text: 'ok' }]),
      ],
    });
    const bodies = (await collect(conversation.submit({ text: 'go' }))).flatMap((event) =>
      event.type === 'call_completed' ? [event.summary.body] : [],
    );
    expect(bodies.sort()).toEqual(['Exit code 1\nreading failed', 'The folder is not trusted.']);
  });

  it('tells the model the nearest tool and the exact schema problem', async () => {
    const { conversation, transport } = rig({
      script: [
        respond([
          { tool: 'Loook', input: {} },
          { tool: 'Look', input: { tag: 3 } },
        ]),
        respond([{ text: 'ok' }]),
      ],
    });
    await collect(conversation.submit({ text: 'go' }));
    const told = JSON.stringify(transport.requests[1]?.messages.at(-1));
    expect(told).toContain('Did you mean Look?');
    expect(told).toContain('tag');
  });

  it('cancels later calls with side effects when a command fails, and lets reads finish', async () => {
    const { conversation, ledger, recorder, transport } = rig({
      script: [
        respond([
          { tool: 'Command', input: { tag: 'build', fail: true } },
          { tool: 'Look', input: { tag: 'read' } },
          { tool: 'Change', input: { tag: 'edit' } },
        ]),
        respond([{ text: 'ok' }]),
      ],
    });
    await collect(conversation.submit({ text: 'go' }));
    expect(ledger.filter((entry) => entry.what === 'start').map((entry) => entry.tag)).toEqual([
      'build',
      'read',
    ]);
    const told = transport.requests[1]?.messages
      .at(-1)
      ?.content.map((block) => block.type === 'tool_result' && block.isError);
    expect(told).toEqual([true, false, true]);
    const cancelled = recorder.entries.filter(
      (entry) => entry.type === 'result' && entry.record.cause === 'sibling_failed',
    );
    expect(cancelled).toHaveLength(1);
  });

  it('stops within its turn: cancels what runs, answers every call, and takes the next prompt', async () => {
    const { conversation, recorder, transport } = rig({
      script: [
        respond([
          { tool: 'Command', input: { tag: 'long', ms: 60_000 } },
          { tool: 'Change', input: { tag: 'never' } },
        ]),
        respond([{ text: 'hello again' }]),
      ],
    });
    const events = [];
    for await (const event of conversation.submit({ text: 'go' })) {
      events.push(event);
      if (event.type === 'call_state' && event.state === 'executing') conversation.stop();
    }
    expect(outcomeOf(events)).toMatchObject({ kind: 'interrupted', place: 'tools' });
    expect(recorder.breaches).toEqual([]);
    expect(outcomeOf(await collect(conversation.submit({ text: 'and now?' }))).kind).toBe('completed');
    expect(transport.requests[1]?.messages.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'user',
      'user',
      'user',
    ]);
  });

  it('keeps the text of an answer that was stopped while streaming', async () => {
    const { conversation, recorder } = rig({
      script: [
        async function* (_, signal) {
          yield { type: 'start' };
          yield { type: 'text', key: 0, text: 'Half an ans' };
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        },
      ],
    });
    const events = [];
    for await (const event of conversation.submit({ text: 'go' })) {
      events.push(event);
      if (event.type === 'text_delta') conversation.stop();
    }
    expect(outcomeOf(events)).toMatchObject({ kind: 'interrupted', place: 'streaming' });
    const answer = recorder.entries.find((entry) => entry.type === 'assistant');
    expect(answer?.type === 'assistant' && answer.record).toMatchObject({
      aborted: true,
      stop: null,
      blocks: [{ text: 'Half an ans' }],
    });
  });

  it('says that a stop came while a question was open, and withdraws the question', async () => {
    let withdrawn = false;
    const { conversation, ledger, recorder } = rig({
      gate: askWrites,
      approver: {
        ask: (_, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              withdrawn = true;
              reject(new Error('withdrawn'));
            });
            setTimeout(() => conversation.stop(), 5);
          }),
      },
      script: [respond([{ tool: 'Change', input: { tag: 'edit' } }])],
    });
    const events = await collect(conversation.submit({ text: 'go' }));
    expect(outcomeOf(events)).toMatchObject({ kind: 'interrupted', place: 'approval' });
    expect(withdrawn).toBe(true);
    expect(ledger).toEqual([]);
    expect(recorder.breaches).toEqual([]);
  });

  it('retries a dead stream without the calls of the dead attempt', async () => {
    const { conversation, ledger, transport } = rig({
      script: [
        function* () {
          yield { type: 'start' };
          yield* text(0, 'I will');
          yield* call(1, 'Change', { tag: 'edit' });
          yield { type: 'error', error: { kind: 'network', message: 'reset', retryable: true } };
        },
        respond([{ tool: 'Change', input: { tag: 'edit again' } }]),
        respond([{ text: 'done' }]),
      ],
    });
    const events = await collect(conversation.submit({ text: 'go' }));
    expect(outcomeOf(events).kind).toBe('completed');
    expect(ledger.filter((entry) => entry.what === 'start').map((entry) => entry.tag)).toEqual([
      'edit again',
    ]);
    expect(transport.requests[1]?.messages).toEqual(transport.requests[0]?.messages);
    expect(events.some((event) => event.type === 'retry_waiting')).toBe(true);
  });

  it('goes on from a side effect that had started when the attempt died, instead of running it twice', async () => {
    const { conversation, ledger, transport } = rig({
      settings: { sideEffects: 'block_close' },
      script: [
        async function* () {
          yield { type: 'start' };
          yield* call(0, 'Change', { tag: 'edit', ms: 20 });
          await new Promise((resolve) => setTimeout(resolve, 5));
          yield { type: 'error', error: { kind: 'network', message: 'reset', retryable: true } };
        },
        respond([{ text: 'done' }]),
      ],
    });
    expect(outcomeOf(await collect(conversation.submit({ text: 'go' }))).kind).toBe('completed');
    expect(ledger.map((entry) => entry.what)).toEqual(['start', 'end']);
    expect(JSON.stringify(transport.requests[1]?.messages.at(-1))).toContain('did edit');
  });

  it('records the route before anything can run that no response holds yet', async () => {
    const { conversation, recorder } = rig({
      settings: { sideEffects: 'block_close' },
      script: [respond([{ text: 'done' }])],
    });
    await collect(conversation.submit({ text: 'go' }));
    const order = recorder.entries.map((entry) => (entry.type === 'note' ? entry.record.type : entry.type));
    expect(order.indexOf('route')).toBeGreaterThanOrEqual(0);
    expect(order.indexOf('route')).toBeLessThan(order.indexOf('assistant'));
  });

  it('reports a route error that cannot be retried as one, with what to do next', async () => {
    const { conversation } = rig({
      script: [
        function* () {
          yield {
            type: 'error',
            error: { kind: 'auth', message: 'invalid x-api-key', status: 401, retryable: false },
          };
        },
      ],
    });
    expect(outcomeOf(await collect(conversation.submit({ text: 'go' })))).toMatchObject({
      kind: 'route_error',
      error: { kind: 'auth' },
      next: { type: 'set_key', routeId: 'scripted' },
    });
  });

  it('delivers queued prompts with the results of the step', async () => {
    const { conversation, transport } = rig({
      script: [respond([{ tool: 'Look', input: { tag: 'a', ms: 20 } }]), respond([{ text: 'ok' }])],
    });
    const reading = collect(conversation.submit({ text: 'go' }));
    conversation.queue.add('also check b');
    const events = await reading;
    expect(JSON.stringify(transport.requests[1]?.messages.at(-1))).toContain('also check b');
    expect(events.some((event) => event.type === 'prompt_delivered')).toBe(true);
  });

  it('warns once, gives the model a last word without tools, and ends as repeated_failure', async () => {
    const fail = respond([{ tool: 'Command', input: { tag: 'x', fail: true } }]);
    const { conversation, transport } = rig({
      script: [fail, fail, fail, respond([{ text: 'I could not.' }])],
    });
    const outcome = outcomeOf(await collect(conversation.submit({ text: 'go' })));
    expect(outcome).toMatchObject({ kind: 'repeated_failure', next: { type: 'continue' } });
    expect(transport.requests.map((request) => request.toolChoice)).toEqual(['auto', 'auto', 'auto', 'none']);
    expect(JSON.stringify(transport.requests[2]?.messages.at(-1))).toContain('One more and the turn ends');
  });

  it('ends at the step limit and at a token budget', async () => {
    const look = respond([{ tool: 'Look', input: { tag: 'a' } }]);
    const steps = rig({ settings: { maxSteps: 2 }, script: [look, look, look] });
    expect(outcomeOf(await collect(steps.conversation.submit({ text: 'go' })))).toMatchObject({
      kind: 'max_steps',
      steps: 2,
    });
    const budget = rig({ settings: { turnTokens: 20 }, script: [look, look, look] });
    expect(outcomeOf(await collect(budget.conversation.submit({ text: 'go' })))).toMatchObject({
      kind: 'budget',
      steps: 2,
    });
  });

  it('honours a stop hook that wants more once, and a hook that ends the turn', async () => {
    const more = rig({
      script: [respond([{ text: 'done' }]), respond([{ text: 'really done' }])],
      deps: { hooks: { stop: async () => ({ type: 'continue', text: 'Run the tests too.' }) } },
    });
    expect(outcomeOf(await collect(more.conversation.submit({ text: 'go' })))).toMatchObject({
      kind: 'completed',
      steps: 2,
    });
    const end = rig({
      script: [respond([{ tool: 'Look', input: { tag: 'a' } }])],
      deps: { hooks: { postTool: async () => ({ stop: 'Enough.' }) } },
    });
    expect(outcomeOf(await collect(end.conversation.submit({ text: 'go' })))).toMatchObject({
      kind: 'hook_stopped',
      reason: 'Enough.',
    });
  });
});
