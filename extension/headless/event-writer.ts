/** Prints events as JSON lines, joined into few writes: a stream of thousands of deltas must not cost thousands of system calls. */

/** Events wait this long for others to come along: a reader sees no difference, and a step costs one write. */
const GATHER_MS = 4;

import type { Writable } from 'node:stream';

export interface EventWriter {
  write(event: object): void;
  /** Resolves when everything written so far has left the process. */
  flush(): Promise<void>;
}

export function eventWriter(out: Writable): EventWriter {
  let pending: string[] = [];
  let scheduled = false;
  const send = (): void => {
    scheduled = false;
    if (pending.length === 0) return;
    const text = pending.join('');
    pending = [];
    out.write(text);
  };
  return {
    write(event) {
      pending.push(`${JSON.stringify(event)}\n`);
      if (scheduled) return;
      scheduled = true;
      setTimeout(send, GATHER_MS);
    },
    flush: () =>
      new Promise((resolve) => {
        send();
        out.write('', () => resolve());
      }),
  };
}
