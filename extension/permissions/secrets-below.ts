/**
 * Looks below a folder for files that may hold secrets, before a program reads all of it. A bounded look: what it cannot finish is
 * *unknown*, which asks.
 */
import type { PathFiles } from './paths/locate';
import { isSecretPath } from './paths/sensitive-paths';

const MAX_FOLDERS = 400;
const KEPT_MS = 5_000;
/** Folders that hold no secrets of the person, and too much else. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git']);

export type SecretsAnswer = 'none' | 'some' | 'unknown';

/** Answers are kept for a few seconds, so that a run of searches costs one look. */
export function secretsBelow(
  files: PathFiles,
  now: () => number,
): (folder: string, skipsHidden: boolean) => Promise<SecretsAnswer> {
  const known = new Map<string, { readonly at: number; readonly answer: Promise<SecretsAnswer> }>();
  return (folder, skipsHidden) => {
    const key = `${skipsHidden ? 'visible' : 'all'}:${folder}`;
    const kept = known.get(key);
    if (kept && now() - kept.at < KEPT_MS) return kept.answer;
    const answer = look(folder, skipsHidden, files);
    known.set(key, { at: now(), answer });
    return answer;
  };
}

async function look(folder: string, skipsHidden: boolean, files: PathFiles): Promise<SecretsAnswer> {
  if (!files.list) return 'unknown';
  const queue = [folder];
  for (let seen = 0; queue.length > 0; seen++) {
    if (seen >= MAX_FOLDERS) return 'unknown';
    const here = queue.shift() ?? folder;
    for (const entry of await listed(here, files)) {
      if (skipsHidden && entry.name.startsWith('.')) continue;
      const path = `${here.replace(/\/$/, '')}/${entry.name}`;
      if (entry.type === 'directory') {
        if (!SKIPPED.has(entry.name)) queue.push(path);
      } else if (isSecretPath(path)) return 'some';
    }
  }
  return 'none';
}

async function listed(
  folder: string,
  files: PathFiles,
): Promise<Awaited<ReturnType<NonNullable<PathFiles['list']>>>> {
  try {
    return (await files.list?.(folder)) ?? [];
  } catch {
    // What cannot be listed here cannot be read by the program either.
    return [];
  }
}
