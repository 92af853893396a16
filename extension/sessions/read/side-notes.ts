/** Notes to the model that the walk from leaf to root misses, put back where they were said. */
import type { Graph } from './graph';
import type { Groups } from './groups';
import type { Entry } from './scan';

/**
 * What was said to the model while calls ran hangs off lines beside the path when results came in between. It belongs to the step between whose
 * first call and last result it stands.
 */
export function withSideNotes(context: readonly Entry[], graph: Graph, groups: Groups): readonly Entry[] {
  const present = new Set(context);
  const spans = context.flatMap((entry) => {
    if (entry.kind !== 'assistant') return [];
    const members = groups.membersOf(entry);
    const answers = members.flatMap((member) =>
      member.uses.flatMap((_, nth) => groups.resultOf(member, nth) ?? []),
    );
    const first = members.find((member) => member.uses.length > 0);
    if (!first || answers.length === 0) return [];
    const lines = new Set([...members, ...answers]);
    return [{ from: first.index, to: Math.max(...answers.map((answer) => answer.index)), lines }];
  });
  const notes = graph.entries.filter(
    (entry) =>
      !present.has(entry) &&
      entry.kind === 'attachment' &&
      spans.some(
        (span) =>
          entry.index > span.from && entry.index < span.to && span.lines.has(speakerAbove(graph, entry)),
      ),
  );
  if (notes.length === 0) return context;
  return placed(context, notes);
}

/** Each after the line that it follows in the file; what a compaction kept stands before its boundary there, and after it here. */
function placed(context: readonly Entry[], notes: readonly Entry[]): readonly Entry[] {
  const after = new Map<Entry | undefined, Entry[]>();
  for (const note of notes) {
    let before: Entry | undefined;
    for (const entry of context)
      if (entry.index < note.index && entry.index > (before?.index ?? -1)) before = entry;
    after.set(before, [...(after.get(before) ?? []), note]);
  }
  return [
    ...(after.get(undefined) ?? []),
    ...context.flatMap((entry) => [entry, ...(after.get(entry) ?? [])]),
  ];
}

/** The nearest message above a line, over attachments and system lines; the line itself when there is none. */
function speakerAbove(graph: Graph, entry: Entry): Entry {
  let at = graph.parents[entry.index];
  for (let steps = 0; at !== undefined && steps < graph.entries.length; steps++) {
    const above = graph.entries[at];
    if (!above) break;
    if (above.kind === 'user' || above.kind === 'assistant') return above;
    at = graph.parents[at];
  }
  return entry;
}
