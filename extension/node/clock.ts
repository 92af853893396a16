/** The real clock. */
import type { Clock } from '../ports';

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const abandoned = (): void => {
        clearTimeout(timer);
        reject(signal?.reason instanceof Error ? signal.reason : new Error('Aborted'));
      };
      if (signal?.aborted) {
        reject(signal.reason instanceof Error ? signal.reason : new Error('Aborted'));
        return;
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abandoned);
        resolve();
      }, ms);
      signal?.addEventListener('abort', abandoned, { once: true });
    }),
};
