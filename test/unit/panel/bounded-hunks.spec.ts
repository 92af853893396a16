import { expect, it } from 'vitest';
import { boundedHunk, boundedHunks } from '../../../extension/panel/state/bounded-hunks';
import { hunksOf } from '../../../extension/tools/text/hunks';

const lines = (count: number, word: string): string =>
  Array.from({ length: count }, (_, i) => `${word} ${i}\n`).join('');

it('leaves what is short as it is', () => {
  const hunks = hunksOf('a\nb\n', 'a\nc\n');
  expect(boundedHunks(hunks)).toBe(hunks);
});

it('cuts a rewrite of megabytes, and says how much is not there', () => {
  const hunks = hunksOf(lines(25_000, 'old'), lines(25_000, 'new'));
  const bounded = boundedHunks(hunks);
  expect(JSON.stringify(bounded).length).toBeLessThan(260_000);
  expect(bounded.at(-1)?.lines.at(-1)).toBe('\\ 48,000 more lines are not shown here');
});

it('cuts by characters too', () => {
  const long = Array.from({ length: 500 }, (_, i) => `${i}${'x'.repeat(1_900)}\n`).join('');
  const bounded = boundedHunks(hunksOf('', long));
  expect(JSON.stringify(bounded).length).toBeLessThan(260_000);
  expect(bounded.at(-1)?.lines.at(-1)).toMatch(/^\\ 3\d\d more lines are not shown here$/);
});

it('gives each of several changes a share', () => {
  const [hunk] = hunksOf(lines(500, 'old'), lines(500, 'new'));
  if (hunk === undefined) throw new Error('no hunk');
  expect(boundedHunk(hunk, 50).lines).toHaveLength(41);
  expect(boundedHunk(hunk, 50).lines.at(-1)).toBe('\\ 960 more lines are not shown here');
  expect(boundedHunk(hunk, 2).lines).toHaveLength(1_000);
  expect(boundedHunk(hunk, 1)).toBe(hunk);
});
