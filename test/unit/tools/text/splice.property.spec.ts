/** Whatever is edited, nothing outside the matched text changes by a single character. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withLf } from '../../../../extension/tools/text/line-ends';
import { hunksOf } from '../../../../extension/tools/text/hunks';
import { applySplices, spliceFor } from '../../../../extension/tools/text/splice';
import { findMatches } from '../../../../extension/tools/text/text-match';
import { growth } from '../../../fakes/growth';
import type { Hunk } from '../../../../extension/protocol/vocabulary';

const word = fc.constantFrom(
  'a',
  'b',
  'foo',
  'bar(1)',
  '"q"',
  '“q”',
  'é',
  'e\u0301',
  '🎉',
  'x = 1;',
  '{',
  '}',
  '',
);
const blank = fc.constantFrom('', ' ', '  ', '\t', '    ', '\u00A0');
const line = fc.tuple(blank, word, blank, word, blank).map((parts) => parts.join(''));
const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
const text = fc
  .tuple(fc.array(fc.tuple(line, lineEnd), { maxLength: 12 }), line)
  .map(([lines, last]) => lines.map((one) => one.join('')).join('') + last);

/** A part of the text as a model might write it down again. */
const quoted = (whole: string) =>
  fc
    .tuple(fc.nat(whole.length), fc.nat(whole.length), fc.constantFrom('as is', 'LF', 'blanks', 'quotes'))
    .map(([a, b, how]) => {
      const part = whole.slice(Math.min(a, b), Math.max(a, b));
      if (how === 'LF') return withLf(part);
      if (how === 'blanks') return withLf(part).replace(/[ \t]+/g, ' ');
      return how === 'quotes' ? withLf(part).replace(/[“”]/g, '"') : part;
    });

const scenario = text.chain((whole) =>
  fc.record({ whole: fc.constant(whole), old: quoted(whole), now: text }),
);

describe('a splice', () => {
  it('changes nothing outside the matched span', () => {
    let tolerant = 0;
    fc.assert(
      fc.property(scenario, ({ whole, old, now }) => {
        fc.pre(old !== '' && old !== now);
        const found = findMatches(whole, old);
        if (!found) return;
        if (found.kind === 'tolerant') tolerant++;
        for (const span of found.spans) {
          const after = applySplices(whole, [spliceFor(whole, span, found.kind, old, now)]);
          const kept =
            0 <= span.start &&
            span.start < span.end &&
            after.startsWith(whole.slice(0, span.start)) &&
            after.endsWith(whole.slice(span.end)) &&
            after.length >= whole.length - (span.end - span.start);
          if (!kept) throw new Error(`${JSON.stringify({ span, kind: found.kind, after })}`);
        }
      }),
      { numRuns: 20_000 },
    );
    expect(tolerant).toBeGreaterThan(100);
  });

  it('writes what was asked, but for line ends, when the text was named as it is', () => {
    fc.assert(
      fc.property(scenario, ({ whole, old, now }) => {
        fc.pre(old !== '');
        const found = findMatches(whole, old);
        const [span] = found?.spans ?? [];
        if (!found || !span || found.kind === 'tolerant') return;
        const splice = spliceFor(whole, span, found.kind, old, now);
        expect(withLf(splice.text)).toBe(withLf(now));
      }),
      { numRuns: 5_000 },
    );
  });

  it('of a text by itself changes nothing, in whatever style it was named', () => {
    fc.assert(
      fc.property(scenario, ({ whole, old }) => {
        fc.pre(old !== '');
        const found = findMatches(whole, old);
        const [span] = found?.spans ?? [];
        if (!found || !span || found.kind === 'exact') return;
        expect(applySplices(whole, [spliceFor(whole, span, found.kind, old, old)])).toBe(whole);
      }),
      { numRuns: 5_000 },
    );
  });

  it('never mixes in a line end that the lines around do not have', () => {
    const uniform = fc
      .tuple(lineEnd, fc.array(line, { minLength: 2, maxLength: 10 }))
      .map(([end, lines]) => ({ end, whole: lines.join(end) + end }));
    fc.assert(
      fc.property(
        uniform.chain(({ end, whole }) =>
          fc.record({
            end: fc.constant(end),
            whole: fc.constant(whole),
            old: quoted(whole),
            now: text.map(withLf),
          }),
        ),
        ({ end, whole, old, now }) => {
          fc.pre(old !== '' && withLf(old) !== now);
          const found = findMatches(whole, old);
          const [span] = found?.spans ?? [];
          if (!found || !span || /^\n|\r$/.test(whole.slice(span.start, span.end))) return;
          const after = applySplices(whole, [spliceFor(whole, span, found.kind, old, now)]);
          expect([...new Set(after.match(/\r\n|\n|\r/g) ?? [end])]).toEqual([end]);
        },
      ),
      { numRuns: 5_000 },
    );
  });
});

/** Applies hunks as a patch program would. */
function patched(before: string, hunks: readonly Hunk[]): string {
  const lines = before.split('\n');
  const out: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    const start = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1;
    out.push(...lines.slice(at, start));
    at = start + hunk.oldLines;
    for (const one of hunk.lines) if (one.startsWith(' ') || one.startsWith('+')) out.push(one.slice(1));
  }
  return [...out, ...lines.slice(at)].join('\n');
}

describe('hunks', () => {
  it('lead from the old text to the new', () => {
    const ending = fc.array(line, { maxLength: 30 }).map((lines) => lines.map((one) => `${one}\n`).join(''));
    fc.assert(
      fc.property(ending, ending, (before, after) => {
        expect(patched(before, hunksOf(before, after))).toBe(after);
      }),
      { numRuns: 2_000 },
    );
  });

  it('say where a file has no final newline', () => {
    expect(hunksOf('a\nb', 'a\nc').flatMap((hunk) => hunk.lines)).toEqual([
      ' a',
      '-b',
      '\\ No newline at end of file',
      '+c',
      '\\ No newline at end of file',
    ]);
  });

  it('of a new file start at line one', () => {
    expect(hunksOf('', 'a\nb\n')).toEqual([
      { oldStart: 0, oldLines: 0, newStart: 1, newLines: 2, lines: ['+a', '+b'] },
    ]);
  });

  it('of one changed line in a large file show only it, and cost no more a line than in a small one', () => {
    const texts = (length: number): readonly [string, string] => {
      const lines = Array.from({ length }, (_, index) => `line ${index}\n`);
      return [lines.join(''), lines.with(length / 2, 'changed\n').join('')];
    };
    const work = (length: number) => {
      const [before, after] = texts(length);
      return () => void hunksOf(before, after);
    };
    // Forty times the lines; work that is quadratic takes 1,600 times as long.
    expect(growth(work, 1_000, 40_000)).toBeLessThan(400);
    const hunks = hunksOf(...texts(40_000));
    expect(hunks).toHaveLength(1);
    expect(hunks[0]).toMatchObject({ oldStart: 19_998, oldLines: 7, newStart: 19_998, newLines: 7 });
  });

  it('of more changes than are worth comparing are one replacement, whatever the texts share', () => {
    const text = (word: string): string =>
      Array.from({ length: 8_000 }, (_, index) =>
        index % 3 === 1 ? `same ${index}\n` : `${word} ${index}\n`,
      ).join('');
    const hunks = hunksOf(text('old'), text('new'));
    expect(hunks).toMatchObject([{ oldStart: 1, oldLines: 8_000, newStart: 1, newLines: 8_000 }]);
    expect(hunks[0]?.lines.filter((one) => one.startsWith(' '))).toEqual([]);
  });
});
