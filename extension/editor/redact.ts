/** Takes secrets out of text that people or files will see: every value that was read from the secret store, and anything of a key's shape. */

/** The same as in models/errors/redact.ts, which this room may not use; a test keeps them alike. */
const KEY_SHAPES: readonly RegExp[] = [
  /\b(?:sk|pk|rk|gsk|xai|key|tok|hf|ghp|gho|ghu|ghs|ghr|nvapi|pplx|fw|csk|r8)[-_][\w*.-]{6,}/g,
  /\bAIza[\w-]{20,}/g,
  /\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi,
  /\beyJ[\w-]{10,}\.[\w-]{10,}(?:\.[\w-]*)?/g,
  /\borg-[A-Za-z0-9]{6,}/g,
];
const SHORTEST_SECRET = 6;
const known = new Set<string>();

/** From now on this value is left out of every text that passes through {@link redact}. */
export function keepSecret(value: string): void {
  if (value.length >= SHORTEST_SECRET) known.add(value);
}

export function redact(text: string): string {
  let clean = text;
  for (const value of known) clean = clean.replaceAll(value, '[key]');
  for (const shape of KEY_SHAPES) clean = clean.replace(shape, '[key]');
  return clean;
}
