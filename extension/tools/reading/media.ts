/** What bytes are, by their first few: images with their size in pixels, PDF, and names for other binary files. */

export interface ImageFacts {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  readonly width: number | undefined;
  readonly height: number | undefined;
}

export function imageFacts(bytes: Uint8Array): ImageFacts | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) {
    const whole = bytes.length >= 24;
    return {
      mediaType: 'image/png',
      width: whole ? view.getUint32(16) : undefined,
      height: whole ? view.getUint32(20) : undefined,
    };
  }
  if (ascii(bytes, 0, 4) === 'GIF8' && bytes.length >= 10)
    return { mediaType: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) };
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return { mediaType: 'image/jpeg', ...jpegSize(view) };
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP')
    return { mediaType: 'image/webp', ...webpSize(bytes, view) };
  return undefined;
}

export function isPdf(bytes: Uint8Array): boolean {
  return ascii(bytes, 0, 1_024).includes('%PDF-');
}

interface Size {
  readonly width: number | undefined;
  readonly height: number | undefined;
}
const UNKNOWN: Size = { width: undefined, height: undefined };

/** Walks the segments up to the frame header. */
function jpegSize(view: DataView): Size {
  let at = 2;
  while (at + 9 < view.byteLength) {
    if (view.getUint8(at) !== 0xff) return UNKNOWN;
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    at += 2 + view.getUint16(at + 2);
  }
  return UNKNOWN;
}

function webpSize(bytes: Uint8Array, view: DataView): Size {
  if (bytes.length < 30) return UNKNOWN;
  switch (ascii(bytes, 12, 16)) {
    case 'VP8X':
      return { width: 1 + uint24(view, 24), height: 1 + uint24(view, 27) };
    case 'VP8 ':
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case 'VP8L': {
      const bits = view.getUint32(21, true);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
    }
    default:
      return UNKNOWN;
  }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

const MAGIC: readonly (readonly [readonly number[], string])[] = [
  [[0x7f, 0x45, 0x4c, 0x46], 'an ELF program or library'],
  [[0x4d, 0x5a], 'a Windows program or library'],
  [[0xcf, 0xfa, 0xed, 0xfe], 'a macOS program or library'],
  [[0xca, 0xfe, 0xba, 0xbe], 'a Java class or a macOS universal program'],
  [[0x50, 0x4b, 0x03, 0x04], 'a ZIP archive (or a format built on it: docx, xlsx, jar, vsix …)'],
  [[0x1f, 0x8b], 'gzip-compressed data'],
  [[0x42, 0x5a, 0x68], 'bzip2-compressed data'],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], 'xz-compressed data'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'zstd-compressed data'],
  [[0x37, 0x7a, 0xbc, 0xaf], 'a 7z archive'],
  [[0x53, 0x51, 0x4c, 0x69, 0x74, 0x65], 'an SQLite database'],
  [[0x00, 0x61, 0x73, 0x6d], 'a WebAssembly module'],
  [[0x77, 0x4f, 0x46, 0x32], 'a web font'],
  [[0x00, 0x01, 0x00, 0x00, 0x00], 'a TrueType font'],
  [[0x4f, 0x67, 0x67, 0x53], 'Ogg audio or video'],
  [[0x49, 0x44, 0x33], 'MP3 audio'],
  [[0x42, 0x4d], 'a BMP image'],
  [[0x00, 0x00, 0x01, 0x00], 'an icon file'],
];

/** For a sentence such as `It is …`. */
export function binaryKind(bytes: Uint8Array): string {
  const known = MAGIC.find(([magic]) => startsWith(bytes, magic));
  if (known) return known[1];
  return ascii(bytes, 4, 8) === 'ftyp' ? 'MP4 video or a related format' : 'binary data of an unknown kind';
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte);
}

function ascii(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}
