/** What the model has seen of each file in this conversation. Survives compaction; comes back with the records of a resumed session. */
import type { ReadLedger } from '../../tools/tool';
import type { SeenText } from '../recorder';

type Range = readonly [number, number];

/** Keeps the most recently used `capacity` files. */
export function readLedger(earlier: readonly SeenText[] = [], capacity = 1_000): ReadLedger {
  const seen = new Map<string, { readonly hash: string; readonly ranges: readonly Range[] }>();
  const put = (path: string, hash: string, ranges: readonly Range[]): void => {
    seen.delete(path);
    seen.set(path, { hash, ranges });
    if (seen.size > capacity) {
      const oldest = seen.keys().next();
      if (!oldest.done) seen.delete(oldest.value);
    }
  };
  const ledger: ReadLedger = {
    get: (path) => seen.get(path),
    record(path, hash, range) {
      const known = seen.get(path);
      put(path, hash, known?.hash === hash ? merge([...known.ranges, range]) : [range]);
    },
    replaced(path, hash) {
      put(path, hash, [[1, Number.MAX_SAFE_INTEGER]]);
    },
  };
  for (const { path, hash, from, to } of earlier) ledger.record(path, hash, [from, to]);
  return ledger;
}

/** The ledger as one call sees it: what it adds is also told to `saw`, for the call's record. */
export function watchedReads(reads: ReadLedger, saw: (text: SeenText) => void): ReadLedger {
  return {
    get: (path) => reads.get(path),
    record(path, hash, range) {
      reads.record(path, hash, range);
      saw({ path, hash, from: range[0], to: range[1] });
    },
    replaced(path, hash) {
      reads.replaced(path, hash);
      saw({ path, hash, from: 1, to: Number.MAX_SAFE_INTEGER });
    },
  };
}

/** Sorted, non-overlapping ranges; neighbours are joined. */
function merge(ranges: readonly Range[]): readonly Range[] {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0]);
  const joined: [number, number][] = [];
  for (const [from, to] of sorted) {
    const last = joined[joined.length - 1];
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}
