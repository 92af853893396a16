import { describe, expect, it } from 'vitest';
import type { CallRow } from '../../../extension/protocol/view-state';
import type { CallState, CallEnd } from '../../../extension/protocol/vocabulary';
import { compact, duration, elapsed, money, plural, totalTokens } from '../../../webview/numbers';
import { factsOf, gateOf, gateOfMany, sentenceOf, verbOf } from '../../../webview/words';

const CALL: CallRow = {
  type: 'call',
  id: 'c',
  tool: 'Read',
  kind: 'read',
  title: 'Read file',
  state: 'yielded',
  end: 'ok',
  target: { text: 'a.js' },
};
const facts = (rest: Partial<CallRow>, now = 0) =>
  factsOf({ ...CALL, ...rest }, now)
    .map((fact) => fact.text)
    .join(' · ');

describe('words of a call', () => {
  it.each<[CallState, CallEnd | undefined, string]>([
    ['queued', undefined, 'queued'],
    ['waiting', undefined, 'waiting'],
    ['executing', undefined, 'executing'],
    ['completed', 'ok', 'done'],
    ['yielded', 'ok', 'done'],
    ['yielded', 'failed', 'failed'],
    ['yielded', 'denied', 'denied'],
    ['yielded', 'cancelled', 'cancelled'],
    ['completed', 'unknown', 'unknown'],
  ])('%s %s is the gate %s', (state, end, gate) => {
    const { end: _dropped, ...rest } = CALL;
    expect(gateOf(end === undefined ? { ...rest, state } : { ...rest, state, end })).toBe(gate);
  });

  it('says every state in words, not by colour alone', () => {
    expect(facts({ state: 'queued' })).toBe('queued');
    expect(facts({ state: 'waiting' })).toBe('needs your answer');
    expect(facts({ state: 'executing', startedAt: 0 }, 500)).toBe('running');
    expect(facts({ state: 'executing', startedAt: 0 }, 12_900)).toBe('running · 12 s');
    expect(facts({ end: 'failed', exitCode: 1, durationMs: 1_200 })).toBe('exit 1 · 1.2 s');
    expect(facts({ end: 'failed' })).toBe('failed');
    expect(facts({ end: 'denied' })).toBe('denied');
    expect(facts({ end: 'denied', answeredBy: 'Not answered' })).toBe('denied');
    expect(facts({ end: 'denied', answeredBy: 'Denied in the chat' })).toBe('you denied');
    expect(facts({ end: 'denied', kind: 'edit', answeredBy: 'Denied in the diff' })).toBe('you rejected');
    expect(facts({ end: 'cancelled', cause: 'user_interrupt' })).toBe('stopped by you');
    expect(facts({ end: 'unknown' })).toBe('result unknown');
  });

  it('gives the numbers of a finished call', () => {
    expect(facts({ overlap: 2, durationMs: 9 })).toBe('2 at once · 9 ms');
    expect(facts({ kind: 'edit', diff: { added: 1, removed: 2 }, answeredBy: 'card', durationMs: 14 })).toBe(
      '+1 · −2 · you accepted · 14 ms',
    );
    expect(facts({ kind: 'command', exitCode: 0, durationMs: 3 })).toBe('exit 0 · 3 ms');
  });

  it('puts the verb into the tense of the state', () => {
    expect(verbOf({ ...CALL, kind: 'search', state: 'queued' })).toBe('Search');
    expect(verbOf({ ...CALL, kind: 'search', state: 'executing' })).toBe('Searching');
    expect(verbOf({ ...CALL, kind: 'search' })).toBe('Searched');
    expect(verbOf({ ...CALL, kind: 'edit', tool: 'Write' })).toBe('Wrote');
    expect(verbOf({ ...CALL, kind: 'edit', end: 'denied' })).toBe('Edit');
    expect(verbOf({ ...CALL, kind: 'mcp', title: 'list issues' })).toBe('list issues');
  });

  it('shows a fold as what still goes on in it', () => {
    expect(gateOfMany([CALL, { ...CALL, state: 'executing' }, { ...CALL, state: 'queued' }])).toBe(
      'executing',
    );
    expect(gateOfMany([CALL, { ...CALL, state: 'queued' }])).toBe('queued');
    expect(gateOfMany([CALL, CALL])).toBe('done');
  });

  it('says the whole row in one sentence', () => {
    expect(sentenceOf({ ...CALL, summary: '11 lines', durationMs: 9 })).toBe(
      'Read a.js, 11 lines, done, 9 ms',
    );
  });
});

describe('numbers', () => {
  it.each([
    [0, '0 ms'],
    [999.6, '1000 ms'],
    [1_000, '1.0 s'],
    [9_949, '9.9 s'],
    [9_950, '10 s'],
    [59_400, '59 s'],
    [60_000, '1 min'],
    [65_000, '1 min 5 s'],
    [3_600_000, '1 h'],
    [3_780_000, '1 h 3 min'],
  ])('%d ms is %s', (ms, text) => expect(duration(ms)).toBe(text));

  it.each([
    [0, '0'],
    [999, '999'],
    [1_000, '1k'],
    [12_400, '12.4k'],
    [99_960, '100k'],
    [999_600, '1M'],
    [1_250_000, '1.3M'],
  ])('%d tokens are %s', (count, text) => expect(compact(count)).toBe(text));

  it('counts a running clock in whole seconds', () => expect(elapsed(9_999)).toBe('9 s'));
  it('never rounds money to nothing', () =>
    expect([money(0.001), money(0), money(1.005)]).toEqual(['<$0.01', '$0.00', '$1.00']));
  it('knows one from many', () =>
    expect([plural(1, 'step'), plural(2, 'step')]).toEqual(['1 step', '2 steps']));
  it('leaves unknown usage unknown', () =>
    expect([totalTokens({}), totalTokens({ outputTokens: 0 })]).toEqual([undefined, 0]));
});
