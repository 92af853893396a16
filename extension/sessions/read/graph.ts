/**
 * Which lines are the conversation: links children to parents, picks the leaf, walks to the root and cuts at the last compaction. The rules
 * are those of the format's own tool (session-format §13), except that nothing is given up where a link is missing.
 */
import { isObject, listAt, objectAt, textAt } from '../format/json';
import type { Entry, Pin, Scan } from './scan';

export interface Graph {
  readonly entries: readonly Entry[];
  /** Of each entry, the index of its parent. */
  readonly parents: readonly (number | undefined)[];
  readonly byUuid: ReadonlyMap<string, number>;
  /** All lines belong to a subagent: then they are the conversation. */
  readonly trace: boolean;
}

export interface Path {
  /** What a request is made of, in order: after the last boundary, kept messages in their place. */
  readonly context: readonly Entry[];
  /** What came before the boundary, for the person to see. */
  readonly earlier: readonly Entry[];
  /** All of it as it was written, for the person: kept messages stand where they were said. */
  readonly shown: readonly Entry[];
  readonly boundary?: Entry;
  /** The last message. */
  readonly leaf?: Entry;
  /** The last line, to which the next one is added. */
  readonly end?: Entry;
}

export function graphOf(scan: Scan): Graph {
  const { entries } = scan;
  const byUuid = new Map(entries.map((entry) => [entry.uuid, entry.index]));
  const spoken = entries.filter(isMessage);
  const trace = spoken.length > 0 && spoken.every((entry) => entry.sidechain);
  const linked = entries.some(
    (entry) => typeof entry.parent === 'string' && entry.parent !== entry.uuid && byUuid.has(entry.parent),
  );
  const latest: { main: number | undefined; side: number | undefined } = { main: undefined, side: undefined };
  const parents = entries.map((entry) => {
    const lane = entry.sidechain ? 'side' : 'main';
    const parent = parentIndex(entry, byUuid, latest[lane], linked);
    latest[lane] = entry.index;
    return parent;
  });
  return { entries, parents, byUuid, trace };
}

/** `before`: the line before this one in the file, which stands in for a parent that is not there. */
function parentIndex(
  entry: Entry,
  byUuid: ReadonlyMap<string, number>,
  before: number | undefined,
  linked: boolean,
): number | undefined {
  if (typeof entry.parent === 'string') return byUuid.get(entry.parent) ?? before;
  if (entry.parent === undefined) return before;
  // A root. But nobody begins a conversation with an answer, and a file without any link is a plain list.
  const cannotBeRoot = entry.kind === 'assistant' || (entry.results.length > 0 && !entry.speaks);
  return cannotBeRoot || (!linked && isMessage(entry)) ? before : undefined;
}

export function isMessage(entry: Entry): boolean {
  return entry.kind === 'user' || entry.kind === 'assistant';
}

export function pathOf(scan: Scan, graph: Graph, leafUuid?: string): Path {
  const chosen =
    leafUuid === undefined ? pickLeaf(scan, graph) : { leaf: graph.byUuid.get(leafUuid), from: 0 };
  if (chosen.leaf === undefined) return { context: [], earlier: [], shown: [] };
  const walked = walk(graph, chosen.leaf, chosen.from);
  const whole = [...walked, ...trailing(graph, chosen.leaf)];
  const cut = whole.findLastIndex((entry) => entry.subtype === 'compact_boundary');
  const boundary = cut < 0 ? undefined : whole[cut];
  const leaf = walked.at(-1);
  const end = whole.at(-1);
  const earlier = boundary ? [...beforeBoundary(graph, boundary), ...whole.slice(0, cut)] : [];
  return {
    context: boundary ? withPreserved(graph, boundary, whole.slice(cut)) : whole,
    earlier,
    shown: boundary ? [...earlier, ...whole.slice(cut)] : whole,
    ...(boundary ? { boundary } : {}),
    ...(leaf && end ? { leaf, end } : {}),
  };
}

/** Notes that were written after the last message and lead to no other: what they told the model is part of the next request. */
function trailing(graph: Graph, leaf: number): Entry[] {
  const inTail = new Set([leaf]);
  const leadsOn = new Set<number>();
  const children = graph.entries.slice(leaf + 1);
  for (const entry of children) {
    const parent = graph.parents[entry.index];
    if (parent !== undefined && inTail.has(parent) && !isMessage(entry)) inTail.add(entry.index);
  }
  for (const entry of children) {
    let at = graph.parents[entry.index];
    if (!isMessage(entry)) continue;
    for (; at !== undefined && at !== leaf && inTail.has(at) && !leadsOn.has(at); at = graph.parents[at])
      leadsOn.add(at);
  }
  return children.filter((entry) => inTail.has(entry.index) && !leadsOn.has(entry.index));
}

function pickLeaf(scan: Scan, graph: Graph): { readonly leaf: number | undefined; readonly from: number } {
  const candidate = (entry: Entry): boolean => isMessage(entry) && entry.sidechain === graph.trace;
  const pin = lastPin(scan.pins, graph);
  if (!pin) {
    // A child can stand before its parent, so the last line need not be the end of its branch.
    const last = scan.entries.findLast(candidate)?.index;
    return { leaf: last === undefined ? undefined : newestBelow(graph, last, 0, candidate), from: 0 };
  }
  if (pin.start)
    return {
      leaf: scan.entries.findLast((entry) => entry.index >= pin.after && candidate(entry))?.index,
      from: pin.after,
    };
  const pinned = graph.byUuid.get(pin.leaf);
  if (pinned === undefined) return { leaf: undefined, from: 0 };
  if (pin.explicit) return { leaf: newestBelow(graph, pinned, pin.after, candidate), from: 0 };
  const start = stepStart(graph, pinned);
  const newest = newestBelow(graph, start, 0, candidate);
  return { leaf: newest === start ? pinned : newest, from: 0 };
}

/**
 * Results of one step hang side by side, so what comes after the step need not descend from the one that was pinned. It descends from the
 * first line of the message that asked.
 */
function stepStart(graph: Graph, pinned: number): number {
  let start = pinned;
  let asks = graph.entries[pinned];
  if (asks && asks.results.length > 0) asks = graph.entries[graph.parents[pinned] ?? -1];
  if (asks?.kind !== 'assistant') return pinned;
  for (let steps = 0; asks?.kind === 'assistant' && steps < graph.entries.length; steps++) {
    start = asks.index;
    const above: Entry | undefined = graph.entries[graph.parents[start] ?? -1];
    if (above?.messageId === undefined || above.messageId !== asks.messageId) break;
    asks = above;
  }
  return start;
}

/** A pin that names no line of the file does not count; the nil UUID takes earlier pins back. */
function lastPin(pins: readonly Pin[], graph: Graph): Pin | undefined {
  for (const pin of pins.toReversed()) {
    if (pin.start || graph.byUuid.has(pin.leaf)) return pin;
    if (pin.explicit && /^[0-]+$/.test(pin.leaf)) return undefined;
  }
  return undefined;
}

/** The last message in file order that descends from `pinned`, over compactions too, through messages not older than `from`; else `pinned`. */
function newestBelow(
  graph: Graph,
  pinned: number,
  from: number,
  candidate: (entry: Entry) => boolean,
): number {
  const children = new Map<number, number[]>();
  graph.entries.forEach((entry, child) => {
    const parent = graph.parents[child] ?? graph.byUuid.get(entry.logicalParent ?? '');
    // Notes of before may stand between it and what came later; messages of before are what was given up.
    if (parent === undefined || (child < from && isMessage(entry))) return;
    const siblings = children.get(parent);
    if (siblings) siblings.push(child);
    else children.set(parent, [child]);
  });
  let newest: number | undefined;
  // Lines above it are below it only where the file has a loop.
  const seen = new Set(walk(graph, pinned, 0).map((entry) => entry.index));
  const open = [pinned];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entry = graph.entries[at];
    if (entry && at !== pinned && candidate(entry) && at > (newest ?? -1)) newest = at;
    for (const child of children.get(at) ?? []) {
      if (seen.has(child)) continue;
      seen.add(child);
      open.push(child);
    }
  }
  return newest ?? pinned;
}

/** Root first. Loops are cut; lines older than `from` are not entered. */
function walk(graph: Graph, leaf: number, from: number): Entry[] {
  const path: Entry[] = [];
  const seen = new Set<number>();
  for (
    let at: number | undefined = leaf;
    at !== undefined && at >= from && !seen.has(at);
    at = graph.parents[at]
  ) {
    seen.add(at);
    const entry = graph.entries[at];
    if (entry) path.push(entry);
  }
  return path.reverse();
}

/** Everything above a boundary, over older boundaries too. */
function beforeBoundary(graph: Graph, boundary: Entry): Entry[] {
  const parts: Entry[][] = [];
  const seen = new Set<number>();
  for (let at: Entry | undefined = boundary; at;) {
    const parent: number | undefined =
      (at.logicalParent === undefined ? undefined : graph.byUuid.get(at.logicalParent)) ??
      graph.parents[at.index] ??
      (at.index > 0 ? at.index - 1 : undefined);
    if (parent === undefined || seen.has(parent)) break;
    const part: Entry[] = walk(graph, parent, 0).filter((entry) => !seen.has(entry.index));
    for (const entry of part) seen.add(entry.index);
    parts.push(part);
    const root: Entry | undefined = part[0];
    at = root?.subtype === 'compact_boundary' ? root : undefined;
  }
  return parts.reverse().flat();
}

/** Messages that a compaction kept stand before the boundary in the file, and after the summary in the conversation. */
function withPreserved(graph: Graph, boundary: Entry, context: readonly Entry[]): Entry[] {
  const metadata = objectAt(boundary.record, 'compactMetadata');
  const list = objectAt(metadata, 'preservedMessages');
  const segment = objectAt(metadata, 'preservedSegment');
  const anchor = textAt(list, 'anchorUuid') ?? textAt(segment, 'anchorUuid');
  const uuids = listAt(list, 'uuids').filter((uuid) => typeof uuid === 'string');
  const kept =
    uuids.length > 0
      ? uuids.flatMap((uuid) => graph.entries[graph.byUuid.get(uuid) ?? -1] ?? [])
      : isObject(segment)
        ? segmentOf(graph, textAt(segment, 'headUuid'), textAt(segment, 'tailUuid'))
        : [];
  const present = new Set(context.map((entry) => entry.uuid));
  const spliced = kept.filter((entry) => !present.has(entry.uuid));
  const at = context.findIndex((entry) => entry.uuid === anchor);
  const after = at < 0 ? 1 : at + 1;
  return [...context.slice(0, after), ...spliced, ...context.slice(after)];
}

function segmentOf(graph: Graph, head: string | undefined, tail: string | undefined): Entry[] {
  const last = graph.byUuid.get(tail ?? '');
  if (last === undefined) return [];
  const whole = walk(graph, last, 0);
  const first = whole.findIndex((entry) => entry.uuid === head);
  return first < 0 ? [] : whole.slice(first);
}
