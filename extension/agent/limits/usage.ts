/** Adding up tokens and money. Unknown stays unknown: a sum over nothing known is absent, not zero. */
import type { Usage } from '../../protocol/vocabulary';
import type { ModelInfo } from '../../models/transport';

export function addUsage(a: Usage, b: Usage): Usage {
  const sum = (x: number | undefined, y: number | undefined): number | undefined =>
    x === undefined && y === undefined ? undefined : (x ?? 0) + (y ?? 0);
  const total: Record<keyof Usage, number | undefined> = {
    inputTokens: sum(a.inputTokens, b.inputTokens),
    outputTokens: sum(a.outputTokens, b.outputTokens),
    cacheReadTokens: sum(a.cacheReadTokens, b.cacheReadTokens),
    cacheWriteTokens: sum(a.cacheWriteTokens, b.cacheWriteTokens),
    reasoningTokens: sum(a.reasoningTokens, b.reasoningTokens),
  };
  return Object.fromEntries(Object.entries(total).filter(([, value]) => value !== undefined));
}

/** What of `a` is not in `b`; never less than nothing. */
export function minusUsage(a: Usage, b: Usage): Usage {
  const keys = Object.keys(a) as (keyof Usage)[];
  return Object.fromEntries(keys.map((key) => [key, Math.max(0, (a[key] ?? 0) - (b[key] ?? 0))]));
}

/** All tokens that a budget counts: what went in, cached or not, and what came out. */
export function totalTokens(usage: Usage): number {
  return (
    (usage.inputTokens ?? 0) +
    (usage.outputTokens ?? 0) +
    (usage.cacheReadTokens ?? 0) +
    (usage.cacheWriteTokens ?? 0)
  );
}

/** US dollars, or undefined when a needed price is unknown. */
export function costUsd(usage: Usage, price: ModelInfo['price']): number | undefined {
  if (!price) return undefined;
  const perMillion =
    (usage.inputTokens ?? 0) * price.input +
    (usage.outputTokens ?? 0) * price.output +
    (usage.cacheReadTokens ?? 0) * (price.cacheRead ?? price.input) +
    (usage.cacheWriteTokens ?? 0) * (price.cacheWrite ?? price.input);
  return perMillion / 1_000_000;
}
