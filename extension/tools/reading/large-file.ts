/**
 * A page of a file that is too large to hold as one text: the bytes are passed through in pieces, so any size works. UTF-8 only; the bytes
 * on disk are shown, never an editor's (editors do not open such files).
 */
import type { Files } from '../../ports';
import { ToolError } from '../tool';
import { LINE_CHARS, PAGE_CHARS, longLineNote, numberedLine, rangeNote } from './page';
import type { Page } from './page';

const PIECE_BYTES = 4 * 1024 * 1024;
/** Up to this size all lines are counted, so that the page can say how many there are. */
const COUNTED_BYTES = 512 * 1024 * 1024;
const LF = 0x0a;

export interface LargePage extends Page {
  readonly totalLines: number | undefined;
}

export async function largePage(
  files: Pick<Files, 'readRange'>,
  path: string,
  size: number,
  first: number,
  limit: number,
  signal: AbortSignal,
): Promise<LargePage> {
  const taken: TakenLine[] = [];
  const scan = lineScan(first, limit, taken);
  let at = 0;
  while (at < size) {
    signal.throwIfAborted();
    const piece = await files.readRange?.(path, at, Math.min(PIECE_BYTES, size - at));
    if (!piece || piece.length === 0) break;
    if (at === 0 && piece.subarray(0, 8_192).includes(0)) throw notText(path);
    at += piece.length;
    scan.piece(piece);
    if (scan.full() && size > COUNTED_BYTES) break;
  }
  const total = at >= size ? scan.end() : undefined;
  if (taken.length === 0)
    throw new ToolError('invalid', `offset ${first} is past the end: ${path} has ${total ?? 'fewer'} lines.`);
  const lastLine = first + taken.length - 1;
  const notes = taken.flatMap((line, index) =>
    line.bytes > line.kept.length ? [longLineNote(first + index, line.bytes)] : [],
  );
  notes.push(rangeNote(first, lastLine, total));
  const numbered = taken.map((line, index) => numberedLine(first + index, decode(line, path))).join('\n');
  return { firstLine: first, lastLine, numbered, notes, totalLines: total };
}

interface TakenLine {
  readonly kept: Uint8Array;
  readonly bytes: number;
}

/** Counts lines and keeps those of the page; of a long line only its beginning is ever held. */
function lineScan(first: number, limit: number, taken: TakenLine[]) {
  let line = 1;
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let lineBytes = 0;
  let pageBytes = 0;
  let closed = false;

  const wanted = (): boolean => line >= first && !closed;
  const keep = (bytes: Uint8Array): void => {
    lineBytes += bytes.length;
    if (!wanted() || heldBytes >= LINE_CHARS * 4) return;
    held.push(bytes.slice(0, LINE_CHARS * 4));
    heldBytes += Math.min(bytes.length, LINE_CHARS * 4);
  };
  const endLine = (): void => {
    if (wanted()) {
      const kept = concat(held);
      pageBytes += kept.length;
      if (taken.length >= limit || (pageBytes > PAGE_CHARS && taken.length > 0)) closed = true;
      else taken.push({ kept, bytes: lineBytes });
    }
    held = [];
    heldBytes = 0;
    lineBytes = 0;
    line++;
  };
  return {
    piece(bytes: Uint8Array): void {
      let from = 0;
      for (let to = bytes.indexOf(LF); to !== -1; to = bytes.indexOf(LF, from)) {
        keep(bytes.subarray(from, to));
        endLine();
        from = to + 1;
      }
      keep(bytes.subarray(from));
    },
    full: () => closed || taken.length >= limit,
    /** Number of lines, once all pieces were seen. */
    end(): number {
      if (lineBytes > 0) endLine();
      return line - 1;
    },
  };
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A cut line may end in the middle of a character, which `stream` leaves out. */
function decode(line: TakenLine, path: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(line.kept, {
      stream: line.bytes > line.kept.length,
    });
    return text.replace(/\r$/, '');
  } catch {
    throw notText(path);
  }
}

function notText(path: string): ToolError {
  return new ToolError(
    'binary',
    `${path} is not UTF-8 text. Look at it with a command through Bash (file, head -c, xxd, iconv).`,
  );
}
