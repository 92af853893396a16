/**
 * Puts together what the file has in pieces: the blocks of one model message, and each call with its result, also where they hang off the
 * path from leaf to root. Pairing is by id, never by position.
 */
import type { Entry } from './scan';
import type { Graph } from './graph';

export interface Groups {
  /** The assistant lines of the message that this line belongs to, in file order. */
  membersOf(entry: Entry): readonly Entry[];
  /** The line that answers the nth call of an assistant line. */
  resultOf(entry: Entry, nth: number): Entry | undefined;
  /** True when some call took this line's nth result. */
  isTaken(entry: Entry, nth: number): boolean;
}

export function groupsOf(graph: Graph): Groups {
  const group = messageGroups(graph);
  const members = new Map<number, Entry[]>();
  const shared = new Set(group.filter((first, index) => first !== undefined && first !== index));
  for (const entry of graph.entries) {
    const id = group[entry.index];
    if (id === undefined || !shared.has(id)) continue;
    const list = members.get(id);
    if (list) list.push(entry);
    else members.set(id, [entry]);
  }
  const { results, taken } = pairing(graph);
  return {
    membersOf: (entry) => members.get(group[entry.index] ?? -1) ?? [entry],
    resultOf: (entry, nth) => results.get(slot(entry.index, nth)),
    isTaken: (entry, nth) => taken.has(slot(entry.index, nth)),
  };
}

/** One number for the nth call or result of a line. */
function slot(index: number, nth: number): number {
  return index * 65_536 + nth;
}

/** Of each assistant line, the index of the first line of its message. */
function messageGroups(graph: Graph): readonly (number | undefined)[] {
  const before = graph.entries.map((entry) =>
    entry.kind === 'assistant' && entry.messageId !== undefined ? sameMessageBefore(graph, entry) : undefined,
  );
  return graph.entries.map((entry) => {
    if (entry.kind !== 'assistant') return undefined;
    let first = entry.index;
    for (let steps = 0; steps < graph.entries.length; steps++) {
      const earlier = before[first];
      if (earlier === undefined || earlier === entry.index) break;
      first = earlier;
    }
    return first;
  });
}

/**
 * The nearest assistant line above, if it is of the same message. Results may stand in between, because tools run while the model streams;
 * but without a request id that is not certain (gateways repeat message ids), and two messages are legal where one is not certain.
 */
function sameMessageBefore(graph: Graph, entry: Entry): number | undefined {
  let passedResult = false;
  let at = graph.parents[entry.index];
  for (let steps = 0; at !== undefined && steps < graph.entries.length; steps++) {
    const above: Entry | undefined = graph.entries[at];
    if (!above || above.speaks || above.subtype === 'compact_boundary') return undefined;
    if (above.kind === 'assistant') {
      const same = above.messageId === entry.messageId && above.requestId === entry.requestId;
      return same && (!passedResult || entry.requestId !== undefined) ? above.index : undefined;
    }
    passedResult ||= above.results.length > 0;
    at = graph.parents[at];
  }
  return undefined;
}

/**
 * A result answers the last call with its id that stands before it; where ids are used again, each call so gets its own. What is left
 * answers a call that has none yet. The first of several results counts.
 */
function pairing(graph: Graph): {
  readonly results: ReadonlyMap<number, Entry>;
  readonly taken: ReadonlySet<number>;
} {
  const results = new Map<number, Entry>();
  const taken = new Set<number>();
  const open = new Map<string, number>();
  const early: { readonly entry: Entry; readonly nth: number; readonly id: string }[] = [];
  for (const entry of graph.entries) {
    entry.uses.forEach((use, nth) => {
      open.set(use.id, slot(entry.index, nth));
    });
    entry.results.forEach((result, nth) => {
      const call = open.get(result.id);
      if (call === undefined) early.push({ entry, nth, id: result.id });
      else if (!results.has(call)) {
        results.set(call, entry);
        taken.add(slot(entry.index, nth));
      }
    });
  }
  for (const { entry, nth, id } of early) {
    const call = open.get(id);
    if (call === undefined || results.has(call)) continue;
    results.set(call, entry);
    taken.add(slot(entry.index, nth));
  }
  return { results, taken };
}
