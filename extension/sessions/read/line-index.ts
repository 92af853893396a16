/**
 * Where the lines of a file stand, found without reading what they say: every so-manieth line, and the last line that looks like a compaction. It
 * is kept beside the session and made anew where it is missing or does not fit the file; growth is added to it.
 */
import type { SessionFiles } from '../../ports';
import { isObject } from '../format/json';

export interface LineIndex {
  /** Bytes that it covers, up to and with the last newline. */
  readonly bytes: number;
  /** Whole lines. */
  readonly lines: number;
  /** Offset of every {@link MARK_EVERY}th line, the first one included. */
  readonly marks: readonly number[];
  /** Offset of the last line that holds the mark of a compaction; -1 = none. It may be quoted text: who reads it looks. */
  readonly boundary: number;
  /** The last bytes that it covers, so that another file in its place is noticed. */
  readonly end: string;
}

export const MARK_EVERY = 1_024;
const NEWLINE = 0x0a;
export const BOUNDARY_MARK = new TextEncoder().encode('"subtype":"compact_boundary"');
const END_BYTES = 64;
const EMPTY: LineIndex = { bytes: 0, lines: 0, marks: [], boundary: -1, end: '' };

/** The index of a file, from the sidecar at `sidecar` as far as that is true. Never rejects because of the sidecar. */
export async function lineIndex(files: SessionFiles, path: string, sidecar: string): Promise<LineIndex> {
  const size = (await files.stat(path))?.size ?? 0;
  const kept = await readKept(files, path, sidecar, size);
  if (kept?.bytes === size) return kept;
  const index = await grown(files, path, kept ?? EMPTY, size);
  await files.remove(sidecar).catch(() => undefined);
  await files.create(sidecar, JSON.stringify(index)).catch(() => false);
  return index;
}

async function readKept(
  files: SessionFiles,
  path: string,
  sidecar: string,
  size: number,
): Promise<LineIndex | undefined> {
  try {
    const about = await files.stat(sidecar);
    if (about === undefined) return undefined;
    const index = parsed(new TextDecoder().decode(await files.read(sidecar, 0, about.size)));
    if (index === undefined || index.bytes > size) return undefined;
    return (await endOf(files, path, index.bytes)) === index.end ? index : undefined;
  } catch {
    return undefined;
  }
}

function parsed(text: string): LineIndex | undefined {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) return undefined;
  const { bytes, lines, marks, boundary, end } = value;
  const whole =
    typeof bytes === 'number' &&
    typeof lines === 'number' &&
    typeof boundary === 'number' &&
    typeof end === 'string' &&
    Array.isArray(marks) &&
    marks.every((mark) => typeof mark === 'number');
  return whole ? { bytes, lines, marks, boundary, end } : undefined;
}

async function endOf(files: SessionFiles, path: string, bytes: number): Promise<string> {
  const end = await files.read(path, Math.max(0, bytes - END_BYTES), bytes);
  return [...end].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function grown(files: SessionFiles, path: string, from: LineIndex, size: number): Promise<LineIndex> {
  const marks = [...from.marks];
  let { bytes, lines, boundary } = from;
  let at = from.bytes;
  // The mark may lie across two pieces; what was before the piece is looked at with its first bytes.
  let carried = new Uint8Array(0);
  for await (const piece of files.pieces(path, from.bytes, size)) {
    const seam = joined(carried, piece.subarray(0, BOUNDARY_MARK.length));
    const inSeam = lastIndexOf(seam, BOUNDARY_MARK);
    const inPiece = lastIndexOf(piece, BOUNDARY_MARK);
    const found = inPiece >= 0 ? at + inPiece : inSeam >= 0 ? at - carried.length + inSeam : -1;
    let before = bytes;
    let boundaryLine = boundary;
    for (let next = piece.indexOf(NEWLINE); next >= 0; next = piece.indexOf(NEWLINE, next + 1)) {
      if (lines % MARK_EVERY === 0) marks.push(before);
      lines += 1;
      const end = at + next + 1;
      if (found >= before && found < end) boundaryLine = before;
      before = end;
    }
    // In a line that is not over yet: its offset is known all the same.
    if (found >= before) boundaryLine = before;
    boundary = boundaryLine;
    bytes = before;
    at += piece.length;
    carried = piece.slice(Math.max(0, piece.length - BOUNDARY_MARK.length + 1));
  }
  return { bytes, lines, marks, boundary, end: await endOf(files, path, bytes) };
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const whole = new Uint8Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}

/** Node's own search for several bytes at once. */
export function lastIndexOf(bytes: Uint8Array, wanted: Uint8Array): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).lastIndexOf(wanted);
}
