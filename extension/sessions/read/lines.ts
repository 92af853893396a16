/**
 * From bytes to records: splits on 0x0A only, parses each line, and saves what it can of damaged ones. It never throws because of what a
 * file holds, never changes a file, and reports every byte range that it could not read.
 */
import type { SessionFiles } from '../../ports';
import { isObject, type Json } from '../format/json';

const NEWLINE = 0x0a;
const CHUNK = 1 << 19;
/** A string of V8 cannot be much longer than this. */
const LONGEST_LINE = 400 << 20;

export interface RawLine {
  /** 1-based. */
  readonly line: number;
  /** Of the first byte, in the file. */
  readonly offset: number;
  /** Without the newline. */
  readonly bytes: Uint8Array;
}

/** A part of the file that holds no record, or not only whole ones. */
export interface Skipped {
  /** 1-based. */
  readonly line: number;
  readonly offset: number;
  /** Bytes of the line. */
  readonly bytes: number;
  readonly reason:
    /** The line ends, or another record begins, in the middle of a record. */
    | 'torn'
    /** Several whole records on one line; all were read. */
    | 'glued'
    /** JSON, but not an object with a string `type`. */
    | 'not_a_record'
    | 'too_long'
    /** A later line with the same uuid took its place. */
    | 'superseded'
    /** A block, an image or a result that no request may hold; `what` names it. */
    | 'unusable';
  /** Whole records that were saved from the line. */
  readonly saved: number;
  readonly what: string;
}

export interface ParsedLine {
  readonly records: readonly Json[];
  readonly skipped?: Skipped;
}

/** Yields whole lines, the last one also without a newline, from `start` to the size at the time of the call. */
export async function* readLines(
  files: SessionFiles,
  path: string,
  size: number,
): AsyncGenerator<readonly RawLine[]> {
  let parts: Uint8Array[] = [];
  let offset = 0;
  let line = 1;
  for (let at = 0; at < size;) {
    const chunk = await files.read(path, at, Math.min(size, at + CHUNK));
    if (chunk.length === 0) break;
    at += chunk.length;
    const lines: RawLine[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      parts.push(chunk.subarray(from, end));
      const bytes = joined(parts);
      lines.push({ line, offset, bytes });
      line += 1;
      offset += bytes.length + 1;
      parts = [];
      from = end + 1;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
    yield lines;
  }
  if (parts.length > 0) yield [{ line, offset, bytes: joined(parts) }];
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (parts.length === 1 && first) return first;
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Splits bytes that are already in memory. */
export function linesOf(bytes: Uint8Array): RawLine[] {
  const lines: RawLine[] = [];
  let from = 0;
  for (let line = 1; from < bytes.length; line++) {
    const newline = bytes.indexOf(NEWLINE, from);
    const end = newline < 0 ? bytes.length : newline;
    lines.push({ line, offset: from, bytes: bytes.subarray(from, end) });
    from = end + 1;
  }
  return lines;
}

const decoder = new TextDecoder('utf-8');

/** The records of one line: normally one, none for a blank line. */
export function parseLine(raw: RawLine): ParsedLine {
  const skip = (reason: Skipped['reason'], saved: number, what: string): Skipped => ({
    line: raw.line,
    offset: raw.offset,
    bytes: raw.bytes.length,
    reason,
    saved,
    what,
  });
  if (raw.bytes.length > LONGEST_LINE)
    return { records: [], skipped: skip('too_long', 0, 'a line too long to read') };
  // The decoder takes a byte order mark away.
  const text = decoder.decode(raw.bytes);
  const whole = tryParse(text) ?? tryParse(text.replaceAll('\0', '').trim());
  if (whole) {
    if (isRecord(whole.value)) return { records: [whole.value] };
    return { records: [], skipped: skip('not_a_record', 0, preview(text)) };
  }
  const cleaned = text.replaceAll('\0', '').replaceAll('\uFEFF', '').trim();
  if (cleaned === '') return { records: [] };
  const { records, lost } = salvage(cleaned);
  return {
    records,
    skipped: skip(lost === 0 ? 'glued' : 'torn', records.length, preview(cleaned)),
  };
}

function tryParse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Json {
  return isObject(value) && typeof value['type'] === 'string';
}

/** Tells a record of a session from a content block that happens to stand at the end of a torn line. */
function isWholeRecord(value: unknown): value is Json {
  return (
    isRecord(value) &&
    (typeof value['uuid'] === 'string' ||
      typeof value['sessionId'] === 'string' ||
      typeof value['leafUuid'] === 'string' ||
      isObject(value['snapshot']))
  );
}

/** Whole records in a line that is not one record: torn ends with the next record glued on, and several records in a row. */
function salvage(text: string): { readonly records: readonly Json[]; readonly lost: number } {
  const records: Json[] = [];
  let lost = 0;
  let at = 0;
  while (at < text.length) {
    const here = recordAt(text, at);
    if (here) {
      records.push(here.record);
      at = here.end;
      continue;
    }
    const next = nextRecordStart(text, at + 1);
    lost += (next ?? text.length) - at;
    at = next ?? text.length;
  }
  return { records, lost };
}

const FIRST_KEYS =
  /\{\s*"(?:type|parentUuid|logicalParentUuid|uuid|sessionId|isSidechain|userType|cwd|version|timestamp|message|leafUuid|entrypoint|agentId|gitBranch)"/g;

function nextRecordStart(text: string, from: number): number | undefined {
  FIRST_KEYS.lastIndex = from;
  for (let match = FIRST_KEYS.exec(text); match; match = FIRST_KEYS.exec(text)) {
    const start = match.index;
    if (recordAt(text, start)) return start;
    FIRST_KEYS.lastIndex = start + 1;
  }
  return undefined;
}

/** A record counts only where the line ends or another one begins: a nested object is followed by a comma or a bracket. */
function recordAt(text: string, start: number): { readonly record: Json; readonly end: number } | undefined {
  if (text[start] !== '{') return undefined;
  const end = objectEnd(text, start);
  if (end === undefined) return undefined;
  const rest = /\S/.exec(text.slice(end, end + 64))?.[0];
  if (rest !== undefined && rest !== '{') return undefined;
  const value = tryParse(text.slice(start, end))?.value;
  if (!isWholeRecord(value)) return undefined;
  return { record: value, end: rest === undefined ? text.length : text.indexOf('{', end) };
}

const STRUCTURE = /["{}]|\\./gs;

/** Index after the brace that closes the one at `start`, strings and escapes respected. */
function objectEnd(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  STRUCTURE.lastIndex = start;
  for (let match = STRUCTURE.exec(text); match; match = STRUCTURE.exec(text)) {
    const found = match[0];
    if (found === '"') inString = !inString;
    else if (!inString && found === '{') depth += 1;
    else if (!inString && found === '}') {
      depth -= 1;
      if (depth === 0) return STRUCTURE.lastIndex;
    }
  }
  return undefined;
}

function preview(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
