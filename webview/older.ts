/** Asks the host for rows above those that are here, one answer at a time. It decides nothing about when. */
import type { Store } from './store';
import type { WebviewMessage } from '../extension/protocol/messages';

export interface Older {
  /** No effect while an answer is on its way, or when there is nothing above. */
  readonly ask: () => void;
  /** The answer came, or the question is void. */
  readonly reset: () => void;
}

/** An answer that has not come by then was lost. */
const LOST_MS = 3_000;

export function createOlder(
  store: Pick<Store, 'rows' | 'earlier' | 'header'>,
  post: (message: WebviewMessage) => void,
  later: (task: () => void, ms: number) => void,
): Older {
  let asked = 0;
  let waiting = false;
  return {
    ask() {
      const [first] = store.rows();
      const above = store.earlier() > 0;
      if (waiting || first === undefined || (!above && store.header()?.earlier !== true)) return;
      waiting = true;
      const mine = ++asked;
      // The host has rows that are not here, or the session's file has some that are not with the host yet.
      post(above ? { type: 'older', before: first.id } : { type: 'show_earlier' });
      later(() => {
        if (mine === asked) waiting = false;
      }, LOST_MS);
    },
    reset() {
      waiting = false;
    },
  };
}
