import { describe, expect, it } from 'vitest';
import type { Delta } from '../../../extension/protocol/messages';
import type { CallRow, OutcomeRow, Row } from '../../../extension/protocol/view-state';
import { announcementsFor, spokenReply } from '../../../webview/a11y/announcements';

const CALL: CallRow = {
  type: 'call',
  id: 'c',
  tool: 'Bash',
  kind: 'command',
  title: 'Run command',
  state: 'executing',
  target: { text: 'npm test' },
};
const OUTCOME: OutcomeRow = {
  type: 'outcome',
  id: 'o',
  kind: 'completed',
  reason: '',
  steps: 2,
  durationMs: 900,
  usage: {},
  denials: 0,
  next: { type: 'none' },
};
const said = (delta: Delta, before: Row | undefined = undefined, lastText: string | undefined = undefined) =>
  announcementsFor(
    delta,
    () => before,
    () => lastText,
  ).map(({ urgency, text }) => `${urgency}: ${text}`);

describe('what a screen reader is told', () => {
  it.each<[string, Delta]>([
    ['streamed text', { type: 'append', id: 'c', at: 0, text: 'token' }],
    ['output of a command', { type: 'output', id: 'c', text: 'line' }],
    ['the end of a block', { type: 'close', id: 'c' }],
    ['usage', { type: 'header', patch: { usage: {} } }],
    ['a prompt', { type: 'row', row: { type: 'prompt', id: 'p', text: 'x', at: 0 } }],
    ['a call that starts', { type: 'row', row: CALL }],
  ])('nothing of %s', (_name, delta) => {
    expect(said(delta, CALL)).toEqual([]);
  });

  it('a question at once, with what is asked and nothing hidden in it, and only once', () => {
    const approval = {
      id: 'a',
      title: 'Run this command?',
      reason: '',
      detail: { type: 'command' as const, command: 'rm \u202ex', cwd: '/w' },
    };
    const delta: Delta = { type: 'call', id: 'c', patch: { state: 'waiting', approval } };
    expect(said(delta, CALL)).toEqual(['assertive: Approval needed. Run this command? rm ⟨U+202E⟩x']);
    expect(said(delta, { ...CALL, state: 'waiting', approval })).toEqual([]);
  });

  it('a question whose state and card come in two changes', () => {
    const approval = { id: 'a', title: 'Run?', reason: '', detail: { type: 'other' as const, text: 'x' } };
    expect(said({ type: 'call', id: 'c', patch: { approval } }, { ...CALL, state: 'waiting' })).toHaveLength(
      1,
    );
    expect(said({ type: 'call', id: 'c', patch: { state: 'waiting' } }, { ...CALL, approval })).toHaveLength(
      1,
    );
  });

  it('an error at once', () => {
    expect(
      said({ type: 'row', row: { type: 'error', id: 'e', title: 'No key', detail: 'Set one.' } }),
    ).toEqual(['assertive: Error: No key. Set one.']);
  });

  it('the reply once when the turn ends', () => {
    const delta: Delta = { type: 'row', row: OUTCOME };
    expect(said(delta, undefined, 'Fixed `a.js`.')).toEqual(['polite: Sluice: Fixed a.js. Done, 2 steps.']);
    expect(said(delta, OUTCOME, 'Fixed `a.js`.')).toEqual([]);
  });

  it('why a turn did not complete', () => {
    expect(said({ type: 'row', row: { ...OUTCOME, kind: 'max_steps', reason: '50 steps.' } })).toEqual([
      'polite: Step limit reached, 2 steps. 50 steps.',
    ]);
  });

  it('a finished command or edit, a failed read, but not every read', () => {
    const done = (row: CallRow) =>
      said({ type: 'call', id: 'c', patch: { ...row, state: 'completed' } }, CALL);
    expect(done({ ...CALL, end: 'ok', exitCode: 0 })).toEqual(['polite: Command npm test, done, exit 0']);
    expect(done({ ...CALL, end: 'failed', exitCode: 1 })).toEqual([
      'polite: Command npm test, failed, exit 1',
    ]);
    expect(done({ ...CALL, kind: 'read', end: 'ok' })).toEqual([]);
    expect(done({ ...CALL, kind: 'read', end: 'failed' })).toEqual(['polite: Read npm test, failed']);
  });

  it('that it tries again', () => {
    const retry = { attempt: 2, of: 5, untilMs: 0, reason: 'Overloaded' };
    expect(said({ type: 'header', patch: { retry } })).toEqual([
      'polite: Overloaded. Trying again, attempt 2 of 5.',
    ]);
  });

  it('nothing of a row type that it does not know', () => {
    expect(said({ type: 'row', row: { type: 'new', id: 'x' } as unknown as Row })).toEqual([]);
  });

  it('a reply without its marks, and never an endless one', () => {
    expect(spokenReply('## Done\n\n```js\nx\n```\n- **a**')).toBe('Done x - a');
    expect(spokenReply('word '.repeat(1_000)).length).toBeLessThan(1_100);
  });
});

describe('a reply as it is spoken', () => {
  it('loses the marks of prose and keeps code as it is', () => {
    expect(
      spokenReply(
        '# Done\n\n**Changed** `subtotal > FREE_SHIPPING_FROM` to `>=` in *one* place, snake_case stays.',
      ),
    ).toBe('Done Changed subtotal > FREE_SHIPPING_FROM to >= in one place, snake_case stays.');
    expect(spokenReply('> quoted\n\n```js\nconst a_b = 1;\n```')).toBe('quoted const a_b = 1;');
  });
});
