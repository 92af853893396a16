/** Session files on the real disk, and the identity of processes that lock them. Owner-only, and never through an editor. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { link, lstat, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Stats } from 'node:fs';
import type { ProcessIdentity, Processes, SessionFile, SessionFiles } from '../ports';
import { errorCode, toFileError } from './file-errors';

/** Stats in flight at once: more only queue up behind each other. */
const AT_ONCE = 32;
/** Read at once: what is done with it must take few milliseconds. */
const PIECE = 1 << 20;

export const nodeSessionFiles: SessionFiles = {
  async list(folder) {
    try {
      const names = await readdir(folder);
      const found: SessionFile[] = [];
      for (let at = 0; at < names.length; at += AT_ONCE) {
        const part = await Promise.all(
          names.slice(at, at + AT_ONCE).map((name) => describe(join(folder, name), name)),
        );
        found.push(...part.filter((file) => file !== undefined));
      }
      return found;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw toFileError(error, folder);
    }
  },
  stat: (path) => describe(path, path.slice(dirname(path).length).replace(/^[\\/]/, '')),
  async read(path, start, end) {
    try {
      const handle = await open(path, 'r');
      try {
        const bytes = new Uint8Array(Math.max(0, end - start));
        let done = 0;
        while (done < bytes.length) {
          const { bytesRead } = await handle.read(bytes, done, bytes.length - done, start + done);
          if (bytesRead === 0) break;
          done += bytesRead;
        }
        return bytes.subarray(0, done);
      } finally {
        await handle.close();
      }
    } catch (error) {
      throw toFileError(error, path);
    }
  },
  async *pieces(path, start, end) {
    const handle = await open(path, 'r').catch((error: unknown) => {
      throw toFileError(error, path);
    });
    try {
      // One buffer for all: a fresh one each time would cost more than the reading.
      const buffer = Buffer.allocUnsafeSlow(Math.min(PIECE, Math.max(1, end - start)));
      for (let at = start; at < end;) {
        const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, end - at), at);
        if (bytesRead === 0) return;
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await handle.close();
    }
  },
  async create(path, text) {
    const folder = dirname(path);
    const draft = join(folder, `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Whole or not at all: who sees the file sees its text, even if this process is killed on the way.
      await writeNew(draft, text);
      return await linkOrWrite(draft, path, text);
    } catch (error) {
      throw toFileError(error, path);
    } finally {
      await rm(draft, { force: true }).catch(() => undefined);
    }
  },
  async move(from, to) {
    try {
      await mkdir(dirname(to), { recursive: true, mode: 0o700 });
      await rename(from, to);
    } catch (error) {
      throw toFileError(error, from);
    }
  },
  async remove(path) {
    try {
      await rm(path, { recursive: true, force: true });
    } catch (error) {
      throw toFileError(error, path);
    }
  },
};

async function describe(path: string, name: string): Promise<SessionFile | undefined> {
  try {
    return fileOf(name, await lstat(path));
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw toFileError(error, path);
  }
}

function fileOf(name: string, stats: Stats): SessionFile {
  return {
    name,
    type: stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other',
    size: stats.size,
    mtimeMs: stats.mtimeMs,
    id: `${stats.dev}:${stats.ino}`,
  };
}

/** Asks the system once for its own identity. */
export async function nodeProcesses(): Promise<Processes> {
  const host = hostname();
  const self: ProcessIdentity = { pid: process.pid, start: (await startOf(process.pid)) ?? '', host };
  return {
    self,
    async state(other) {
      if (other.host !== host) return 'unknown';
      if (!exists(other.pid)) return 'gone';
      const start = await startOf(other.pid);
      // Numbers are given again; a process that started at another time is another process.
      if (other.start !== '' && start !== undefined && start !== other.start) return 'gone';
      return 'alive';
    },
  };
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** In the system's own words; undefined when it does not tell. */
async function startOf(pid: number): Promise<string | undefined> {
  switch (process.platform) {
    case 'linux':
      return startOnLinux(pid);
    case 'darwin':
    case 'freebsd':
      return outputOf('ps', ['-o', 'lstart=', '-p', String(pid)]);
    default:
      return undefined;
  }
}

/** Ticks since boot, with the boot's own id: ticks begin again at each boot. */
async function startOnLinux(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may hold spaces; the start is the 20th field after it.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
    return ticks === undefined ? undefined : `${ticks}@${boot.trim()}`;
  } catch {
    return undefined;
  }
}

function outputOf(program: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: 2000 }, (error, stdout) => {
      resolve(error ? undefined : stdout.trim() || undefined);
    });
  });
}

/** The branch that a folder is on, read from git's own files; empty outside a repository or on no branch. */
export async function gitBranchOf(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    const head = await readFile(join(at, '.git', 'HEAD'), 'utf8').catch(() => headOfWorktree(at));
    if (head !== undefined) return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? 'HEAD';
    if (dirname(at) === at) return '';
  }
}

/** In a worktree `.git` is a file that names the real folder. */
async function headOfWorktree(folder: string): Promise<string | undefined> {
  const pointer = await readFile(join(folder, '.git'), 'utf8').catch(() => '');
  const target = /^gitdir: (.+)$/m.exec(pointer)?.[1];
  if (target === undefined) return undefined;
  return readFile(join(folder, target, 'HEAD'), 'utf8').catch(() =>
    readFile(join(target, 'HEAD'), 'utf8').catch(() => undefined),
  );
}

async function writeNew(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** False when `path` is there already. Some file systems have no links; there the text follows the name. */
async function linkOrWrite(draft: string, path: string, text: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
  }
  try {
    await writeNew(path, text);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}
