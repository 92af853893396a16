/**
 * One classification of everything that a route can answer instead of a response: what it is, whether waiting helps, what to do.
 * Pure; it never sees a secret, and what it puts into messages is redacted.
 */
import type { RouteErrorKind } from '../../protocol/vocabulary';
import type { RecoveryAction, RouteError } from '../transport';
import { isRecord, open } from './answer';
import type { ErrorAnswer } from './answer';
import { causeOf } from './causes';
import type { Cause, Evidence } from './causes';
import { outputCap, overflowNumbers, rateNumbers, retryAfter } from './numbers';
import type { StatedNumbers } from './numbers';
import { redact } from './redact';

export interface Diagnosis extends StatedNumbers {
  readonly cause: Cause;
  readonly kind: RouteErrorKind;
  readonly retryable: boolean;
  readonly action: RecoveryAction;
  /** The server's own words, redacted, at most {@link MESSAGE_LENGTH} characters. */
  readonly message: string;
  readonly status?: number;
  readonly requestId?: string;
  readonly retryAfterMs?: number;
  /** The parameter that the server does not take, and what it takes instead. */
  readonly param?: string;
  readonly use?: string;
  readonly allowed?: readonly string[];
  readonly maxLength?: number;
  readonly toolIndex?: number;
  readonly tool?: string;
  readonly ids?: readonly string[];
}

const MESSAGE_LENGTH = 600;

const MEANING: Readonly<Record<Cause, readonly [RouteErrorKind, RecoveryAction]>> = {
  none: ['bad_response', 'accept'],
  auth: ['auth', 'ask-key'],
  permission: ['auth', 'stop'],
  billing: ['quota', 'stop'],
  rate_limit: ['rate_limit', 'backoff'],
  rate_limit_size: ['rate_limit', 'compact'],
  overloaded: ['overloaded', 'backoff'],
  server_error: ['server', 'backoff'],
  timeout: ['timeout', 'backoff'],
  model_loading: ['overloaded', 'backoff'],
  local_resources: ['bad_request', 'stop'],
  model_not_found: ['not_found', 'choose-model'],
  not_found: ['not_found', 'stop'],
  context_overflow: ['context_overflow', 'compact'],
  request_too_large: ['bad_request', 'drop-attachments'],
  output_cap: ['output_cap', 'lower-max-tokens'],
  unsupported_param: ['bad_request', 'drop-param'],
  unsupported_role: ['bad_request', 'switch-role'],
  tools_unsupported: ['bad_request', 'tools-off-or-stop'],
  tool_schema: ['bad_request', 'drop-tool'],
  tool_name: ['bad_request', 'rename-tool'],
  tool_id: ['bad_request', 'repair-history'],
  tool_use_failed: ['bad_response', 'retry-once'],
  history_orphan: ['bad_request', 'repair-history'],
  history_order: ['bad_request', 'repair-history'],
  history_empty: ['bad_request', 'repair-history'],
  history_reasoning: ['bad_request', 'repair-history'],
  content_unsupported: ['bad_request', 'repair-history'],
  content_filter: ['content_filter', 'stop'],
  image_rejected: ['bad_request', 'drop-attachments'],
  bad_request: ['bad_request', 'stop'],
};

const WAITING_HELPS: ReadonlySet<Cause> = new Set([
  'rate_limit',
  'overloaded',
  'server_error',
  'timeout',
  'model_loading',
  'tool_use_failed',
]);

/** A whole completion in an answer to a request for a stream: no error at all. */
function isCompletion(json: unknown): boolean {
  if (!isRecord(json)) return false;
  if (
    Array.isArray(json['choices']) &&
    json['choices'].some((choice) => isRecord(choice) && isRecord(choice['message']))
  ) {
    return true;
  }
  return (
    (json['type'] === 'message' && Array.isArray(json['content'])) ||
    (json['object'] === 'response' && Array.isArray(json['output']) && (json['error'] ?? null) === null)
  );
}

/**
 * Anthropic sends `retry-after` with every rate limit that time cures. Without it, and without words of a rate, it is a spend cap.
 */
function isSpendCap(evidence: Evidence): boolean {
  return (
    evidence.transport === 'anthropic-messages' &&
    evidence.status === 429 &&
    evidence.codes.has('rate_limit_error') &&
    !/per (minute|hour|day|second)|rate limit of|concurrent|acceleration/i.test(evidence.text)
  );
}

type Extra = Partial<
  Pick<Diagnosis, 'param' | 'use' | 'allowed' | 'maxLength' | 'toolIndex' | 'tool' | 'ids' | 'action'>
>;

const EFFORT_ORDER = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

function unsupportedParam({ text, param }: Evidence): Extra {
  const levels = /supported (?:levels|values)(?: are)?: ([^.\n]+)/i.exec(text)?.[1];
  if (levels !== undefined) {
    const allowed = [...levels.matchAll(/[a-z]+/gi)]
      .map(([word]) => word.toLowerCase())
      .filter((word) => word !== 'and');
    allowed.sort((a, b) => EFFORT_ORDER.indexOf(a) - EFFORT_ORDER.indexOf(b));
    const named = /effort/i.test(text) ? (param ?? 'effort') : (param ?? /'([\w.]+)'/.exec(text)?.[1]);
    return { action: 'choose-value', allowed, ...(named === undefined ? {} : { param: named }) };
  }
  const mode = /thinking\.type\.(enabled|disabled)"? is not supported[^]*?thinking\.type\.(\w+)/i.exec(
    text,
  )?.[2];
  if (mode !== undefined) return { action: 'switch-thinking-mode', use: mode };
  if (/adaptive thinking is not supported/i.test(text))
    return { action: 'switch-thinking-mode', use: 'enabled' };
  const use = /use ['`"]?(\w+)['`"]? instead/i.exec(text)?.[1];
  const named =
    param ??
    (/think value/i.test(text) ? 'think' : undefined) ??
    /(?:parameter|value|argument|name|field)s?:? ['`"]([\w.[\]]+)['`"]/i.exec(text)?.[1] ??
    /(?:permitted|argument supplied|arguments?|parameters?|fields?):? ([a-z_][\w.]*)$/im.exec(text)?.[1] ??
    /(?:^|\n)([a-z_][\w.]*): extra inputs are not permitted/i.exec(text)?.[1] ??
    (/think/i.test(text) ? 'think' : undefined);
  if (use !== undefined && named !== undefined) return { action: 'rename-param', param: named, use };
  return named === undefined ? {} : { param: named };
}

function callIds(text: string): Extra {
  const listed =
    /(?:immediately after|response messages|response to|with call_id|function call|tool call):? ([\w, .:-]+?)(?:\. |\.$|$)/im.exec(
      text,
    )?.[1];
  const quoted = /with id `([^`]+)`/.exec(text)?.[1];
  const ids =
    quoted !== undefined
      ? [quoted]
      : (listed ?? '')
          .split(/[, ]+/)
          .map((id) => id.replace(/\.$/, ''))
          .filter((id) => /[\d_-]/.test(id));
  return ids.length === 0 ? {} : { ids };
}

function toolPlace({ text, param }: Evidence): Extra {
  const index = /tools[.[](\d+)/.exec(param ?? '')?.[1] ?? /tools[.[](\d+)/.exec(text)?.[1];
  const tool = /for function '([^']+)'/.exec(text)?.[1];
  return {
    ...(index === undefined ? {} : { toolIndex: Number(index) }),
    ...(tool === undefined ? {} : { tool }),
  };
}

function extraOf(cause: Cause, evidence: Evidence): Extra {
  switch (cause) {
    case 'unsupported_param':
      return unsupportedParam(evidence);
    case 'unsupported_role': {
      const role = /'?(developer|system)'?/i
        .exec(evidence.text.replace(/^.*?does not support/is, ''))?.[1]
        ?.toLowerCase();
      return { param: role ?? 'developer', use: role === 'system' ? 'user' : 'system' };
    }
    case 'history_orphan':
      return callIds(evidence.text);
    case 'history_reasoning':
      return /expected `?thinking/i.test(evidence.text) ? { action: 'thinking-off-for-this-turn' } : {};
    case 'tool_schema':
    case 'tool_name':
      return toolPlace(evidence);
    case 'tool_id': {
      const length = /(?:maximum length|with a length of) (\d+)/i.exec(evidence.text)?.[1];
      return length === undefined ? {} : { maxLength: Number(length) };
    }
    case 'tools_unsupported':
      return /tool choice requires|--enable-auto-tool-choice/i.test(evidence.text) ? { action: 'stop' } : {};
    default:
      return {};
  }
}

function numbersOf(cause: Cause, evidence: Evidence): StatedNumbers {
  if (cause === 'context_overflow') return overflowNumbers(evidence) ?? {};
  if (cause === 'output_cap') return outputCap(evidence) ?? {};
  if (cause === 'rate_limit_size') return rateNumbers(evidence.text) ?? {};
  return {};
}

/** Lowering the output cap is enough when the prompt alone fits. */
function overflowAction({ limit, requested, maxTokens }: StatedNumbers): RecoveryAction {
  const fits = limit !== undefined && requested !== undefined && requested < limit;
  return fits && (maxTokens ?? 0) > 0 ? 'lower-max-tokens-or-compact' : 'compact';
}

function defined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as T;
}

/** Classifies an answer that is no response. `now` is needed for dates in `retry-after`. */
export function diagnose(transport: string, answer: ErrorAnswer, now: number): Diagnosis {
  const opened = open(answer);
  const headers = answer.headers ?? {};
  const evidence: Evidence = { ...opened, status: answer.status ?? 0, headers, transport };
  let cause: Cause = isCompletion(opened.json) && (answer.status ?? 200) < 300 ? 'none' : causeOf(evidence);
  const wait = retryAfter(headers, opened, now);
  if (cause === 'rate_limit' && wait === undefined && isSpendCap(evidence)) cause = 'billing';
  const [kind, usual] = MEANING[cause];
  const numbers = numbersOf(cause, evidence);
  const extra = extraOf(cause, evidence);
  let action = extra.action ?? (cause === 'context_overflow' ? overflowAction(numbers) : usual);
  const retryAfterMs =
    cause === 'rate_limit' || cause === 'overloaded' || cause === 'server_error' ? wait : undefined;
  if (cause === 'rate_limit' && retryAfterMs !== undefined) action = 'wait';
  // An explicit "do not" beats the class, except where the header is known to come with everything.
  const refused = headers['x-should-retry'] === 'false';
  return defined({
    ...numbers,
    ...extra,
    cause,
    kind,
    action,
    retryable: WAITING_HELPS.has(cause) && !refused,
    message: redact(opened.message.replace(/\s+/g, ' ')).slice(0, MESSAGE_LENGTH),
    status: answer.status,
    requestId: opened.requestId,
    retryAfterMs,
  }) as Diagnosis;
}

const LEAD: Readonly<Record<RouteErrorKind, string>> = {
  auth: 'The server refused the key',
  quota: 'The account behind this key has no credit left or reached its spending limit',
  rate_limit: 'The server limits how much may be asked at a time',
  overloaded: 'The server is overloaded',
  context_overflow: 'The conversation is longer than the model can read',
  output_cap: 'The model cannot write as much as was asked for',
  bad_request: 'The server refused the request',
  content_filter: 'A content filter of the provider refused the request',
  network: 'The server cannot be reached',
  timeout: 'The server took too long',
  stalled: 'The server stopped answering',
  bad_response: 'The server sent something that is not an answer',
  server: 'The server failed',
  not_found: 'The server does not know this model or address',
};

const CAUSE_LEAD: Partial<Record<Cause, string>> = {
  permission: 'The key may not use this model',
  local_resources: 'The machine that runs the model has not enough memory for it',
  model_loading: 'The server is still loading the model',
  tools_unsupported: 'This model does not take tools',
  request_too_large: 'The request has too many bytes',
  image_rejected: 'The server refused an image of this conversation',
  content_unsupported: 'The model does not take this kind of content',
  rate_limit_size: 'This request alone is larger than the rate limit of the account',
};

/** The error as the turn and the panel see it. */
export function toRouteError(diagnosis: Diagnosis): RouteError {
  const { kind, cause, message, limit, requested, maxOutput, status } = diagnosis;
  const lead = CAUSE_LEAD[cause] ?? LEAD[kind];
  const shownStatus = status === undefined || status === 0 ? '' : ` (${String(status)})`;
  const limits = defined({
    contextTokens: kind === 'context_overflow' ? limit : undefined,
    outputTokens: maxOutput,
    requestedTokens: requested,
  });
  return defined({
    kind,
    cause,
    action: diagnosis.action,
    message: message === '' ? `${lead}${shownStatus}.` : `${lead}${shownStatus}: ${message}`,
    retryable: diagnosis.retryable,
    status: status === 0 ? undefined : status,
    requestId: diagnosis.requestId,
    retryAfterMs: diagnosis.retryAfterMs,
    limit: Object.keys(limits).length === 0 ? undefined : limits,
  }) as RouteError;
}

/** A failure that no server described. */
export function plainError(kind: RouteErrorKind, message: string, retryable: boolean): RouteError {
  return { kind, message: redact(message), retryable };
}
