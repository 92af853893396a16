/**
 * Whether the webview still answers. What was sent and not acknowledged holds back more of it; a webview that is silent for long is dead.
 * It has a timer only while an answer is due, so that a panel at rest does nothing.
 */
import type { Ticker } from './state/view-model';

/** Messages that may be on their way at once. */
const AHEAD = 8;
/** A page that is drawing something enormous is slow, not dead. */
const SILENCE_MS = 15_000;

export interface Pulse {
  /** A message went out that will be acknowledged. */
  sent(): void;
  acknowledged(): void;
  /** More may be sent. */
  mayGo(): boolean;
  /** Nothing is due any more: the webview is hidden, gone, or begins anew. */
  forget(): void;
}

export function createPulse(ticker: Ticker, dead: () => void): Pulse {
  let due = 0;
  let cancel: (() => void) | undefined;
  const rest = (): void => {
    due = 0;
    cancel?.();
    cancel = undefined;
  };
  const wait = (): void => {
    cancel ??= ticker.after(SILENCE_MS, () => {
      rest();
      dead();
    });
  };
  return {
    sent() {
      due++;
      wait();
    },
    acknowledged() {
      cancel?.();
      cancel = undefined;
      due = Math.max(0, due - 1);
      if (due > 0) wait();
    },
    mayGo: () => due < AHEAD,
    forget: rest,
  };
}
