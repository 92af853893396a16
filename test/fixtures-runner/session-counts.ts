/** What a session file holds, counted over its lines as the manifests count: ids, not lines; the last line of a message for its tokens. */
import {
  isObject,
  listAt,
  numberAt,
  objectAt,
  textAt,
  type Json,
} from '../../extension/sessions/format/json';
import { linesOf, parseLine } from '../../extension/sessions/read/lines';

export interface Counts {
  readonly objects: number;
  readonly skippedLines: number;
  readonly toolUses: number;
  readonly toolResults: number;
  readonly pairs: number;
  readonly unansweredUses: readonly string[];
  readonly orphanResults: readonly string[];
  readonly errorResults: number;
  /** Calls in one request, of requests with more than one; without the lines of subagents. */
  readonly parallelGroups: readonly number[];
  /** The same with them. Manifests do not say which they mean; in real files both are equal. */
  readonly parallelGroupsWithSidechains: readonly number[];
  readonly toolHistogram: Readonly<Record<string, number>>;
  readonly messagesWithUsage: number;
  readonly outputTokensLastLinePerMessage: number;
}

export function countsOf(bytes: Uint8Array): Counts {
  const parsed = linesOf(bytes).map(parseLine);
  // A line that is only in part a record counts as skipped; what was saved of it is not in the manifests.
  const records = parsed.filter((line) => !line.skipped).flatMap((line) => line.records);
  const uses = new Map(records.flatMap(usesOf));
  const results = new Map(records.flatMap(resultsOf));
  const usage = new Map(records.flatMap(outputTokensOf));
  return {
    objects: records.length,
    skippedLines: parsed.filter((line) => line.skipped).length,
    toolUses: uses.size,
    toolResults: results.size,
    pairs: [...uses.keys()].filter((id) => results.has(id)).length,
    unansweredUses: [...uses.keys()].filter((id) => !results.has(id)),
    orphanResults: [...results.keys()].filter((id) => !uses.has(id)),
    errorResults: [...results.values()].filter((isError) => isError).length,
    parallelGroups: groups(records.filter((record) => record['isSidechain'] !== true)),
    parallelGroupsWithSidechains: groups(records),
    toolHistogram: histogram([...uses.values()]),
    messagesWithUsage: usage.size,
    outputTokensLastLinePerMessage: [...usage.values()].reduce((sum, tokens) => sum + tokens, 0),
  };
}

function blocks(record: Json, type: string, block: string): Json[] {
  if (record['type'] !== type) return [];
  return listAt(objectAt(record, 'message'), 'content')
    .filter(isObject)
    .filter((part) => part['type'] === block);
}

function usesOf(record: Json): [string, string][] {
  return blocks(record, 'assistant', 'tool_use').map((block) => [
    textAt(block, 'id') ?? '',
    textAt(block, 'name') ?? '',
  ]);
}

function resultsOf(record: Json): [string, boolean][] {
  return blocks(record, 'user', 'tool_result').map((block) => [
    textAt(block, 'tool_use_id') ?? '',
    block['is_error'] === true,
  ]);
}

function outputTokensOf(record: Json): [string, number][] {
  const message = objectAt(record, 'message');
  const id = textAt(message, 'id');
  const usage = objectAt(message, 'usage');
  if (record['type'] !== 'assistant' || id === undefined || !usage) return [];
  return [[id, numberAt(usage, 'output_tokens') ?? 0]];
}

function groups(records: readonly Json[]): number[] {
  const byRequest = new Map<string, Set<string>>();
  for (const record of records) {
    const request = textAt(record, 'requestId') ?? textAt(objectAt(record, 'message'), 'id');
    if (request === undefined) continue;
    const ids = byRequest.get(request) ?? new Set();
    for (const [id] of usesOf(record)) ids.add(id);
    byRequest.set(request, ids);
  }
  return [...byRequest.values()].map((ids) => ids.size).filter((size) => size > 1);
}

function histogram(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
