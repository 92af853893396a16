/** Lines reach the file whole and in order, whatever else happens to it. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { lineFile } from '../../../extension/node/line-file';

const root = mkdtempSync(join(tmpdir(), 'sluice-lines-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('a file of lines', () => {
  it('keeps the order of appends that nobody awaited, and makes a private file in a new folder', async () => {
    const path = join(root, 'deep/er/a.jsonl');
    const file = lineFile(path);
    const appends = Array.from({ length: 2_000 }, (_, index) =>
      file.append(`${index}\n`, { sync: index % 500 === 0 }),
    );
    await Promise.all(appends);
    expect(readFileSync(path, 'utf8').trim().split('\n')).toEqual(appends.map((_, index) => String(index)));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await file.close();
  });

  it('has handed the bytes over when the promise resolves', async () => {
    const path = join(root, 'b.jsonl');
    const file = lineFile(path);
    for (const line of ['one\n', 'two\n']) {
      await file.append(line, { sync: true });
      expect(readFileSync(path, 'utf8').endsWith(line)).toBe(true);
    }
    await file.close();
    await expect(file.append('late\n')).rejects.toThrow('closed');
  });

  it('ends a line that a crash cut short before it writes the next', async () => {
    const path = join(root, 'torn.jsonl');
    writeFileSync(path, '{"a":1}\n{"b":');
    const file = lineFile(path);
    await file.append('{"c":3}\n');
    await file.append('{"d":4}\n');
    expect(readFileSync(path, 'utf8')).toBe('{"a":1}\n{"b":\n{"c":3}\n{"d":4}\n');
    await file.close();
  });

  it('writes what waits when it is closed', async () => {
    const path = join(root, 'c.jsonl');
    const file = lineFile(path);
    const append = file.append('last\n', { sync: true });
    await file.close();
    await append;
    expect(readFileSync(path, 'utf8')).toBe('last\n');
  });

  it('rejects with the reason when it cannot write', async () => {
    writeFileSync(join(root, 'file'), '');
    const file = lineFile(join(root, 'file/under.jsonl'));
    await expect(file.append('x\n')).rejects.toMatchObject({ name: 'FileError' });
  });

  it.skipIf(process.platform !== 'linux')('reports a full disk', async () => {
    await expect(lineFile('/dev/full').append('x\n')).rejects.toThrow('disk is full');
  });

  it('has written an append before the loop turns, the last like the first', async () => {
    const file = lineFile(join(root, 'many.jsonl'));
    const line = `${'x'.repeat(500)}\n`;
    const turnsDuring = async (): Promise<number> => {
      let turns = 0;
      const turn = setImmediate(() => (turns += 1));
      for (let index = 0; index < 100; index++) await file.append(line);
      clearImmediate(turn);
      return turns;
    };
    expect(await turnsDuring()).toBe(0);
    for (let index = 0; index < 50_000; index++) void file.append(line);
    expect(await turnsDuring()).toBe(0);
    await file.close();
  });

  it.skipIf(process.platform !== 'linux')(
    'writes of a long file only what is new, and reads none of it',
    async () => {
      const file = lineFile(join(root, 'long.jsonl'));
      const line = `${'x'.repeat(500)}\n`;
      await file.append(line.repeat(50_000));
      const before = bytesMoved();
      for (let index = 0; index < 100; index++) await file.append(line);
      const after = bytesMoved();
      // Other threads of the test's process move a little as well; the file is 25 MB.
      expect(after.read - before.read).toBeLessThan(5_000_000);
      expect(after.written - before.written).toBeLessThan(5_000_000);
      await file.close();
    },
  );
});

/** What this process has asked the system to read and write so far. */
function bytesMoved(): { readonly read: number; readonly written: number } {
  const io = readFileSync('/proc/self/io', 'utf8');
  return { read: Number(/rchar: (\d+)/.exec(io)?.[1]), written: Number(/wchar: (\d+)/.exec(io)?.[1]) };
}
