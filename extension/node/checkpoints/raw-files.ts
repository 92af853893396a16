/** Files as bytes on the disk, to be saved and put back with their mode. It knows no editors. */
import { chmod, lstat, readFile, rmdir, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { RawFiles } from '../../ports';
import { atomicWrite } from '../atomic-write';
import { errorCode } from '../file-errors';
import { nodeFiles } from '../node-files';

/** Larger files are not read into memory. */
const MOST_BYTES = 64 * 1024 * 1024;

export function nodeRawFiles(): RawFiles {
  const files = nodeFiles();
  return {
    realPath: (path) => files.realPath(path),
    async stamp(path) {
      const about = await stat(path, { bigint: true }).catch(ignoreMissing);
      return about && `${about.mtimeNs}:${about.ctimeNs}:${about.size}:${about.ino}`;
    },
    async read(path) {
      const about = await stat(path).catch(ignoreMissing);
      if (about === undefined) return undefined;
      if (!about.isFile()) return { type: 'not_kept', why: 'it is not a regular file' };
      if (about.size > MOST_BYTES) return { type: 'not_kept', why: 'it is too large' };
      return { type: 'file', bytes: await readFile(path), mode: about.mode & 0o7777, unsaved: false };
    },
    async write(path, bytes, mode) {
      await atomicWrite(path, bytes);
      const about = await stat(path);
      if ((about.mode & 0o7777) !== mode) await chmod(path, mode);
    },
    remove: (path) => rm(path),
    async removeEmptyFolder(path) {
      try {
        await rmdir(path);
        return true;
      } catch (error) {
        if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(errorCode(error))) return false;
        throw error;
      }
    },
    async missingFolders(path) {
      const missing: string[] = [];
      for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
        if ((await lstat(at).catch(ignoreMissing)) !== undefined) break;
        missing.unshift(at);
      }
      return missing;
    },
  };
}

function ignoreMissing(error: unknown): undefined {
  if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return undefined;
  throw error;
}
