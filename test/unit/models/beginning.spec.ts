/** The kept beginning of a conversation changes no byte of any request, and makes a step's work independent of the length. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { familyOf } from '../../../extension/models/anthropic/families';
import * as anthropic from '../../../extension/models/anthropic/request';
import * as ollama from '../../../extension/models/ollama/request';
import { chatProjector } from '../../../extension/models/openai/chat-request';
import { dialect } from '../../../extension/models/openai/dialects';
import * as responses from '../../../extension/models/openai/responses-request';
import { newBeginning } from '../../../extension/models/wire/beginning';
import type { Beginning } from '../../../extension/models/wire/beginning';
import { bodyText } from '../../../extension/models/wire/body';
import type { Body } from '../../../extension/models/wire/body';
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

interface Wire {
  readonly empty: () => Beginning;
  /** A projector of its own, as a transport has it. */
  readonly projector: () => (request: ModelRequest, beginning?: Beginning) => Body;
}

const common = { origin: HERE, images: true, maxTokens: 100, earlierTools: [] };
const kept = (beginning: Beginning | undefined) => (beginning === undefined ? {} : { beginning });

function chat(name: Parameters<typeof dialect>[0]): Wire {
  const known = dialect(name, 'm');
  return {
    empty: () => newBeginning(known.ids),
    projector: () => {
      const project = chatProjector();
      return (asked, beginning) => project(asked, { ...common, dialect: known, ...kept(beginning) });
    },
  };
}

const WIRES: Readonly<Record<string, Wire>> = {
  anthropic: {
    empty: () => newBeginning(anthropic.ID_RULE),
    projector: () => (asked, beginning) => {
      const more = { family: familyOf('m'), isVoid: () => false, ...kept(beginning) };
      return anthropic.anthropicBody(asked, { ...common, ...more });
    },
  },
  'openai-chat': chat('openai'),
  'openai-chat of Mistral': chat('mistral'),
  'openai-chat of DeepSeek': chat('deepseek'),
  'openai-responses': {
    empty: () => newBeginning(responses.ID_RULE),
    projector: () => {
      const project = responses.responsesProjector();
      return (asked, beginning) => project(asked, { ...common, reasoning: true, ...kept(beginning) });
    },
  },
  ollama: {
    empty: () => newBeginning(ollama.ID_RULE),
    projector: () => {
      const project = ollama.ollamaProjector();
      const more = { numCtx: 32_768, reasoning: undefined };
      return (asked, beginning) => project(asked, { ...common, ...more, ...kept(beginning) });
    },
  },
};

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

describe.each(Object.entries(WIRES))('the kept beginning on %s', (_name, { empty, projector }) => {
  it('sends what would be sent without it, whatever the history looks like', () => {
    let settled = 0;
    fc.assert(
      fc.property(turns, (parts) => {
        const history = parts.flat();
        const beginning = empty();
        const project = projector();
        for (let length = 1; length <= history.length; length += 1) {
          const asked = request(history.slice(0, length));
          expect(bodyText(project(asked, beginning))).toBe(bodyText(projector()(asked)));
        }
        settled += beginning.count;
      }),
      { numRuns: 150 },
    );
    expect(settled).toBeGreaterThan(500);
  });

  it('renders no more messages at the thousandth step than at the tenth', () => {
    const beginning = empty();
    const project = projector();
    const history: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Go – 走.' }] }];
    let looked = 0;
    const watched = (message: Message): Message =>
      new Proxy(message, {
        get: (target, key, receiver) => {
          if (key === 'content') looked += 1;
          return Reflect.get(target, key, receiver) as unknown;
        },
      });
    const made: { readonly looked: number; readonly units: number }[] = [];
    for (let n = 0; n < 1_000; n += 1) {
      history.push(...step(n).map(watched));
      looked = 0;
      const { head, tail } = project(request(history), beginning);
      made.push({ looked, units: head.length + tail.length });
    }
    const most = (steps: typeof made, of: keyof (typeof made)[number]): number =>
      Math.max(...steps.map((one) => one[of]));
    expect(most(made.slice(-100), 'looked')).toBeLessThanOrEqual(most(made.slice(10, 50), 'looked'));
    // Ids grow by two digits: that is all that the text made anew may grow by.
    expect(most(made.slice(-100), 'units')).toBeLessThan(most(made.slice(10, 50), 'units') * 1.2);
    expect(bodyText(project(request(history), beginning))).toBe(bodyText(projector()(request(history))));
  });
});
