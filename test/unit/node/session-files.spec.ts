/** Session files on a real disk: one maker of a file, and never a file without its text. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeSessionFiles } from '../../../extension/node/session-files';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'sluice-files-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('making a file', () => {
  it('is done once, and leaves nothing else behind', async () => {
    const target = join(folder, 'locks', 'a.1.lock');
    const made = await Promise.all(
      ['x', 'y', 'z'].map((text) => nodeSessionFiles.create(target, text.repeat(9))),
    );
    expect(made.filter(Boolean)).toHaveLength(1);
    const winner = ['x', 'y', 'z'][made.indexOf(true)] ?? '';
    expect(readFileSync(target, 'utf8')).toBe(winner.repeat(9));
    expect(readdirSync(join(folder, 'locks'))).toEqual(['a.1.lock']);
  });

  it('never shows a file without its text', async () => {
    const text = 'whole'.repeat(2000);
    const seen = new Set<number>();
    for (let round = 0; round < 40; round++) {
      const target = join(folder, `${round}.lock`);
      let done = false;
      const making = nodeSessionFiles.create(target, text).finally(() => (done = true));
      while (!done) {
        for (const file of await nodeSessionFiles.list(folder))
          if (file.name === `${round}.lock`) seen.add(file.size);
      }
      await making;
    }
    expect([...seen].filter((size) => size !== text.length)).toEqual([]);
  });
});
