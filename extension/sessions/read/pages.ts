/**
 * What a person sees of a session, from its end upwards, a page at a time: each reads only the part of the file that it shows, whatever the
 * file's size. For showing only; what the model is sent is folded elsewhere.
 */
import type { SessionFiles } from '../../ports';
import { displayItems, type DisplayItem } from '../display';
import { graphOf, pathOf, type Graph } from './graph';
import { groupsOf } from './groups';
import { linesOf } from './lines';
import { addLine, scanner, type Entry } from './scan';

/** What stands above a page. */
export interface PageCursor {
  /** Offset of the page's first line. */
  readonly before: number;
  /** Uuid of the line that it hangs off. */
  readonly uuid: string;
}

export interface Page {
  readonly items: readonly DisplayItem[];
  /** Undefined = the beginning of the conversation. */
  readonly earlier: PageCursor | undefined;
}

const FIRST_LOOK = 1 << 18;
/** A line above that is not found in so many bytes counts as lost. */
const MOST = 1 << 25;

/** About the last `lines` lines above `cursor`; of the whole file when there is none. */
export async function pageBefore(
  files: SessionFiles,
  path: string,
  cursor: PageCursor | undefined,
  lines: number,
): Promise<Page> {
  const end = cursor?.before ?? (await files.stat(path))?.size ?? 0;
  for (let length = FIRST_LOOK; ; length *= 4) {
    const start = Math.max(0, end - length);
    const last = start === 0 || length >= MOST;
    const scan = scanner();
    const bytes = await files.read(path, start, end);
    for (const raw of linesOf(bytes).slice(start > 0 ? 1 : 0))
      addLine(scan, { ...raw, offset: raw.offset + start }, true);
    const done = scan.done();
    const graph = graphOf(done);
    const known = cursor === undefined || graph.byUuid.has(cursor.uuid);
    if (!known && !last) continue;
    // A line whose parent is lost hangs off the one before it, here as in the fold.
    const found = pathOf(done, graph, known ? cursor?.uuid : done.entries.at(-1)?.uuid).shown;
    const reached = start > 0 ? reachable(found, graph) : found;
    if (reached.length <= lines && !last) continue;
    const shown = lastPage(reached, lines);
    return {
      items: displayItems(shown, { groups: groupsOf(graph), record: (entry) => entry.record }),
      earlier: cursorAbove(shown[0], start > 0 || shown.length < found.length),
    };
  }
}

/** The end of a path as far as each line's parent is at hand; what comes before would be guessed. */
export function reachable(shown: readonly Entry[], { byUuid }: Graph): readonly Entry[] {
  const cut = shown.findLastIndex((entry) => {
    const above = aboveOf(entry);
    return above !== undefined && !byUuid.has(above);
  });
  return cut < 0 ? shown : shown.slice(cut);
}

/** Begins where nothing above waits for something below: at a prompt, or at the first line of an answer. */
export function lastPage(shown: readonly Entry[], lines: number): readonly Entry[] {
  const from = Math.max(0, shown.length - lines);
  if (from === 0) return shown;
  for (let at = from; at > Math.max(0, from - lines); at--) if (isClean(shown, at)) return shown.slice(at);
  return shown.slice(from);
}

function isClean(shown: readonly Entry[], at: number): boolean {
  const entry = shown[at];
  if (entry === undefined) return false;
  return entry.speaks || (entry.kind === 'assistant' && shown[at - 1]?.kind !== 'assistant');
}

export function cursorAbove(first: Entry | undefined, more: boolean): PageCursor | undefined {
  const uuid = first && more ? aboveOf(first) : undefined;
  return first === undefined || uuid === undefined ? undefined : { before: first.place.offset, uuid };
}

/** A boundary is a root, and names the line that it was written after. */
function aboveOf(entry: Entry): string | undefined {
  return entry.logicalParent ?? (typeof entry.parent === 'string' ? entry.parent : undefined);
}
