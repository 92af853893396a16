/**
 * Reads the arguments of a call as a model wrote them. Repairs only what loses and guesses nothing; everything else comes back with
 * its own text and the reason, so that the model can correct itself. It never makes `{}` out of something it could not read.
 */
import type { UnparsedInput } from '../message';

export interface ReadInput {
  readonly input: Readonly<Record<string, unknown>>;
  readonly unparsed?: UnparsedInput;
  /** True when the model wrote nothing at all, or `{}`. */
  readonly empty: boolean;
}

type Parsed =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

function parse(text: string): Parsed {
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch (problem) {
    return { ok: false, problem: problem instanceof Error ? problem.message : 'not JSON' };
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Only a fence around the whole text; prose around it would be a guess. */
function withoutFence(text: string): string {
  return /^```(?:json|JSON)?[ \t]*\r?\n([\s\S]*?)\r?\n?[ \t]*```$/.exec(text)?.[1]?.trim() ?? text;
}

function escapeControl(character: string): string {
  const known: Readonly<Record<string, string>> = {
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '\b': '\\b',
    '\f': '\\f',
  };
  return known[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Escapes raw control characters inside strings and drops a comma before a closing bracket. Nothing is ever closed. */
function tidy(text: string): string {
  let out = '';
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (inString) {
      if (character === '\\') {
        out += character + text.charAt(i + 1);
        i += 1;
        continue;
      }
      if (character === '"') inString = false;
      out += character < ' ' ? escapeControl(character) : character;
      continue;
    }
    if (character === '"') inString = true;
    if (character === ',' && /^\s*[}\]]/.test(text.slice(i + 1, i + 200))) continue;
    out += character;
  }
  return out;
}

/** A server that opened with `{}` and then streamed the real arguments. */
function withoutEmptyHead(text: string): string {
  return /^\{\s*\}\s*(?=\{)/.test(text) ? text.replace(/^\{\s*\}\s*/, '') : text;
}

function asObject(parsed: Parsed): Record<string, unknown> | undefined {
  if (!parsed.ok) return undefined;
  if (isObject(parsed.value)) return parsed.value;
  // Encoded twice: one more parse yields the object.
  if (typeof parsed.value !== 'string') return undefined;
  const inner = parse(parsed.value);
  return inner.ok && isObject(inner.value) ? inner.value : undefined;
}

function repaired(text: string): Record<string, unknown> | undefined {
  const bare = withoutFence(text);
  for (const candidate of [bare, withoutEmptyHead(bare)]) {
    const found = asObject(parse(candidate)) ?? asObject(parse(tidy(candidate)));
    if (found !== undefined) return found;
  }
  return undefined;
}

function describe(parsed: Parsed): string {
  if (!parsed.ok) return parsed.problem;
  const kind = Array.isArray(parsed.value)
    ? 'an array'
    : parsed.value === null
      ? 'null'
      : `a ${typeof parsed.value}`;
  return `expected a JSON object, but got ${kind}`;
}

/** Strings of a JSON text may hold halves of characters that no request may carry. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(LONE_SURROGATE, '\ufffd');
  if (Array.isArray(value)) return value.map(wellFormed);
  if (!isObject(value)) return value;
  const clean: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(value)) {
    // defineProperty, because assigning `__proto__` would change the prototype.
    Object.defineProperty(clean, key.replace(LONE_SURROGATE, '\ufffd'), {
      value: wellFormed(entry),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return clean;
}
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const MAY_HOLD_SURROGATE = /\\u[dD][89a-fA-F]|[\ud800-\udfff]/;

export function readInput(raw: string): ReadInput {
  const text = raw.replace(/^\ufeff/, '').trim();
  if (text === '') return { input: {}, empty: true };
  const plain = parse(text);
  const found = plain.ok && isObject(plain.value) ? plain.value : repaired(text);
  if (found === undefined) return { input: {}, unparsed: { raw, problem: describe(plain) }, empty: false };
  const input = MAY_HOLD_SURROGATE.test(raw) ? (wellFormed(found) as Record<string, unknown>) : found;
  return { input, empty: Object.keys(input).length === 0 };
}
