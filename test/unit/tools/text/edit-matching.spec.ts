/** Where a named text is found and what is written in its place: tables of the cases that editors get wrong. */
import { describe, expect, it } from 'vitest';
import { applySplices, spliceFor } from '../../../../extension/tools/text/splice';
import { findMatches, withoutOverlap } from '../../../../extension/tools/text/text-match';
import { growth } from '../../../fakes/growth';

function edit(text: string, oldText: string, newText: string, all = false) {
  const found = findMatches(text, oldText);
  if (!found) return 'absent';
  if (found.spans.length > 1 && !all) return `ambiguous ${found.spans.length}`;
  const splices = withoutOverlap(found.spans).map((span) =>
    spliceFor(text, span, found.kind, oldText, newText),
  );
  return { kind: found.kind, text: applySplices(text, splices) };
}

type Row = readonly [name: string, text: string, old: string, now: string, kind: string, result: string];

const ROWS: readonly Row[] = [
  ['one line', 'a\nb\nc\n', 'b', 'B', 'exact', 'a\nB\nc\n'],
  ['no final newline', 'a\nb', 'b', 'B\nC', 'exact', 'a\nB\nC'],
  ['the final newline is taken away only when named', 'a\nb\n', 'b\n', 'b', 'exact', 'a\nb'],
  ['deleting leaves what is around', 'a\nb\nc\n', 'b\n', '', 'exact', 'a\nc\n'],
  ['LF named, CRLF in the file', 'a\r\nb\r\nc\r\n', 'a\nb', 'a\nx\nb', 'line_ends', 'a\r\nx\r\nb\r\nc\r\n'],
  ['one line named, two written, CRLF in the file', 'a\r\nb\r\n', 'b', 'x\ny', 'exact', 'a\r\nx\r\ny\r\n'],
  ['CRLF named, LF in the file', 'a\nb\nc\n', 'a\r\nb', 'a\r\nB', 'line_ends', 'a\nB\nc\n'],
  ['CRLF named and in the file', 'a\r\nb\r\n', 'a\r\nb', 'A\r\nb', 'exact', 'A\r\nb\r\n'],
  ['CRLF written into an LF file by the way', 'a\nb\nc\n', 'b', 'x\r\ny', 'exact', 'a\nx\ny\nc\n'],
  ['an edit of line ends alone is meant', 'a\r\nb\r\n', 'a\r\nb', 'a\nb', 'exact', 'a\nb\r\n'],
  [
    'mixed ends: each line keeps its own',
    'a\r\nb\nc\r\nd\n',
    'a\nb\nc\nd',
    'a\nB\nc\nd',
    'line_ends',
    'a\r\nB\nc\r\nd\n',
  ],
  [
    'mixed ends: a new line takes that of its neighbour',
    'a\r\nb\nc\r\n',
    'b\nc',
    'b\nx\nc',
    'exact',
    'a\r\nb\nx\nc\r\n',
  ],
  ['lone CR as line end', 'a\rb\rc\r', 'b\nc', 'b\nX\nc', 'line_ends', 'a\rb\rX\rc\r'],
  ['a match that begins with a line end takes CRLF whole', 'a\r\nb\r\n', '\nb', '', 'exact', 'a\r\n'],
  ['a byte order mark in the named text', 'a\nb\n', '\uFEFFa', 'A', 'line_ends', 'A\nb\n'],
  ['tabs as they are', '\tif\n\t\tgo\n', '\t\tgo', '\t\tstop', 'exact', '\tif\n\t\tstop\n'],
  [
    'blanks named, tabs in the file',
    'f() {\n\tif\n\t\tgo\n}\n',
    '    if\n        go',
    '    if\n        stop\n        now',
    'tolerant',
    'f() {\n\tif\n\t\tstop\n\t\tnow\n}\n',
  ],
  [
    'tabs named, blanks in the file',
    'x\n  a\n    b\n',
    '\ta\n\t\tb',
    '\ta\n\t\tc\n\t\t\td',
    'tolerant',
    'x\n  a\n    c\n      d\n',
  ],
  [
    'no indentation named',
    '    a();\n    b();\n',
    'a();\nb();',
    'a();\nc();',
    'tolerant',
    '    a();\n    c();\n',
  ],
  ['trailing blanks in the file', 'a  \nb\t\nc\n', 'a\nb\nc', 'a\nB\nc', 'tolerant', 'a  \nB\t\nc\n'],
  ['trailing blanks named', 'a\nb\n', 'a  \nb', 'a  \nB', 'tolerant', 'a\nB\n'],
  [
    'typographic quotes in the file',
    'say(“hi”, ‘x’)\n',
    'say("hi", \'x\')',
    'say("hi", \'x\', 1)',
    'tolerant',
    'say(“hi”, ‘x’, 1)\n',
  ],
  ['no-break space in the file', 'a\u00A0b c\n', 'a b c', 'a b d', 'tolerant', 'a\u00A0b d\n'],
  [
    'runs of blanks keep their width',
    'x   =   1;  // n\n',
    'x = 1; // n',
    'x = 2; // n',
    'tolerant',
    'x   =   2;  // n\n',
  ],
  ['zero-width space in the file', 'fo\u200Bo(1)\n', 'foo(1)', 'foo(2)', 'tolerant', 'fo\u200Bo(2)\n'],
  [
    'composed named, decomposed in the file',
    'cafe\u0301 = 1\n',
    'café = 1',
    'café = 2',
    'tolerant',
    'cafe\u0301 = 2\n',
  ],
  ['emoji and astral characters', 'a 🎉🎉 b\n', '🎉🎉', '🎉', 'exact', 'a 🎉 b\n'],
  [
    'whole lines between tolerant ones stay as they are',
    'a\t\nkeep  me\nz\n',
    'a\nkeep me\nz',
    'a\nkeep me\ny',
    'tolerant',
    'a\t\nkeep  me\ny\n',
  ],
  ['tolerant and CRLF', '\ta\r\n\tb\r\n', '  a\n  b', '  a\n  c\n  d', 'tolerant', '\ta\r\n\tc\r\n\td\r\n'],
  ['dollar signs are plain text', 'a\n', 'a', '$& $1 $$', 'exact', '$& $1 $$\n'],
];

describe('an edit', () => {
  it.each(ROWS)('%s', (_name, text, old, now, kind, result) => {
    expect(edit(text, old, now)).toEqual({ kind, text: result });
  });

  it.each([
    ['a text that repeats', 'x = 1\ny = 2\nx = 1\n', 'x = 1', 2],
    ['a text that repeats into itself', 'aaa', 'aa', 2],
    ['lines that differ only in their ends', 'a\nb\n-\na\r\nb\r\n', 'a\nb', 2],
    ['lines that differ only in whitespace', ' a b\n-\n\ta  b\n', 'a  b ', 2],
  ])('is ambiguous for %s', (_name, text, old, count) => {
    expect(edit(text, old, 'new')).toBe(`ambiguous ${count}`);
  });

  it('replaces all of several places, each in its own style', () => {
    expect(edit('a\nb\n-\na\r\nb\r\n', 'a\nb', 'a\nc', true)).toEqual({
      kind: 'line_ends',
      text: 'a\nc\n-\na\r\nc\r\n',
    });
    expect(edit('aaaa', 'aa', 'b', true)).toEqual({ kind: 'exact', text: 'bb' });
  });

  it.each([
    ['other words', 'a\nb\n', 'c'],
    ['other letter case', 'Alpha\n', 'alpha'],
    ['whitespace alone, however it is written', 'a\n\tb\n', '   \n  '],
    ['a base character without its mark', 'x\u0302y\n', ' x y'],
    ['part of a word across lines', 'ab\ncd\n', 'a\ncd'],
  ])('finds nothing for %s', (_name, text, old) => {
    expect(edit(text, old, 'new')).toBe('absent');
  });

  it('does not stall on a line of megabytes', () => {
    const work = (length: number) => {
      const text = `${'x'.repeat(length)}\nlet a  = 1;\n`;
      return () => {
        expect(edit(text, 'let a = 1;', 'let a = 2;')).toMatchObject({ kind: 'tolerant' });
      };
    };
    // Twenty-five times the text; work that is quadratic takes 625 times as long.
    expect(growth(work, 200_000, 5_000_000, 3)).toBeLessThan(200);
  });
});
