/**
 * Streams that no server sends: every fixture with bytes lost, repeated, swapped or spoilt. Whatever comes, a transport neither throws nor
 * hangs, ends exactly once, and hands on no argument that was not on the wire.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anthropicTransport } from '../../../extension/models/anthropic/transport';
import { ollamaTransport } from '../../../extension/models/ollama/transport';
import { chatTransport } from '../../../extension/models/openai/chat';
import { responsesTransport } from '../../../extension/models/openai/responses';
import type { ModelEvent, Transport } from '../../../extension/models/transport';
import type { FetchLike } from '../../../extension/models/wire/live-fetch';
import { render, REQUEST } from '../../fixtures-runner/wire-replay';

interface Fixture {
  readonly file: string;
  readonly transport: string;
  readonly scenarios?: readonly string[];
}
const FOLDER = 'test/fixtures/wire';
const { files } = JSON.parse(readFileSync(join(FOLDER, 'manifest.json'), 'utf8')) as {
  readonly files: readonly Fixture[];
};
const WIRES = ['anthropic-messages', 'openai-chat', 'openai-responses', 'ollama-chat'];
const ROUNDS = 12;

function transportOf(wire: string, fetch: FetchLike): Transport {
  const common = {
    model: 'm',
    info: { id: 'm' },
    baseUrl: 'http://x',
    apiKey: async () => 'key-of-a-fixture',
    limits: { firstByteMs: 5_000, idleMs: 5_000 },
    fetch,
  };
  if (wire === 'anthropic-messages') return anthropicTransport(common);
  if (wire === 'openai-chat') return chatTransport(common);
  return wire === 'openai-responses' ? responsesTransport(common) : ollamaTransport(common);
}

/** Numbers in [0, 1) that are the same in every run. */
function numbers(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function mutated(bytes: Buffer, random: () => number): Buffer {
  const lines = bytes.toString('latin1').split('\n');
  const at = Math.floor(random() * lines.length);
  const other = Math.floor(random() * lines.length);
  const place = Math.floor(random() * bytes.length);
  switch (Math.floor(random() * 7)) {
    case 0:
      return bytes.subarray(0, place);
    case 1:
      lines.splice(at, 1 + Math.floor(random() * 3));
      break;
    case 2:
      lines.splice(at, 0, ...lines.slice(other, other + 3));
      break;
    case 3: {
      const [one = '', two = ''] = [lines[at], lines[other]];
      lines[at] = two;
      lines[other] = one;
      break;
    }
    case 4:
      return Buffer.concat([bytes.subarray(0, place), Buffer.from('"}{\u0000,'), bytes.subarray(place)]);
    case 5:
      return Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + 1 + Math.floor(random() * 20))]);
    default:
      lines[at] = (lines[at] ?? '').replace(/:(\s*)("[^"]*"|\d+|\{|\[)/, ': null');
  }
  return Buffer.from(lines.join('\n'), 'latin1');
}

async function play(wire: string, bytes: Buffer): Promise<ModelEvent[]> {
  const type = wire === 'ollama-chat' ? 'application/x-ndjson' : 'text/event-stream';
  const transport = transportOf(
    wire,
    async () => new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }),
  );
  const events: ModelEvent[] = [];
  for await (const event of transport.stream(REQUEST, new AbortController().signal)) events.push(event);
  return events;
}

/** The texts of a value, as they must have stood on the wire; a custom tool's one text is put under a name of ours. */
function words(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(words);
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(words);
}

/** Only letters and digits: escapes and line ends leave no trace in them. */
const plain = (text: string): string => text.replace(/\\u[0-9a-f]{4}|\\./gi, '').replace(/[^A-Za-z0-9]/g, '');

/** In one piece, or in pieces in this order. */
function stood(word: string, onWire: string): boolean {
  if (onWire.includes(word)) return true;
  let from = 0;
  for (const letter of word) {
    const at = onWire.indexOf(letter, from);
    if (at < 0) return false;
    from = at + 1;
  }
  return true;
}

describe.each(WIRES)('%s', (wire) => {
  it('survives every spoilt stream', { timeout: 120_000 }, async () => {
    let played = 0;
    for (const [index, fixture] of files.filter(({ transport }) => transport === wire).entries()) {
      const bytes = await render(join(FOLDER, fixture.file), wire, fixture.scenarios ?? []);
      for (let round = 0; round < ROUNDS; round++) {
        const spoilt = mutated(bytes, numbers(index * 1000 + round + 1));
        const about = `${fixture.file}, round ${String(round)}`;
        const events = await play(wire, spoilt);
        const ends = events.filter(({ type }) => type === 'stop' || type === 'error');
        expect(ends, about).toHaveLength(1);
        expect(events.at(-1), about).toBe(ends[0]);
        const onWire = plain(spoilt.toString('utf8'));
        for (const event of events) {
          if (event.type !== 'block' || event.block.type !== 'tool_use') continue;
          const { input, unparsed } = event.block;
          if (unparsed !== undefined) expect(input, about).toEqual({});
          for (const word of words(input)) expect(stood(plain(word), onWire), `${about}: ${word}`).toBe(true);
        }
        played += 1;
      }
    }
    expect(played).toBeGreaterThan(60);
  });
});
