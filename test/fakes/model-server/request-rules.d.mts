/** Types of request-rules.mjs. */
export interface RuleOptions {
  /** Highest `max_tokens`. */
  readonly maxOutput?: number;
  /** False: the model takes no images. */
  readonly images?: boolean;
  readonly prefill?: boolean;
  readonly forcedToolChoice?: boolean;
  readonly sampling?: boolean;
  readonly thinking?: 'adaptive' | 'manual' | 'any' | boolean;
  /** Verify signatures made by {@link signThinking}. */
  readonly bindThinking?: boolean;
  readonly dialect?:
    | 'openai'
    | 'openai-reasoning'
    | 'mistral'
    | 'deepseek-thinking'
    | 'moonshot-thinking'
    | 'gemini'
    | 'strict-keys'
    | 'vllm'
    | 'lmstudio';
  readonly idMax?: number;
  readonly thinkLevels?: boolean;
  readonly tools?: boolean;
}
/** `status` 0 = advice only. */
export interface Finding {
  readonly rule: string;
  readonly status: number;
  readonly body: unknown;
}
export function check(transport: string, body: unknown, options?: RuleOptions): Finding[];
/** A signature that binds a thinking block to the request that it answers. */
export function signThinking(request: unknown): string;
