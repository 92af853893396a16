/** Tool schemas in the dialect that OpenAI and its likes take: an object at the top without alternatives, and every array with `items`. */
import { isRecord } from '../errors/answer';
import type { ToolSpec } from '../transport';

const FORBIDDEN_AT_TOP = new Set(['anyOf', 'oneOf', 'allOf', 'enum', 'not', '$schema']);

function withItems(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withItems);
  if (!isRecord(value)) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withItems(entry)]));
  return copy['type'] === 'array' && !('items' in copy) && !('prefixItems' in copy)
    ? { ...copy, items: {} }
    : copy;
}

export function parametersOf(tool: ToolSpec): Record<string, unknown> {
  const allowed = Object.entries(tool.inputSchema).filter(([key]) => !FORBIDDEN_AT_TOP.has(key));
  return { ...(withItems(Object.fromEntries(allowed)) as Record<string, unknown>), type: 'object' };
}

/** Names of earlier calls may come from another client. */
export function legalName(name: string): string {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(name)
    ? name
    : name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown';
}
