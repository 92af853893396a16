/**
 * How much of a window a conversation may fill, and how small it is made when it is full. Everything scales with the window: nothing here
 * assumes a size. What system prompt and tools take is fixed; the shares below are of the room that is left.
 */

export interface Budget {
  readonly window: number;
  /** What a request may take at most: the window without the room for an answer. */
  readonly limit: number;
  /** Above this the conversation is made smaller before it is sent. */
  readonly trigger: number;
  /** As far as shortening old results must bring it to be enough. */
  readonly trimTo: number;
  /** As far as a summary must bring it. */
  readonly target: number;
  /** Tokens for messages: the limit without system prompt and tools. */
  readonly room: number;
}

/** For an answer: a share of the window, but never so little that an edit does not fit, nor more than answers take. */
const ANSWER_SHARE = 0.15;
const ANSWER_LEAST = 1_000;
const ANSWER_MOST = 32_000;
/** The margin is for what no estimate sees: words of the wire, a tokenizer of its own. */
const TRIGGER_SHARE = 0.9;
const TRIM_SHARE = 0.6;
const TARGET_SHARE = 0.45;

/** What a request may take: the window without the room for an answer. `answer`: what the person wants left for it. */
export function limitOf(window: number, answer?: number): number {
  const scaled = Math.min(ANSWER_MOST, Math.max(ANSWER_LEAST, window * ANSWER_SHARE));
  return Math.floor(window - Math.min(answer ?? scaled, window / 2));
}

/** `fixed`: tokens of system prompt and tools. `answer`: what the person wants left for an answer. */
export function budgetOf(window: number, fixed: number, answer?: number): Budget {
  const limit = limitOf(window, answer);
  const room = Math.max(0, limit - fixed);
  const at = (share: number): number => Math.floor(fixed + room * share);
  return {
    window,
    limit,
    room,
    trigger: at(TRIGGER_SHARE),
    trimTo: at(TRIM_SHARE),
    target: at(TARGET_SHARE),
  };
}

/** Half of the room for what is told instead of the past, half for the past that stays word for word. */
export interface Shares {
  readonly summary: number;
  readonly said: number;
  readonly tail: number;
  readonly files: number;
  /** A single result in the tail. */
  readonly result: number;
}

/** `halvings`: how often what came out was too large still. */
export function sharesOf({ room }: Pick<Budget, 'room'>, halvings: number): Shares {
  const of = (share: number): number => Math.floor((room * share) / 2 ** halvings);
  return {
    summary: Math.max(150, Math.min(8_000, of(0.12))),
    said: of(0.1),
    tail: of(0.14),
    files: of(0.07),
    result: Math.max(60, of(0.06)),
  };
}
