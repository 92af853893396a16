/** Adding up tokens. Unknown stays unknown: a count that no provider gave is absent, not zero. */
import type { Usage } from '../../protocol/vocabulary';

const FIELDS = [
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
] as const satisfies readonly (keyof Usage)[];

export function addUsage(a: Usage, b: Usage): Usage {
  const sum: { -readonly [K in keyof Usage]: Usage[K] } = {};
  for (const field of FIELDS) {
    const x = a[field];
    const y = b[field];
    if (x !== undefined || y !== undefined) sum[field] = (x ?? 0) + (y ?? 0);
  }
  return sum;
}

/** Tokens that one request and its answer take up in the window; undefined when the provider gave no counts. */
export function tokensInWindow(usage: Usage): number | undefined {
  const parts = [usage.inputTokens, usage.cacheReadTokens, usage.cacheWriteTokens, usage.outputTokens];
  if (parts.every((part) => part === undefined)) return undefined;
  return parts.reduce<number>((sum, part) => sum + (part ?? 0), 0);
}
