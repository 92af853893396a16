/** Where the past that is summarised ends and the past that stays word for word begins. Pure. */
import type { Message } from '../models/message';
import { messageTokens } from './tokens';

/**
 * Index of the first message that stays: as early as the tail fits into `tokens` and `most` messages, and never between a call and its result. `allowed` says where
 * the session's file can begin a tail. `messages.length` = nothing stays.
 */
export function tailStart(
  messages: readonly Message[],
  tokens: number,
  allowed: (message: Message) => boolean,
  most = Infinity,
): number {
  let left = tokens;
  let cut = messages.length;
  for (let at = messages.length - 1; at > 0 && messages.length - at <= most; at--) {
    const message = messages[at];
    if (message === undefined) break;
    left -= messageTokens(message);
    if (left < 0) break;
    if (allowed(message) && beginsTurn(messages, at)) cut = at;
  }
  return cut;
}

/** An answer with what follows it, or a prompt: nothing before it waits for something after it. */
export function beginsTurn(messages: readonly Message[], at: number): boolean {
  const message = messages[at];
  if (message === undefined) return false;
  if (message.role === 'user') return !message.content.some((block) => block.type === 'tool_result');
  // Two answers in a row are one turn on the wire: a paused one is not cut apart.
  return messages[at - 1]?.role !== 'assistant';
}

/** The last answer with calls and their results; 0 messages when there is none. */
export function lastStepStart(messages: readonly Message[]): number {
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  return at < 0 ? messages.length : at;
}
