/**
 * One writer per session. A lock is a file named after the session and a generation; the highest generation holds. A lock whose process is
 * gone is taken over by making the next generation, which only one of several takers can do. Survives crashes; needs no clean-up.
 */
import * as path from 'node:path';
import type { Clock, NewId, ProcessIdentity, Processes, SessionFiles } from '../ports';
import { isObject, numberAt, objectAt, textAt } from './format/json';

export interface LockDeps {
  readonly files: SessionFiles;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly newId: NewId;
}

export interface Holder {
  readonly process: ProcessIdentity;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** This process itself, in another view. */
  readonly self: boolean;
}

export interface SessionLock {
  /** False once another process took it over, on somebody's word. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

export type LockResult =
  | { readonly type: 'locked'; readonly lock: SessionLock }
  | { readonly type: 'busy'; readonly holder: Holder };

/** What a lock file that cannot be read is given: it may be just being written. */
const GRACE_MS = 10_000;
/** Whether a process of another machine lives cannot be known. */
const FOREIGN_MS = 12 * 60 * 60 * 1000;

/** `takeOver`: the person said that the other one does not count. */
export async function acquireLock(
  deps: LockDeps,
  folder: string,
  sessionId: string,
  options: { readonly takeOver?: boolean } = {},
): Promise<LockResult> {
  for (;;) {
    const generations = await generationsOf(deps, folder, sessionId);
    const highest = generations.at(-1);
    if (highest && !options.takeOver) {
      const holder = await holderOf(deps, highest);
      if (holder) return { type: 'busy', holder };
    }
    const mine = (highest?.generation ?? 0) + 1;
    const file = path.join(folder, lockName(sessionId, mine));
    const token = deps.newId();
    const text = JSON.stringify({ ...deps.processes.self, since: deps.clock.now(), token });
    if (!(await deps.files.create(file, text))) continue;
    const after = await generationsOf(deps, folder, sessionId);
    if ((after.at(-1)?.generation ?? mine) > mine) {
      // Somebody took a later one while we judged an earlier one.
      await deps.files.remove(file);
      continue;
    }
    for (const old of after) if (old.generation < mine) await deps.files.remove(old.file);
    return { type: 'locked', lock: lockAt(deps, folder, sessionId, file, mine) };
  }
}

/** Who writes the session now; undefined = nobody. */
export async function lockHolder(
  deps: LockDeps,
  folder: string,
  sessionId: string,
): Promise<Holder | undefined> {
  const highest = (await generationsOf(deps, folder, sessionId)).at(-1);
  return highest ? holderOf(deps, highest) : undefined;
}

function lockAt(
  deps: LockDeps,
  folder: string,
  sessionId: string,
  file: string,
  generation: number,
): SessionLock {
  return {
    async isHeld() {
      const highest = (await generationsOf(deps, folder, sessionId)).at(-1);
      return highest?.generation === generation;
    },
    release: () => deps.files.remove(file),
  };
}

interface Generation {
  readonly generation: number;
  readonly file: string;
  readonly mtimeMs: number;
  readonly size: number;
}

function lockName(sessionId: string, generation: number): string {
  return `${sessionId}.${generation}.lock`;
}

/** Lowest first. */
async function generationsOf(deps: LockDeps, folder: string, sessionId: string): Promise<Generation[]> {
  const prefix = `${sessionId}.`;
  const found = (await deps.files.list(folder)).flatMap((file) => {
    if (!file.name.startsWith(prefix)) return [];
    const match = /^(\d+)\.lock$/.exec(file.name.slice(prefix.length));
    const generation = Number(match?.[1]);
    if (!match || !Number.isSafeInteger(generation)) return [];
    return [{ generation, file: path.join(folder, file.name), mtimeMs: file.mtimeMs, size: file.size }];
  });
  return found.sort((a, b) => a.generation - b.generation);
}

/** Undefined when the holder is gone. */
async function holderOf(deps: LockDeps, lock: Generation): Promise<Holder | undefined> {
  const now = deps.clock.now();
  const saved = await readHolder(deps, lock);
  if (!saved) return now - lock.mtimeMs > GRACE_MS ? undefined : unknownHolder(lock.mtimeMs);
  const state = await deps.processes.state(saved.process);
  if (state === 'gone') return undefined;
  if (state === 'unknown' && now - saved.since > FOREIGN_MS) return undefined;
  return saved;
}

function unknownHolder(since: number): Holder {
  return { process: { pid: 0, start: '', host: '' }, since, self: false };
}

async function readHolder(deps: LockDeps, lock: Generation): Promise<Holder | undefined> {
  try {
    const bytes = await deps.files.read(lock.file, 0, Math.min(lock.size, 65_536));
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (!isObject(value)) return undefined;
    const pid = numberAt(value, 'pid');
    const since = numberAt(value, 'since');
    if (pid === undefined || since === undefined) return undefined;
    const process = { pid, start: textAt(value, 'start') ?? '', host: textAt(value, 'host') ?? '' };
    const { self } = deps.processes;
    return {
      process,
      since,
      self: process.pid === self.pid && process.host === self.host && process.start === self.start,
    };
  } catch {
    return undefined;
  }
}

/** For Claude Code's own sessions: the live process that has this one open, by its `sessions/<pid>.json`. */
export async function foreignWriter(
  deps: LockDeps,
  configRoot: string,
  sessionId: string,
): Promise<ProcessIdentity | undefined> {
  const folder = path.join(configRoot, 'sessions');
  for (const file of await deps.files.list(folder)) {
    if (!/^\d+\.json$/.test(file.name) || file.size > 65_536) continue;
    try {
      const bytes = await deps.files.read(path.join(folder, file.name), 0, file.size);
      const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
      if (!isObject(value) || textAt(value, 'sessionId') !== sessionId) continue;
      const pid = numberAt(value, 'pid') ?? Number.parseInt(file.name, 10);
      const identity = {
        pid,
        start: '',
        host: textAt(objectAt(value, 'host'), 'name') ?? deps.processes.self.host,
      };
      if ((await deps.processes.state(identity)) !== 'gone') return identity;
    } catch {
      continue;
    }
  }
  return undefined;
}
