/**
 * The rules that name the cause of a refusal, as a table that is read from top to bottom. Text and structure come before the status:
 * overflow arrives as 400, 413, 429, 500 and 200, a bad key as 400.
 */
import type { Opened } from './answer';
import { outputCap, overflowNumbers, rateNumbers } from './numbers';

/** Finer than `RouteErrorKind`: what exactly the server minds. */
export type Cause =
  | 'none'
  | 'auth'
  | 'permission'
  | 'billing'
  | 'rate_limit'
  /** The request alone is larger than a rate limit allows: waiting never helps. */
  | 'rate_limit_size'
  | 'overloaded'
  | 'server_error'
  | 'timeout'
  | 'model_loading'
  | 'local_resources'
  | 'model_not_found'
  | 'not_found'
  | 'context_overflow'
  | 'request_too_large'
  | 'output_cap'
  | 'unsupported_param'
  | 'unsupported_role'
  | 'tools_unsupported'
  | 'tool_schema'
  | 'tool_name'
  | 'tool_id'
  | 'tool_use_failed'
  | 'history_orphan'
  | 'history_order'
  | 'history_empty'
  | 'history_reasoning'
  | 'content_unsupported'
  | 'content_filter'
  | 'image_rejected'
  | 'bad_request';

export interface Evidence extends Opened {
  /** 0 inside a stream. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly transport: string;
}

interface Rule {
  readonly cause: Cause;
  readonly text?: RegExp;
  readonly codes?: readonly string[];
  readonly status?: readonly number[];
  readonly when?: (evidence: Evidence) => boolean;
}

const RULES: readonly Rule[] = [
  {
    cause: 'model_loading',
    text: /\bloading model\b|model is (currently |still )?(being loaded|loading)\b/i,
  },
  {
    cause: 'local_resources',
    text: /requires more system memory|out of memory|insufficient (gpu |system )?memory|not enough memory/i,
  },
  {
    cause: 'billing',
    codes: [
      'insufficient_quota',
      'billing_error',
      'billing_not_active',
      'insufficient_balance',
      'credits_exhausted',
    ],
  },
  {
    cause: 'billing',
    text: /credit balance is too low|insufficient (balance|credits?|funds)|exceeded your current quota|can only afford|requires more credits|payment required|(spend(ing)?|usage|monthly|credit) (limit|cap)s? (has been |was )?(reached|exceeded)|reached your (specified )?(api |monthly )?(usage|spend(ing)?) limits?|billing (hard )?limit|out of credits/i,
  },
  { cause: 'billing', status: [402] },
  {
    cause: 'rate_limit_size',
    when: ({ text }) => {
      if (!/per[ -]min|\bTP[MD]\b|rate limit/i.test(text)) return false;
      const stated = rateNumbers(text);
      return stated !== undefined && stated.requested > stated.limit;
    },
  },
  {
    cause: 'rate_limit',
    codes: [
      'rate_limit_exceeded',
      'ratelimitreached',
      'rate_limit_error',
      'too_many_requests',
      'throttling',
      'throttlingexception',
    ],
    when: ({ text }) => !overflowText(text),
  },
  {
    cause: 'rate_limit',
    text: /rate[ -]?limit(ed)?\b|too many (requests|tokens per)|tokens per min|requests per min|quota exceeded for (metric|quota)/i,
    when: ({ text }) => !overflowText(text),
  },
  {
    cause: 'image_rejected',
    text: /image (exceeds|dimensions?)|image dimensions|could not process image|unsupported image|invalid_image|invalid image|image.{0,80}(too large|invalid base64|media_type|max allowed size)|at least one of the image/i,
  },
  { cause: 'image_rejected', codes: ['invalid_image_format', 'image_parse_error', 'invalid_image'] },
  {
    cause: 'history_reasoning',
    text: /\bthinking\b.{0,30} blocks? in the latest assistant|invalid `?signature`? in `?thinking`? block|expected `?thinking`? or `?redacted_thinking|bound to a different conversation|reasoning_content.{0,60}(must be passed back|is missing)|of type 'reasoning' was provided without|without its required '?reasoning'? item|thought_signature|thinking.{0,20}signature: field required/i,
  },
  {
    cause: 'history_orphan',
    text: /ids were found without `?tool_result|unexpected `?tool_use_id|was found without a corresponding|must be followed by tool messages|must be a response to a prec?ee?ding message|no tool (call|output) found for|each tool_use must have a single result|number of function response parts|not the same number of function calls and responses|tool_call_ids? did not have response/i,
  },
  {
    cause: 'tool_id',
    text: /tool_use\.id: string should match|tool call id was|(tool_calls?\[\d+\]\.id|tool_call_id|call_id)'?: string (too long|does not match)|tool_use_id: string should match|expected an id that begins with|`tool_use` ids must be unique/i,
  },
  {
    cause: 'history_order',
    text: /unexpected role|roles must alternate|use a valid role|prefill|must end with a user message|first message must use|expected last role|conversation roles|alternate user\/assistant|role order/i,
  },
  { cause: 'history_order', codes: ['invalid_request_message_order'] },
  {
    cause: 'history_empty',
    text: /must be non-empty|non-empty content|non-whitespace text|must have either content or tool_calls|content cannot be empty|empty message content/i,
  },
  {
    cause: 'tool_schema',
    text: /input_schema|invalid schema for function|schema must (have|be) type|invalid tool schema|parameters\.properties.{0,60}(should be|missing)/i,
  },
  { cause: 'tool_schema', codes: ['invalid_function_parameters'] },
  {
    cause: 'tool_name',
    text: /tools[.[]\d+\]?\.(custom\.|function\.)?name'?:|tool names must be unique|invalid function name/i,
  },
  {
    cause: 'tools_unsupported',
    text: /does not support (tools|tool use|tool calling|function calling)|support tool use|tool choice requires|tools? (use )?(is|are) not supported|`?tools`? (param(eter)? )?(is )?not supported|function calling is not (enabled|supported)/i,
  },
  { cause: 'context_overflow', when: (evidence) => overflowNumbers(evidence) !== undefined },
  { cause: 'output_cap', when: (evidence) => outputCap(evidence) !== undefined },
  {
    cause: 'context_overflow',
    codes: [
      'context_length_exceeded',
      'exceed_context_size_error',
      'too_many_prompt_tokens',
      'model_max_prompt_tokens_exceeded',
      'too_many_tokens',
      'model_context_window_exceeded',
    ],
  },
  { cause: 'context_overflow', when: ({ text }) => overflowText(text) },
  {
    cause: 'unsupported_role',
    text: /does not support '?(developer|system)'? (with|role)|'?(developer|system)'? role is not supported|invalid value: '?(developer|system)'?\. supported values/i,
  },
  {
    cause: 'unsupported_param',
    text: /unsupported (parameter|value)|not supported (with|for|by) this model|does not support (effort|thinking|parallel|reasoning|this parameter)|extra inputs are not permitted|unrecognized (request )?argument|unknown (parameter|field|name)|unexpected keyword|is not permitted|supported levels|does not support thinking|invalid think value|thinking is not supported/i,
  },
  {
    cause: 'unsupported_param',
    codes: ['unsupported_parameter', 'unsupported_value', 'extra_forbidden', 'unknown_parameter'],
  },
  {
    cause: 'content_unsupported',
    text: /content blocks are expected|unknown variant `?image_url|(does not|doesn't) support (image|vision|audio|multimodal)|image inputs? (is|are) not supported|image_url is only supported|no endpoints found that support image|missing data required for image/i,
  },
  { cause: 'tool_use_failed', codes: ['tool_use_failed'] },
  { cause: 'tool_use_failed', text: /failed to call a function|failed_generation/i },
  {
    cause: 'content_filter',
    codes: [
      'content_filter',
      'content_policy_violation',
      'responsibleaipolicyviolation',
      'data_inspection_failed',
      'content_filter_error',
      'sensitive',
    ],
  },
  {
    cause: 'content_filter',
    text: /content management policy|content polic(y|ies)|safety (system|policies|filter)|inappropriate content|flagged (as|by)|blocked by .{0,30}(filter|safety)/i,
  },
  {
    cause: 'model_not_found',
    codes: ['model_not_found', 'deploymentnotfound', 'model_not_supported', 'unknown_model'],
  },
  {
    cause: 'model_not_found',
    text: /^model: \S+$|model '?[^'\n]*'? (was )?(does )?not (found|exist)|(requested )?model .{0,120}(does not exist|not found|is not available|is unknown)|no such model|unknown model|not a (valid|chat) model|is not a valid model|not a chat model|no endpoints found|model_not_found|invalid model/im,
  },
  {
    cause: 'auth',
    text: /(invalid|incorrect|missing|wrong|expired|no)\b.{0,24}\b(api[ -_]?key|x-api-key|authentication|auth(orization)? (header|credentials|token)|bearer token|subscription key)|api[ -_]?key (not valid|is invalid|not found|expired)|unauthori[sz]ed|invalid subscription key/i,
  },
  {
    cause: 'auth',
    codes: [
      'authentication_error',
      'invalid_api_key',
      'unauthenticated',
      'unauthorized',
      'invalid_authentication_error',
    ],
  },
  { cause: 'auth', status: [401] },
  { cause: 'permission', codes: ['permission_error', 'permission_denied', 'forbidden', 'access_denied'] },
  { cause: 'permission', status: [403] },
  { cause: 'timeout', codes: ['timeout_error', 'request_timeout', 'deadline_exceeded', 'gateway_timeout'] },
  { cause: 'timeout', status: [408, 504, 524] },
  { cause: 'timeout', text: /\btime[d]?[ -]?out\b/i, when: ({ status }) => status === 0 || status >= 500 },
  {
    cause: 'overloaded',
    codes: [
      'overloaded_error',
      'overloaded',
      'engine_overloaded_error',
      'server_overloaded',
      'service_unavailable',
    ],
  },
  {
    cause: 'overloaded',
    text: /overloaded|server (is )?busy|at capacity|high demand|no capacity|currently unavailable/i,
  },
  { cause: 'overloaded', status: [529] },
  { cause: 'request_too_large', codes: ['request_too_large'] },
  {
    cause: 'context_overflow',
    when: ({ status, text, transport }) => status === 413 && text === '' && transport === 'openai-chat',
  },
  { cause: 'request_too_large', status: [413] },
  { cause: 'model_not_found', when: ({ status, codes }) => status === 404 && codes.has('not_found_error') },
  { cause: 'not_found', status: [404, 405] },
  { cause: 'rate_limit', status: [429] },
  { cause: 'overloaded', status: [503] },
  {
    cause: 'server_error',
    codes: ['api_error', 'server_error', 'internal_error', 'internal_server_error'],
    when: ({ status }) => status === 0 || status >= 500,
  },
  { cause: 'server_error', when: ({ status }) => status >= 500 || status === 409 },
];

function overflowText(text: string): boolean {
  return /exceeds? the context window|context_length_exceeded|context window exceeds|input tokens exceeded|input is too long for requested model|total length of all messages is too long|too_many_prompt_tokens|reduce the length of the (messages|input|prompt)|prompt is too long|exceeds the available context size|longer than the (maximum )?(model )?context|exceeds the (model'?s? )?(maximum )?context|message exceeds token limit|maximum (context|prompt) length|context (length|window) (was |has been )?exceeded|exceeds? (the )?maximum number of tokens|prompt too long/i.test(
    text,
  );
}

function matches(rule: Rule, evidence: Evidence): boolean {
  if (rule.text !== undefined && !rule.text.test(evidence.text)) return false;
  if (rule.codes !== undefined && !rule.codes.some((code) => evidence.codes.has(code))) return false;
  if (rule.status !== undefined && !rule.status.includes(evidence.status)) return false;
  return rule.when === undefined || rule.when(evidence);
}

export function causeOf(evidence: Evidence): Cause {
  return RULES.find((rule) => matches(rule, evidence))?.cause ?? 'bad_request';
}
