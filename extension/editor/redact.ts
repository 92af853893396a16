/** Takes secrets out of text that people or files will see: every value that was read from the secret store, and anything of a key's shape. */

const KEY_SHAPES =
  /\b(?:sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|AIza[A-Za-z0-9_-]{30,}|Bearer\s+[A-Za-z0-9._~+/-]{16,}=*)/g;
const SHORTEST_SECRET = 6;
const known = new Set<string>();

/** From now on this value is left out of every text that passes through {@link redact}. */
export function keepSecret(value: string): void {
  if (value.length >= SHORTEST_SECRET) known.add(value);
}

export function redact(text: string): string {
  let clean = text;
  for (const value of known) clean = clean.replaceAll(value, '[key]');
  return clean.replace(KEY_SHAPES, '[key]');
}
