import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { STAGES } from '../../../extension/permissions/stages';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(`${root}docs/permissions.md`, 'utf8');

/** The last cells of the rows of a section. */
function proofsIn(section: string): readonly string[] {
  const text = page.split(`## ${section}`)[1]?.split('\n## ')[0] ?? '';
  return text.split('\n').flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    const proof = cells.at(-2) ?? '';
    return /^test\/|^\*open\*/.test(proof) ? [proof] : [];
  });
}

function problem(proof: string): string | undefined {
  if (/^\*open\*: .*issue \d+$/.test(proof)) return undefined;
  const [file = '', title = ''] = proof.split(' › ');
  if (title === '' || !existsSync(root + file)) return `there is no ${proof}`;
  const source = readFileSync(root + file, 'utf8').replaceAll('\\', '');
  return source.includes(title) ? undefined : `${file} has no test "${title}"`;
}

describe('docs/permissions.md', () => {
  it('has a test for every item of the floor and every threat', () => {
    expect(proofsIn('The floor').length).toBe(15);
    expect(proofsIn('Threats').length).toBe(41);
  });

  it('names only tests that exist', () => {
    const proofs = [...proofsIn('The floor'), ...proofsIn('Threats')];
    expect(proofs.flatMap((proof) => problem(proof) ?? [])).toEqual([]);
  });

  it('has the stages in their order', () => {
    const order = page.split('## Order')[1]?.split('\n## ')[0] ?? '';
    const rows = [...order.matchAll(/^\| (?!stage)([a-z][a-z -]*) \|/gm)].map(([, name]) => name);
    expect(rows).toEqual(STAGES.map(({ name }) => name));
  });

  it('would notice a test that does not exist', () => {
    expect(problem('test/unit/permissions/gate.spec.ts › no such title')).toBeDefined();
    expect(problem('test/unit/no-such.spec.ts › x')).toBeDefined();
  });
});
