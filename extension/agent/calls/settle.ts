/** Waiting for work that may not heed its abort signal. */
import type { Clock } from '../../ports';

/**
 * The work's own end, or, once `signal` is aborted, at the latest `graceMs` later a rejection with the signal's reason. The work's later
 * rejection is then ignored: it was told to stop and its fate is reported as unknown.
 */
export async function settleWithin<T>(
  work: Promise<T>,
  signal: AbortSignal,
  graceMs: number,
  clock: Clock,
): Promise<T> {
  work.catch(() => undefined);
  let dispose = (): void => undefined;
  const cut = new Promise<never>((_, reject) => {
    const onAbort = (): void => {
      const fail = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      if (graceMs === 0) fail();
      else void clock.sleep(graceMs).then(fail, fail);
    };
    if (signal.aborted) onAbort();
    else {
      signal.addEventListener('abort', onAbort, { once: true });
      dispose = () => signal.removeEventListener('abort', onAbort);
    }
  });
  cut.catch(() => undefined);
  try {
    return await Promise.race([work, cut]);
  } finally {
    dispose();
  }
}
