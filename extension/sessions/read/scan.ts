/**
 * One pass over the records of a file: a light entry for each line of the conversation graph, and the state that stands beside it. It
 * decides nothing about which branch counts (`graph.ts`) and builds no messages (`messages.ts`).
 */
import { isObject, listAt, objectAt, textAt, timeAt, type Json } from '../format/json';
import { parseLine, type RawLine, type Skipped } from './lines';
import { usageCounter, type UsageCounter } from '../format/usage';

/** Where a record stands in its file, to read it again. */
export interface Place {
  readonly line: number;
  readonly offset: number;
  readonly bytes: number;
  /** True when the record is not the whole line, so that it cannot be read again by its place. */
  readonly partial: boolean;
}

/** A line of the graph, without its body. */
export interface Entry {
  /** Order in the file. */
  readonly index: number;
  readonly place: Place;
  readonly kind: 'user' | 'assistant' | 'system' | 'attachment' | 'other';
  readonly uuid: string;
  /** Null = a root; undefined = the line does not say. */
  readonly parent: string | null | undefined;
  readonly sidechain: boolean;
  readonly messageId?: string;
  readonly requestId?: string;
  /** `system.subtype` or `attachment.type`. */
  readonly subtype?: string;
  readonly logicalParent?: string;
  readonly uses: readonly { readonly id: string; readonly name: string }[];
  readonly results: readonly { readonly id: string; readonly isError: boolean }[];
  /** A user line with content of its own, not only results. */
  readonly speaks: boolean;
  /** The body; absent when it was left on disk. */
  record?: Json;
}

/** A `last-prompt` line that names a leaf. */
export interface Pin {
  /** Entries that stood before it. */
  readonly after: number;
  readonly leaf: string;
  readonly explicit: boolean;
  /** Ours: everything before it was rewound, up to the very start. */
  readonly start: boolean;
}

export interface LooseState {
  customTitle?: string;
  aiTitle?: string;
  summary?: string;
  lastPrompt?: string;
  permissionMode?: string;
  tag?: string;
}

export interface Scan {
  readonly entries: readonly Entry[];
  readonly pins: readonly Pin[];
  readonly loose: Readonly<LooseState>;
  /** What the model saw instead of a result that was too big, by call id. */
  readonly replacements: ReadonlyMap<string, string>;
  readonly usage: UsageCounter;
  readonly skipped: readonly Skipped[];
  /** Lines that hold one whole record. */
  readonly wholeLines: number;
  readonly firstTime?: number;
  readonly lastTime?: number;
}

export interface Scanner {
  add(record: Json, place: Place, keep: boolean): void;
  skip(skipped: Skipped): void;
  done(): Scan;
}

export function scanner(): Scanner {
  const entries: Entry[] = [];
  const byUuid = new Map<string, number>();
  const pins: Pin[] = [];
  const loose: LooseState = {};
  const replacements = new Map<string, string>();
  const usage = usageCounter();
  const skipped: Skipped[] = [];
  let wholeLines = 0;
  let firstTime: number | undefined;
  let lastTime: number | undefined;

  const chain = (record: Json, place: Place, keep: boolean): void => {
    const entry = entryOf(record, place, entries.length);
    if (keep || ALWAYS_KEPT.test(entry.subtype ?? '')) entry.record = record;
    const earlier = byUuid.get(entry.uuid);
    if (earlier === undefined) {
      byUuid.set(entry.uuid, entries.length);
      entries.push(entry);
      return;
    }
    // The last one with a uuid counts, at the place of the first: copies come from resumes and double writes.
    const before = entries[earlier];
    if (before && differs(before, entry, record))
      skipped.push({
        line: before.place.line,
        offset: before.place.offset,
        bytes: before.place.bytes,
        reason: 'superseded',
        saved: 0,
        what: `uuid ${entry.uuid} again in line ${place.line}, with other content`,
      });
    entries[earlier] = { ...entry, index: earlier };
  };

  return {
    add(record, place, keep) {
      if (!place.partial) wholeLines += 1;
      const time = timeAt(record, 'timestamp');
      firstTime ??= time;
      lastTime = time ?? lastTime;
      usage.add(record);
      if (isChained(record)) chain(record, place, keep);
      else readLoose(record, entries.length, { pins, loose, replacements });
    },
    skip: (part) => void skipped.push(part),
    done: () => ({
      entries,
      pins,
      loose,
      replacements,
      usage,
      skipped,
      wholeLines,
      ...(firstTime === undefined ? {} : { firstTime }),
      ...(lastTime === undefined ? {} : { lastTime }),
    }),
  };
}

export function addLine(scan: Scanner, raw: RawLine, keep: boolean): void {
  const { records, skipped } = parseLine(raw);
  if (skipped) scan.skip(skipped);
  const partial = skipped !== undefined;
  const place = { line: raw.line, offset: raw.offset, bytes: raw.bytes.length, partial };
  for (const record of records) scan.add(record, place, keep || partial);
}

export const ENTRYPOINT = 'sluice';

/** Written by us. */
export function isOwn(record: Json): boolean {
  return record['entrypoint'] === ENTRYPOINT;
}

/** Small records that decide about others. */
const ALWAYS_KEPT = /^(?:compact_boundary|sluice_call_started)$/;

/** By form, never by a closed list of types: new ones appear several times a year. */
function isChained(record: Json): boolean {
  if (record['type'] === 'user' || record['type'] === 'assistant') return true;
  return typeof record['uuid'] === 'string' && 'parentUuid' in record;
}

/** By content where both are at hand, else by length. */
function differs(before: Entry, after: Entry, record: Json): boolean {
  if (before.record) return bodyOf(before.record) !== bodyOf(record);
  return before.place.bytes !== after.place.bytes;
}

function bodyOf(record: Json): string {
  return JSON.stringify([record['message'], record['attachment'], record['content']]);
}

const KINDS: Readonly<Record<string, Entry['kind']>> = {
  user: 'user',
  assistant: 'assistant',
  system: 'system',
  attachment: 'attachment',
};

const NONE: readonly never[] = [];

function entryOf(record: Json, place: Place, index: number): Entry {
  const kind = KINDS[textAt(record, 'type') ?? ''] ?? 'other';
  const message = objectAt(record, 'message');
  const parent = record['parentUuid'];
  const results = kind === 'user' ? resultsIn(message) : NONE;
  const messageId = kind === 'assistant' ? textAt(message, 'id') : undefined;
  const requestId = kind === 'assistant' ? textAt(record, 'requestId') : undefined;
  const subtype = isMessageKind(kind)
    ? undefined
    : (textAt(record, 'subtype') ?? textAt(objectAt(record, 'attachment'), 'type'));
  const logicalParent = kind === 'system' ? textAt(record, 'logicalParentUuid') : undefined;
  return {
    index,
    place,
    kind,
    uuid: textAt(record, 'uuid') ?? `line ${place.line} at ${place.offset} of ${index}`,
    parent: typeof parent === 'string' || parent === null ? parent : undefined,
    sidechain: record['isSidechain'] === true,
    uses: kind === 'assistant' ? usesIn(message) : NONE,
    results,
    speaks: kind === 'user' && results.length === 0,
    ...(messageId === undefined ? {} : { messageId }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(subtype === undefined ? {} : { subtype }),
    ...(logicalParent === undefined ? {} : { logicalParent }),
  };
}

function isMessageKind(kind: Entry['kind']): boolean {
  return kind === 'user' || kind === 'assistant';
}

function usesIn(message: Json | undefined): Entry['uses'] {
  const blocks = listAt(message, 'content').filter(
    (block): block is Json => isObject(block) && block['type'] === 'tool_use',
  );
  if (blocks.length === 0) return NONE;
  return blocks.map((block) => ({ id: textAt(block, 'id') ?? '', name: textAt(block, 'name') ?? '' }));
}

function resultsIn(message: Json | undefined): Entry['results'] {
  const blocks = listAt(message, 'content').filter(
    (block): block is Json => isObject(block) && block['type'] === 'tool_result',
  );
  if (blocks.length === 0) return NONE;
  return blocks.map((block) => ({
    id: textAt(block, 'tool_use_id') ?? '',
    isError: block['is_error'] === true,
  }));
}

const NIL = '00000000-0000-0000-0000-000000000000';

interface LooseParts {
  readonly pins: Pin[];
  readonly loose: LooseState;
  readonly replacements: Map<string, string>;
}

function readLoose(record: Json, after: number, parts: LooseParts): void {
  const { pins, loose, replacements } = parts;
  switch (record['type']) {
    case 'last-prompt': {
      const leaf = textAt(record, 'leafUuid');
      const start = leaf === NIL && objectAt(record, 'sluice')?.['start'] === true;
      if (leaf) pins.push({ after, leaf, explicit: record['explicit'] === true, start });
      setText(loose, 'lastPrompt', textAt(record, 'lastPrompt'));
      break;
    }
    case 'custom-title':
      setText(loose, 'customTitle', textAt(record, 'customTitle'));
      break;
    case 'ai-title':
      setText(loose, 'aiTitle', textAt(record, 'aiTitle'));
      break;
    case 'summary':
      setText(loose, 'summary', textAt(record, 'summary'));
      break;
    case 'permission-mode':
      setText(loose, 'permissionMode', textAt(record, 'permissionMode'));
      break;
    case 'tag':
      setText(loose, 'tag', textAt(record, 'tag'));
      break;
    case 'content-replacement':
      for (const item of listAt(record, 'replacements').filter(isObject)) {
        const id = textAt(item, 'toolUseId');
        const text = textAt(item, 'replacement');
        if (id !== undefined && text !== undefined) replacements.set(id, text);
      }
      break;
    default:
      break;
  }
}

function setText(loose: LooseState, key: keyof LooseState, value: string | undefined): void {
  if (value !== undefined) loose[key] = value;
}
