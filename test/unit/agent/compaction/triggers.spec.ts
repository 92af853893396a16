/** When a conversation is made smaller, and what happens when a summary cannot be had (issue 8: triggers, breaker, summary calls). */
import { describe, expect, it } from 'vitest';
import type { TurnEvent } from '../../../../extension/agent/events';
import { DEFAULT_COMPACTION } from '../../../../extension/agent/limits/settings';
import { SUMMARY_SYSTEM } from '../../../../extension/context/summary-prompt';
import type { Message } from '../../../../extension/models/message';
import { practiceTransport } from '../../../../extension/models/practice/transport';
import type { ModelRequest, Route, Transport } from '../../../../extension/models/transport';
import { collect, outcomeOf } from '../../../fakes/conversation';
import { longTask, type LongTaskOptions } from '../../../fakes/long-task';
import { respond } from '../../../fakes/scripted-transport';
import { virtualClock } from '../../../fakes/virtual-clock';
import { windowServer, type WindowServerOptions } from '../../../fakes/window-server';

interface Work {
  readonly steps: number;
  /** Words of each result. */
  readonly words: number;
  readonly server?: Partial<WindowServerOptions>;
  readonly task?: Omit<LongTaskOptions, 'transport'>;
  /** Answers requests for a summary instead of the server. */
  readonly summary?: Transport['stream'];
}

async function work({ steps, words, server, task, summary }: Work) {
  const requests: ModelRequest[] = [];
  const made = windowServer({
    window: 1_000_000,
    play: (step) =>
      step >= steps
        ? respond([{ text: 'Done.' }])
        : respond([{ tool: 'Bash', input: { command: `make ${step}`, words } }]),
    seen: (_, request) => requests.push(request),
    ...server,
  });
  const asked: ModelRequest[] = [];
  const transport: Transport = {
    origin: made.origin,
    info: made.info,
    stream(request, signal) {
      if (request.system !== SUMMARY_SYSTEM) return made.stream(request, signal);
      asked.push(request);
      return (summary ?? made.stream)(request, signal);
    },
  };
  const long = longTask({ transport, ...task });
  const events = await collect(long.conversation.submit({ text: 'Build it.' }));
  return { ...long, events, requests, asked, server: made, transport };
}

const ended = (events: readonly TurnEvent[], state: 'done' | 'failed') =>
  events.filter((event) => event.type === 'compaction' && event.state === state);
const most = (requests: readonly ModelRequest[]): number =>
  Math.max(...requests.map(({ messages }) => messages.length));
const results = (messages: readonly Message[]): string => JSON.stringify(messages);

const failing: Transport['stream'] = async function* () {
  yield { type: 'error', error: { kind: 'server', message: 'The notes are out of order.', retryable: true } };
};

describe('the number of messages', () => {
  it('is looked at from 200 and limited to 1,000, as both settings say', () => {
    expect(DEFAULT_COMPACTION).toMatchObject({ messages: 200, maxMessages: 1_000 });
  });

  it('shortens old results first: at 200 messages no summary is asked for', async () => {
    const { requests, asked, events } = await work({ steps: 130, words: 600 });
    expect(outcomeOf(events).kind).toBe('completed');
    expect(asked).toHaveLength(0);
    const lengths = requests.map(({ messages }) => results(messages).length);
    const at = requests.findIndex(({ messages }) => messages.length >= 200);
    expect(results(requests[at - 1]?.messages ?? [])).not.toContain('left out to save room');
    expect(results(requests[at]?.messages ?? [])).toContain('left out to save room');
    expect(lengths[at] ?? Infinity).toBeLessThan((lengths[at - 1] ?? 0) * 0.8);
  });

  it('summarises at 200 only where the request is really large', async () => {
    const small = await work({ steps: 130, words: 4 });
    expect([small.asked.length, most(small.requests)]).toEqual([0, 259]);
    // Answers cannot be shortened, and more than half of the window is full of them.
    const talk = 'word '.repeat(240);
    const large = await work({
      steps: 130,
      words: 4,
      server: {
        window: 60_000,
        play: (step) =>
          step === 130
            ? respond([{ text: 'Done.' }])
            : respond([{ text: `${talk}${step}` }, { tool: 'Bash', input: { command: `make ${step}` } }]),
      },
    });
    const first = large.events.find((event) => event.type === 'compaction' && event.state === 'done');
    expect(first).toMatchObject({ type: 'compaction', trigger: 'auto' });
    expect(most(large.requests)).toBeLessThanOrEqual(200);
  });

  it('never passes the hard cap, however small the messages are', async () => {
    const { requests, events } = await work({
      steps: 90,
      words: 4,
      task: { compaction: { messages: 20, maxMessages: 40 } },
    });
    expect(outcomeOf(events).kind).toBe('completed');
    expect(most(requests)).toBeLessThanOrEqual(40);
    expect(ended(events, 'done').length).toBeGreaterThan(2);
  });

  it('means nothing when compaction is left to the person', async () => {
    const { requests } = await work({
      steps: 60,
      words: 4,
      task: { compaction: { automatic: false, messages: 20, maxMessages: 40 } },
    });
    expect(most(requests)).toBe(119);
  });
});

describe('a summary that cannot be had', () => {
  const tight = { compaction: { messages: 20, maxMessages: 24 } };

  it('is tried three times, then not for ten minutes, and the person is told', async () => {
    const clock = virtualClock();
    const run = work({ steps: 40, words: 4, summary: failing, task: { ...tight, clock } });
    const { events, asked, conversation } = await clock.run(run);
    expect(outcomeOf(events).kind).toBe('completed');
    expect(ended(events, 'failed')).toHaveLength(3);
    expect(asked).toHaveLength(3);
    const cards = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
    expect(cards.filter((text) => /failed 3 times.*10 minutes.*out of order/.test(text))).toHaveLength(1);
    // Who asks is not kept waiting.
    await clock.run(collect(conversation.compact()));
    expect(asked).toHaveLength(4);
    await clock.run(Promise.all([clock.sleep(10 * 60_000 + 1)]));
    await clock.run(collect(conversation.submit({ text: 'And now?' })));
    expect(asked.length).toBeGreaterThan(4);
  });

  it('is given up after its time, and nothing is changed', async () => {
    const clock = virtualClock();
    const silent: Transport['stream'] = async function* (_, signal) {
      await clock.sleep(1e12, signal).catch(() => undefined);
    };
    const run = work({
      steps: 14,
      words: 4,
      summary: silent,
      task: { clock, compaction: { maxMessages: 24, timeoutMs: 5_000 } },
    });
    const { events, conversation, file } = await clock.run(run);
    const [failed] = ended(events, 'failed');
    expect(failed).toMatchObject({ reason: 'Window did not answer within 5 s.' });
    expect(outcomeOf(events).kind).toBe('completed');
    expect(file.fold().messages).toEqual(conversation.messages());
    expect(conversation.messages().length).toBeGreaterThan(24);
  });

  it('makes what it sends smaller when that does not fit', async () => {
    const sizes: number[] = [];
    const narrow: Transport['stream'] = async function* (request, signal) {
      const size = results(request.messages).length;
      sizes.push(size);
      if (size > 12_000)
        yield {
          type: 'error',
          error: { kind: 'context_overflow', message: 'prompt is too long', retryable: false },
        };
      else
        yield* respond([{ text: 'Goal: build it, one part after the other, and see that it works.' }])(
          request,
          signal,
        ) as Iterable<never>;
    };
    const { events } = await work({
      steps: 40,
      words: 300,
      summary: narrow,
      task: { compaction: { maxMessages: 60 } },
    });
    expect(ended(events, 'done').length).toBeGreaterThan(0);
    expect(ended(events, 'failed')).toEqual([]);
    expect(Math.max(...sizes)).toBeGreaterThan(12_000);
  });
});

describe('a summary over another route', () => {
  const other = (stream: Transport['stream'], seen: ModelRequest[]): Route => ({
    id: 'notes',
    title: 'Notes',
    detail: '',
    transport: {
      origin: { transport: 'scripted', baseUrl: 'memory:', model: 'notes' },
      info: { id: 'notes', contextTokens: 32_000 },
      stream(request, signal) {
        seen.push(request);
        return stream(request, signal);
      },
    },
  });
  const good: Transport['stream'] = async function* (request, signal) {
    yield* respond([{ text: 'Goal: from the other route, with everything that matters in it.' }])(
      request,
      signal,
    ) as Iterable<never>;
  };

  it('is asked there and nowhere else, without tools', async () => {
    const seen: ModelRequest[] = [];
    const { asked, events, conversation } = await work({
      steps: 20,
      words: 4,
      task: { compaction: { maxMessages: 24 }, deps: { summaryRoute: () => other(good, seen) } },
    });
    expect(ended(events, 'done').length).toBeGreaterThan(0);
    expect(asked).toHaveLength(0);
    expect(seen.every(({ tools }) => tools.length === 0)).toBe(true);
    expect(results(conversation.messages())).toContain('from the other route');
  });

  it("is asked of the conversation's own route when the other one fails", async () => {
    const seen: ModelRequest[] = [];
    const { asked, events } = await work({
      steps: 20,
      words: 4,
      task: { compaction: { maxMessages: 24 }, deps: { summaryRoute: () => other(failing, seen) } },
    });
    expect(seen.length).toBeGreaterThan(0);
    expect(asked.length).toBe(seen.length);
    expect(ended(events, 'failed')).toEqual([]);
  });

  it('of Practice is put together by rules, and says so', async () => {
    const practice = practiceTransport({ delayMs: 0 });
    const { conversation, events } = await work({
      steps: 20,
      words: 4,
      summary: (request, signal) => practice.stream(request, signal),
      task: { compaction: { maxMessages: 24 } },
    });
    expect(ended(events, 'failed')).toEqual([]);
    const text = results(conversation.messages());
    expect(text).toContain('put together by rules, not by a model');
    expect(text).toContain('Goal: Build it.');
    expect(text).toContain('make ');
  });
});
