/** Models of five characters for the route check: each answers the exam's prompts as such a model would, over any wire. */
import type { Reply, ScenarioFunction, ScriptBlock, SeenRequest } from './scenario.ts';

export type Character = 'perfect' | 'no tools' | 'no parallel calls' | 'malformed arguments' | 'forgetful';

const WORDS =
  'amber birch cedar dusk ember fjord grove heath inlet juniper kelp lagoon maple nectar ochre pine quartz reed slate thyme'.split(
    ' ',
  );

const text = (words: string): Reply => ({ blocks: [{ type: 'text', text: words }] });
const call = (name: string, input: Readonly<Record<string, unknown>>): ScriptBlock => ({
  type: 'tool_use',
  name,
  input,
  deltas: 12,
});

/** What comes after what: an answer to the results so far, or the next call. */
type Play = (results: readonly string[], raw: string) => Reply;

const calls = (...blocks: ScriptBlock[]): Reply => ({ blocks });
const LIST = Array.from({ length: 60 }, (_, n) => `line ${String(n + 1)}`).join('\n');

/** By a piece of the prompt. `results` are all tool results of the conversation, oldest first. */
const PLAYS: readonly (readonly [string, Play])[] = [
  ['Count from 1 to 30', () => text(Array.from({ length: 30 }, (_, n) => String(n + 1)).join(' '))],
  [
    'Count from 1 to 500',
    () => ({
      blocks: [
        { type: 'text', text: Array.from({ length: 500 }, (_, n) => String(n + 1)).join(' '), everyMs: 5 },
      ],
    }),
  ],
  [
    'the code word',
    ([note]) => (note === undefined ? calls(call('Read', { path: 'notes.txt' })) : text(note)),
  ],
  [
    'Read a.txt and b.txt',
    (results) =>
      results.length === 0
        ? calls(call('Read', { path: 'a.txt' }), call('Read', { path: 'b.txt' }))
        : text(results.join(' ')),
  ],
  [
    'with 60 lines',
    (results) =>
      results.length === 0 ? calls(call('Write', { path: 'list.txt', content: LIST })) : text('Done.'),
  ],
  [
    'In prices.js',
    ({ length }) => {
      if (length === 0) return calls(call('Read', { path: 'prices.js' }));
      return length === 1
        ? calls(
            call('Edit', {
              path: 'prices.js',
              old_string: 'sum += price;',
              new_string: 'sum += price * 1.2;',
            }),
          )
        : text('Done.');
    },
  ],
  [
    'Read config.yml',
    (results) => {
      if (results.length === 0) return calls(call('Read', { path: 'config.yml' }));
      return results.length === 1 ? calls(call('Read', { path: 'settings.yml' })) : text(results.join(' '));
    },
  ],
  [
    'Delete old.log',
    ({ length }) =>
      length === 0 ? calls(call('Delete', { path: 'old.log' })) : text('That was declined, so I kept it.'),
  ],
  ['which words are on the pages 2, 8, 15', () => text([2, 8, 15].map((page) => WORDS[page - 1]).join(', '))],
  ['Which two secrets', (_results, raw) => text(raw.includes('MARIGOLD') ? 'MARIGOLD and COPPER' : 'None.')],
  ['Which colour', () => text('Red on the left, blue on the right.')],
  [
    'the number plus one',
    ({ length }) =>
      length === 0
        ? {
            blocks: [
              { type: 'thinking', thinking: 'I need the file first.' },
              call('Read', { path: 'notes.txt' }),
            ],
          }
        : text('42'),
  ],
];

interface Seen {
  readonly raw: string;
  readonly prompt: string;
  readonly results: readonly string[];
}

/** Over Chat Completions: the prompt is the user's, results are messages of the role `tool`. */
function look({ body }: SeenRequest): Seen {
  const messages = body['messages'] as readonly { readonly role: string; readonly content: unknown }[];
  const words = (content: unknown): string =>
    typeof content === 'string'
      ? content
      : (content as readonly { readonly text?: string }[]).map((part) => part.text ?? '').join('\n');
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return {
    raw: JSON.stringify(body),
    prompt: words(messages[last]?.content ?? ''),
    results: messages
      .slice(last)
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => words(content)),
  };
}

function perfect(request: SeenRequest): Reply {
  const { prompt, results, raw } = look(request);
  const play = PLAYS.find(([piece]) => prompt.includes(piece))?.[1];
  return play?.(results, raw) ?? text('I do not know.');
}

const TAKES_NO_TOOLS: Reply = {
  error: {
    status: 400,
    body: { error: { message: 'this model does not support tools', type: 'api_error' } },
  },
};

export function character(name: Character): ScenarioFunction {
  return (request) => {
    const { prompt, results } = look(request);
    const reply = perfect(request);
    switch (name) {
      case 'perfect':
        return reply;
      case 'no tools':
        return request.toolNames.length > 0 ? TAKES_NO_TOOLS : reply;
      case 'no parallel calls':
        return prompt.includes('Read a.txt and b.txt') && results.length < 2
          ? calls(call('Read', { path: results.length === 0 ? 'a.txt' : 'b.txt' }))
          : reply;
      case 'malformed arguments':
        return { ...reply, ...(reply.blocks === undefined ? {} : { blocks: reply.blocks.map(spoiled) }) };
      case 'forgetful':
        return prompt.includes('which words are on the pages') ? text('I only remember lagoon.') : reply;
    }
  };
}

function spoiled(block: ScriptBlock): ScriptBlock {
  return block.type === 'tool_use'
    ? { ...block, inputText: `{"path": notes.txt, ${JSON.stringify(block.name)}` }
    : block;
}
