/**
 * Makes visible what would otherwise hide in a command, a path or a link: control, bidirectional, zero-width and look-alike space
 * characters. Pure; the parts are put on screen as text and marks.
 */

export interface TextPart {
  readonly text: string;
  /** Set for a hidden character: what it is called. `text` is then its visible form, e.g. `⟨U+202E⟩`. */
  readonly hidden?: string;
}

const NAMES: Readonly<Record<number, string>> = {
  0x0000: 'null',
  0x0007: 'bell',
  0x0008: 'backspace',
  0x000d: 'carriage return',
  0x001b: 'escape',
  0x007f: 'delete',
  0x00a0: 'no-break space',
  0x00ad: 'soft hyphen',
  0x061c: 'Arabic letter mark',
  0x200b: 'zero width space',
  0x200c: 'zero width non-joiner',
  0x200d: 'zero width joiner',
  0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark',
  0x2028: 'line separator',
  0x2029: 'paragraph separator',
  0x202a: 'left-to-right embedding',
  0x202b: 'right-to-left embedding',
  0x202c: 'pop directional formatting',
  0x202d: 'left-to-right override',
  0x202e: 'right-to-left override',
  0x2060: 'word joiner',
  0x2066: 'left-to-right isolate',
  0x2067: 'right-to-left isolate',
  0x2068: 'first strong isolate',
  0x2069: 'pop directional isolate',
  0x3164: 'Hangul filler',
  0xfeff: 'byte order mark',
};

const HIDDEN = new RegExp(
  '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180e' +
    '\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb' +
    '\\u{e0000}-\\u{e0fff}\\ud800-\\udfff]',
  'gu',
);

export function visibleParts(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index) });
    const code = match[0].codePointAt(0) ?? 0;
    const hex = code.toString(16).toUpperCase().padStart(4, '0');
    parts.push({ text: `⟨U+${hex}⟩`, hidden: NAMES[code] ?? 'hidden character' });
    from = match.index + match[0].length;
  }
  if (from < text.length || parts.length === 0) parts.push({ text: text.slice(from) });
  return parts;
}

/** The same as one string, for names of controls and tooltips. */
export function visibleText(text: string): string {
  return visibleParts(text)
    .map((part) => part.text)
    .join('');
}
