/** Files of every kind that an edit must not damage: each holds the marker once, on a line of its own or inside one. Bytes are made here, not by the code under test. */

export interface CorpusFile {
  readonly name: string;
  readonly bytes: Buffer;
  /** The marker as it stands in the bytes, and what an edit makes of it. */
  readonly from: Buffer;
  readonly to: Buffer;
  readonly mode?: number;
  readonly link?: boolean;
  /** Only an editor that knows the encoding reads it as what it is. */
  readonly foreign?: string;
}

export const MARKER = 'two = 2';
export const CHANGED = 'two = 22';

type Encode = (text: string) => Buffer;
const utf8: Encode = (text) => Buffer.from(text, 'utf8');
const utf16le: Encode = (text) => Buffer.from(text, 'utf16le');
const utf16be: Encode = (text) => Buffer.from(text, 'utf16le').swap16();

function file(name: string, text: string, encode: Encode = utf8, more: Partial<CorpusFile> = {}): CorpusFile {
  return { name, bytes: encode(text), from: encode(MARKER), to: encode(CHANGED), ...more };
}

/** All that plain Node reads. */
export function corpus(): readonly CorpusFile[] {
  const encodings: readonly (readonly [string, Encode, string])[] = [
    ['utf8', utf8, ''],
    ['utf8bom', utf8, '\uFEFF'],
    ['utf16le', utf16le, '\uFEFF'],
    ['utf16be', utf16be, '\uFEFF'],
  ];
  const ends: readonly (readonly [string, readonly string[]])[] = [
    ['lf', ['\n', '\n', '\n']],
    ['crlf', ['\r\n', '\r\n', '\r\n']],
    ['cr', ['\r', '\r', '\r']],
    ['mixed', ['\r\n', '\n', '\r']],
  ];
  const plain = encodings.flatMap(([encoding, encode, mark]) =>
    ends.flatMap(([end, [a = '', b = '', c = '']]) =>
      [c, ''].map((last) =>
        file(
          `${encoding}-${end}${last === '' ? '-no-final-newline' : ''}.txt`,
          `${mark}one = 1 äß世${a}${MARKER}${b}three = 3${last}`,
          encode,
        ),
      ),
    ),
  );
  return [...plain, ...special()];
}

function special(): readonly CorpusFile[] {
  const many = Array.from({ length: 40_000 }, (_, i) => (i === 20_000 ? MARKER : `line ${i}`)).join('\n');
  const long = 'abcdefghij'.repeat(250_000);
  return [
    file('tabs.txt', `\tone  \n\t${MARKER}\t\n\t\tthree \t\n`),
    file('forty-thousand-lines.txt', `${many}\n`),
    file('five-megabyte-line.txt', `${long}${MARKER}${long}\n`),
    file('emoji.txt', `👩‍👩‍👧 🏳️‍🌈\n${MARKER} // 🎉\n`),
    file('nfc-nfd.txt', `caf\u00e9 cafe\u0301\n${MARKER}\ne\u0301\u0323\n`),
    file('zero-width.txt', `a\u200bb\u2060c\ufeffd\n${MARKER}\n\u200b\n`),
    file('executable.sh', `#!/bin/sh\n${MARKER}\n`, utf8, { mode: 0o755 }),
    file('linked.txt', `one\n${MARKER}\n`, utf8, { link: true }),
    file('trailing-blank-lines.txt', `one\n${MARKER}\n\n\n\n`),
    file('blank-only-lines.txt', `   \n${MARKER}\n \t \n`),
    file('form-feed.txt', `one\f\n${MARKER}\v\nthree\u0085\u2028\u2029\n`),
  ];
}

/** Texts in encodings that need an editor: name, encoding, text. */
export const FOREIGN: readonly (readonly [string, string, string])[] = [
  ['shiftjis-crlf.txt', 'shiftjis', `日本語のテキスト\r\n${MARKER}\r\nソース表予\r\n`],
  ['shiftjis-lf.txt', 'shiftjis', `ｶﾅ 日本\n${MARKER}\n終わり`],
  ['gbk-crlf.txt', 'gbk', `简体中文\r\n${MARKER}\r\n测试\r\n`],
  ['gbk-lf.txt', 'gbk', `国家\n${MARKER}\n`],
  ['windows1252-lf.txt', 'windows1252', `café “naïve” €\n${MARKER}\nü\n`],
  ['windows1252-crlf.txt', 'windows1252', `café\r\n${MARKER}\r\nÿ`],
];

/** What the bytes must be after the edit: the marker's replaced, all others as they were. */
export function expected({ bytes, from, to }: CorpusFile): Buffer {
  const at = bytes.indexOf(from);
  if (at < 0 || bytes.indexOf(from, at + 1) >= 0) throw new Error('the marker is not there once');
  return Buffer.concat([bytes.subarray(0, at), to, bytes.subarray(at + from.length)]);
}
