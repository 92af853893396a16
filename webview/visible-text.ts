/**
 * Makes visible what would otherwise hide in a command, a path or a link: control, bidirectional, zero-width and look-alike space
 * characters, and letters of another script that pass for Latin ones. Pure; the parts are put on screen as text and marks.
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

/** A word of Latin letters with others among them: the others are there to be taken for Latin ones. */
const MIXED_WORD = /[\p{L}\p{M}]+/gu;
const LATIN = /\p{Script=Latin}/u;
const LOOKS_LATIN = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/gu;

/** What a model would read and a person not see. Prose has joined emoji, wide spaces and words of every script; those are no tricks. */
const HIDDEN_IN_PROSE = new RegExp(
  '[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u061c\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f' +
    '\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}\\ud800-\\udfff]',
  'gu',
);

/** For text that runs or names something: every character that is not what it seems. */
export function visibleParts(text: string): readonly TextPart[] {
  return partsAround(
    text,
    [...hidden(text, HIDDEN), ...lookalikes(text)].sort((a, b) => a.at - b.at),
  );
}

/** For what a person wrote or pasted. */
export function visibleProse(text: string): readonly TextPart[] {
  return partsAround(text, hidden(text, HIDDEN_IN_PROSE));
}

function partsAround(text: string, marks: readonly Mark[]): readonly TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const mark of marks) {
    if (mark.at > from) parts.push({ text: text.slice(from, mark.at) });
    parts.push({ text: mark.shown, hidden: mark.name });
    from = mark.at + mark.length;
  }
  if (from < text.length || parts.length === 0) parts.push({ text: text.slice(from) });
  return parts;
}

interface Mark {
  readonly at: number;
  readonly length: number;
  readonly shown: string;
  readonly name: string;
}

function hidden(text: string, characters: RegExp): readonly Mark[] {
  return [...text.matchAll(characters)].map((match) => {
    const code = match[0].codePointAt(0) ?? 0;
    const name = NAMES[code] ?? 'hidden character';
    return { at: match.index, length: match[0].length, shown: `⟨${codeName(code)}⟩`, name };
  });
}

function lookalikes(text: string): readonly Mark[] {
  return [...text.matchAll(MIXED_WORD)]
    .filter((word) => LATIN.test(word[0]))
    .flatMap((word) =>
      [...word[0].matchAll(LOOKS_LATIN)].map((letter) => ({
        at: word.index + letter.index,
        length: letter[0].length,
        shown: `${letter[0]}⟨${codeName(letter[0].codePointAt(0) ?? 0)}⟩`,
        name: 'letter of another script',
      })),
    );
}

function codeName(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The same as one string, for names of controls and tooltips. */
export function visibleText(text: string): string {
  return visibleParts(text)
    .map((part) => part.text)
    .join('');
}
