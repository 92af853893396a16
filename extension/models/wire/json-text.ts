/** JSON texts that are put together from parts: blocks are serialised once and kept, because they never change once made. */

/** `JSON.stringify` that yields only well-formed text: halves of characters become U+FFFD, as no server takes them. */
export function json(value: unknown): string {
  const text = JSON.stringify(value);
  // Well-formed JSON.stringify writes a lone surrogate as \udXXX in lower case; everything else with that look is an escaped backslash.
  if (!text.includes('\\ud')) return text;
  return text.replace(/\\(?:u(d[89a-f][0-9a-f]{2})|[^u]|u[0-9a-f]{4})/g, (whole, lone: string | undefined) =>
    lone === undefined ? whole : '\\ufffd',
  );
}

/** Adds a field at the end of an object text. */
export function withField(objectText: string, name: string, valueText: string): string {
  const head = objectText.slice(0, -1);
  return `${head}${head === '{' ? '' : ','}${JSON.stringify(name)}:${valueText}}`;
}

/** Keeps one text a key object, made again only when `variant` (what else it depends on) differs. */
export function textCache<K extends object>(
  make: (key: K, variant: string) => string,
): (key: K, variant?: string) => string {
  const kept = new WeakMap<K, { readonly variant: string; readonly text: string }>();
  return (key, variant = '') => {
    const known = kept.get(key);
    if (known?.variant === variant) return known.text;
    const text = make(key, variant);
    kept.set(key, { variant, text });
    return text;
  };
}
