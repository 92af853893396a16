/** How long to wait before asking a route again, and whether to. Pure but for the given random number. */
import type { RouteError } from '../../models/transport';
import type { AgentSettings } from './settings';

export type RetryPlan = { readonly type: 'wait'; readonly ms: number } | { readonly type: 'give_up' };

/** `attempt`: 1 for the first retry. `random` in [0, 1). */
export function planRetry(
  error: RouteError,
  attempt: number,
  settings: AgentSettings,
  random: number,
): RetryPlan {
  if (!error.retryable || attempt > settings.retries) return { type: 'give_up' };
  if (error.retryAfterMs !== undefined) {
    return error.retryAfterMs <= settings.retryMaxMs
      ? { type: 'wait', ms: error.retryAfterMs }
      : { type: 'give_up' };
  }
  const full = Math.min(settings.retryMaxMs, settings.retryBaseMs * 2 ** (attempt - 1));
  // Equal jitter: half fixed, half random, so that many clients spread out and none comes back at once.
  return { type: 'wait', ms: Math.round(full / 2 + (full / 2) * random) };
}
