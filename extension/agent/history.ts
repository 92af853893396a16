/** The messages of a conversation as the next request will carry them. Append-only between boundaries; messages are immutable. */
import type { Message } from '../models/message';

export interface History {
  /** A snapshot: later additions do not show in it. */
  all(): readonly Message[];
  /** `line`: where the message begins in the record; a boundary can keep what begins there. */
  push(message: Message, line?: string): void;
  /** Compaction: what replaces everything so far. Lines are forgotten, unless they still stand where the boundary looks for them. */
  replace(messages: readonly Message[], lines?: 'kept'): void;
  lineOf(message: Message): string | undefined;
  readonly length: number;
}

export function createHistory(
  initial: readonly Message[] = [],
  lines: ReadonlyMap<Message, string> = new Map(),
): History {
  let messages: Message[] = [...initial];
  let known = new Map(lines);
  return {
    all: () => messages.slice(),
    push(message, line) {
      messages.push(message);
      if (line !== undefined) known.set(message, line);
    },
    replace(next, kept) {
      messages = [...next];
      if (kept === undefined) known = new Map();
    },
    lineOf: (message) => known.get(message),
    get length() {
      return messages.length;
    },
  };
}
