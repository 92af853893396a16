/** Files of permission rules on disk: read again only when they have changed, written in one step and for their owner only. */
import { statSync, type Stats } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { errorCode } from '../file-errors';

/** No file of rules is longer; a bigger one is not read, which makes it ask. */
const MOST_BYTES = 1_000_000;

interface Known {
  readonly stamp: string;
  readonly text: string;
}

export interface RuleFiles {
  read(path: string): Promise<string | undefined>;
  write(path: string, text: string): Promise<void>;
}

export function nodeRuleFiles(): RuleFiles {
  const known = new Map<string, Known>();
  // Calls that are judged at once ask for the same files at once; one look answers them all.
  const looking = new Map<string, Promise<string | undefined>>();
  const look = async (path: string): Promise<string | undefined> => {
    const found = statNow(path);
    if (found === undefined) return undefined;
    if (!found.isFile() || found.size > MOST_BYTES) throw new Error(`${path} cannot be read.`);
    const stamp = [found.ino, found.size, found.mtimeMs, found.ctimeMs].join();
    const before = known.get(path);
    if (before?.stamp === stamp) return before.text;
    const text = await readFile(path, 'utf8');
    known.set(path, { stamp, text });
    return text;
  };
  return {
    read(path) {
      const before = looking.get(path);
      if (before) return before;
      const fresh = look(path).finally(() => {
        if (looking.get(path) === fresh) looking.delete(path);
      });
      looking.set(path, fresh);
      return fresh;
    },
    async write(path, text) {
      const folder = dirname(path);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const temporary = join(folder, `.${randomBytes(6).toString('hex')}.tmp`);
      try {
        await writeFile(temporary, text, { mode: 0o600, flag: 'wx', flush: true });
        await chmod(temporary, 0o600);
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
      known.delete(path);
      looking.delete(path);
    },
  };
}

/**
 * At once: a handful of files is looked at before each call, most of which are not there. Handing that to other threads and back costs many
 * times the look itself.
 */
function statNow(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Where a machine's owner puts the rules that hold for everybody on it. */
export function policyFile(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string {
  switch (platform) {
    case 'win32':
      return join(env['ProgramData'] ?? 'C:\\ProgramData', 'Sluice', 'policy.json');
    case 'darwin':
      return '/Library/Application Support/Sluice/policy.json';
    default:
      return '/etc/sluice/policy.json';
  }
}
