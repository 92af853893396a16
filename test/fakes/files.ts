/**
 * Files in memory: a real, small implementation of the port, with what tests need to provoke: unsaved editors, formatters on save, full
 * disks. Text only; bytes are the encoded text.
 */
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { FileError } from '../../extension/ports';
import type { Files, FileStat } from '../../extension/ports';
import { decodeText, encodeText } from '../../extension/node/text-encoding';

export function hashOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

export interface MemoryFiles extends Files {
  /** What is on the disk. */
  readonly disk: Map<string, Buffer>;
  put(path: string, content: string | Uint8Array, encoding?: string): void;
  /** Text of a file on the disk, decoded. */
  text(path: string): string;
  /** An editor with unsaved text. */
  readonly dirty: Map<string, string>;
  /** Runs on every saved text. */
  onSave: (text: string, path: string) => string;
  /** Makes the next write fail. */
  failNext: FileError | undefined;
  /** Paths in the order in which they were written. */
  readonly written: string[];
}

export function memoryFiles(
  initial: Readonly<Record<string, string>> = {},
  largest = 32 * 1024 * 1024,
): MemoryFiles {
  const disk = new Map<string, Buffer>();
  const dirty = new Map<string, string>();
  const written: string[] = [];
  const isFolder = (path: string): boolean =>
    [...disk.keys()].some((file) => file.startsWith(path === '/' ? '/' : `${path}/`));
  const bytesOf = (path: string): Buffer => {
    const bytes = disk.get(path);
    if (bytes) return bytes;
    if (isFolder(path)) throw new FileError('is_directory', `This is a folder, not a file: ${path}`);
    throw new FileError('not_found', `There is no file at ${path}`);
  };
  const snapshot = (path: string) => {
    const open = dirty.get(path);
    const bytes = disk.get(path) ?? (open === undefined ? bytesOf(path) : Buffer.from(open));
    if (bytes.length > largest) throw new FileError('too_large', `${path} has ${bytes.length} bytes.`);
    const { text, encoding } = decodeText(bytes, path);
    const shown = open ?? text;
    return { text: shown, hash: hashOf(shown), encoding, dirty: open !== undefined, bytes: bytes.length };
  };
  const files: MemoryFiles = {
    disk,
    dirty,
    written,
    onSave: (text) => text,
    failNext: undefined,
    put: (path, content, encoding = 'utf8') =>
      void disk.set(
        path,
        typeof content === 'string' ? encodeText(content, encoding, path) : Buffer.from(content),
      ),
    text: (path) => decodeText(bytesOf(path), path).text,
    readText: async (path) => snapshot(path),
    readBytes: async (path) => bytesOf(path),
    readRange: async (path, start, length) => bytesOf(path).subarray(start, start + length),
    async stat(path): Promise<FileStat | undefined> {
      const bytes = disk.get(path);
      if (bytes) return { type: 'file', size: bytes.length, mtimeMs: written.lastIndexOf(path) + 1 };
      return isFolder(path) ? { type: 'directory', size: 0, mtimeMs: 0 } : undefined;
    },
    async list(path) {
      if (!isFolder(path)) throw new FileError('not_found', `There is no file at ${path}`);
      const below = [...disk.keys()].filter((file) => file.startsWith(path === '/' ? '/' : `${path}/`));
      const names = new Set(
        below.map((file) => file.slice(path.length).replace(/^\//, '').split('/')[0] ?? ''),
      );
      return [...names].map((name) => ({
        name,
        type: disk.has(`${path === '/' ? '' : path}/${name}`) ? ('file' as const) : ('directory' as const),
      }));
    },
    realPath: async (path) => path,
    async write(change) {
      if (files.failNext) {
        const failure = files.failNext;
        files.failNext = undefined;
        throw failure;
      }
      const exists = disk.has(change.path) || dirty.has(change.path);
      if (change.expectHash === null && exists)
        throw new FileError('exists', `${change.path} exists already.`);
      if (change.expectHash !== null && (!exists || snapshot(change.path).hash !== change.expectHash))
        throw new FileError('stale', `${change.path} has changed since the change was made.`);
      if (disk.has(dirname(change.path)))
        throw new FileError('not_directory', `A part of this path is a file: ${change.path}`);
      const text = files.onSave(change.text, change.path);
      disk.set(change.path, encodeText(text, change.encoding, change.path));
      dirty.delete(change.path);
      written.push(change.path);
      return { hash: hashOf(text), text, changedBySave: text !== change.text };
    },
  };
  for (const [path, text] of Object.entries(initial)) files.put(path, text);
  return files;
}
