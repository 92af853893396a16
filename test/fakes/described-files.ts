/** A disk that is only described: links, files, special files. Paths are looked up by their text; what is not described does not exist. */
import { posix, win32 } from 'node:path';
import type { FileStat } from '../../extension/ports';
import type { PathFiles } from '../../extension/permissions/paths/locate';

export interface DescribedDisk {
  readonly platform?: 'linux' | 'darwin' | 'win32';
  /** Link → what it says. */
  readonly symlinks?: Readonly<Record<string, string>>;
  /** One name → another name of the same file. */
  readonly hardlinks?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
  /** Path → `fifo`, `socket`, `device`. */
  readonly special?: Readonly<Record<string, string>>;
}

const MAX_LINKS = 40;

export function describedFiles(disk: DescribedDisk): PathFiles {
  const windows = disk.platform === 'win32';
  const flavour = windows ? win32 : posix;
  const key = (path: string): string => {
    const resolved = flavour.resolve(path);
    return windows ? resolved.replaceAll('/', '\\').toLowerCase() : resolved;
  };
  const table = <T>(entries: readonly (readonly [string, T])[]): Map<string, T> =>
    new Map(entries.map(([path, value]) => [key(path), value]));
  const links = table(Object.entries(disk.symlinks ?? {}));
  const special = table(Object.entries(disk.special ?? {}));
  const hard = new Set(
    Object.entries(disk.hardlinks ?? {})
      .flat()
      .map(key),
  );
  const files = new Set([...(disk.files ?? []).map(key), ...hard]);
  const described = [...files, ...links.keys(), ...special.keys()];
  const folders = new Set(described.flatMap((entry) => parents(entry, flavour)));

  const stat = (path: string): FileStat | undefined => {
    const here = key(path);
    const target = links.get(here);
    const base = { size: 0, mtimeMs: 0 };
    if (target !== undefined) return { ...base, type: 'symlink', target };
    if (special.has(here)) return { ...base, type: 'other' };
    if (files.has(here)) return { ...base, type: 'file', links: hard.has(here) ? 2 : 1 };
    return folders.has(here) ? { ...base, type: 'directory' } : undefined;
  };

  const real = (path: string, hops: number): string => {
    if (hops > MAX_LINKS) throw new Error('a loop of links');
    const resolved = flavour.resolve(path);
    const parent = flavour.dirname(resolved);
    if (parent === resolved) return resolved;
    const here = flavour.join(real(parent, hops), flavour.basename(resolved));
    const target = links.get(key(here));
    return target === undefined ? here : real(flavour.resolve(flavour.dirname(here), target), hops + 1);
  };

  const list = (path: string): Awaited<ReturnType<NonNullable<PathFiles['list']>>> => {
    const here = key(path);
    const all = [...links.keys(), ...special.keys(), ...files, ...folders];
    const inside = new Set(all.filter((entry) => entry !== here && flavour.dirname(entry) === here));
    return [...inside].map((entry) => ({
      name: flavour.basename(entry),
      type: stat(entry)?.type ?? 'other',
    }));
  };

  return {
    stat: async (path) => stat(path),
    realPath: async (path) => real(path, 0),
    list: async (path) => list(path),
  };
}

function parents(path: string, flavour: typeof posix): readonly string[] {
  const parent = flavour.dirname(path);
  return parent === path ? [] : [parent, ...parents(parent, flavour)];
}
