/**
 * Characters that make a text look different from what it is: controls, bidi marks, zero-width and tag characters, odd spaces.
 * Finds them for the gate and makes them visible for the prompt. It never changes what runs.
 */

/** Everything that has no ink of its own, or that changes the order or the place of its neighbours. Tab, newline and space are fine. */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/gu;
const PLAIN_SPACE: ReadonlySet<string> = new Set([' ', '\t', '\n']);

/** What PowerShell reads as a dash or a quote although it does not look like the ASCII one. */
const TYPOGRAPHIC = /[\u2010-\u2015\u2212\u2018-\u201f\u00ab\u00bb]/u;

/** The first hidden character, as `\u{202E}`, or undefined. */
export function hiddenCharacter(text: string): string | undefined {
  for (const [character] of text.matchAll(HIDDEN)) {
    if (!PLAIN_SPACE.has(character)) return escaped(character);
  }
  return undefined;
}

export function typographicCharacter(text: string): string | undefined {
  const found = TYPOGRAPHIC.exec(text);
  return found ? escaped(found[0]) : undefined;
}

export function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

/** The text with every hidden character written out as `\u{…}`. All lines stay; copying is to use the original. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) => (PLAIN_SPACE.has(character) ? character : escaped(character)));
}

/** One spelling for names that file systems may take for the same: case, width, composition, ignorable characters. */
export function folded(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toLowerCase()
    .replaceAll('\u017f', 's')
    .replaceAll('\u0131', 'i');
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;
}
