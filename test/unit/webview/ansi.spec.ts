import { describe, expect, it } from 'vitest';
import { parseAnsi, plainText } from '../../../webview/ansi';

const E = '\u001b';

describe('terminal output', () => {
  it('turns colours into class names and keeps every character of the text', () => {
    expect(parseAnsi(`a ${E}[31mred${E}[39m b`)).toEqual([
      [
        { text: 'a ', className: '' },
        { text: 'red', className: 'ansi-fg-1' },
        { text: ' b', className: '' },
      ],
    ]);
  });

  it.each([
    ['bright', `${E}[92mx`, 'ansi-fg-10'],
    ['background', `${E}[44mx`, 'ansi-bg-4'],
    ['bold and dim', `${E}[1;2mx`, 'ansi-bold ansi-dim'],
    ['256 colours: the first sixteen', `${E}[38;5;9mx`, 'ansi-fg-9'],
    ['256 colours: the cube', `${E}[38;5;196mx`, 'ansi-fg-9'],
    ['256 colours: grey', `${E}[38;5;240mx`, 'ansi-fg-8'],
    ['true colour', `${E}[38;2;0;200;0mx`, 'ansi-fg-2'],
    ['true colour with colons', `${E}[48;2;0;0;255mx`, 'ansi-bg-12'],
    ['inverse', `${E}[7mx`, 'ansi-fg-back ansi-bg-fore'],
    ['inverse of a colour', `${E}[31;7mx`, 'ansi-fg-back ansi-bg-1'],
    ['reset', `${E}[31;1m${E}[mx`, ''],
    ['unknown codes', `${E}[58;5;1;99mx`, ''],
  ])('%s', (_name, text, className) => {
    expect(parseAnsi(text)[0]).toEqual([{ text: 'x', className }]);
  });

  it.each([
    ['cursor movement', `a${E}[2Kb${E}[1;1Hc`, 'abc'],
    ['a title', `${E}]0;evil title\u0007a`, 'a'],
    ['a hyperlink', `${E}]8;;https://x.example${E}\\text${E}]8;;${E}\\`, 'text'],
    ['a device control string', `${E}P+q544e${E}\\a`, 'a'],
    ['a sequence cut off at the end', `abc${E}[3`, 'abc'],
    ['a lone escape at the end', `abc${E}`, 'abc'],
    ['other control characters', 'a\u0000b\u0007c', 'abc'],
    ['windows line ends', 'a\r\nb', 'a\nb'],
    ['a progress bar', '10 %\r55 %\r100 %', '100 %'],
    ['a line that ends with a carriage return', 'done\r', 'done'],
    ['backspaces', 'abd\u0008c', 'abc'],
    ['words next to each other', 'one two (1.1 ms)', 'one two (1.1 ms)'],
  ])('drops %s', (_name, text, plain) => {
    expect(plainText(text)).toBe(plain);
  });

  it('carries a colour over line ends', () => {
    expect(parseAnsi(`${E}[32ma\nb`).map((line) => line[0]?.className)).toEqual(['ansi-fg-2', 'ansi-fg-2']);
  });
});
