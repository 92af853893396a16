import { describe, expect, it } from 'vitest';
import { failureGuard, type GuardedCall } from '../../../extension/agent/limits/failure-guard';

const test: GuardedCall = {
  tool: 'Bash',
  input: '{"command":"npm test"}',
  mutates: true,
  failure: 'exit',
  result: 'Exit code 1',
};
const edit = (path: string, failure?: string): GuardedCall => ({
  tool: 'Edit',
  input: JSON.stringify({ path, n: Math.random() }),
  path,
  mutates: true,
  result: failure ?? 'ok',
  ...(failure === undefined ? {} : { failure }),
});
const poll = (result: string): GuardedCall => ({
  tool: 'TaskOutput',
  input: '{"id":1}',
  mutates: false,
  result,
});

function types(limit: number, steps: readonly (readonly GuardedCall[])[]): string[] {
  const guard = failureGuard(limit);
  return steps.map((step) => guard.observe(step).type);
}

describe('the repeated-failure guard', () => {
  it('warns one before the limit, then trips', () => {
    expect(types(3, [[test], [test], [test]])).toEqual(['ok', 'warn', 'tripped']);
  });
  it('counts equal failures of one step once', () => {
    expect(
      types(3, [
        [test, test, test],
        [test, test],
      ]),
    ).toEqual(['ok', 'warn']);
  });
  it('takes edit, test, edit, test for work, not for a loop', () => {
    expect(types(3, [[test], [edit('a')], [test], [edit('a')], [test], [edit('a')], [test]])).not.toContain(
      'tripped',
    );
  });
  it('notices the same kind of error with other inputs', () => {
    expect(types(3, [[edit('a', 'no_match')], [edit('b', 'no_match')], [edit('c', 'no_match')]]).at(-1)).toBe(
      'tripped',
    );
  });
  it('notices a path that cannot be changed, whatever the error, and lets only a change of that path clear it', () => {
    expect(
      types(3, [
        [edit('a', 'stale')],
        [edit('b')],
        [edit('a', 'no_match')],
        [edit('b')],
        [edit('a', 'io')],
      ]).at(-1),
    ).toBe('tripped');
    expect(
      types(3, [[edit('a', 'stale')], [edit('a')], [edit('a', 'no_match')], [edit('a')], [edit('a', 'io')]]),
    ).not.toContain('tripped');
  });
  it('lets a tool that succeeds start afresh', () => {
    const read = (failure?: string): GuardedCall => ({
      tool: 'Read',
      input: String(Math.random()),
      mutates: false,
      result: 'x',
      ...(failure ? { failure } : {}),
    });
    expect(
      types(3, [
        [read('not_found')],
        [read('not_found')],
        [read()],
        [read('not_found')],
        [read('not_found')],
      ]),
    ).not.toContain('tripped');
  });
  it('does not take polling that changes for a failure, and unchanged polling only after long', () => {
    expect(
      types(
        3,
        Array.from({ length: 30 }, (_, i) => [poll(`${i} lines`)]),
      ),
    ).not.toContain('tripped');
    const same = types(
      3,
      Array.from({ length: 9 }, () => [poll('waiting')]),
    );
    expect(same.indexOf('tripped')).toBe(8);
  });
  it('is off at 0', () => {
    expect(types(0, [[test], [test], [test], [test]])).not.toContain('tripped');
  });
});
