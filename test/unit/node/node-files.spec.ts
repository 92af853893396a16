/** Files on a real disk: what is read is written back byte for byte, and a failed write leaves every byte alone. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { nodeFiles } from '../../../extension/node/node-files';
import { encodeText } from '../../../extension/node/text-encoding';

const root = mkdtempSync(join(tmpdir(), 'sluice-files-'));
const files = nodeFiles();
let folder = root;
let count = 0;
beforeEach(() => {
  folder = join(root, String(count++));
  mkdirSync(folder);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const at = (name: string): string => join(folder, name);

const ENCODINGS = ['utf8', 'utf8bom', 'utf16le', 'utf16be'] as const;

describe('text', () => {
  it.each(ENCODINGS)('is recognised as %s, and the hash is that of the text', async (encoding) => {
    const text = 'Grüße, 世界 🎉\r\nnext\n';
    writeFileSync(at('a.txt'), encodeText(text, encoding, ''));
    const snapshot = await files.readText(at('a.txt'));
    expect(snapshot).toMatchObject({ text, encoding, dirty: false });
    expect(snapshot.hash).toBe(createHash('sha256').update(text, 'utf8').digest('hex'));
    expect(snapshot.bytes).toBe(statSync(at('a.txt')).size);
  });

  it.each(['utf16lenobom', 'utf16benobom'])('is recognised as %s by its zero bytes', async (encoding) => {
    writeFileSync(at('a.txt'), encodeText('plain western text\n', encoding, ''));
    expect(await files.readText(at('a.txt'))).toMatchObject({ text: 'plain western text\n', encoding });
  });

  it('survives a write and a read in every encoding, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ENCODINGS),
        fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0') && !text.startsWith('\uFEFF')),
        async (encoding, text) => {
          rmSync(at('p.txt'), { force: true });
          await files.write({ path: at('p.txt'), text, encoding, expectHash: null });
          const bytes = readFileSync(at('p.txt'));
          const snapshot = await files.readText(at('p.txt'));
          expect(snapshot.text).toBe(text);
          const receipt = await files.write({
            path: at('p.txt'),
            text: snapshot.text,
            encoding: snapshot.encoding,
            expectHash: snapshot.hash,
          });
          expect(receipt).toMatchObject({ hash: snapshot.hash, changedBySave: false });
          expect(readFileSync(at('p.txt')).equals(bytes)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each([
    ['zero bytes', Buffer.from([1, 0, 2, 0, 0, 3, 4, 0]), 'binary'],
    ['a zero byte late in the file', Buffer.concat([Buffer.alloc(20_000, 97), Buffer.from([0])]), 'binary'],
    ['Latin-1', Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65]), 'encoding'],
    ['half a UTF-16 unit', Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x42]), 'encoding'],
    ['a lone surrogate', Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00]), 'encoding'],
  ])('is refused rather than guessed: %s', async (_name, bytes, reason) => {
    writeFileSync(at('b'), bytes);
    await expect(files.readText(at('b'))).rejects.toMatchObject({ name: 'FileError', reason });
  });

  it('says what is wrong with a path', async () => {
    mkdirSync(at('d'));
    writeFileSync(at('f'), '');
    await expect(files.readText(at('none'))).rejects.toMatchObject({ reason: 'not_found' });
    await expect(files.readText(at('d'))).rejects.toMatchObject({ reason: 'is_directory' });
    await expect(files.readText(at('f/x'))).rejects.toMatchObject({ reason: 'not_directory' });
    await expect(files.list(at('none'))).rejects.toMatchObject({ reason: 'not_found' });
    expect(await files.stat(at('none'))).toBeUndefined();
    expect(await files.stat(at('f/x'))).toBeUndefined();
  });

  it.skipIf(process.platform === 'win32')('is not waited for in a pipe that nobody writes to', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    await expect(files.readText(at('pipe'))).rejects.toMatchObject({ reason: 'binary' });
    await expect(files.readBytes(at('pipe'))).rejects.toMatchObject({ reason: 'binary' });
  });

  it('can be read in ranges', async () => {
    writeFileSync(at('r'), '0123456789');
    expect(Buffer.from((await files.readRange?.(at('r'), 4, 3)) ?? []).toString()).toBe('456');
    expect(Buffer.from((await files.readRange?.(at('r'), 8, 30)) ?? []).toString()).toBe('89');
  });
});

describe('writing', () => {
  const write = (path: string, text: string, expectHash: string | null) =>
    files.write({ path, text, encoding: 'utf8', expectHash });

  it('makes missing folders, and refuses to replace what it was told is not there', async () => {
    await write(at('x/y/z.txt'), 'new', null);
    expect(readFileSync(at('x/y/z.txt'), 'utf8')).toBe('new');
    await expect(write(at('x/y/z.txt'), 'other', null)).rejects.toMatchObject({ reason: 'exists' });
    expect(readFileSync(at('x/y/z.txt'), 'utf8')).toBe('new');
  });

  it('refuses when the file is not what it was, or gone', async () => {
    writeFileSync(at('s'), 'one');
    const { hash } = await files.readText(at('s'));
    writeFileSync(at('s'), 'two');
    await expect(write(at('s'), 'three', hash)).rejects.toMatchObject({ reason: 'stale' });
    expect(readFileSync(at('s'), 'utf8')).toBe('two');
    rmSync(at('s'));
    await expect(write(at('s'), 'three', hash)).rejects.toMatchObject({ reason: 'stale' });
    expect(existsSync(at('s'))).toBe(false);
  });

  it('keeps the mode', async () => {
    writeFileSync(at('m'), '#!/bin/sh\n');
    chmodSync(at('m'), 0o751);
    await write(at('m'), '#!/bin/bash\n', (await files.readText(at('m'))).hash);
    expect(statSync(at('m')).mode & 0o777).toBe(0o751);
  });

  it('refuses a file that is marked read-only', async () => {
    writeFileSync(at('ro'), 'a');
    chmodSync(at('ro'), 0o444);
    const { hash } = await files.readText(at('ro'));
    await expect(write(at('ro'), 'b', hash)).rejects.toMatchObject({ reason: 'no_permission' });
    expect(readFileSync(at('ro'), 'utf8')).toBe('a');
  });

  it('writes through a link and keeps it', async () => {
    mkdirSync(at('real'));
    writeFileSync(at('real/t'), 'a');
    symlinkSync(at('real/t'), at('link'));
    await write(at('link'), 'b', (await files.readText(at('link'))).hash);
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(at('real/t'), 'utf8')).toBe('b');
  });

  it('leaves no temporary file behind, also when it fails', async () => {
    writeFileSync(at('a'), 'x');
    await write(at('a'), 'y', (await files.readText(at('a'))).hash);
    await expect(
      files.write({
        path: at('a'),
        text: '\uD800',
        encoding: 'utf8',
        expectHash: (await files.readText(at('a'))).hash,
      }),
    ).rejects.toMatchObject({ reason: 'encoding' });
    await expect(
      files.write({ path: at('new'), text: 'a', encoding: 'shiftjis', expectHash: null }),
    ).rejects.toMatchObject({ reason: 'encoding' });
    expect(readdirSync(folder)).toEqual(['a']);
    expect(readFileSync(at('a'), 'utf8')).toBe('y');
  });

  it('lets only one of two writers win that both saw the same text', async () => {
    writeFileSync(at('w'), '0');
    const { hash } = await files.readText(at('w'));
    const ends = await Promise.allSettled([write(at('w'), '1', hash), write(at('w'), '2', hash)]);
    expect(ends.map((end) => end.status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('the real path', () => {
  it('resolves links in the existing part and keeps the rest', async () => {
    mkdirSync(at('real'));
    symlinkSync(at('real'), at('l'));
    expect(await files.realPath(at('l/new/file'))).toBe(join(await files.realPath(folder), 'real/new/file'));
  });

  it('follows a link to nothing, and stops in a loop', async () => {
    symlinkSync('/nowhere/at/all', at('dangling'));
    expect(await files.realPath(at('dangling'))).toBe('/nowhere/at/all');
    symlinkSync(at('b'), at('a'));
    symlinkSync(at('a'), at('b'));
    await expect(files.realPath(at('a'))).rejects.toMatchObject({ name: 'FileError' });
  });
});
