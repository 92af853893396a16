import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const rows = readFileSync(`${root}docs/seed-coverage.md`, 'utf8')
  .split('\n')
  .flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    return /^[AB]\d+$/.test(cells[1] ?? '')
      ? [{ id: cells[1] ?? '', claim: cells[2] ?? '', proof: cells[3] ?? '' }]
      : [];
  });

/** What is wrong with a row; undefined = its test exists. */
function problem({ id, claim, proof }: (typeof rows)[number]): string | undefined {
  if (claim === '' || proof === '') return `${id} is empty`;
  if (/^\*open\*: issue \d+/.test(proof)) return undefined;
  const [file = '', title = ''] = proof.split(' › ');
  if (!existsSync(root + file)) return `${id}: there is no ${file}`;
  if (title === '') return `${id} names no test in ${file}`;
  const source = readFileSync(root + file, 'utf8').replaceAll('\\', '');
  return source.includes(title) ? undefined : `${id}: ${file} has no test "${title}"`;
}

describe('docs/seed-coverage.md', () => {
  it('has a row per claim', () => {
    expect(rows.length).toBeGreaterThan(70);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  });

  it('names only tests that exist', () => {
    expect(rows.flatMap((row) => problem(row) ?? [])).toEqual([]);
  });

  it('would notice a test that does not', () => {
    expect(
      problem({ id: 'X1', claim: 'c', proof: 'test/unit/agent/turn.spec.ts › no such title' }),
    ).toBeDefined();
    expect(problem({ id: 'X2', claim: 'c', proof: 'test/unit/no-such-file.spec.ts › t' })).toBeDefined();
    expect(problem({ id: 'X3', claim: 'c', proof: '' })).toBeDefined();
  });
});
