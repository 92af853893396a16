/** Puts whole new content in place of a file in one step, so that a crash leaves the old bytes or the new ones, never a mixture. */
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Stats } from 'node:fs';
import { FileError } from '../ports';
import { errorCode } from './file-errors';

/** `target` must have its links resolved: a link at its end would be replaced, not followed. */
export async function atomicWrite(target: string, bytes: Uint8Array): Promise<void> {
  const existing = await stat(target).catch(() => undefined);
  if (existing && (existing.mode & 0o222) === 0)
    throw new FileError('no_permission', `${target} is read-only; make it writable first.`);
  if (!existing) await mkdir(dirname(target), { recursive: true });
  const temporary = join(
    dirname(target),
    `.${basename(target).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`,
  );
  try {
    await writeWhole(temporary, bytes, existing);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    if (!existing || !needsWriteInPlace(error)) throw error;
    await writeInPlace(target, bytes);
  }
}

async function writeWhole(path: string, bytes: Uint8Array, like: Stats | undefined): Promise<void> {
  const handle = await open(path, 'wx', like ? like.mode & 0o777 : 0o666);
  try {
    await handle.writeFile(bytes);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  if (!like) return;
  await chmod(path, like.mode & 0o7777);
  const uid = process.getuid?.();
  if (uid !== undefined && (like.uid !== uid || like.gid !== process.getgid?.()))
    await chown(path, like.uid, like.gid).catch(() => undefined);
}

/** A folder in which nothing may be created, or a file that is itself a mount point, still lets its own content be written. */
function needsWriteInPlace(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EBUSY', 'EXDEV'].includes(errorCode(error));
}

async function writeInPlace(target: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(target, 'r+');
  try {
    const before = await handle.readFile();
    try {
      await overwrite(handle, bytes);
    } catch (error) {
      await overwrite(handle, before).catch(() => undefined);
      throw error;
    }
  } finally {
    await handle.close();
  }
}

async function overwrite(handle: Awaited<ReturnType<typeof open>>, bytes: Uint8Array): Promise<void> {
  let done = 0;
  while (done < bytes.length)
    done += (await handle.write(bytes, done, bytes.length - done, done)).bytesWritten;
  await handle.truncate(bytes.length);
  await handle.datasync();
}
