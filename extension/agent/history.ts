/** The messages of a conversation as the next request will carry them. Append-only between boundaries; messages are immutable. */
import type { Message } from '../models/message';

export interface History {
  /** A snapshot: later additions do not show in it. */
  all(): readonly Message[];
  push(message: Message): void;
  /** Compaction: what replaces everything so far. */
  replace(messages: readonly Message[]): void;
  readonly length: number;
}

export function createHistory(initial: readonly Message[] = []): History {
  let messages: Message[] = [...initial];
  return {
    all: () => messages.slice(),
    push: (message) => void messages.push(message),
    replace: (next) => {
      messages = [...next];
    },
    get length() {
      return messages.length;
    },
  };
}
