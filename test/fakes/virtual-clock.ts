/**
 * A clock that jumps: when nothing but timers is left to wait for, the earliest one fires. Thousands of scenarios with real orderings of
 * seconds run in milliseconds. Works as long as everything under test waits through it or through promises.
 */
import type { Clock } from '../../extension/ports';

interface Timer {
  readonly at: number;
  readonly order: number;
  fire(): void;
}

export interface VirtualClock extends Clock {
  /** Runs timers until `done` resolves. Rejects when nothing is left to fire and `done` is still open: a hang. */
  run<T>(done: Promise<T>): Promise<T>;
}

export function virtualClock(): VirtualClock {
  const timers = new Set<Timer>();
  let now = 1_000;
  let order = 0;

  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const reason = (): Error => (signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
      if (signal?.aborted) return reject(reason());
      const onAbort = (): void => {
        timers.delete(timer);
        reject(reason());
      };
      const timer: Timer = {
        at: now + ms,
        order: order++,
        fire() {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      timers.add(timer);
      signal?.addEventListener('abort', onAbort, { once: true });
    });

  const fireNext = (): boolean => {
    let next: Timer | undefined;
    for (const timer of timers)
      if (!next || timer.at < next.at || (timer.at === next.at && timer.order < next.order)) next = timer;
    if (!next) return false;
    timers.delete(next);
    now = Math.max(now, next.at);
    next.fire();
    return true;
  };

  return {
    now: () => now,
    sleep,
    async run(done) {
      let settled = false;
      const finish = (): void => void (settled = true);
      done.then(finish, finish);
      for (let idle = 0; !settled;) {
        await new Promise<void>((resolve) => setImmediate(resolve));
        if (settled) break;
        idle = fireNext() ? 0 : idle + 1;
        if (idle > 20) throw new Error('Hang: nothing is left to happen, and the turn has not ended.');
      }
      return done;
    },
  };
}
