import { describe, expect, it } from 'vitest';
import { changedParts, withoutReturns } from '../../../webview/components/rows/diff-words';

const marked = (...lines: string[]) =>
  changedParts(lines).map((part, i) => {
    const text = (lines[i] ?? '').slice(1);
    return part === undefined
      ? text
      : `${text.slice(0, part[0])}[${text.slice(...part)}]${text.slice(part[1])}`;
  });

describe('what changed within a line', () => {
  it('is the middle that differs', () => {
    expect(marked(' a', '-if (x > y) z', '+if (x >= y) z', ' b')).toEqual([
      'a',
      'if (x >[] y) z',
      'if (x >[=] y) z',
      'b',
    ]);
  });
  it('is compared line by line in runs of the same length', () => {
    expect(marked('-let a = 1;', '-let b = 2;', '+let a = 3;', '+let b = 4;')).toEqual([
      'let a = [1];',
      'let b = [2];',
      'let a = [3];',
      'let b = [4];',
    ]);
  });
  it.each([
    [['-a line', '+a line', '+another']],
    [['-completely', '+different!']],
    [['+only new']],
    [['-only gone']],
    [[]],
  ])('is nothing for %j', (lines) => {
    expect(marked(...lines)).toEqual(lines.map((line) => line.slice(1)));
  });
  it('never cuts a character in two', () => {
    expect(marked('-value = "👍";', '+value = "👎";')).toEqual(['value = "[👍]";', 'value = "[👎]";']);
  });
});

describe('carriage returns', () => {
  it('of CRLF are not shown, unless they are what changed', () => {
    expect(withoutReturns([' a\r', '-b\r', '+B\r'])).toEqual([' a', '-b', '+B']);
    expect(withoutReturns(['-b\r', '+b'])).toEqual(['-b\r', '+b']);
  });
});
