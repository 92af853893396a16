/**
 * How servers that speak Chat Completions differ, as data: recognised by host and model, and corrected by what a server refuses. Facts
 * from the providers' documentation and public issues as of 2026-09.
 */
import type { IdRule } from '../wire/call-ids';

export interface ChatDialect {
  readonly systemRole: 'system' | 'developer';
  /** The field for the output cap; undefined = none is sent. */
  readonly capField: 'max_tokens' | 'max_completion_tokens' | undefined;
  readonly ids: IdRule;
  /** A short assistant message goes between tool results and a user message. */
  readonly bridgeAfterTools: boolean;
  /** `needed`: with every assistant message (`calls`: with those that call), even if it is a blank. */
  readonly reasoningBack: 'none' | 'own' | 'needed' | 'needed_with_calls';
  readonly usageOption: boolean;
  readonly effort: boolean;
  /** May be told not to call the tools that it knows. */
  readonly toolChoiceNone: boolean;
  /** The first call of a turn needs Google's signature. */
  readonly googleSignature: boolean;
}

const IDS: IdRule = { legal: /^[\w.:-]{1,40}$/, maxLength: 40 };

/** What the most servers take. */
const PLAIN: ChatDialect = {
  systemRole: 'system',
  capField: 'max_tokens',
  ids: IDS,
  bridgeAfterTools: false,
  reasoningBack: 'none',
  usageOption: true,
  effort: false,
  toolChoiceNone: false,
  googleSignature: false,
};

const REASONING_MODEL = /^(o\d|gpt-5|codex)/;

export type DialectName =
  'openai' | 'mistral' | 'deepseek' | 'moonshot' | 'gemini' | 'openrouter' | 'strict' | 'plain';

function openai(model: string): ChatDialect {
  const reasons = REASONING_MODEL.test(model);
  return {
    ...PLAIN,
    systemRole: reasons ? 'developer' : 'system',
    capField: 'max_completion_tokens',
    effort: reasons,
    toolChoiceNone: true,
  };
}

export function dialect(name: DialectName, model: string): ChatDialect {
  switch (name) {
    case 'openai':
      return openai(model);
    case 'mistral':
      return {
        ...PLAIN,
        ids: { legal: /^[a-zA-Z0-9]{9}$/, maxLength: 9, exact: true },
        bridgeAfterTools: true,
        usageOption: false,
      };
    case 'deepseek':
      return { ...PLAIN, reasoningBack: 'needed' };
    case 'moonshot':
      return { ...PLAIN, reasoningBack: 'needed_with_calls' };
    case 'gemini':
      return { ...PLAIN, googleSignature: true };
    case 'openrouter':
      return { ...PLAIN, reasoningBack: 'own', effort: false, toolChoiceNone: true };
    case 'strict':
      return { ...PLAIN, usageOption: false };
    case 'plain':
      return { ...PLAIN, reasoningBack: 'own' };
  }
}

const HOSTS: readonly (readonly [RegExp, DialectName])[] = [
  [/(^|\.)openai\.com$|\.openai\.azure\.com$|\.cognitiveservices\.azure\.com$/, 'openai'],
  [/(^|\.)mistral\.ai$/, 'mistral'],
  [/(^|\.)deepseek\.com$/, 'deepseek'],
  [/(^|\.)moonshot\.(ai|cn)$/, 'moonshot'],
  [/(^|\.)googleapis\.com$/, 'gemini'],
  [/(^|\.)openrouter\.ai$/, 'openrouter'],
];

export function dialectName(baseUrl: string): DialectName {
  const host = /^https?:\/\/(?:[^@/]*@)?([^:/]+)/.exec(baseUrl)?.[1] ?? '';
  return HOSTS.find(([pattern]) => pattern.test(host))?.[1] ?? 'plain';
}

/** What one refusal taught about a server: the dialect for the next try, or undefined when there is nothing to change. */
export function corrected(
  now: ChatDialect,
  refusal: { readonly cause: string; readonly param?: string | undefined; readonly use?: string | undefined },
): ChatDialect | undefined {
  const { cause, param, use } = refusal;
  const next = ((): ChatDialect => {
    if (cause === 'unsupported_role')
      return { ...now, systemRole: now.systemRole === 'developer' ? 'system' : 'developer' };
    if (cause === 'tool_id') return { ...now, ids: { legal: /^[a-zA-Z0-9]{9}$/, maxLength: 9, exact: true } };
    if (cause === 'history_order') return { ...now, bridgeAfterTools: true };
    if (cause === 'history_reasoning') return { ...now, reasoningBack: 'needed' };
    if (cause !== 'unsupported_param') return now;
    if (use === 'max_completion_tokens' || use === 'max_tokens') return { ...now, capField: use };
    if (param === 'stream_options' || param === 'include_usage') return { ...now, usageOption: false };
    if (param === 'max_tokens' || param === 'max_completion_tokens') return { ...now, capField: undefined };
    if (param?.startsWith('reasoning') === true) return { ...now, effort: false, reasoningBack: 'none' };
    if (param === 'tool_choice') return { ...now, toolChoiceNone: false };
    return now;
  })();
  return JSON.stringify(next) === JSON.stringify(now) ? undefined : next;
}
