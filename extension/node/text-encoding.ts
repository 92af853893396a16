/**
 * Bytes to text and back without loss: what decodes here encodes to the same bytes. It guesses only what can be told from the
 * bytes themselves (UTF-8, UTF-16 by mark or by the place of its zero bytes) and refuses the rest rather than damage it.
 */
import { isUtf8 } from 'node:buffer';
import { FileError } from '../ports';

/** `utf16le` and `utf16be` carry a byte order mark, as in VS Code; the `…nobom` forms do not. */
export type TextEncoding = 'utf8' | 'utf8bom' | 'utf16le' | 'utf16be' | 'utf16lenobom' | 'utf16benobom';

const SNIFFED_BYTES = 8_192;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** What the first bytes say; `binary` when they hold zero bytes that no text encoding explains. */
export function sniffEncoding(head: Buffer): TextEncoding | 'binary' {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 'utf8bom';
  if (head[0] === 0xff && head[1] === 0xfe) return head[2] === 0 && head[3] === 0 ? 'binary' : 'utf16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf16be';
  const sample = head.subarray(0, SNIFFED_BYTES);
  return sample.includes(0) ? utf16WithoutMark(sample) : 'utf8';
}

/** UTF-16 of mostly Western text has its zeros at every second place only, and many of them. */
function utf16WithoutMark(sample: Buffer): TextEncoding | 'binary' {
  let even = 0;
  let odd = 0;
  for (let at = 0; at < sample.length; at++) {
    if (sample[at] !== 0) continue;
    if (at % 2 === 0) even++;
    else odd++;
  }
  const enough = sample.length / 8;
  if (even === 0 && odd >= enough) return 'utf16lenobom';
  if (odd === 0 && even >= enough) return 'utf16benobom';
  return 'binary';
}

/** Throws FileError `binary` or `encoding`. The text has no byte order mark; `encoding` remembers it. */
export function decodeText(bytes: Buffer, path: string): { text: string; encoding: TextEncoding } {
  const encoding = sniffEncoding(bytes);
  if (encoding === 'binary' || (encoding === 'utf8' && bytes.includes(0)))
    throw new FileError('binary', `${path} is a binary file.`);
  const body = bytes.subarray(markLength(encoding));
  const text = decodeBody(body, encoding);
  if (text === undefined)
    throw new FileError(
      'encoding',
      `${path} is not valid ${encoding.startsWith('utf8') ? 'UTF-8' : 'UTF-16'} text; its encoding is not known here, so it was left alone.`,
    );
  return { text, encoding };
}

function decodeBody(body: Buffer, encoding: TextEncoding): string | undefined {
  if (encoding === 'utf8' || encoding === 'utf8bom') return isUtf8(body) ? body.toString('utf8') : undefined;
  if (body.length % 2 !== 0) return undefined;
  const text = (isBigEndian(encoding) ? Buffer.from(body).swap16() : body).toString('utf16le');
  return LONE_SURROGATE.test(text) ? undefined : text;
}

/** Throws FileError `encoding` when the text cannot be written in the encoding without loss. */
export function encodeText(text: string, encoding: string, path: string): Buffer {
  if (!isKnown(encoding))
    throw new FileError('encoding', `${path}: the encoding "${encoding}" cannot be written here.`);
  if (LONE_SURROGATE.test(text))
    throw new FileError(
      'encoding',
      `${path}: the new text holds half of a surrogate pair, which no encoding can keep. Leave it out.`,
    );
  switch (encoding) {
    case 'utf8':
      return Buffer.from(text, 'utf8');
    case 'utf8bom':
      return Buffer.from(`\uFEFF${text}`, 'utf8');
    case 'utf16le':
      return Buffer.from(`\uFEFF${text}`, 'utf16le');
    case 'utf16lenobom':
      return Buffer.from(text, 'utf16le');
    case 'utf16be':
      return Buffer.from(`\uFEFF${text}`, 'utf16le').swap16();
    case 'utf16benobom':
      return Buffer.from(text, 'utf16le').swap16();
  }
}

const KNOWN: ReadonlySet<string> = new Set<TextEncoding>([
  'utf8',
  'utf8bom',
  'utf16le',
  'utf16be',
  'utf16lenobom',
  'utf16benobom',
]);

function isKnown(encoding: string): encoding is TextEncoding {
  return KNOWN.has(encoding);
}

function isBigEndian(encoding: TextEncoding): boolean {
  return encoding === 'utf16be' || encoding === 'utf16benobom';
}

function markLength(encoding: TextEncoding): number {
  switch (encoding) {
    case 'utf8bom':
      return 3;
    case 'utf16le':
    case 'utf16be':
      return 2;
    case 'utf8':
    case 'utf16lenobom':
    case 'utf16benobom':
      return 0;
  }
}
