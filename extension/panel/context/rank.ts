/** Which of many paths is meant by a few letters. Pure; the work for a path is a handful of scans of it, so that 100,000 are ranked in little time. */

export interface Ranked {
  /** With slashes, as it is shown. */
  readonly path: string;
}

/**
 * How well a path fits; undefined = not at all. `query` is in lower case and not empty. A name that begins with it is worth more than
 * one that holds it, a name more than a folder, letters with gaps least.
 */
export function scoreOf(query: string, path: string): number | undefined {
  const lower = path.toLowerCase();
  const nameAt = lower.lastIndexOf('/', lower.length - 2) + 1;
  const shorter = path.length / 200;
  if (query.includes('/')) return scoreOfPath(query, lower, shorter);
  const inName = lower.indexOf(query, nameAt);
  if (inName === nameAt) return whole(lower, nameAt, query) - shorter;
  if (inName > nameAt) return (startsWord(path, inName) ? 600 : 500) - shorter;
  const initials = wordStarts(path, nameAt, query);
  if (initials) return 450 - shorter;
  const inPath = lower.lastIndexOf(query);
  if (inPath >= 0) return (lower[inPath - 1] === '/' || inPath === 0 ? 420 : 400) - shorter;
  const gaps = gapsOf(lower, nameAt, query);
  if (gaps !== undefined) return 300 - gaps - shorter;
  const wide = query.length > 1 ? gapsOf(lower, 0, query) : undefined;
  return wide === undefined ? undefined : Math.max(1, 150 - wide) - shorter;
}

function whole(lower: string, nameAt: number, query: string): number {
  const rest = lower.slice(nameAt + query.length);
  if (rest === '' || rest === '/') return 1_000;
  return rest.startsWith('.') ? 900 : 800;
}

function scoreOfPath(query: string, lower: string, shorter: number): number | undefined {
  const at = lower.lastIndexOf(query);
  if (at >= 0) {
    const ends = at + query.length === lower.length ? 100 : 0;
    return (at === 0 ? 850 : lower[at - 1] === '/' ? 750 : 550) + ends - shorter;
  }
  const gaps = gapsOf(lower, 0, query);
  return gaps === undefined ? undefined : Math.max(1, 200 - gaps) - shorter;
}

function startsWord(path: string, at: number): boolean {
  const before = path[at - 1] ?? '';
  if (/[^A-Za-z0-9]/.test(before)) return true;
  return /[a-z0-9]/.test(before) && /[A-Z]/.test(path[at] ?? '');
}

/** `ml` for MessageList.ts or message-list.ts. */
function wordStarts(path: string, from: number, query: string): boolean {
  let found = 0;
  for (let at = from; at < path.length && found < query.length; at++)
    if ((at === from || startsWord(path, at)) && path[at]?.toLowerCase() === query[found]) found++;
  return query.length > 1 && found === query.length;
}

/** Letters left out between the first and the last one that fits; undefined when they do not all come, in order. */
function gapsOf(lower: string, from: number, query: string): number | undefined {
  let at = from - 1;
  let first = 0;
  for (let nth = 0; nth < query.length; nth++) {
    at = lower.indexOf(query[nth] ?? '', at + 1);
    if (at < 0) return undefined;
    if (nth === 0) first = at;
  }
  return at - first + 1 - query.length;
}

export interface RankOptions {
  readonly limit: number;
  /** Added to what a path scores, such as for open files. */
  readonly bonus?: (path: string) => number;
  readonly signal: AbortSignal;
  /** Called now and then, so that others get their turn. Default: at once. */
  readonly pause?: () => Promise<void>;
}

const BATCH = 5_000;

/** The best, best first. Empty when it was given up. */
export async function rank<T extends Ranked>(
  query: string,
  all: readonly T[],
  { limit, bonus, signal, pause }: RankOptions,
): Promise<readonly T[]> {
  const wanted = query.toLowerCase();
  let best: { readonly item: T; readonly score: number }[] = [];
  for (let at = 0; at < all.length; at += BATCH) {
    if (at > 0) await pause?.();
    if (signal.aborted) return [];
    for (const item of all.slice(at, at + BATCH)) {
      const score = scoreOf(wanted, item.path);
      if (score === undefined) continue;
      best.push({ item, score: score + (bonus?.(item.path) ?? 0) });
    }
    if (best.length > limit * 4) best = sorted(best).slice(0, limit);
  }
  return sorted(best)
    .slice(0, limit)
    .map(({ item }) => item);
}

function sorted<T extends Ranked>(
  list: readonly { readonly item: T; readonly score: number }[],
): { readonly item: T; readonly score: number }[] {
  return [...list].sort(
    (a, b) =>
      b.score - a.score || a.item.path.length - b.item.path.length || (a.item.path < b.item.path ? -1 : 1),
  );
}
