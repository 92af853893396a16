/** When to ask again. */
import { describe, expect, it } from 'vitest';
import { lowerOutputCap, retryDecision } from '../../../extension/agent/limits/retry';
import type { RouteError } from '../../../extension/models/transport';

const error = (more: Partial<RouteError>): RouteError => ({
  kind: 'server',
  message: '',
  retryable: true,
  ...more,
});

describe('retryDecision', () => {
  it('backs off twice as long each time, with jitter, up to a minute', () => {
    const waits = [1, 2, 3, 4, 5].map((attempt) => retryDecision(error({}), attempt, 0.999));
    expect(waits.map((wait) => (wait.type === 'wait' ? Math.round(wait.ms / 1000) : 0))).toEqual([
      1, 2, 4, 8, 16,
    ]);
    expect(retryDecision(error({}), 1, 0)).toEqual({ type: 'wait', ms: 500 });
    expect(retryDecision(error({}), 6, 0)).toEqual({ type: 'give_up' });
  });

  it('waits as long as the server says, and asks when that is long', () => {
    expect(retryDecision(error({ kind: 'rate_limit', retryAfterMs: 7000 }), 1, 0)).toEqual({
      type: 'wait',
      ms: 7000,
    });
    expect(retryDecision(error({ kind: 'rate_limit', retryAfterMs: 3_600_000 }), 1, 0)).toEqual({
      type: 'ask',
      ms: 3_600_000,
    });
  });

  it('gives up at once where waiting cannot help', () => {
    expect(retryDecision(error({ kind: 'auth', retryable: false }), 1, 0)).toEqual({ type: 'give_up' });
  });

  it('sends a corrected request once, and without waiting', () => {
    expect(retryDecision(error({ kind: 'bad_request' }), 1, 0)).toEqual({ type: 'wait', ms: 0 });
    expect(retryDecision(error({ kind: 'bad_request' }), 2, 0)).toEqual({ type: 'give_up' });
  });
});

describe('lowerOutputCap', () => {
  it('takes the cap that the server names', () => {
    expect(lowerOutputCap(error({ kind: 'output_cap', limit: { outputTokens: 8192 } }), 32_000)).toBe(8192);
    expect(
      lowerOutputCap(error({ kind: 'output_cap', limit: { outputTokens: 8192 } }), 8192),
    ).toBeUndefined();
  });
  it('takes what is left of the window when the prompt alone fits', () => {
    const limit = { contextTokens: 200_000, requestedTokens: 188_240 };
    expect(
      lowerOutputCap(
        error({ kind: 'context_overflow', action: 'lower-max-tokens-or-compact', limit }),
        21_333,
      ),
    ).toBe(11_760);
    expect(
      lowerOutputCap(error({ kind: 'context_overflow', action: 'compact', limit }), 21_333),
    ).toBeUndefined();
  });
});
