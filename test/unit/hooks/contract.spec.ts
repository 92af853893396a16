import { describe, expect, it } from 'vitest';
import { together, wordOf } from '../../../extension/hooks/contract';
import type { HookEvent } from '../../../extension/context/definitions/hooks';
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

describe('event × exit code × output', () => {
  it.each<[HookEvent, string, HookEnd, object]>([
    ['PreToolUse', 'says nothing', end(0), {}],
    ['PreToolUse', 'prints words', end(0, 'fine'), {}],
    ['PreToolUse', 'blocks by exit code', end(2, '', 'not here'), { decision: 'deny', reason: 'not here' }],
    ['PreToolUse', 'blocks without words', end(2), { decision: 'deny', reason: 'A hook declined it.' }],
    ['PreToolUse', 'fails', end(1, '', 'oops'), { trouble: 'it ended with exit code 1: oops' }],
    ['PreToolUse', 'is killed', end(undefined), { trouble: 'it ended with a signal: ' }],
    [
      'PreToolUse',
      'hangs',
      end(undefined, '', '', { timedOut: true }),
      { trouble: 'it did not end in time and was killed' },
    ],
    [
      'PreToolUse',
      'floods',
      end(undefined, '', '', { flooded: true }),
      { trouble: 'it printed without end and was killed' },
    ],
    [
      'PreToolUse',
      'denies',
      specific({ permissionDecision: 'deny', permissionDecisionReason: 'no' }),
      { decision: 'deny', reason: 'no' },
    ],
    [
      'PreToolUse',
      'asks',
      specific({ permissionDecision: 'ask', permissionDecisionReason: 'sure?' }),
      { decision: 'ask', reason: 'sure?' },
    ],
    ['PreToolUse', 'allows, which widens nothing', specific({ permissionDecision: 'allow' }), {}],
    ['PreToolUse', 'approves in the old words', json({ decision: 'approve' }), {}],
    [
      'PreToolUse',
      'blocks in the old words',
      json({ decision: 'block', reason: 'no' }),
      { decision: 'deny', reason: 'no' },
    ],
    [
      'PreToolUse',
      'changes the input',
      specific({ permissionDecision: 'allow', updatedInput: { a: 1 } }),
      { decision: 'deny', reason: 'A hook wants another input. Send the call again with: {"a":1}' },
    ],
    ['PreToolUse', 'stops the turn', json({ continue: false, stopReason: 'enough' }), { stop: 'enough' }],
    ['PreToolUse', 'is no JSON', end(0, '{oops'), { trouble: 'its output is not JSON' }],
    [
      'PreToolUse',
      'has another form',
      json({ continue: 'no' }),
      { trouble: 'its output has another form than hooks have' },
    ],
    ['PostToolUse', 'gives feedback', end(2, '', 'lint fails'), { decision: 'deny', reason: 'lint fails' }],
    ['PostToolUse', 'adds context', specific({ additionalContext: 'see b.ts' }), { context: 'see b.ts' }],
    ['PostToolUseFailure', 'gives feedback', end(2, '', 'try x'), { decision: 'deny', reason: 'try x' }],
    ['UserPromptSubmit', 'prints context', end(0, 'Today is Monday\n'), { context: 'Today is Monday' }],
    ['UserPromptSubmit', 'blocks', end(2, '', 'secret'), { decision: 'deny', reason: 'secret' }],
    ['SessionStart', 'prints context', end(0, 'Branch x'), { context: 'Branch x' }],
    ['Stop', 'wants more', end(2, '', 'tests fail'), { decision: 'deny', reason: 'tests fail' }],
    [
      'Stop',
      'wants more in JSON',
      json({ decision: 'block', reason: 'tests fail' }),
      { decision: 'deny', reason: 'tests fail' },
    ],
    ['Notification', 'cannot block', end(2, '', 'x'), { trouble: 'x' }],
    ['SessionEnd', 'cannot block', end(2, '', 'x'), { trouble: 'x' }],
  ])('%s %s', (event, _, ended, expected) => {
    expect(wordOf(event, ended)).toEqual(expected);
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
