import { describe, expect, it } from 'vitest';
import { folded, hiddenCharacter, visible } from '../../../extension/permissions/characters';

describe('visible', () => {
  it.each([
    ['echo hi \u202e txt', 'echo hi \\u{202E} txt'],
    ['a\u200bb', 'a\\u{200B}b'],
    ['a\u{e0041}b', 'a\\u{E0041}b'],
    ['\u001b[2K', '\\u{1B}[2K'],
    ['a\rb', 'a\\u{D}b'],
    ['a\u00a0b', 'a\\u{A0}b'],
    ['a\0b', 'a\\u{0}b'],
    ['\u3164', '\\u{3164}'],
    ['\ud800', '\\u{D800}'],
  ])('writes hidden characters out: %j', (text, expected) => {
    expect(visible(text)).toBe(expected);
  });

  it('keeps every line, tabs, and letters of every language', () => {
    const text = 'a\n\tb é ñ 中文 ру́с ع 😀';
    expect(visible(text)).toBe(text);
    expect(hiddenCharacter(text)).toBeUndefined();
  });
});

describe('folded', () => {
  it.each([
    ['.VSCODE', '.vscode'],
    ['.g\u200cit', '.git'],
    ['\uff0egit', '.git'],
    ['.\u017f\u017fh', '.ssh'],
    ['CAFE\u0301', 'caf\u00e9'],
  ])('%j is %j', (name, expected) => {
    expect(folded(name)).toBe(expected);
  });
});
