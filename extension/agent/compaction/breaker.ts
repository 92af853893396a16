/** After some failures in a row, summaries are not tried for a while by themselves. A person who asks for one is not kept waiting. */

export interface Breaker {
  /** Milliseconds since the epoch at which it is tried again; undefined = now. */
  openUntil(now: number): number | undefined;
  failed(now: number): 'again' | 'opened';
  succeeded(): void;
}

export function breaker(failures: number, coolMs: number): Breaker {
  let count = 0;
  let until = 0;
  return {
    openUntil: (now) => (now < until ? until : undefined),
    failed(now) {
      count += 1;
      if (count < failures) return 'again';
      count = 0;
      until = now + coolMs;
      return 'opened';
    },
    succeeded() {
      count = 0;
      until = 0;
    },
  };
}
