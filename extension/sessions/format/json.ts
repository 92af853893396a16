/** Reading values of unknown JSON, one guard each. Transcripts come from anywhere: nothing about them is believed. */

export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectAt(from: Json | undefined, key: string): Json | undefined {
  const value = from?.[key];
  return isObject(value) ? value : undefined;
}

export function textAt(from: Json | undefined, key: string): string | undefined {
  const value = from?.[key];
  return typeof value === 'string' ? value : undefined;
}

export function numberAt(from: Json | undefined, key: string): number | undefined {
  const value = from?.[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function listAt(from: Json | undefined, key: string): readonly unknown[] {
  const value = from?.[key];
  return Array.isArray(value) ? value : [];
}

/** Milliseconds since the epoch of an ISO time; undefined when it is none. */
export function timeAt(from: Json | undefined, key: string): number | undefined {
  const ms = Date.parse(textAt(from, key) ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
