import { describe, expect, it } from 'vitest';
import type { Message } from '../../../extension/models/message';
import { plainText } from '../../../extension/sessions/format/blocks';
import type { Json } from '../../../extension/sessions/format/json';
import { foldBytes, foldRecords, pendingStepOf } from '../../../extension/sessions/read/resume';
import { pairingProblems } from '../../fakes/pairing';
import { illegalities } from '../../fixtures-runner/session-request';
import {
  answer,
  assistant,
  attachment,
  call,
  fileOf,
  id,
  other,
  pin,
  plain,
  result,
  system,
  user,
} from './session-lines';

/** A conversation in a line each: `user: …`, `call X`, `X → …`. */
function gist(messages: readonly Message[]): string[] {
  return messages.flatMap((message) =>
    message.content.map((block) => {
      switch (block.type) {
        case 'text':
          return `${message.role}: ${block.text}`;
        case 'tool_use':
          return `call ${block.id}`;
        case 'tool_result':
          return `${block.callId} → ${plainText(block.content)}${block.isError ? ' (error)' : ''}`;
        case 'native':
          return `native ${String(block.data['type'])}`;
        default:
          return block.type;
      }
    }),
  );
}

const PLAIN = [
  'user: first prompt',
  'assistant: first answer',
  'user: second prompt',
  'assistant: second answer',
];
const FIRST = PLAIN.slice(0, 2);
const P = (n: number): Json => plain[n - 1] ?? {};

const interrupted =
  'Interrupted; outcome unknown: the session ended before a result of this call was recorded. Check what it did before you repeat it. (error)';

const cases: readonly (readonly [string, readonly (Json | string)[], readonly string[]])[] = [
  ['plain exchanges', plain, PLAIN],
  ['lines that are no records', ['junk', '42', '[]', '{"a":1}', ...plain, 'more junk'], PLAIN],
  ['a run of NUL bytes as a line', [P(1), P(2), '\0\0\0\0', P(3), P(4)], PLAIN],
  ['two records on one line', [P(1), JSON.stringify(P(2)) + JSON.stringify(P(3)), P(4)], PLAIN],
  [
    'a torn line with the next record glued on',
    [P(1), P(2), `{"type":"pr-link","prNu${JSON.stringify(P(3))}`, P(4)],
    PLAIN,
  ],
  ['no last newline but a cut line', [...plain, '{"parentUuid":"1111'], PLAIN],
  ['metadata only', [{ type: 'custom-title', customTitle: 'x', sessionId: 's' }], []],
  [
    'keys that say nothing',
    [{ type: 'mystery', sessionId: 's' }, ...plain, { type: 'tag', tag: 'x', sessionId: 's' }],
    PLAIN,
  ],
  [
    'an unknown type in the chain',
    [P(1), P(2), other(9, 2, 'mystery'), user(3, 9, 'second prompt'), P(4)],
    PLAIN,
  ],
  ['an unknown type as the last line', [...plain, other(9, 4, 'mystery')], PLAIN],
  [
    'attachments and system lines at the end',
    [...plain, attachment(8, 4, { type: 'hook_success' }), system(9, 8, 'turn_duration')],
    PLAIN,
  ],
  ['lines that were written twice', [P(1), P(2), P(2), P(3), P(4), P(4)], PLAIN],
  ['a whole history written again', [P(1), P(2), P(1), P(2), P(3), P(4)], PLAIN],
  ['children before parents', [P(2), P(1), P(4), P(3)], PLAIN],
  ['a loop', [user(1, 4, 'first prompt'), P(2), P(3), P(4)], PLAIN],
  ['a parent that is not there', [P(1), P(2), user(3, 77, 'second prompt'), P(4)], PLAIN],
  ['no uuids at all', plain.map(({ uuid: _u, parentUuid: _p, ...rest }) => rest), PLAIN],
  [
    'no more than the keys that are needed',
    plain.map(({ uuid, parentUuid, type, message }) => ({ uuid, parentUuid, type, message })),
    PLAIN,
  ],
  [
    'a second root',
    [P(1), P(2), user(5, null, 'anew'), answer(6, 5, 'new')],
    ['user: anew', 'assistant: new'],
  ],
  [
    'a sidechain inside',
    [
      P(1),
      P(2),
      P(3),
      user(7, null, 'sub', { isSidechain: true }),
      P(4),
      answer(8, 7, 'sub answer', { isSidechain: true }),
    ],
    PLAIN,
  ],
  // branches
  [
    'two branches and no pin: the last in file order',
    [...plain, user(5, 2, 'other'), answer(6, 5, 'other answer')],
    [...FIRST, 'user: other', 'assistant: other answer'],
  ],
  [
    'a pin on the older branch',
    [...plain, pin(id(4)), user(5, 2, 'other'), answer(6, 5, 'other answer')],
    PLAIN,
  ],
  ['a pin and lines below it', [P(1), P(2), pin(id(2)), P(3), P(4)], PLAIN],
  ['an explicit pin', [...plain, pin(id(2), { explicit: true })], FIRST],
  [
    'an explicit pin and lines below it',
    [...plain, pin(id(2), { explicit: true }), user(5, 2, 'after'), answer(6, 5, 'ok')],
    [...FIRST, 'user: after', 'assistant: ok'],
  ],
  [
    'an explicit pin on nothing',
    [...plain, pin('00000000-0000-0000-0000-000000000000', { explicit: true })],
    PLAIN,
  ],
  ['a pin on a line that is not there', [...plain, pin(id(99))], PLAIN],
  [
    'newer times on the earlier branch',
    [
      P(1),
      P(2),
      user(3, 2, 'second prompt', { timestamp: '2030-01-01T00:00:00.000Z' }),
      user(5, 2, 'edited'),
    ],
    [...FIRST, 'user: edited'],
  ],
  // calls
  [
    'a call and its result',
    [P(1), assistant(2, 1, [call('a')]), result(3, 2, 'a', 'r')],
    ['user: first prompt', 'call a', 'a → r'],
  ],
  [
    'results that answer in another order',
    [
      P(1),
      assistant(2, 1, [call('a')], { message: { id: 'm' }, requestId: 'r' }),
      assistant(3, 2, [call('b')], { message: { id: 'm' }, requestId: 'r' }),
      result(4, 3, 'b', 'rb'),
      result(5, 2, 'a', 'ra'),
      answer(6, 5, 'done'),
    ],
    ['user: first prompt', 'call a', 'call b', 'a → ra', 'b → rb', 'assistant: done'],
  ],
  [
    'a pin on one of parallel results',
    [
      P(1),
      assistant(2, 1, [call('a')], { message: { id: 'm' }, requestId: 'r' }),
      assistant(3, 2, [call('b')], { message: { id: 'm' }, requestId: 'r' }),
      result(4, 2, 'a', 'ra'),
      pin(id(4)),
      result(5, 3, 'b', 'rb'),
      answer(6, 5, 'done'),
    ],
    ['user: first prompt', 'call a', 'call b', 'a → ra', 'b → rb', 'assistant: done'],
  ],
  [
    'results in a straight chain',
    [
      P(1),
      assistant(2, 1, [call('a')], { message: { id: 'm' }, requestId: 'r' }),
      assistant(3, 2, [call('b')], { message: { id: 'm' }, requestId: 'r' }),
      result(4, 3, 'a', 'ra'),
      result(5, 4, 'b', 'rb'),
      answer(6, 5, 'done'),
    ],
    ['user: first prompt', 'call a', 'call b', 'a → ra', 'b → rb', 'assistant: done'],
  ],
  [
    'a result between two blocks of a message',
    [
      P(1),
      assistant(2, 1, [call('a')], { message: { id: 'm' }, requestId: 'r' }),
      result(3, 2, 'a', 'ra'),
      assistant(4, 3, [call('b')], { message: { id: 'm' }, requestId: 'r' }),
      result(5, 4, 'b', 'rb'),
    ],
    ['user: first prompt', 'call a', 'call b', 'a → ra', 'b → rb'],
  ],
  [
    'a result before its call',
    [P(1), result(3, 1, 'a', 'ra'), assistant(2, 3, [call('a')]), answer(4, 2, 'done')],
    ['user: first prompt', 'call a', 'a → ra', 'assistant: done'],
  ],
  [
    'two results for a call',
    [
      P(1),
      assistant(2, 1, [call('a')]),
      result(3, 2, 'a', 'one'),
      result(4, 3, 'a', 'two'),
      answer(5, 4, 'done'),
    ],
    ['user: first prompt', 'call a', 'a → one', 'assistant: done'],
  ],
  [
    'an id used again',
    [
      P(1),
      assistant(2, 1, [call('a')]),
      result(3, 2, 'a', 'one'),
      assistant(4, 3, [call('a')]),
      result(5, 4, 'a', 'two'),
    ],
    ['user: first prompt', 'call a', 'a → one', 'call a_2', 'a_2 → two'],
  ],
  [
    'a result whose call is not there',
    [P(1), P(2), result(3, 2, 'ghost', 'boo'), answer(4, 3, 'done')],
    [
      ...FIRST,
      'user: [Result of a call that is not in the file of this session (ghost):]',
      'user: boo',
      'assistant: done',
    ],
  ],
  [
    'a call without a result, and a prompt after it',
    [P(1), assistant(2, 1, [call('a')]), user(3, 2, 'well?'), answer(4, 3, 'ok')],
    ['user: first prompt', 'call a', `a → ${interrupted}`, 'user: well?', 'assistant: ok'],
  ],
  [
    'one of two results missing',
    [P(1), assistant(2, 1, [call('a'), call('b')]), result(3, 2, 'a', 'ra'), answer(4, 3, 'done')],
    ['user: first prompt', 'call a', 'call b', 'a → ra', `b → ${interrupted}`, 'assistant: done'],
  ],
  [
    'a call at the very end',
    [P(1), assistant(2, 1, [call('a')])],
    ['user: first prompt', 'call a', `a → ${interrupted}`],
  ],
  [
    'progress lines in the chain',
    [
      P(1),
      assistant(2, 1, [call('a')]),
      other(8, 2, 'progress'),
      result(3, 8, 'a', 'ra'),
      answer(4, 3, 'done'),
    ],
    ['user: first prompt', 'call a', 'a → ra', 'assistant: done'],
  ],
  [
    'what the model saw instead of a result',
    [
      P(1),
      assistant(2, 1, [call('a')]),
      result(3, 2, 'a', 'long'),
      {
        type: 'content-replacement',
        sessionId: 's',
        replacements: [{ kind: 'tool-result', toolUseId: 'a', replacement: 'short' }],
      },
    ],
    ['user: first prompt', 'call a', 'a → short'],
  ],
  // content
  [
    'an answer that is a string',
    [P(1), assistant(2, 1, 'just text')],
    ['user: first prompt', 'assistant: just text'],
  ],
  [
    'an answer without content',
    [P(1), assistant(2, 1, [])],
    ['user: first prompt', 'assistant: (no content)'],
  ],
  [
    'an empty text behind',
    [
      P(1),
      assistant(2, 1, [
        { type: 'text', text: 'x' },
        { type: 'text', text: '' },
      ]),
    ],
    ['user: first prompt', 'assistant: x'],
  ],
  [
    'reasoning without a signature',
    [P(1), assistant(2, 1, [{ type: 'thinking', thinking: 'hm', signature: '' }]), P(3), P(4)],
    ['user: first prompt', 'user: second prompt', 'assistant: second answer'],
  ],
  [
    'blocks that nobody knows',
    [P(1), assistant(2, 1, [{ type: 'hologram' }, { type: 'text', text: 'x' }])],
    ['user: first prompt', 'assistant: x'],
  ],
  [
    'blocks of server tools',
    [
      P(1),
      assistant(2, 1, [
        { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
        { type: 'text', text: 'x' },
      ]),
    ],
    ['user: first prompt', 'native server_tool_use', 'assistant: x'],
  ],
  [
    'an API error at the end',
    [
      ...plain,
      assistant(5, 4, [{ type: 'text', text: 'API Error: 500' }], {
        isApiErrorMessage: true,
        message: { model: '<synthetic>' },
      }),
    ],
    PLAIN,
  ],
  [
    'a local command',
    [...plain, system(5, 4, 'local_command', { content: '<command-name>/cost</command-name>' })],
    [...PLAIN, 'user: <command-name>/cost</command-name>'],
  ],
  [
    'a prompt that came in mid-turn',
    [
      P(1),
      assistant(2, 1, [call('a')]),
      result(3, 2, 'a', 'ra'),
      attachment(4, 3, { type: 'queued_command', prompt: 'also this', commandMode: 'prompt' }),
      answer(5, 4, 'done'),
    ],
    ['user: first prompt', 'call a', 'a → ra', 'user: also this', 'assistant: done'],
  ],
  [
    'a prompt that came in mid-turn as the last line',
    [
      P(1),
      assistant(2, 1, [call('a')]),
      result(3, 2, 'a', 'ra'),
      attachment(4, 3, { type: 'queued_command', prompt: 'also this', commandMode: 'prompt' }),
    ],
    ['user: first prompt', 'call a', 'a → ra', 'user: also this'],
  ],
  [
    'a mentioned file',
    [
      P(1),
      attachment(5, 1, { type: 'file' }, { rendered: [{ content: 'file body' }] }),
      answer(2, 5, 'first answer'),
    ],
    ['user: first prompt', 'user: file body', 'assistant: first answer'],
  ],
  [
    'a beginning that is lost',
    [answer(2, 1, 'first answer'), P(3), P(4)],
    ['user: [The beginning of this conversation is not in its file.]', ...PLAIN.slice(1)],
  ],
  // compaction
  [
    'a compaction',
    [
      ...plain,
      system(5, null, 'compact_boundary', { logicalParentUuid: id(4) }),
      user(6, 5, 'SUMMARY', { isCompactSummary: true }),
      user(7, 6, 'post'),
      answer(8, 7, 'ok'),
    ],
    ['user: SUMMARY', 'user: post', 'assistant: ok'],
  ],
  [
    'a compaction that kept messages',
    [
      ...plain,
      system(5, null, 'compact_boundary', {
        compactMetadata: { preservedMessages: { anchorUuid: id(6), uuids: [id(3), id(4)] } },
      }),
      user(6, 5, 'SUMMARY', { isCompactSummary: true }),
      user(7, 6, 'post'),
    ],
    ['user: SUMMARY', 'user: second prompt', 'assistant: second answer', 'user: post'],
  ],
  [
    'a summary without a boundary',
    [...plain, user(6, 4, 'SUMMARY', { isCompactSummary: true })],
    [...PLAIN, 'user: SUMMARY'],
  ],
];

describe('resuming a file with', () => {
  it.each(cases)('%s', (_, records, expected) => {
    const session = foldBytes(fileOf(...records));
    expect(gist(session.messages)).toEqual(expected);
    expect(pairingProblems(session.messages)).toEqual([]);
    if (session.messages.length > 0) expect(illegalities(session.messages)).toEqual([]);
  });
});

describe('a resumed session', () => {
  it('says what was skipped, and where', () => {
    const session = foldBytes(fileOf(P(1), 'junk', P(2), assistant(3, 2, [{ type: 'hologram' }])));
    expect(session.skipped).toMatchObject([
      { line: 2, reason: 'torn', what: 'junk', bytes: 4 },
      { line: 4, reason: 'unusable', what: 'a block of type "hologram"' },
    ]);
  });

  it('says when a later line replaced one with other content', () => {
    const session = foldBytes(fileOf(P(1), P(2), answer(2, 1, 'changed')));
    expect(gist(session.messages)).toEqual(['user: first prompt', 'assistant: changed']);
    expect(session.skipped).toMatchObject([{ reason: 'superseded', line: 2 }]);
  });

  it('is the same from records as from bytes', () => {
    expect(foldRecords(plain).messages).toEqual(foldBytes(fileOf(...plain)).messages);
  });

  it('counts tokens once a message, over all branches', () => {
    const twice = { message: { id: 'm', usage: { input_tokens: 10, output_tokens: 1 } }, requestId: 'r' };
    const last = { message: { id: 'm', usage: { input_tokens: 10, output_tokens: 50 } }, requestId: 'r' };
    const session = foldRecords([
      P(1),
      answer(2, 1, 'a', twice),
      answer(3, 2, 'b', last),
      user(4, 1, 'x'),
      answer(5, 4, 'y'),
    ]);
    expect(session.usage).toEqual({ inputTokens: 14, outputTokens: 59 });
    expect(session.lastUsage).toEqual({ inputTokens: 4, outputTokens: 9 });
  });

  it('takes titles in the order of their makers', () => {
    const ai = { type: 'ai-title', aiTitle: 'by model', sessionId: 's' };
    const custom = { type: 'custom-title', customTitle: 'by person', sessionId: 's' };
    expect(foldRecords([...plain, custom, ai]).title).toEqual({ text: 'by person', by: 'person' });
    expect(foldRecords([...plain, ai]).title).toEqual({ text: 'by model', by: 'model' });
    expect(foldRecords(plain).title).toEqual({ text: 'first prompt', by: 'prompt' });
  });

  it('asks where another program did not', () => {
    const modes = ['bypassPermissions', 'dontAsk', 'auto', 'default', 'acceptEdits', 'plan'].map(
      (permissionMode) => foldRecords([user(1, null, 'x', { permissionMode })]).mode,
    );
    expect(modes).toEqual(['ask', 'ask', 'ask', 'ask', 'acceptEdits', 'plan']);
  });

  it('keeps what limited a turn until the turn has ended, and no longer', () => {
    const note = (attachment: object, at: number) => ({
      type: 'attachment',
      uuid: `limit-${at}`,
      parentUuid: plain.at(-1)?.['uuid'],
      attachment,
    });
    const limits = note({ type: 'sluice_limits', label: '/x', tools: ['Read', 7] }, 1);
    const ended = note({ type: 'sluice_outcome', outcome: {} }, 2);
    expect(foldRecords([...plain, limits]).limits).toEqual({ label: '/x', tools: ['Read'] });
    expect(foldRecords([...plain, limits, { ...ended, parentUuid: 'limit-1' }]).limits).toBeUndefined();
    expect(foldRecords(plain).limits).toBeUndefined();
  });

  it('never lets reasoning of another program go back to a server', () => {
    const [, message] = foldRecords([
      P(1),
      assistant(2, 1, [{ type: 'thinking', thinking: '', signature: 'sig' }]),
    ]).messages;
    expect(message).toMatchObject({
      origin: { transport: 'anthropic-messages', baseUrl: '', model: 'claude-opus-5-5' },
    });
  });

  it('opens a subagent’s file too', () => {
    const trace = plain.map((line) => ({ ...line, isSidechain: true, agentId: 'a0123456789abcdef' }));
    expect(gist(foldRecords(trace).messages)).toEqual(PLAIN);
  });

  it('calls tools by their present names, and ids and names as servers take them', () => {
    const odd = [
      { type: 'tool_use', id: 'a b/c', name: 'Task', input: {} },
      { type: 'tool_use', id: '', name: 'my tool', input: 'no object' },
    ];
    const { messages } = foldRecords([P(1), assistant(2, 1, odd)]);
    expect(messages[1]?.content).toMatchObject([
      { id: 'a_b_c', name: 'Agent' },
      { id: 'toolu_unnamed', name: 'my_tool', input: {}, unparsed: { raw: '"no object"' } },
    ]);
    expect(illegalities(messages)).toEqual([]);
  });

  it('replaces halves of surrogate pairs, in texts and in inputs', () => {
    const bad = '\ud800';
    const { messages } = foldBytes(
      fileOf(
        P(1),
        assistant(2, 1, [
          { type: 'text', text: `x${bad}` },
          { type: 'tool_use', id: 't', name: 'Bash', input: { command: bad } },
        ]),
      ),
    );
    expect(messages[1]?.content).toMatchObject([{ text: 'x\uFFFD' }, { input: { command: '\uFFFD' } }]);
  });

  it('shows what a person saw, across a compaction', () => {
    const records = [
      P(1),
      assistant(2, 1, [call('a')]),
      result(3, 2, 'a', 'Exit code 2\nboom', {
        toolUseResult: 'Error: Exit code 2\nboom',
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'a', content: 'Exit code 2\nboom', is_error: true }],
        },
      }),
      answer(4, 3, 'It fails.'),
      system(5, null, 'compact_boundary', { logicalParentUuid: id(4), compactMetadata: { trigger: 'auto' } }),
      user(6, 5, 'SUMMARY', { isCompactSummary: true }),
      user(7, 6, 'post'),
      user(8, 7, [{ type: 'text', text: '[Request interrupted by user]' }]),
    ];
    expect(foldRecords(records).items).toMatchObject([
      { type: 'prompt', text: 'first prompt' },
      { type: 'call', id: 'a', tool: 'Bash', end: 'failed', summary: { text: 'exit 2', exitCode: 2 } },
      { type: 'text', text: 'It fails.' },
      { type: 'boundary', trigger: 'auto' },
      { type: 'prompt', text: 'post' },
      { type: 'notice', text: 'Stopped while the model was answering.' },
    ]);
    expect(foldRecords(records).boundaries).toMatchObject([{ uuid: id(5), trigger: 'auto' }]);
  });

  it('can show only the newest lines', () => {
    const session = foldRecords(plain, { displayLines: 1 });
    expect(session.items).toMatchObject([{ type: 'text', text: 'second answer' }]);
    expect(session.earlier).toBeDefined();
    expect(gist(session.messages)).toEqual(PLAIN);
  });

  it('knows from where each prompt can be asked anew', () => {
    expect(foldRecords(plain).rewindPoints).toEqual([
      { prompt: id(1), to: null },
      { prompt: id(3), to: { leaf: id(2), end: id(2) } },
    ]);
    expect(gist(foldRecords(plain, { leaf: id(2) }).messages)).toEqual(FIRST);
  });

  it('leaves a call of another program answered, never pending: whether it began is not known', () => {
    const session = foldRecords([P(1), assistant(2, 1, [call('a')])]);
    expect(session.open).toMatchObject([{ call: { id: 'a' }, fate: 'unknown', last: true, line: id(2) }]);
    expect(pendingStepOf(session)).toBeUndefined();
  });
});
