/** Small events that come at once cost one turn of the queue: text leaves the frame of a response as one piece, in its place among the rest. */
import { expect, it } from 'vitest';
import type { ModelEvent } from '../../../extension/models/transport';
import { responseStream } from '../../../extension/models/wire/response-stream';
import type { Run } from '../../../extension/models/wire/response-stream';
import { eachRead, sseData } from '../../../extension/models/wire/sse';

const STOP: ModelEvent = { type: 'stop', reason: 'end_turn', raw: 'end_turn', usage: {} };

async function eventsOf(run: (run: Run) => Promise<void>): Promise<ModelEvent[]> {
  const stream = responseStream(
    run,
    {
      fetch: () => Promise.reject(new Error('not used')),
      limits: { firstByteMs: 60_000, idleMs: 60_000 },
      explain: () => ({ kind: 'bad_response', message: 'failed', retryable: false }),
    },
    new AbortController().signal,
  );
  const events: ModelEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

it('joins pieces of one text that were emitted together, and nothing else', async () => {
  const pieces: ModelEvent[] = [
    { type: 'text', key: 0, text: 'a' },
    { type: 'text', key: 0, text: 'b' },
    { type: 'thinking', key: 1, text: 'c' },
    { type: 'thinking', key: 2, text: 'd' },
    { type: 'usage', usage: {} },
    { type: 'thinking', key: 2, text: 'e' },
    { type: 'thinking', key: 2, text: 'f' },
  ];
  const events = await eventsOf(async ({ emit }) => {
    for (const piece of [...pieces, STOP]) emit(piece);
  });
  expect(events).toEqual([
    { type: 'text', key: 0, text: 'ab', pieces: 2 },
    { type: 'thinking', key: 1, text: 'c' },
    { type: 'thinking', key: 2, text: 'd' },
    { type: 'usage', usage: {} },
    { type: 'thinking', key: 2, text: 'ef', pieces: 2 },
    STOP,
  ]);
  // What the transport emitted stays as it was.
  expect(pieces[0]).toEqual({ type: 'text', key: 0, text: 'a' });
});

it('hands on at once what is there: a piece does not wait for the next', async () => {
  const seen: string[] = [];
  let more = (): void => undefined;
  const stream = responseStream(
    async ({ emit }) => {
      emit({ type: 'text', key: 0, text: 'first' });
      await new Promise<void>((resolve) => (more = resolve));
      emit({ type: 'text', key: 0, text: 'second' });
      emit(STOP);
    },
    {
      fetch: () => Promise.reject(new Error('not used')),
      limits: { firstByteMs: 60_000, idleMs: 60_000 },
      explain: () => ({ kind: 'bad_response', message: 'failed', retryable: false }),
    },
    new AbortController().signal,
  );
  for await (const event of stream) {
    if (event.type !== 'text') continue;
    seen.push(event.text);
    more();
  }
  expect(seen).toEqual(['first', 'second']);
});

it('gives the events of a chunk together, and those before a broken one before its error', async () => {
  const chunks = ['data: 1\n\ndata: 2\n\nda', 'ta: 3\n\ndata: oops\n\ndata: 4\n\n'];
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
  const batches: (readonly unknown[])[] = [];
  const reading = (async () => {
    for await (const batch of eachRead(
      sseData(body, () => undefined),
      (data) => JSON.parse(data) as unknown,
    ))
      batches.push(batch);
  })();
  await expect(reading).rejects.toThrow(SyntaxError);
  expect(batches).toEqual([[1, 2], [3]]);
});
