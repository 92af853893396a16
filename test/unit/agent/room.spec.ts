import { describe, expect, it } from 'vitest';
import { effortsOf } from '../../../extension/models/efforts';
import { sessionCost } from '../../../webview/numbers';
import { collect, rig } from '../../fakes/conversation';
import { respond } from '../../fakes/scripted-transport';
import type { Message } from '../../../extension/models/message';

const ORIGIN = { transport: 'test', baseUrl: '', model: 'm' };
const long = 'a line of output\n'.repeat(400);
const MESSAGES: readonly Message[] = [
  { role: 'user', content: [{ type: 'text', text: 'look' }] },
  {
    role: 'assistant',
    origin: ORIGIN,
    content: [
      { type: 'tool_use', id: 'big', name: 'Read', input: { file_path: '/work/a.ts' } },
      { type: 'tool_use', id: 'small', name: 'Read', input: { file_path: '/work/b.ts' } },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', callId: 'big', content: [{ type: 'text', text: long }], isError: false },
      { type: 'tool_result', callId: 'small', content: [{ type: 'text', text: 'short' }], isError: false },
    ],
  },
  { role: 'assistant', origin: ORIGIN, content: [{ type: 'text', text: 'seen' }] },
];

describe('what takes room in the context', () => {
  it('is named, and taken out with one click: the call keeps a result, and the request is smaller', async () => {
    const { conversation } = rig({
      script: [],
      deps: { resumed: { messages: MESSAGES, pending: [], tokens: 0, usd: 0 } },
    });
    const before = conversation.ledger().total;
    const [largest, ...others] = conversation.sources(8);
    expect(largest).toMatchObject({ id: 'big' });
    expect(largest?.name).toContain('Read');
    expect(others).toEqual([]);
    expect(await conversation.removeSource('big')).toBe(true);
    expect(conversation.sources(8)).toEqual([]);
    expect(conversation.ledger().total).toBeLessThan(before / 2);
    const results = conversation
      .messages()
      .flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
    expect(results).toHaveLength(2);
    expect(JSON.stringify(results[0])).toContain('took this result out');
    expect(await conversation.removeSource('nothing')).toBe(false);
  });
});

describe('effort', () => {
  it('goes with requests of a route that takes it, and with no other', async () => {
    const { conversation, transport } = rig({ script: [respond([{ text: 'a' }]), respond([{ text: 'b' }])] });
    conversation.setEffort('high');
    await collect(conversation.submit({ text: 'one' }));
    expect(transport.requests[0]).not.toHaveProperty('effort');
    Object.assign(transport.info, { efforts: ['low', 'high'] });
    await collect(conversation.submit({ text: 'two' }));
    expect(transport.requests[1]).toMatchObject({ effort: 'high' });
  });

  it.each([
    ['anthropic', 'claude-sonnet-4-6', 3],
    ['anthropic', 'claude-3-5-haiku', 0],
    ['openai-chat', 'gpt-5.6-sol', 3],
    ['openai-chat', 'gpt-4o', 0],
    ['openai-responses', 'o3', 3],
    ['ollama', 'gpt-oss:20b', 3],
    ['ollama', 'qwen3', 0],
  ] as const)('%s %s has %d', (transport, model, count) => {
    const baseUrl = transport === 'openai-chat' ? 'https://api.openai.com/v1' : '';
    expect(effortsOf({ transport, model, baseUrl })).toHaveLength(count);
  });
});

describe('what a session cost', () => {
  const turn = (costUsd?: number) =>
    ({
      type: 'outcome',
      id: String(costUsd),
      kind: 'completed',
      reason: '',
      steps: 1,
      durationMs: 1,
      usage: {},
      denials: 0,
      next: { type: 'none' },
      ...(costUsd === undefined ? {} : { costUsd }),
    }) as const;

  it('is known as far as its turns are', () => {
    expect(sessionCost([turn(0.25), turn(0.5)])).toEqual({ usd: 0.75, unknown: 0, turns: 2 });
    expect(sessionCost([turn(0.25), turn()])).toEqual({ usd: 0.25, unknown: 1, turns: 2 });
    expect(sessionCost([])).toEqual({ usd: 0, unknown: 0, turns: 0 });
  });
});
