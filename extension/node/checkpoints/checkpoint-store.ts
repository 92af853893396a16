/**
 * Where checkpoints are kept: a list of entries for each session and the contents that all of them share. Knows sizes, deletes what is too old
 * or too much, oldest sessions first. It reads no session's transcript.
 */
import { readFile, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { blobStore } from './blob-store';
import type { NodeBlobStore } from './blob-store';

const HASH = /"hash":"([0-9a-f]{64})"/g;

export interface KeptSession {
  readonly id: string;
  /** Milliseconds since the epoch of its last change. */
  readonly at: number;
}

export interface CheckpointStore {
  readonly folder: string;
  readonly blobs: NodeBlobStore;
  /** Path of a session's list. */
  listPath(id: string): string;
  /** Empty when there is none. */
  list(id: string): Promise<string>;
  sessions(): Promise<readonly KeptSession[]>;
  forget(ids: readonly string[]): Promise<void>;
  /** Deletes lists older than `days` and, oldest first, until contents fit into `mostBytes`; then contents that no list names. */
  prune(limits: {
    readonly days: number;
    readonly mostBytes: number;
    readonly keep?: string;
  }): Promise<Pruned>;
}

export interface Pruned {
  readonly sessions: number;
  readonly bytes: number;
}

export function checkpointStore(folder: string): CheckpointStore {
  const blobs = blobStore(join(folder, 'blobs'));
  const lists = join(folder, 'sessions');
  const listPath = (id: string): string => join(lists, `${id}.jsonl`);
  const sessions = async (): Promise<readonly KeptSession[]> => {
    const names = await readdir(lists).catch(() => []);
    const found = await Promise.all(
      names
        .filter((name) => name.endsWith('.jsonl'))
        .map(async (name) => ({
          id: name.slice(0, -'.jsonl'.length),
          at: (await stat(join(lists, name)).catch(() => undefined))?.mtimeMs ?? 0,
        })),
    );
    return found.sort((a, b) => b.at - a.at);
  };
  const list = async (id: string): Promise<string> => readFile(listPath(id), 'utf8').catch(() => '');
  const forget = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) await rm(listPath(id), { force: true });
  };
  const collect = async (minAgeMs?: number): Promise<number> => {
    const used = new Set<string>();
    for (const { id } of await sessions())
      for (const [, hash] of (await list(id)).matchAll(HASH)) if (hash !== undefined) used.add(hash);
    return blobs.collect((hash) => used.has(hash), minAgeMs);
  };
  return {
    folder,
    blobs,
    listPath,
    list,
    sessions,
    forget,
    async prune({ days, mostBytes, keep }) {
      const oldest = Date.now() - days * 24 * 60 * 60 * 1000;
      const all = (await sessions()).filter(({ id }) => id !== keep);
      const old = all.filter(({ at }) => at < oldest);
      await forget(old.map(({ id }) => id));
      let bytes = await collect();
      let count = old.length;
      const rest = all.filter(({ at }) => at >= oldest).reverse();
      for (const { id } of rest) {
        if ((await blobs.size()) <= mostBytes) break;
        await forget([id]);
        count += 1;
        bytes += await collect(0);
      }
      return { sessions: count, bytes };
    },
  };
}
