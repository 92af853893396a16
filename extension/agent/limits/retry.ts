/**
 * Whether and when to ask again after a failure. Pure: the one place that retries asks it, shows the wait and lets the user cut it short.
 */
import type { RouteError } from '../../models/transport';

export interface RetryPolicy {
  /** Tries in all, the first included. */
  readonly attempts: number;
  readonly baseMs: number;
  readonly maxMs: number;
  /** A wait that the server asks for and that is longer than this is the user's to decide. */
  readonly askAboveMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { attempts: 6, baseMs: 1000, maxMs: 60_000, askAboveMs: 180_000 };

export type RetryDecision =
  | { readonly type: 'wait'; readonly ms: number }
  /** The server wants a long wait: ask the user. */
  | { readonly type: 'ask'; readonly ms: number }
  | { readonly type: 'give_up' };

/** Failures that a second answer may cure, but a fifth hardly. */
const FEW_TRIES: Readonly<Partial<Record<RouteError['kind'], number>>> = {
  bad_response: 3,
  bad_request: 2,
  stalled: 3,
};

/** Tries in all that this kind of failure gets. */
export function attemptsFor(error: RouteError, policy: RetryPolicy): number {
  return Math.min(policy.attempts, FEW_TRIES[error.kind] ?? policy.attempts);
}

/**
 * `attempt` is the number of tries that failed so far (from 1); `random` in [0, 1) spreads clients that failed together. An overloaded
 * server is given twice the time.
 */
export function retryDecision(
  error: RouteError,
  attempt: number,
  random: number,
  policy: RetryPolicy = DEFAULT_RETRY,
): RetryDecision {
  const attempts = attemptsFor(error, policy);
  if (!error.retryable || attempt >= attempts) return { type: 'give_up' };
  if (error.retryAfterMs !== undefined) {
    return error.retryAfterMs > policy.askAboveMs
      ? { type: 'ask', ms: error.retryAfterMs }
      : // A little later than asked, so that not everybody comes at the same moment.
        { type: 'wait', ms: Math.round(error.retryAfterMs * (1 + 0.1 * random)) };
  }
  // A request that was corrected may go at once.
  if (error.kind === 'bad_request') return { type: 'wait', ms: 0 };
  const slower = error.kind === 'overloaded' ? 2 : 1;
  const full = Math.min(policy.maxMs, policy.baseMs * slower * 2 ** (attempt - 1));
  return { type: 'wait', ms: Math.round(full * (0.5 + 0.5 * random)) };
}

/** The output cap for one more try, when the server's own numbers show that a lower one is enough. */
export function lowerOutputCap(error: RouteError, asked: number | undefined): number | undefined {
  const { contextTokens, outputTokens, requestedTokens } = error.limit ?? {};
  if (error.kind === 'output_cap' && outputTokens !== undefined)
    return outputTokens === asked ? undefined : outputTokens;
  if (
    error.action !== 'lower-max-tokens-or-compact' ||
    contextTokens === undefined ||
    requestedTokens === undefined
  )
    return undefined;
  const room = contextTokens - requestedTokens;
  return room >= 1024 ? room : undefined;
}
