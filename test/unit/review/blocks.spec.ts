/** Texts taken apart into changes and put together again: every byte of one side or the other, in any choice. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blocksOf, hunkOf, linesOf, withBlocks } from '../../../extension/review/blocks';
import { merge } from '../../../extension/review/merge';
import { partialResult, partsOf, shownBlocks, withLineEnds } from '../../../extension/review/parts';

const line = fc.constantFrom('a', 'b', 'c', '', '  x', 'é', '🎉');
const end = fc.constantFrom('\n', '\r\n', '\r');
const text = fc
  .tuple(fc.array(fc.tuple(line, end), { maxLength: 10 }), line)
  .map(([lines, last]) => lines.map((one) => one.join('')).join('') + last);

describe('lines', () => {
  it('keep their ends, whichever these are', () => {
    expect(linesOf('a\r\nb\rc\nd')).toEqual(['a\r\n', 'b\r', 'c\n', 'd']);
    expect(linesOf('')).toEqual([]);
    fc.assert(fc.property(text, (whole) => linesOf(whole).join('') === whole));
  });
});

describe('blocks', () => {
  it('are the old text when none is taken, the new one when all are', () => {
    fc.assert(
      fc.property(text, text, (old, now) => {
        const [a, b] = [linesOf(old), linesOf(now)];
        const blocks = blocksOf(a, b);
        expect(withBlocks(a, b, blocks, () => false)).toBe(old);
        expect(withBlocks(a, b, blocks, () => true)).toBe(now);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are what is left of the others when one is taken out', () => {
    fc.assert(
      fc.property(text, text, fc.nat(), (old, now, pick) => {
        const [a, b] = [linesOf(old), linesOf(now)];
        const blocks = blocksOf(a, b);
        fc.pre(blocks.length > 0);
        const out = pick % blocks.length;
        const rest = withBlocks(a, b, blocks, (_, index) => index !== out);
        const oldOnly = withBlocks(a, b, blocks, (_, index) => index === out);
        expect(merge(old, rest, oldOnly) ?? now).toBe(now);
      }),
      { numRuns: 2_000 },
    );
  });

  it('show context that no other block shows', () => {
    const old = linesOf('1\n2\n3\n4\n5\n');
    const now = linesOf('1\nB\n3\nD\n5\n');
    const blocks = blocksOf(old, now);
    expect(blocks).toHaveLength(2);
    expect(hunkOf(old, now, blocks, 0)).toEqual({
      oldStart: 1,
      oldLines: 3,
      newStart: 1,
      newLines: 3,
      lines: [' 1', '-2', '+B', ' 3'],
    });
    expect(hunkOf(linesOf(''), linesOf('x'), blocksOf([], ['x']), 0)).toEqual({
      oldStart: 0,
      oldLines: 0,
      newStart: 1,
      newLines: 1,
      lines: ['+x', '\\ No newline at end of file'],
    });
  });
});

describe('a merge', () => {
  it('keeps both changes where they do not meet, and refuses where they do', () => {
    expect(merge('1\n2\n3\n4\n', '1\nB\n3\n4\n', '1\n2\n3\nD\n')).toBe('1\nB\n3\nD\n');
    expect(merge('1\n2\n3\n', '1\nB\n3\n', '1\nb\n3\n')).toBeUndefined();
    expect(merge('1\n2\n', '1\nB\n', '1\nB\n')).toBe('1\nB\n');
    expect(merge('1\n', '1\nx\n', '1\ny\n')).toBeUndefined();
  });
});

describe('a proposal taken in part', () => {
  const before = 'one\r\ntwo\nthree\r\nfour\nfive\n';
  const proposed = 'ONE\r\ntwo\nTHREE\r\nfour\nFIVE\n';
  const parts = partsOf(before, proposed);

  it('leaves the bytes of what was taken out as they were', () => {
    expect(parts.blocks).toHaveLength(3);
    const shown = 'ONE\ntwo\nTHREE\nfour\nfive\n';
    const comments = new Map([[parts.keys[2] ?? '', 'not this one']]);
    const { exact, typed, decisions } = partialResult(parts, shown, comments);
    expect(exact).toBe('ONE\r\ntwo\nTHREE\r\nfour\nfive\n');
    expect(typed).toBe(false);
    expect(decisions.map(({ type }) => type)).toEqual(['taken', 'taken', 'rejected']);
    expect(decisions[2]).toMatchObject({
      comment: 'not this one',
      hunk: { lines: [' four', '-five', '+FIVE'] },
    });
  });

  it('tells what the person wrote from what they left', () => {
    const shown = 'ONE\ntwo\nmine\nfour\nFIVE\n';
    expect(shownBlocks(parts, shown).map(({ proposed: index }) => index)).toEqual([0, undefined, 2]);
    const { typed, decisions } = partialResult(parts, shown);
    expect(typed).toBe(true);
    expect(decisions.map(({ type }) => type)).toEqual(['taken', 'changed', 'taken']);
  });

  it('keeps the end of every line that somebody typed beside', () => {
    const shown = 'ONE\ntwo\nTHREE\nfour and a half\nnew\nfive\n';
    expect(withLineEnds(parts, shown)).toBe('ONE\r\ntwo\nTHREE\r\nfour and a half\nnew\nfive\n');
    expect(withLineEnds(parts, 'ONE\ntwo\nTHREE, mine\nfour\nFIVE')).toBe(
      'ONE\r\ntwo\nTHREE, mine\r\nfour\nFIVE',
    );
  });

  it('is whole when nothing was changed, whatever the line ends on the screen are', () => {
    const { exact, typed, decisions } = partialResult(parts, proposed.replace(/\r\n/g, '\n'));
    expect(exact).toBe(proposed);
    expect(typed).toBe(false);
    expect(decisions.every(({ type }) => type === 'taken')).toBe(true);
  });

  it('of any choice is exactly the chosen blocks', () => {
    fc.assert(
      fc.property(text, text, fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), (old, now, take) => {
        const each = partsOf(old, now);
        const chosen = withBlocks(
          each.before.exact,
          each.proposed.exact,
          each.blocks,
          (_, i) => take[i] === true,
        );
        const { exact, typed } = partialResult(each, chosen.replace(/\r\n|\r/g, '\n'));
        if (!typed) expect(exact.replace(/\r\n|\r/g, '\n')).toBe(chosen.replace(/\r\n|\r/g, '\n'));
      }),
      { numRuns: 2_000 },
    );
  });
});
