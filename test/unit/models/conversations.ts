/** Conversations as sessions really leave them: twelve shapes that every wire must be able to carry. */
import type {
  AssistantBlock,
  AssistantMessage,
  Message,
  Origin,
  ResultContent,
  UserBlock,
} from '../../../extension/models/message';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const user = (...content: (string | UserBlock)[]): Message => ({
  role: 'user',
  content: content.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block)),
});
export const result = (
  callId: string,
  text: string,
  isError = false,
  more: readonly ResultContent[] = [],
): UserBlock => ({
  type: 'tool_result',
  callId,
  content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...more],
  isError,
});
const call = (
  id: string,
  input: Readonly<Record<string, unknown>> = { file_path: '/a' },
  wireId?: string,
): AssistantBlock => ({
  type: 'tool_use',
  id,
  name: 'Read',
  input,
  ...(wireId === undefined ? {} : { wireId }),
});
const image: UserBlock = { type: 'image', mediaType: 'image/png', data: PIXEL };

export type Maker = (origin: Origin) => readonly Message[];

const says = (origin: Origin, ...content: (string | AssistantBlock)[]): AssistantMessage => ({
  role: 'assistant',
  origin,
  content: content.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block)),
});
const OTHER: Origin = { transport: 'elsewhere', baseUrl: 'http://other', model: 'm' };
const thought: AssistantBlock = { type: 'thinking', thinking: 'Let me think.', signature: 'sig' };

export const CONVERSATIONS: Readonly<Record<string, Maker>> = {
  'a question': () => [user('hello')],
  'two answers': (o) => [user('a'), says(o, 'b'), user('c'), says(o, 'd'), user('e')],
  'one call': (o) => [
    user('a'),
    says(o, 'reading', call('u1', { file_path: '/a' }, 'w1')),
    user(result('u1', 'text')),
  ],
  'parallel calls, one failed, a word from the user': (o) => [
    user('a'),
    says(o, thought, 'both', call('u1', {}, 'w1'), call('u2', {}, 'w2')),
    user(result('u2', 'no such file', true), result('u1', ''), 'and hurry'),
  ],
  'twenty steps': (o) =>
    Array.from({ length: 20 }, (_, n) => [
      says(o, thought, call(`u${String(n)}`, { file_path: `/f${String(n)}` }, `w${String(n)}`)),
      user(result(`u${String(n)}`, `result ${String(n)}`)),
    ]).reduce<Message[]>((all, pair) => [...all, ...pair], [user('go')]),
  'the same wire id again and again': (o) => [
    user('a'),
    says(o, call('u1', {}, 'functions.Read:0'), call('u2', {}, 'functions.Read:0')),
    user(result('u1', 'x'), result('u2', 'y')),
    says(o, call('u3', {}, 'functions.Read:0')),
    user(result('u3', 'z')),
  ],
  'ids that are empty or very long': (o) => [
    user('a'),
    says(o, call('own id with blanks and ümläuts', {}, ''), call('x'.repeat(120), {}, 'y'.repeat(90))),
    user(result('own id with blanks and ümläuts', 'x'), result('x'.repeat(120), 'y')),
  ],
  'a call without its result, and a result without its call': (o) => [
    user('a'),
    says(o, call('u1')),
    user(result('gone', 'old')),
    says(o, 'hm', call('u2')),
    user('never mind'),
  ],
  'text after a call, blanks and nothing': (o) => [
    user('a', '  '),
    says(o, call('u1'), 'after', '  '),
    user(result('u1', 'x')),
    says(o),
    says(o, ' '),
    user('b'),
  ],
  'images and a document': (o) => [
    user(
      'look',
      image,
      { type: 'document', mediaType: 'application/pdf', data: 'JVBERi0=', title: 'a.pdf' },
      { type: 'image', mediaType: 'image/bmp', data: 'Qk0=' },
    ),
    says(o, call('u1'), call('u2')),
    user(
      result('u1', 'a picture', false, [{ type: 'image', mediaType: 'image/png', data: PIXEL }]),
      result('u2', 'plain'),
    ),
  ],
  'half characters and an argument that never parsed': (o) => [
    user(`half \ud83d and whole 😀`),
    says(o, {
      type: 'tool_use',
      id: 'u1',
      name: 'Read the file!',
      input: {},
      unparsed: { raw: '{"file', problem: 'cut' },
    }),
    user(result('u1', 'Invalid arguments', true)),
  ],
  'moved here from another route, ending with an answer': (o) => [
    user('a'),
    says(
      OTHER,
      thought,
      { type: 'redacted_thinking', data: 'xx' },
      { type: 'native', data: { type: 'server_tool_use', id: 's', name: 'web', input: {} } },
      call('u1', {}, 'id:1'),
    ),
    user(result('u1', 'x')),
    says(o, 'here now'),
  ],
};
