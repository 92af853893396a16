import { describe, expect, it } from 'vitest';
import { visibleParts, visibleProse, visibleText } from '../../../webview/visible-text';

describe('text in which nothing can hide', () => {
  it.each([
    ['a right-to-left override', 'rm \u202egpj.exe', 'rm ⟨U+202E⟩gpj.exe'],
    ['an isolate', 'a\u2066b', 'a⟨U+2066⟩b'],
    ['a zero width space', 'a\u200bb', 'a⟨U+200B⟩b'],
    ['a byte order mark', '\ufeffls', '⟨U+FEFF⟩ls'],
    ['a no-break space', 'a\u00a0b', 'a⟨U+00A0⟩b'],
    ['a carriage return that would overwrite the line', 'ls\rrm', 'ls⟨U+000D⟩rm'],
    ['an escape', '\u001b[8mhidden', '⟨U+001B⟩[8mhidden'],
    ['a tag character', 'a\u{e0041}b', 'a⟨U+E0041⟩b'],
    ['half of a surrogate pair', 'a\ud800b', 'a⟨U+D800⟩b'],
    ['a Cyrillic letter in a Latin word', 'ex\u0430mple.com', 'ex\u0430⟨U+0430⟩mple.com'],
  ])('shows %s', (_name, text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it.each(['plain', 'two\nlines\tand a tab', 'Привет мир', 'naïve Größe 漢字', '👍🏽 ok', 'α + β'])(
    'leaves %j as it is',
    (text) => {
      expect(visibleParts(text)).toEqual([{ text }]);
    },
  );

  it('names what it found, and keeps the order of the rest', () => {
    expect(visibleParts('a\u202eb')).toEqual([
      { text: 'a' },
      { text: '⟨U+202E⟩', hidden: 'right-to-left override' },
      { text: 'b' },
    ]);
  });
});

describe('what a person wrote', () => {
  it.each(['👩‍👩‍👧 ❤️ at a\u00a0time', 'a\u3000b', 'exаmple', 'two\nlines'])('leaves %j as it is', (text) => {
    expect(visibleProse(text)).toEqual([{ text }]);
  });

  it.each([
    ['an override', 'a\u202eb'],
    ['a zero width space', 'a\u200bb'],
    ['tag characters', 'a\u{e0041}b'],
    ['an escape', 'a\u001bb'],
  ])('shows %s', (_name, text) => {
    expect(visibleProse(text).some((part) => part.hidden !== undefined)).toBe(true);
  });
});
