/**
 * How the Claude families differ on the wire: which kind of thinking they take and how much they may write by default. Facts from
 * Anthropic's documentation as of 2026-09; servers that speak this wire for other models get none of it.
 */

export interface AnthropicFamily {
  /** `adaptive`: the model decides; `manual`: a budget; `none`: the field is not sent. */
  readonly thinking: 'adaptive' | 'manual' | 'none';
  /** Output cap to ask for when nothing else is set. */
  readonly maxTokens: number;
  /** Beta header that lets manual thinking go on between calls. */
  readonly interleavedBeta: boolean;
}

const ADAPTIVE: AnthropicFamily = { thinking: 'adaptive', maxTokens: 32_000, interleavedBeta: false };
const MANUAL: AnthropicFamily = { thinking: 'manual', maxTokens: 32_000, interleavedBeta: true };

const FAMILIES: readonly (readonly [RegExp, AnthropicFamily])[] = [
  [/claude-(fable|mythos)-/, ADAPTIVE],
  [/claude-(opus|sonnet)-5\b/, ADAPTIVE],
  [/claude-opus-4-[678]\b/, ADAPTIVE],
  [/claude-sonnet-4-6\b/, ADAPTIVE],
  [/claude-haiku-4-5\b/, { ...MANUAL, interleavedBeta: false }],
  [/claude-(opus|sonnet)-4/, MANUAL],
  [/claude-3-7-sonnet/, MANUAL],
  [/claude-3-5/, { thinking: 'none', maxTokens: 8192, interleavedBeta: false }],
  [/claude-3/, { thinking: 'none', maxTokens: 4096, interleavedBeta: false }],
];

const UNKNOWN: AnthropicFamily = { thinking: 'none', maxTokens: 8192, interleavedBeta: false };

export function familyOf(model: string): AnthropicFamily {
  return FAMILIES.find(([pattern]) => pattern.test(model))?.[1] ?? UNKNOWN;
}
