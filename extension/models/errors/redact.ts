/** Takes out of a text what looks like a key, and every secret that is known. Used for all words that come from a server. */

const LOOKS_SECRET: readonly RegExp[] = [
  /\b(?:sk|pk|rk|gsk|xai|key|tok|hf|ghp|gho|ghu|ghs|ghr|nvapi|pplx|fw|csk|r8)[-_][\w*.-]{6,}/g,
  /\bAIza[\w-]{20,}/g,
  /\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi,
  /\beyJ[\w-]{10,}\.[\w-]{10,}(?:\.[\w-]*)?/g,
  /\borg-[A-Za-z0-9]{6,}/g,
];

export function redact(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, '[redacted]');
  for (const pattern of LOOKS_SECRET) clean = clean.replace(pattern, '[redacted]');
  return clean;
}
