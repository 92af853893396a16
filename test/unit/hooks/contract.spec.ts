import { describe, expect, it } from 'vitest';
import { together, wordOf, type HookWord } from '../../../extension/hooks/contract';
import { HOOK_EVENTS, type HookEvent } from '../../../extension/context/definitions/hooks';
import type { HookEnd } from '../../../extension/ports';

const end = (
  exitCode: number | undefined,
  stdout = '',
  stderr = '',
  more: Partial<HookEnd> = {},
): HookEnd => ({
  exitCode,
  stdout,
  stderr,
  timedOut: false,
  flooded: false,
  ...more,
});
const json = (value: unknown): HookEnd => end(0, JSON.stringify(value));
const specific = (value: object): HookEnd => json({ hookSpecificOutput: value });

/** The columns: how a hook can end, by exit code and by output. */
const ENDINGS = {
  words: end(0, 'words\n'),
  'exit 2': end(2, '', 'no\n'),
  'exit 2, silent': end(2),
  context: specific({ additionalContext: 'words' }),
  block: json({ decision: 'block', reason: 'no' }),
  deny: specific({ permissionDecision: 'deny', permissionDecisionReason: 'no' }),
  'behaviour deny': specific({ decision: { behavior: 'deny', message: 'no' } }),
  ask: specific({ permissionDecision: 'ask', permissionDecisionReason: 'sure?' }),
  allow: specific({ permissionDecision: 'allow' }),
  'other input': specific({ permissionDecision: 'allow', updatedInput: { a: 1 } }),
  stop: json({ continue: false, stopReason: 'enough' }),
} as const;
type Ending = keyof typeof ENDINGS;

const NOTHING: HookWord = {};
const NO: HookWord = { decision: 'deny', reason: 'no' };
const WORDS: HookWord = { context: 'words' };
const TROUBLE: HookWord = { trouble: 'no' };
const SILENT_NO: HookWord = { decision: 'deny', reason: 'A hook declined it.' };
const SILENT_TROUBLE: HookWord = { trouble: 'A hook declined it.' };
const STOP: HookWord = { stop: 'enough' };

type Row = readonly [HookEvent, Readonly<Record<Ending, HookWord>>];
/** An event that cannot be answered: its hooks are only told. */
const deaf: Readonly<Record<Ending, HookWord>> = {
  words: NOTHING,
  'exit 2': TROUBLE,
  'exit 2, silent': SILENT_TROUBLE,
  context: NOTHING,
  block: NOTHING,
  deny: NOTHING,
  'behaviour deny': NOTHING,
  ask: NOTHING,
  allow: NOTHING,
  'other input': NOTHING,
  stop: NOTHING,
};
const declining = {
  ...deaf,
  'exit 2': NO,
  'exit 2, silent': SILENT_NO,
  block: NO,
  deny: NO,
  'behaviour deny': NO,
  stop: STOP,
} as const;

const TABLE: readonly Row[] = [
  ['SessionStart', { ...deaf, words: WORDS, context: WORDS }],
  ['UserPromptSubmit', { ...declining, words: WORDS, context: WORDS }],
  [
    'PreToolUse',
    {
      ...declining,
      context: WORDS,
      ask: { decision: 'ask', reason: 'sure?' },
      'other input': {
        decision: 'deny',
        reason: 'A hook wants another input. Send the call again with: {"a":1}',
      },
    },
  ],
  ['PostToolUse', { ...declining, context: WORDS }],
  ['PostToolUseFailure', { ...declining, context: WORDS }],
  ['PermissionRequest', declining],
  ['PreCompact', { ...deaf, words: WORDS, context: WORDS }],
  ['Stop', declining],
  ['SubagentStop', declining],
  ['Notification', deaf],
  ['SessionEnd', deaf],
];

describe('event × exit code × output', () => {
  it('covers every event', () => {
    expect(TABLE.map(([event]) => event)).toEqual(HOOK_EVENTS);
  });

  it.each(
    TABLE.flatMap(([event, row]) =>
      (Object.keys(ENDINGS) as Ending[]).map((ending) => [event, ending, row[ending]] as const),
    ),
  )('%s, %s', (event, ending, expected) => {
    expect(wordOf(event, ENDINGS[ending])).toEqual(expected);
  });

  /** What means the same whatever the event. */
  it.each<[string, HookEnd, HookWord]>([
    ['silent', end(0), NOTHING],
    ['fails', end(1, '', 'oops'), { trouble: 'it ended with exit code 1: oops' }],
    [
      'fails with another code',
      end(127, '{"continue":false}', 'x'),
      { trouble: 'it ended with exit code 127: x' },
    ],
    ['is killed', end(undefined), { trouble: 'it ended with a signal: ' }],
    [
      'hangs',
      end(undefined, '', '', { timedOut: true }),
      { trouble: 'it did not end in time and was killed' },
    ],
    [
      'floods',
      end(undefined, '', '', { flooded: true }),
      { trouble: 'it printed without end and was killed' },
    ],
    [
      'has another form',
      json({ continue: 'no' }),
      { trouble: 'its output has another form than hooks have' },
    ],
    ['approves in the old words', json({ decision: 'approve' }), NOTHING],
    ['tells the person', json({ systemMessage: 'Look here.' }), { message: 'Look here.' }],
  ])('whatever the event: %s', (_, ended, expected) => {
    for (const event of HOOK_EVENTS) expect(wordOf(event, ended)).toEqual(expected);
  });

  it('broken JSON is words where words count, and trouble where they do not', () => {
    for (const [event, row] of TABLE)
      expect(wordOf(event, end(0, '{oops'))).toEqual(
        row.words === WORDS ? { context: '{oops' } : { trouble: 'its output is not JSON' },
      );
  });

  it('deny beats ask beats nothing, and all context is kept', () => {
    expect(
      together([
        { context: 'a' },
        { decision: 'ask', reason: 'sure?' },
        { decision: 'deny', reason: 'no', context: 'b' },
      ]),
    ).toEqual({
      decision: 'deny',
      reason: 'no',
      context: 'a\n\nb',
    });
    expect(together([{}, { decision: 'ask' }])).toEqual({ decision: 'ask' });
  });
});
