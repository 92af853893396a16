/** How numbers are written in the panel: durations, tokens, money, counts. Pure. */
import type { Row } from '../extension/protocol/view-state';
import type { Usage } from '../extension/protocol/vocabulary';

/** `9 ms`, `1.2 s`, `48 s`, `2 min 5 s`, `1 h 3 min`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  const rest = minutes % 60;
  return rest === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${rest} min`;
}

/** A running clock: whole seconds, so that the last digit does not flicker. */
export function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1_000);
}

/** `812`, `12.4k`, `1.2M`. */
export function compact(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 99_950) return `${trim(count / 1_000)}k`;
  if (count < 999_500) return `${Math.round(count / 1_000)}k`;
  return `${trim(count / 1_000_000)}M`;
}

function trim(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}

/** `$0.03`, `<$0.01`. */
export function money(usd: number): string {
  if (usd > 0 && usd < 0.01) return '<$0.01';
  return `$${usd.toFixed(2)}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Everything that was sent and received; undefined when the provider told nothing. */
export function totalTokens(usage: Usage): number | undefined {
  const known = [usage.inputTokens, usage.outputTokens, usage.cacheReadTokens, usage.cacheWriteTokens].filter(
    (n) => n !== undefined,
  );
  return known.length === 0 ? undefined : known.reduce((sum, n) => sum + n, 0);
}

/** What the turns of a session cost; `unknown`: of so many nobody knows. */
export function sessionCost(rows: readonly Row[]): {
  readonly usd: number;
  readonly unknown: number;
  readonly turns: number;
} {
  const turns = rows.filter((row) => row.type === 'outcome' && row.steps > 0);
  const costs = turns.map((row) => (row.type === 'outcome' ? row.costUsd : undefined));
  return {
    usd: costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
    unknown: costs.filter((cost) => cost === undefined).length,
    turns: turns.length,
  };
}
