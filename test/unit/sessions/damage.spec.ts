/** Real files of all versions, damaged at random: nothing that a file holds may stop a session from opening, or make its next request illegal. */
import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldBytes } from '../../../extension/sessions/read/resume';
import { pairingProblems } from '../../fakes/pairing';
import { illegalities } from '../../fixtures-runner/session-request';

const FIXTURES = path.resolve(import.meta.dirname, '../../fixtures/sessions');
const files = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => readFileSync(path.join(FIXTURES, name)))
  .filter((bytes) => bytes.length < 60_000);

type Damage =
  | {
      readonly type: 'drop' | 'double' | 'swap' | 'glue' | 'reparent' | 'rootless';
      readonly at: number;
      readonly to: number;
    }
  | { readonly type: 'cut' | 'nul'; readonly at: number; readonly to: number };

const damage: fc.Arbitrary<Damage> = fc.record({
  type: fc.constantFrom('drop', 'double', 'swap', 'glue', 'reparent', 'rootless', 'cut', 'nul'),
  at: fc.nat(),
  to: fc.nat(),
});

/** Lines as text; damage by line number, modulo. */
function apply(bytes: Buffer, damages: readonly Damage[]): Uint8Array {
  const lines = bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
  for (const { type, at, to } of damages) {
    if (lines.length === 0) break;
    const from = at % lines.length;
    const line = lines[from] ?? '';
    const other = lines[to % lines.length] ?? '';
    switch (type) {
      case 'drop':
        lines.splice(from, 1);
        break;
      case 'double':
        lines.push(line);
        break;
      case 'swap':
        lines[from] = other;
        lines[to % (lines.length || 1)] = line;
        break;
      case 'glue':
        lines[from] = line + other;
        break;
      case 'reparent':
        lines[from] = line.replace(
          /"parentUuid": ?"[^"]*"/,
          `"parentUuid":${JSON.stringify(/"uuid": ?"([^"]*)"/.exec(other)?.[1] ?? null)}`,
        );
        break;
      case 'rootless':
        lines[from] = line.replace(/"parentUuid": ?(?:"[^"]*"|null),? ?/, '');
        break;
      case 'cut':
        lines[from] = line.slice(0, to % (line.length + 1));
        break;
      case 'nul':
        lines[from] =
          line.slice(0, to % (line.length + 1)) + '\0\0' + line.slice((to % (line.length + 1)) + 2);
        break;
    }
  }
  return Buffer.from(lines.join('\n'));
}

describe('a session file damaged at random', () => {
  it('opens, and its next request is legal', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(damage, { maxLength: 12 }), (file, damages) => {
        const session = foldBytes(apply(files[file % files.length] ?? Buffer.alloc(0), damages));
        expect(pairingProblems(session.messages)).toEqual([]);
        if (session.messages.length > 0) expect(illegalities(session.messages)).toEqual([]);
      }),
      { numRuns: 1500 },
    );
  });
});
