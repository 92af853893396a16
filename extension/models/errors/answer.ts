/**
 * Opens error answers: finds the texts, codes and numbers in whatever shape a server or the gateway before it wrapped them.
 * It judges nothing; diagnose.ts does.
 */

export interface ErrorAnswer {
  /** Undefined when the failure came inside a stream or before any answer. */
  readonly status?: number;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body as text, or what was parsed from it. */
  readonly body: unknown;
}

/** What an answer says, whatever its shape. */
export interface Opened {
  /** All messages, outermost first, joined by line ends. */
  readonly text: string;
  /** The innermost message: closest to the cause, so the one worth showing. */
  readonly message: string;
  /** `code`, `type` and `status` words, lower case. */
  readonly codes: ReadonlySet<string>;
  readonly param: string | undefined;
  readonly requestId: string | undefined;
  /** Number fields by name, e.g. `n_ctx`. */
  readonly numbers: Readonly<Record<string, number>>;
  /** Google's `RetryInfo.retryDelay`, e.g. `17s`. */
  readonly retryDelay: string | undefined;
  /** The parsed body, when it was JSON. */
  readonly json: unknown;
}

interface Draft {
  readonly texts: string[];
  readonly codes: Set<string>;
  readonly numbers: Record<string, number>;
  param: string | undefined;
  requestId: string | undefined;
  retryDelay: string | undefined;
}

const DEPTH = 8;
const CODE_FIELDS = ['code', 'type', 'status', 'reason', 'error_type'];
const TEXT_FIELDS = ['message', 'msg', 'detail', 'raw', 'title', 'error_description', 'reason_phrase'];
const NESTED_FIELDS = [
  'error',
  'errors',
  'detail',
  'details',
  'metadata',
  'upstream_error',
  'innererror',
  'data',
  'response',
];

export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** JSON, or undefined. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A JSON object that starts somewhere in a sentence (`Error from provider: {…}`). */
function embedded(text: string): unknown {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  if (start < 0 || end <= start) return undefined;
  const value = parseJson(text.slice(start, end + 1));
  return isRecord(value) ? value : undefined;
}

/** Some servers answer an error with an event stream although its status is 400. */
function eventData(text: string): unknown {
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  for (const line of lines) {
    const value = parseJson(line.slice('data:'.length));
    if (value !== undefined) return value;
  }
  return undefined;
}

function htmlText(text: string): string {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(text)?.[1];
  const plain = title ?? text.replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ');
  return plain.replace(/\s+/g, ' ').trim();
}

function takeText(draft: Draft, text: string, depth: number): void {
  const trimmed = text.trim();
  if (trimmed === '') return;
  if (/^\s*<(!doctype|html|head|body)/i.test(trimmed)) {
    draft.texts.push(htmlText(trimmed));
    return;
  }
  const inner = embedded(trimmed) ?? (/^(event|data):/m.test(trimmed) ? eventData(trimmed) : undefined);
  if (inner === undefined) {
    draft.texts.push(trimmed);
    return;
  }
  const lead = trimmed.slice(0, Math.max(0, trimmed.indexOf('{'))).trim();
  if (lead !== '' && !/^(event|data):/m.test(lead)) draft.texts.push(lead);
  take(draft, inner, depth + 1);
}

function takeFields(draft: Draft, record: Record<string, unknown>, depth: number): void {
  for (const [name, value] of Object.entries(record)) {
    if (typeof value === 'number') draft.numbers[name] = value;
  }
  for (const name of CODE_FIELDS) {
    const value = record[name];
    if (typeof value === 'string' && value !== '') draft.codes.add(value.toLowerCase());
  }
  if (typeof record['param'] === 'string') draft.param = record['param'];
  if (typeof record['retryDelay'] === 'string') draft.retryDelay = record['retryDelay'];
  const id = record['request_id'] ?? record['requestId'];
  if (typeof id === 'string') draft.requestId = id;
  for (const name of TEXT_FIELDS) {
    const value = record[name];
    if (typeof value === 'string') takeText(draft, value, depth);
  }
  for (const name of NESTED_FIELDS) {
    const value = record[name];
    if (name === 'error' && typeof value === 'string') takeText(draft, value, depth);
    else if (value !== null && typeof value === 'object') take(draft, value, depth + 1);
  }
}

function take(draft: Draft, value: unknown, depth: number): void {
  if (depth > DEPTH) return;
  if (typeof value === 'string') takeText(draft, value, depth);
  else if (Array.isArray(value)) for (const item of value.slice(0, 8)) take(draft, item, depth + 1);
  else if (isRecord(value)) takeFields(draft, value, depth);
}

export function open(answer: ErrorAnswer): Opened {
  const draft: Draft = {
    texts: [],
    codes: new Set(),
    numbers: {},
    param: undefined,
    requestId: undefined,
    retryDelay: undefined,
  };
  const json = typeof answer.body === 'string' ? parseJson(answer.body) : answer.body;
  take(draft, json !== undefined && json !== null ? json : answer.body, 0);
  const headers = answer.headers ?? {};
  return {
    text: draft.texts.join('\n'),
    message: draft.texts.at(-1) ?? '',
    codes: draft.codes,
    param: draft.param,
    requestId: headers['request-id'] ?? headers['x-request-id'] ?? draft.requestId,
    numbers: draft.numbers,
    retryDelay: draft.retryDelay,
    json: isRecord(json) || Array.isArray(json) ? json : undefined,
  };
}
