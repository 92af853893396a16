/** Session files and append-only files in memory: real semantics (bytes, order, whole lines), with a disk that can be told to fail. */
import * as path from 'node:path';
import { FileError, type LineFile, type SessionFile, type SessionFiles } from '../../extension/ports';

export interface MemoryDisk {
  readonly files: SessionFiles;
  openLineFile(file: string): LineFile;
  /** Undefined = there is no such file. */
  bytes(file: string): Uint8Array | undefined;
  put(file: string, content: string | Uint8Array): void;
  paths(): string[];
  /** Appends that asked to be on disk. */
  readonly synced: string[];
  /** While set, every append is refused with it; `partial` characters are written before. */
  failing: { readonly reason: FileError['reason']; readonly partial?: number } | undefined;
}

/** Small, so that what lies across two pieces is part of every test. */
const PIECE = 777;

export function memoryDisk(now: () => number = () => 0): MemoryDisk {
  const contents = new Map<string, { parts: Uint8Array[]; mtimeMs: number; id: string }>();
  const encoder = new TextEncoder();
  let ids = 0;
  const synced: string[] = [];
  /** A folder changes when a file comes into it. */
  const folders = new Map<string, number>();
  const touch = (file: string): void => {
    for (let at = path.dirname(file); at !== path.dirname(at); at = path.dirname(at)) folders.set(at, now());
  };

  const whole = (file: string): Uint8Array | undefined => {
    const found = contents.get(file);
    if (!found) return undefined;
    if (found.parts.length !== 1) found.parts = [Buffer.concat(found.parts)];
    return found.parts[0] ?? new Uint8Array();
  };
  const add = (file: string, bytes: Uint8Array): void => {
    const found = contents.get(file) ?? { parts: [], mtimeMs: 0, id: String(++ids) };
    found.parts.push(bytes);
    found.mtimeMs = now();
    if (!contents.has(file)) touch(file);
    contents.set(file, found);
  };
  const describe = (file: string): SessionFile | undefined => {
    const found = contents.get(file);
    const base = { name: path.basename(file), mtimeMs: found?.mtimeMs ?? 0, id: found?.id ?? file };
    if (found) return { ...base, type: 'file', size: whole(file)?.length ?? 0 };
    const isFolder = [...contents.keys()].some((other) => other.startsWith(`${file}/`));
    return isFolder ? { ...base, mtimeMs: folders.get(file) ?? 0, type: 'directory', size: 0 } : undefined;
  };

  const disk: MemoryDisk = {
    synced,
    failing: undefined,
    bytes: whole,
    put(file, content) {
      contents.delete(file);
      add(file, typeof content === 'string' ? encoder.encode(content) : content);
    },
    paths: () => [...contents.keys()].sort(),
    openLineFile: (file) => ({
      path: file,
      async append(lines, options) {
        const { failing } = disk;
        const torn = (contents.get(file)?.parts.at(-1)?.at(-1) ?? 0x0a) !== 0x0a;
        if (failing) {
          if (failing.partial) add(file, encoder.encode(lines.slice(0, failing.partial)));
          throw new FileError(failing.reason, 'The disk of this test fails.');
        }
        add(file, encoder.encode(torn ? `\n${lines}` : lines));
        if (options?.sync) synced.push(lines);
      },
      close: async () => undefined,
    }),
    files: {
      async list(folder) {
        const names = new Set(
          [...contents.keys()]
            .filter((file) => file.startsWith(`${folder}/`))
            .map((file) => file.slice(folder.length + 1).split('/', 1)[0] ?? ''),
        );
        return [...names].flatMap((name) => describe(path.join(folder, name)) ?? []);
      },
      stat: async (file) => describe(file),
      async read(file, start, end) {
        const bytes = whole(file);
        if (!bytes) throw new FileError('not_found', `There is no file at ${file}`);
        return bytes.slice(start, end);
      },
      async *pieces(file, start, end) {
        const bytes = whole(file);
        if (!bytes) throw new FileError('not_found', `There is no file at ${file}`);
        for (let at = start; at < Math.min(end, bytes.length); at += PIECE)
          yield bytes.slice(at, Math.min(end, at + PIECE));
      },
      async create(file, text) {
        if (contents.has(file)) return false;
        add(file, encoder.encode(text));
        return true;
      },
      async move(from, to) {
        for (const file of [...contents.keys()]) {
          const found = contents.get(file);
          if (!found || (file !== from && !file.startsWith(`${from}/`))) continue;
          contents.delete(file);
          contents.set(to + file.slice(from.length), found);
          touch(to + file.slice(from.length));
        }
      },
      async remove(file) {
        for (const other of [...contents.keys()])
          if (other === file || other.startsWith(`${file}/`)) contents.delete(other);
      },
    },
  };
  return disk;
}
