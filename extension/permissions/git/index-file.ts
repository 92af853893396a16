/**
 * Finds nested repositories that git's index knows (submodules): git looks into them, with their own configuration, when it shows a
 * status or a difference. Bytes in, paths out.
 */

/** Mode of a nested repository, as the four bytes that stand in every entry. */
const LINK_MODE = [0x00, 0x00, 0xe0, 0x00] as const;

/** Undefined when the index cannot be read, which is not the same as *none*. */
export function nestedRepositories(index: Uint8Array): readonly string[] | undefined {
  if (!mentionsLinks(index)) return isIndex(index) ? [] : undefined;
  return isIndex(index) ? readEntries(index) : undefined;
}

function isIndex(index: Uint8Array): boolean {
  const version = index[7] ?? 0;
  return index.length >= 12 && index[0] === 0x44 && index[1] === 0x49 && version >= 2 && version <= 4;
}

function mentionsLinks(index: Uint8Array): boolean {
  for (let at = index.indexOf(0xe0); at >= 0; at = index.indexOf(0xe0, at + 1)) {
    if (LINK_MODE.every((byte, offset) => index[at - 2 + offset] === byte)) return true;
  }
  return false;
}

function readEntries(index: Uint8Array): readonly string[] | undefined {
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  const version = view.getUint32(4);
  const count = view.getUint32(8);
  const decoder = new TextDecoder();
  const found: string[] = [];
  let at = 12;
  let previous = '';
  for (let entry = 0; entry < count; entry++) {
    if (at + 62 > index.length) return undefined;
    const mode = view.getUint32(at + 24);
    const flags = view.getUint16(at + 60);
    const nameAt = at + 62 + ((flags & 0x4000) !== 0 && version >= 3 ? 2 : 0);
    let start = nameAt;
    let kept = '';
    if (version === 4) {
      const [strip, length] = readVarint(index, nameAt);
      start = nameAt + length;
      kept = previous.slice(0, Math.max(0, previous.length - strip));
    }
    const end = index.indexOf(0, start);
    if (end < 0) return undefined;
    const name = kept + decoder.decode(index.subarray(start, end));
    if (mode === 0xe000) found.push(name);
    previous = name;
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  return found;
}

/** Git's own variable-length number: each further byte adds one more than its bits. */
function readVarint(bytes: Uint8Array, at: number): readonly [number, number] {
  let byte = bytes[at] ?? 0;
  let value = byte & 0x7f;
  let length = 1;
  while ((byte & 0x80) !== 0 && length < 6) {
    byte = bytes[at + length] ?? 0;
    value = ((value + 1) << 7) | (byte & 0x7f);
    length++;
  }
  return [value, length];
}
