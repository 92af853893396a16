/** Contents by their hash in a folder of our own: `ab/abcdef….gz`. Written whole or not at all, never changed, readable by the owner only. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { BlobStore } from '../../ports';
import { errorCode } from '../file-errors';

const compress = promisify(gzip);
const expand = promisify(gunzip);
const NAME = /^[0-9a-f]{64}\.gz$/;

export interface NodeBlobStore extends BlobStore {
  /** Bytes on disk, all contents together. */
  size(): Promise<number>;
  /** Removes what `isUsed` says no to and is older than `minAgeMs`; returns the bytes that were freed. */
  collect(isUsed: (hash: string) => boolean, minAgeMs?: number): Promise<number>;
}

export function blobStore(folder: string): NodeBlobStore {
  const place = (hash: string): string => join(folder, hash.slice(0, 2), `${hash}.gz`);
  return {
    async put(bytes) {
      const hash = createHash('sha256').update(bytes).digest('hex');
      const target = place(hash);
      if (await exists(target)) return hash;
      await mkdir(join(folder, hash.slice(0, 2)), { recursive: true, mode: 0o700 });
      const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
      try {
        const handle = await open(temporary, 'wx', 0o600);
        try {
          await handle.writeFile(await compress(bytes, { level: 4 }));
          await handle.datasync();
        } finally {
          await handle.close();
        }
        await rename(temporary, target);
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => undefined);
        throw error;
      }
      return hash;
    },
    async get(hash) {
      try {
        const bytes = await expand(await readFile(place(hash)));
        return createHash('sha256').update(bytes).digest('hex') === hash ? bytes : undefined;
      } catch {
        return undefined;
      }
    },
    async size() {
      let sum = 0;
      for await (const file of contents(folder)) sum += file.size;
      return sum;
    },
    async collect(isUsed, minAgeMs = 60 * 60 * 1000) {
      let freed = 0;
      for await (const file of contents(folder)) {
        if (isUsed(file.hash) || Date.now() - file.mtimeMs < minAgeMs) continue;
        await rm(file.path, { force: true });
        freed += file.size;
      }
      return freed;
    },
  };
}

async function* contents(folder: string) {
  for (const group of await names(folder))
    for (const name of await names(join(folder, group))) {
      if (!NAME.test(name)) continue;
      const path = join(folder, group, name);
      const about = await stat(path).catch(() => undefined);
      if (about !== undefined)
        yield { path, hash: name.slice(0, 64), size: about.size, mtimeMs: about.mtimeMs };
    }
}

async function names(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return [];
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
