/**
 * What a session used, counted as its readers count: one figure per model message, never per line. Placeholder figures of old versions are
 * not told apart here; they are small, and never added twice.
 */
import type { Usage } from '../../protocol/vocabulary';
import { numberAt, objectAt, textAt, type Json } from './json';

/** One model message as far as tokens go. */
export interface MessageUsage {
  readonly key: string;
  readonly model: string;
  readonly usage: Usage;
}

/** `undefined` when the line has no usage that counts: synthetic lines and error messages were made without a model. */
export function usageOfLine(record: Json): MessageUsage | undefined {
  const message = objectAt(record, 'message');
  const counts = objectAt(message, 'usage');
  if (record['type'] !== 'assistant' || !message || !counts) return undefined;
  const model = textAt(message, 'model') ?? '';
  if (model === '<synthetic>' || record['isApiErrorMessage'] === true) return undefined;
  const id = textAt(message, 'id');
  const key = id
    ? `${id}|${textAt(record, 'requestId') ?? ''}`
    : `uuid:${textAt(record, 'uuid') ?? JSON.stringify(counts)}`;
  return { key, model, usage: fromWire(counts, unknownKeys(record)) };
}

/** As {@link usageToWire} wrote it. */
export function usageFromWire(saved: Json | undefined): Usage | undefined {
  const wire = objectAt(saved, 'wire');
  const unknown = saved?.['unknown'];
  return wire && fromWire(wire, Array.isArray(unknown) ? unknown : []);
}

function unknownKeys(record: Json): readonly unknown[] {
  const list = objectAt(record, 'sluice')?.['unknownUsage'];
  return Array.isArray(list) ? list : [];
}

type MutableUsage = { -readonly [K in keyof Usage]: Usage[K] };

const WIRE_KEYS = [
  ['inputTokens', 'input_tokens'],
  ['outputTokens', 'output_tokens'],
  ['cacheReadTokens', 'cache_read_input_tokens'],
  ['cacheWriteTokens', 'cache_creation_input_tokens'],
] as const;

function fromWire(counts: Json, unknown: readonly unknown[]): Usage {
  const usage: MutableUsage = {};
  for (const [key, wire] of WIRE_KEYS) {
    const value = unknown.includes(wire) ? undefined : numberAt(counts, wire);
    if (value !== undefined) usage[key] = value;
  }
  const reasoning = numberAt(objectAt(counts, 'output_tokens_details'), 'thinking_tokens');
  if (reasoning !== undefined) usage.reasoningTokens = reasoning;
  return usage;
}

/** The API's names. What is not known is written as 0, because readers want numbers, and is named in `unknown`. */
export function usageToWire(usage: Usage): { readonly wire: Json; readonly unknown: readonly string[] } {
  const counts = {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
  };
  const unknown = Object.entries(counts).flatMap(([key, value]) => (value === undefined ? [key] : []));
  const wire: Record<string, unknown> = Object.fromEntries(
    Object.entries(counts).map(([key, value]) => [key, value ?? 0]),
  );
  if (usage.reasoningTokens !== undefined)
    wire['output_tokens_details'] = { thinking_tokens: usage.reasoningTokens };
  return { wire, unknown };
}

export interface UsageCounter {
  add(record: Json): void;
  total(): Usage;
  byMessage(): readonly MessageUsage[];
}

/** Keeps, of the lines of one message, the one with the most output: early lines of old versions hold early figures. */
export function usageCounter(): UsageCounter {
  const messages = new Map<string, MessageUsage>();
  return {
    add(record) {
      const found = usageOfLine(record);
      if (!found) return;
      const before = messages.get(found.key);
      if (!before || (found.usage.outputTokens ?? 0) >= (before.usage.outputTokens ?? 0))
        messages.set(found.key, found);
    },
    total: () => [...messages.values()].reduce((sum, { usage }) => plusUsage(sum, usage), {} as Usage),
    byMessage: () => [...messages.values()],
  };
}

export function plusUsage(a: Usage, b: Usage): Usage {
  const keys = [
    'inputTokens',
    'outputTokens',
    'cacheReadTokens',
    'cacheWriteTokens',
    'reasoningTokens',
  ] as const;
  const sum: MutableUsage = {};
  for (const key of keys) {
    if (a[key] !== undefined || b[key] !== undefined) sum[key] = (a[key] ?? 0) + (b[key] ?? 0);
  }
  return sum;
}
