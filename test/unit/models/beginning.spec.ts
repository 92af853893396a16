/** The kept beginning of a conversation changes no byte of any request, and makes a step's work independent of the length. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { familyOf } from '../../../extension/models/anthropic/families';
import { anthropicBody, emptyBeginning } from '../../../extension/models/anthropic/request';
import type { RequestContext } from '../../../extension/models/anthropic/request';
import type { AssistantBlock, Message, Origin, UserBlock } from '../../../extension/models/message';
import type { ModelRequest } from '../../../extension/models/transport';

const HERE: Origin = { transport: 'anthropic', baseUrl: 'http://x', model: 'm' };
const THERE: Origin = { ...HERE, baseUrl: 'http://y' };

const request = (messages: readonly Message[]): ModelRequest => ({
  system: 'Be brief.',
  tools: [],
  messages,
  conversationId: 'c',
});

const context = (more: Partial<RequestContext> = {}): RequestContext => ({
  origin: HERE,
  family: familyOf('m'),
  maxTokens: 100,
  images: true,
  isVoid: () => false,
  earlierTools: [],
  ...more,
});

const text = fc
  .constantFrom('', ' ', 'a word', 'and more')
  .map((words) => ({ type: 'text' as const, text: words }));
const callId = fc.integer({ min: 0, max: 9 }).map((n) => `u${n}`);
const assistantBlock: fc.Arbitrary<AssistantBlock> = fc.oneof(
  text,
  fc.record({
    type: fc.constant('tool_use' as const),
    id: callId,
    wireId: fc.constantFrom('w1', 'w2', 'not legal!', ''),
    name: fc.constant('Read'),
    input: fc.constant({ file_path: '/a' }),
  }),
  fc.constant({ type: 'thinking' as const, thinking: 'Hm.', signature: 'sig' }),
  fc.constant({ type: 'native' as const, data: { type: 'server_tool_use', id: 's' } }),
);
const userBlock: fc.Arbitrary<UserBlock> = fc.oneof(
  text,
  fc.record({
    type: fc.constant('tool_result' as const),
    callId,
    content: fc.array(text, { maxLength: 2 }),
    isError: fc.boolean(),
  }),
);
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant('user' as const), content: fc.array(userBlock, { maxLength: 3 }) }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: fc.array(assistantBlock, { maxLength: 3 }),
    origin: fc.constantFrom(HERE, HERE, THERE),
  }),
);
/** Mostly as turns go, so that there is something to settle; now and then anything. */
const turns = fc.array(
  fc.oneof(
    fc.array(message, { maxLength: 3 }),
    callId.map((id): Message[] => [
      { role: 'assistant', origin: HERE, content: [{ type: 'tool_use', id, name: 'Read', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', callId: id, content: [], isError: false }] },
    ]),
  ),
  { minLength: 8, maxLength: 25 },
);

it('sends what would be sent without it, whatever the history looks like', () => {
  let settled = 0;
  fc.assert(
    fc.property(turns, (parts) => {
      const history = parts.flat();
      const beginning = emptyBeginning();
      for (let length = 1; length <= history.length; length += 1) {
        const messages = history.slice(0, length);
        const kept = anthropicBody(request(messages), context({ beginning }));
        expect(kept).toBe(anthropicBody(request(messages), context()));
      }
      settled += beginning.count;
    }),
    { numRuns: 300 },
  );
  expect(settled).toBeGreaterThan(1_000);
});

function step(n: number): Message[] {
  return [
    {
      role: 'assistant',
      origin: HERE,
      content: [
        { type: 'text', text: `Step ${n}.` },
        { type: 'tool_use', id: `u${n}`, name: 'Read', input: { file_path: `/f${n}` } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', callId: `u${n}`, content: [{ type: 'text', text: 'x' }], isError: false },
      ],
    },
  ];
}

it('renders no more messages at the thousandth step than at the tenth', () => {
  const beginning = emptyBeginning();
  const history: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }];
  const looks: number[] = [];
  for (let n = 0; n < 1_000; n += 1) {
    history.push(...step(n));
    let looked = 0;
    const messages = history.map(
      (each) =>
        new Proxy(each, {
          get: (target, key, receiver) => {
            if (key === 'content') looked += 1;
            return Reflect.get(target, key, receiver) as unknown;
          },
        }),
    );
    anthropicBody(request(messages), context({ beginning }));
    looks.push(looked);
  }
  expect(Math.max(...looks.slice(-100))).toBeLessThanOrEqual(Math.max(...looks.slice(10, 50)));
});
