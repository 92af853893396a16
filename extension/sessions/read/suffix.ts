/**
 * The end of a large session file, as far as a fold needs it: from the lines that the last compaction kept. It answers only when it is certain that
 * the whole file would give the same conversation.
 */
import type { SessionFiles } from '../../ports';
import { isObject, listAt, objectAt, textAt } from '../format/json';
import { graphOf, pathOf, type Graph, type Path } from './graph';
import { BOUNDARY_MARK, lastIndexOf, lineIndex } from './line-index';
import { linesOf } from './lines';
import { addLine, isOwn, scanner, type Entry, type Scan } from './scan';

/** Above a boundary: mostly what it kept begins there. */
const FIRST_LOOK = 1 << 18;
/** Further back a compaction is looked for by the index. */
const MOST = 1 << 24;
const PIECE = 1 << 20;
/** Far longer than the mark that is looked for. */
const LEAST_PIECE = 4_096;

/** Undefined: nothing less than the whole file is enough. */
export async function suffixOf(
  files: SessionFiles,
  path: string,
  size: number,
  sidecar: string,
  look = FIRST_LOOK,
): Promise<Scan | undefined> {
  const boundary =
    (await boundaryNear(files, path, size, look)) ?? (await lineIndex(files, path, sidecar)).boundary;
  if (boundary < 0) return undefined;
  for (let margin = look; margin <= MOST; margin *= 4) {
    const start = Math.max(0, boundary - margin);
    // What is larger than this is read in a stream, by the fold of the whole.
    if (size - start > 4 * MOST) return undefined;
    const scan = await scanFrom(files, path, start, size);
    if (isEnough(scan)) return scan;
    if (start === 0) return undefined;
  }
  return undefined;
}

/** Offset in the line of the last compaction near the end, found without reading lines; undefined when there is none near. */
async function boundaryNear(
  files: SessionFiles,
  path: string,
  size: number,
  look: number,
): Promise<number | undefined> {
  const piece = Math.max(LEAST_PIECE, Math.min(PIECE, look * 2));
  for (let end = size; size - end < MOST; end -= piece - BOUNDARY_MARK.length) {
    const start = Math.max(0, end - piece);
    const bytes = await files.read(path, start, end);
    const at = lastIndexOf(bytes, BOUNDARY_MARK);
    if (at >= 0) return start + at;
    if (start === 0) return undefined;
  }
  return undefined;
}

async function scanFrom(files: SessionFiles, path: string, start: number, size: number): Promise<Scan> {
  const bytes = await files.read(path, start, size);
  const scan = scanner();
  // The first line is cut, or might be.
  for (const raw of linesOf(bytes).slice(start > 0 ? 1 : 0))
    addLine(scan, { ...raw, offset: raw.offset + start }, true);
  return scan.done();
}

function isEnough(scan: Scan): boolean {
  const pin = scan.pins.at(-1);
  // The last word about which branch counts must be here, and what it names.
  if (pin === undefined || pin.start) return false;
  const graph = graphOf(scan);
  if (graph.trace || !graph.byUuid.has(pin.leaf)) return false;
  const path = pathOf(scan, graph);
  const { boundary } = path;
  if (boundary === undefined || boundary.parent !== null || !carriesOn(boundary)) return false;
  const head = keptHead(boundary, path, graph);
  if (head === 'missing') return false;
  const linked = path.context.every(
    (entry) => entry === boundary || entry === head || isLinked(entry, graph),
  );
  return linked && (head === undefined || notesAbove(head, graph));
}

/** What holds from further up stands in a boundary of ours; other programs hold nothing there that we would take up. */
function carriesOn({ record = {} }: Entry): boolean {
  return !isOwn(record) || objectAt(objectAt(record, 'sluice'), 'standing') !== undefined;
}

function isLinked(entry: Entry, { byUuid }: Graph): boolean {
  return typeof entry.parent === 'string' && byUuid.has(entry.parent);
}

/** The first line that the compaction kept; undefined when it kept none. */
function keptHead(boundary: Entry, path: Path, graph: Graph): Entry | 'missing' | undefined {
  const metadata = objectAt(boundary.record, 'compactMetadata');
  const segment = objectAt(metadata, 'preservedSegment');
  const uuids = listAt(objectAt(metadata, 'preservedMessages'), 'uuids').filter(
    (uuid) => typeof uuid === 'string',
  );
  if (uuids.length > 0 && !uuids.every((uuid) => graph.byUuid.has(uuid))) return 'missing';
  const wanted = uuids[0] ?? (isObject(segment) ? textAt(segment, 'headUuid') : undefined);
  if (wanted === undefined) return undefined;
  return path.context.find(({ uuid }) => uuid === wanted) ?? 'missing';
}

/** What only a provider reads of an answer stands in notes above it. */
function notesAbove(head: Entry, graph: Graph): boolean {
  for (let at: Entry = head; ;) {
    if (at.parent === null) return true;
    const above = graph.entries[graph.byUuid.get(at.parent ?? '') ?? -1];
    if (above === undefined) return false;
    if (!/^sluice_(?:block|native)$/.test(above.subtype ?? '')) return true;
    at = above;
  }
}
