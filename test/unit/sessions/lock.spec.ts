import { describe, expect, it } from 'vitest';
import type { ProcessIdentity, Processes } from '../../../extension/ports';
import { acquireLock, foreignWriter, lockHolder, type LockDeps } from '../../../extension/sessions/lock';
import { memoryDisk, type MemoryDisk } from '../../fakes/memory-disk';
import { SESSION, uuidSource } from '../../fakes/transcript-rig';

const FOLDER = '/root/locks';
const HOUR = 60 * 60 * 1000;

interface World {
  readonly disk: MemoryDisk;
  readonly alive: Set<number>;
  now: number;
}

function world(): World {
  const made: World = { disk: memoryDisk(() => made.now), alive: new Set(), now: Date.UTC(2026, 10, 30) };
  return made;
}

function process(from: World, pid: number, host = 'here'): LockDeps {
  from.alive.add(pid);
  const self: ProcessIdentity = { pid, start: `start-${pid}`, host };
  const processes: Processes = {
    self,
    state: async (other) => {
      if (other.host !== host) return 'unknown';
      return from.alive.has(other.pid) && other.start === `start-${other.pid}` ? 'alive' : 'gone';
    },
  };
  return {
    files: from.disk.files,
    processes,
    clock: { now: () => from.now, sleep: async () => undefined },
    newId: uuidSource(),
  };
}

describe('the lock of a session', () => {
  it('is held by one process, and free after it was given back', async () => {
    const here = world();
    const first = await acquireLock(process(here, 1), FOLDER, SESSION);
    expect(await acquireLock(process(here, 2), FOLDER, SESSION)).toMatchObject({
      type: 'busy',
      holder: { process: { pid: 1 }, self: false },
    });
    if (first.type === 'locked') await first.lock.release();
    expect((await acquireLock(process(here, 2), FOLDER, SESSION)).type).toBe('locked');
  });

  it('knows another view of the same process', async () => {
    const here = world();
    await acquireLock(process(here, 1), FOLDER, SESSION);
    expect(await acquireLock(process(here, 1), FOLDER, SESSION)).toMatchObject({
      type: 'busy',
      holder: { self: true },
    });
  });

  it('does not keep anybody out after a crash, even when the number was given again', async () => {
    const here = world();
    await acquireLock(process(here, 1), FOLDER, SESSION);
    here.alive.delete(1);
    expect(await lockHolder(process(here, 2), FOLDER, SESSION)).toBeUndefined();
    expect((await acquireLock(process(here, 2), FOLDER, SESSION)).type).toBe('locked');
    expect(here.disk.paths()).toHaveLength(1);

    const again = world();
    const crashed = process(again, 7);
    await acquireLock(
      { ...crashed, processes: { ...crashed.processes, self: { pid: 7, start: 'earlier', host: 'here' } } },
      FOLDER,
      SESSION,
    );
    expect((await acquireLock(process(again, 8), FOLDER, SESSION)).type).toBe('locked');
  });

  it('is one process’s alone when many find a dead one at once', async () => {
    for (let round = 0; round < 50; round++) {
      const here = world();
      await acquireLock(process(here, 1), FOLDER, SESSION);
      here.alive.delete(1);
      const results = await Promise.all(
        [2, 3, 4, 5, 6].map((pid) => acquireLock(process(here, pid), FOLDER, SESSION)),
      );
      expect(results.filter((result) => result.type === 'locked')).toHaveLength(1);
    }
  });

  it('of another machine counts for half a day, and can be taken over on the person’s word', async () => {
    const here = world();
    const other = await acquireLock(process(here, 1, 'container-1'), FOLDER, SESSION);
    here.now += 11 * HOUR;
    expect((await acquireLock(process(here, 2), FOLDER, SESSION)).type).toBe('busy');
    const taken = await acquireLock(process(here, 2), FOLDER, SESSION, { takeOver: true });
    expect(taken.type).toBe('locked');
    expect(other.type === 'locked' && (await other.lock.isHeld())).toBe(false);
    expect(taken.type === 'locked' && (await taken.lock.isHeld())).toBe(true);

    const later = world();
    await acquireLock(process(later, 1, 'container-1'), FOLDER, SESSION);
    later.now += 13 * HOUR;
    expect((await acquireLock(process(later, 2), FOLDER, SESSION)).type).toBe('locked');
  });

  it('counts while its file is being written, and not for ever', async () => {
    const here = world();
    here.disk.put(`${FOLDER}/${SESSION}.1.lock`, '');
    expect((await acquireLock(process(here, 2), FOLDER, SESSION)).type).toBe('busy');
    here.now += 11_000;
    expect((await acquireLock(process(here, 2), FOLDER, SESSION)).type).toBe('locked');
  });

  it('is of one session only', async () => {
    const here = world();
    await acquireLock(process(here, 1), FOLDER, SESSION);
    expect((await acquireLock(process(here, 2), FOLDER, SESSION.replace('0b8', '0b9'))).type).toBe('locked');
  });
});

describe('a session that Claude Code has open', () => {
  it('is known by the file of its process', async () => {
    const here = world();
    const deps = process(here, 1);
    here.alive.add(42);
    here.disk.put('/home/.claude/sessions/42.json', JSON.stringify({ pid: 42, sessionId: SESSION }));
    here.disk.put('/home/.claude/sessions/43.json', 'torn');
    const alive: LockDeps = {
      ...deps,
      processes: {
        ...deps.processes,
        state: async (other) => (here.alive.has(other.pid) ? 'alive' : 'gone'),
      },
    };
    expect(await foreignWriter(alive, '/home/.claude', SESSION)).toMatchObject({ pid: 42 });
    here.alive.delete(42);
    expect(await foreignWriter(alive, '/home/.claude', SESSION)).toBeUndefined();
  });
});
