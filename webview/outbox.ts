/** Prompts on their way to the host: kept until the host shows them, so that a reload in between loses none. Pure but for the clock it is given. */
import type { Attachment } from '../extension/protocol/attachments';
import { areChips } from './kept-chips';

export interface Unsent {
  readonly text: string;
  readonly chips: readonly Attachment[];
}

export interface Sent {
  readonly text: string;
  readonly chips?: readonly Attachment[];
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface Outbox {
  list(): readonly Sent[];
  add(text: string, chips: readonly Attachment[]): void;
  /** False when it was not waited for. */
  arrived(text: string): boolean;
  /** What this page's predecessor sent and the host does not know. Taken once. */
  takeUnsent(known: readonly string[]): readonly Unsent[];
}

/** What was sent longer ago was handled without leaving a trace in the transcript. */
const UNSENT_MS = 60_000;
const MAX_SENT = 20;

export function createOutbox(saved: readonly Sent[], now: () => number): Outbox {
  let sent = saved;
  let before: readonly Sent[] = saved.filter(({ at }) => now() - at < UNSENT_MS);
  return {
    list: () => sent,
    add(text, chips) {
      const beside = chips.length === 0 ? {} : { chips };
      sent = [...sent, { text, at: now(), ...beside }].slice(-MAX_SENT);
    },
    arrived(text) {
      const at = sent.findIndex((one) => one.text === text);
      sent = sent.filter((_, index) => index !== at);
      return at >= 0;
    },
    takeUnsent(known) {
      const unsent = before
        .filter(({ text }) => !known.includes(text))
        .map(({ text, chips = [] }) => ({ text, chips }));
      if (before.length > 0) sent = [];
      before = [];
      return unsent;
    },
  };
}

export function isSent(value: unknown): value is Sent {
  if (typeof value !== 'object' || value === null) return false;
  if (!('text' in value && typeof value.text === 'string' && 'at' in value && typeof value.at === 'number'))
    return false;
  return !('chips' in value) || areChips(value.chips);
}
