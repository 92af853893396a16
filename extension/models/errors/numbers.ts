/**
 * The numbers that error texts state: windows, caps, what was asked for, how long to wait. A number that no text states is never made up.
 */
import type { Opened } from './answer';

/** Tokens, except `retryAfterMs`. */
export interface StatedNumbers {
  /** What the window holds. */
  readonly limit?: number;
  /** Prompt tokens of the refused request. */
  readonly requested?: number;
  /** Output that the refused request asked for. */
  readonly maxTokens?: number;
  readonly total?: number;
  /** By how much the prompt was too long, when only that is said. */
  readonly over?: number;
  /** The highest output that the server takes. */
  readonly maxOutput?: number;
}

type Slot = keyof StatedNumbers;

/** A number with or without thousands separators. */
const N = '(\\d[\\d,_.]*)';
const rule = (pattern: string, ...slots: readonly Slot[]): readonly [RegExp, readonly Slot[]] => [
  new RegExp(pattern.replaceAll('#', N), 'i'),
  slots,
];

const OVERFLOW: readonly (readonly [RegExp, readonly Slot[]])[] = [
  rule('prompt is too long: # tokens > # maximum', 'requested', 'limit'),
  rule('exceed context limit: # \\+ # > #', 'requested', 'maxTokens', 'limit'),
  rule(
    'maximum context length is # tokens\\. however, you requested # tokens \\(# in the messages(?:,.*?)?, # in the completion',
    'limit',
    'total',
    'requested',
    'maxTokens',
  ),
  rule(
    'maximum context length is # tokens\\. however, you requested # output tokens and your prompt contains at least # input tokens, for a total of at least #',
    'limit',
    'maxTokens',
    'requested',
    'total',
  ),
  rule(
    'maximum context length is # tokens\\. however, you requested # output tokens and your prompt contains at least # input tokens',
    'limit',
    'maxTokens',
    'requested',
  ),
  rule('maximum context length is # tokens.*?messages resulted in # tokens', 'limit', 'requested'),
  rule(
    'maximum context length is # tokens.*?you requested about # tokens \\(# of text input.*?, # in the output',
    'limit',
    'total',
    'requested',
    'maxTokens',
  ),
  rule('maximum context length is # tokens.*?you requested (?:about )?# tokens', 'limit', 'requested'),
  rule(
    'maximum context length (?:is|of) #[^\\d]*?(?:prompt|input|request)[^\\d]*?# (?:input )?tokens',
    'limit',
    'requested',
  ),
  rule(
    'input token count \\(?#\\)? exceeds the maximum number of tokens allowed \\(?#\\)?',
    'requested',
    'limit',
  ),
  rule('maximum prompt length is # but the request contains # tokens', 'limit', 'requested'),
  rule('exceeded model token limit: # \\(requested: #\\)', 'limit', 'requested'),
  rule('prompt contains # tokens.*?too large for model with # maximum context length', 'requested', 'limit'),
  rule('prompt token count of # exceeds the limit of #', 'requested', 'limit'),
  rule('request \\(# tokens\\) exceeds the available context size \\(# tokens\\)', 'requested', 'limit'),
  rule('keep the first # tokens.*?context length of only # tokens', 'requested', 'limit'),
  rule('n_keep: # ?>= ?n_ctx: #', 'requested', 'limit'),
  rule('n_prompt_tokens: #, n_ctx: #', 'requested', 'limit'),
  rule('exceeded max context length by # tokens', 'over'),
  rule('size limit exceeded by # tokens.*?limit for this model is # tokens', 'over', 'limit'),
  rule(
    "# tokens (?:in the prompt )?exceeds? (?:the )?(?:model's )?(?:maximum )?context (?:length|window|limit)(?: of)? #",
    'requested',
    'limit',
  ),
  rule('available context size \\(# tokens\\)', 'limit'),
];

const OUTPUT_CAP: readonly (readonly [RegExp, readonly Slot[]])[] = [
  rule('max_(?:completion_)?tokens: \\d[\\d,_.]* > #, which is the maximum allowed', 'maxOutput'),
  rule(
    'max_(?:output_|completion_)?tokens is too large: \\d[\\d,_.]*\\. this model supports at most #',
    'maxOutput',
  ),
  rule(
    'max_(?:output_|completion_)?tokens`?(?: for `[^`]*`)? must be less than or equal to `?#`?',
    'maxOutput',
  ),
  rule('range of `?max_(?:completion_)?tokens`? (?:should be|is) \\[\\d+, ?#\\]', 'maxOutput'),
  rule('max_(?:completion_)?tokens[^\\n]*?expected a value <= #', 'maxOutput'),
  rule('max_(?:completion_)?tokens exceeds maximum output tokens for this model: #', 'maxOutput'),
  rule(
    'max_(?:completion_|output_)?tokens[^\\n]*?(?:at most|maximum(?: value)?(?: is| of)?|<=|no more than|up to) `?#`?',
    'maxOutput',
  ),
];

/** Below this a "cap" is something else (§9 of our notes on providers). */
const LEAST_CAP = 256;

function toNumber(text: string): number {
  return Number(text.replace(/[,_]/g, '').replace(/\.$/, ''));
}

function firstMatch(
  text: string,
  rules: readonly (readonly [RegExp, readonly Slot[]])[],
): StatedNumbers | undefined {
  const flat = text.replace(/\s+/g, ' ');
  for (const [pattern, slots] of rules) {
    const match = pattern.exec(flat);
    if (match === null) continue;
    const pairs = slots.map((slot, index) => [slot, toNumber(match[index + 1] ?? '')] as const);
    return Object.fromEntries(pairs.filter(([, value]) => Number.isFinite(value)));
  }
  return undefined;
}

/** Numbers of a context overflow; undefined when no known wording fits. */
export function overflowNumbers(opened: Opened): StatedNumbers | undefined {
  const { n_prompt_tokens: requested, n_ctx: limit } = opened.numbers;
  if (requested !== undefined && limit !== undefined) return { requested, limit };
  return firstMatch(opened.text, OVERFLOW);
}

export function outputCap(opened: Opened): StatedNumbers | undefined {
  const found = firstMatch(opened.text, OUTPUT_CAP);
  return found?.maxOutput !== undefined && found.maxOutput >= LEAST_CAP ? found : undefined;
}

/** `Limit 6000, Requested 14810`, as rate limits by tokens say it. */
export function rateNumbers(
  text: string,
): { readonly limit: number; readonly requested: number } | undefined {
  const match = /limit:? ?(\d[\d,]*)[^\n]*?requested:? ?(\d[\d,]*)/i.exec(text);
  if (match === null) return undefined;
  return { limit: toNumber(match[1] ?? ''), requested: toNumber(match[2] ?? '') };
}

/** `6s`, `1m2.5s`, `250ms`, `2h`. Undefined when it is no such thing. */
export function duration(text: string): number | undefined {
  const match =
    /^(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/.exec(
      text.trim(),
    );
  if (match === null || match[0] === '') return undefined;
  const [hours, minutes, seconds, ms] = match.slice(1).map((part) => Number(part ?? 0));
  return Math.round((hours ?? 0) * 3_600_000 + (minutes ?? 0) * 60_000 + (seconds ?? 0) * 1000 + (ms ?? 0));
}

const LEAST_WAIT = 1000;

/** What the server wants us to wait, never less than a second; undefined when it did not say. */
export function retryAfter(
  headers: Readonly<Record<string, string>>,
  opened: Opened,
  now: number,
): number | undefined {
  const said: number[] = [];
  const seconds = headers['retry-after'];
  if (seconds !== undefined) {
    const value = Number(seconds);
    const date = Date.parse(seconds);
    if (Number.isFinite(value)) said.push(value * 1000);
    else if (Number.isFinite(date)) said.push(date - now);
  }
  const ms = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(ms)) said.push(ms);
  const inDetails = opened.retryDelay === undefined ? undefined : duration(opened.retryDelay);
  if (inDetails !== undefined) said.push(inDetails);
  if (said.length === 0) {
    const words =
      /(?:try again|retry|wait)(?: again)? (?:in|after|for) ((?:\d+(?:\.\d+)?(?:ms|h|m|s))+)/i.exec(
        opened.text,
      )?.[1];
    const plain = /(?:try again|retry|wait)(?: again)? (?:in|after|for) (\d+(?:\.\d+)?) ?seconds?/i.exec(
      opened.text,
    )?.[1];
    const stated = words === undefined ? undefined : duration(words);
    if (stated !== undefined) said.push(stated);
    else if (plain !== undefined) said.push(Number(plain) * 1000);
  }
  return said.length === 0 ? undefined : Math.max(LEAST_WAIT, Math.round(Math.max(...said)));
}
