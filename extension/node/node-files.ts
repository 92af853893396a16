/** The Files port on `node:fs`. It knows nothing of editors: `editor/` lays open documents over it. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import type { Dirent, Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, open, readFile, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { FileError } from '../ports';
import type { Files, FileStat, TextSnapshot, TextWrite, WriteReceipt } from '../ports';
import { atomicWrite } from './atomic-write';
import { errorCode, toFileError } from './file-errors';
import { decodeText, encodeText } from './text-encoding';

/** Above this a file is read in ranges, never as one text. */
export const MAX_TEXT_BYTES = 32 * 1024 * 1024;
/** More does not fit into one buffer on every platform. */
const MAX_BYTES = 1024 * 1024 * 1024;
const MAX_LINKS = 40;
const READ_BYTES = 64 * 1024;

/** Lower-case hex SHA-256 of a text: what `TextSnapshot.hash` holds. */
export function hashText(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

export function nodeFiles(): Files {
  const writing = new Map<string, Promise<unknown>>();
  return {
    readText: (path) => mapped(path, () => readText(path)),
    readBytes: (path) => mapped(path, () => readWhole(path, MAX_BYTES)),
    readRange: (path, start, length) => mapped(path, () => readRange(path, start, length)),
    stat: (path) => mapped(path, () => statOf(path)),
    list: (path) =>
      mapped(path, async () =>
        (await readdir(path, { withFileTypes: true })).map((entry) => ({
          name: entry.name,
          type: typeOf(entry),
        })),
      ),
    realPath: (path) => mapped(path, () => deepRealPath(path, 0)),
    write: (change) =>
      mapped(change.path, async () => {
        const target = await deepRealPath(change.path, 0);
        return inTurn(writing, target, () => mapped(change.path, () => write(change, target)));
      }),
  };
}

async function mapped<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw toFileError(error, path);
  }
}

/** Writes to one file wait for each other, so that the check of the hash and the write belong together. */
async function inTurn<T>(
  queue: Map<string, Promise<unknown>>,
  key: string,
  action: () => Promise<T>,
): Promise<T> {
  const mine = (queue.get(key) ?? Promise.resolve()).then(action, action);
  queue.set(key, mine);
  try {
    return await mine;
  } finally {
    if (queue.get(key) === mine) queue.delete(key);
  }
}

async function readText(path: string): Promise<TextSnapshot> {
  const bytes = await readWhole(path, MAX_TEXT_BYTES);
  const { text, encoding } = decodeText(bytes, path);
  const hash = encoding === 'utf8' ? createHash('sha256').update(bytes).digest('hex') : hashText(text);
  return { text, hash, encoding, dirty: false, bytes: bytes.length };
}

async function readWhole(path: string, most: number): Promise<Buffer> {
  // Opening a pipe that nobody writes to would otherwise wait for ever.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const about = await handle.stat();
    if (about.isDirectory()) throw new FileError('is_directory', `This is a folder, not a file: ${path}`);
    if (!about.isFile())
      throw new FileError('binary', `${path} is not a regular file (a device, pipe or socket).`);
    if (about.size > most)
      throw new FileError(
        'too_large',
        `${path} has ${about.size} bytes, more than the ${most} that can be read at once.`,
      );
    return await readToEnd(handle, about.size);
  } finally {
    await handle.close();
  }
}

/** In one go where the size is right: each look at the disk waits for a thread. */
async function readToEnd(handle: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(size + 1);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  if (bytesRead === size) return buffer.subarray(0, size);
  // It grew or shrank meanwhile, or says nothing of its size.
  const rest: Buffer[] = [buffer.subarray(0, bytesRead)];
  for (let at = bytesRead; ;) {
    const more = Buffer.allocUnsafeSlow(READ_BYTES);
    const { bytesRead: got } = await handle.read(more, 0, more.length, at);
    if (got === 0) return Buffer.concat(rest);
    rest.push(more.subarray(0, got));
    at += got;
  }
}

async function readRange(path: string, start: number, length: number): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await handle.read(buffer, filled, length - filled, start + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  } finally {
    await handle.close();
  }
}

async function statOf(path: string): Promise<FileStat | undefined> {
  try {
    const about = await lstat(path);
    const found = { type: typeOf(about), size: about.size, mtimeMs: about.mtimeMs, links: about.nlink };
    return about.isSymbolicLink() ? { ...found, target: await readlink(path) } : found;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function typeOf(entry: Stats | Dirent): FileStat['type'] {
  if (entry.isSymbolicLink()) return 'symlink';
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return 'other';
}

/** A link that points at nothing is followed too: a write would make the file at its target. */
async function deepRealPath(path: string, links: number): Promise<string> {
  const absolute = resolve(path);
  try {
    return await realpath(absolute);
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
  }
  const parent = dirname(absolute);
  if (parent === absolute) return absolute;
  const realParent = await deepRealPath(parent, links);
  const here = join(realParent, basename(absolute));
  const target = await readlink(here).catch(() => undefined);
  if (target === undefined) return here;
  if (links >= MAX_LINKS)
    throw new FileError('io', `This path runs through a loop of symbolic links: ${path}`);
  return deepRealPath(resolve(realParent, target), links + 1);
}

async function write(change: TextWrite, target: string): Promise<WriteReceipt> {
  await refuseWhenChanged(change, target);
  const bytes = encodeText(change.text, change.encoding, change.path);
  await atomicWrite(target, bytes);
  const now = await readFile(target);
  if (now.equals(bytes)) return { hash: hashText(change.text), text: change.text, changedBySave: false };
  const { text } = decodeText(now, change.path);
  return { hash: hashText(text), text, changedBySave: true };
}

async function refuseWhenChanged(change: TextWrite, target: string): Promise<void> {
  const about = await stat(target).catch(() => undefined);
  if (about?.isDirectory())
    throw new FileError('is_directory', `This is a folder, not a file: ${change.path}`);
  if (change.expectHash === null) {
    if (about) throw new FileError('exists', `${change.path} exists already.`);
    return;
  }
  if (!about) throw new FileError('stale', `${change.path} is gone; it was there when the change was made.`);
  if ((await readText(target)).hash !== change.expectHash)
    throw new FileError('stale', `${change.path} has changed since the change was made.`);
}
