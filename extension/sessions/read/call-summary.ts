/** One line, and what can be unfolded under it, about a finished call, read from its envelope. Envelopes come in any shape: each is checked. */
import type { DiffStat, Hunk } from '../../protocol/vocabulary';
import { isObject, listAt, numberAt, objectAt, textAt, type Json } from '../format/json';

export interface ReadSummary {
  readonly text: string;
  readonly diff?: DiffStat;
  readonly hunks?: readonly Hunk[];
  readonly exitCode?: number;
  /** Plain text, capped. */
  readonly body?: string;
}

const BODY_LIMIT = 8192;

export interface FinishedCall {
  readonly tool: string;
  readonly input: Json;
  readonly envelope: unknown;
  /** What the model was told. */
  readonly text: string;
  readonly isError: boolean;
}

export function summaryOf(call: FinishedCall): ReadSummary {
  const body = capped(call.text);
  if (call.isError) {
    const exit = exitCodeOf(call.text);
    return exit === undefined
      ? { text: firstLine(call.text), body }
      : { text: `exit ${exit}`, exitCode: exit, body };
  }
  const envelope = isObject(call.envelope) ? call.envelope : {};
  const special = SUMMARIES[call.tool]?.(envelope, call);
  return { text: firstLine(call.text), ...(call.text === '' ? {} : { body }), ...special };
}

/** The format has no key for it: it stands in the first line of the error text. */
export function exitCodeOf(text: string): number | undefined {
  const match = /^Exit code (\d+)/.exec(text);
  return match ? Number(match[1]) : undefined;
}

type Summarise = (envelope: Json, call: FinishedCall) => Partial<ReadSummary> | undefined;

const SUMMARIES: Readonly<Record<string, Summarise>> = {
  Read: (envelope) => {
    const file = objectAt(envelope, 'file');
    const lines = numberAt(file, 'numLines');
    if (lines !== undefined) return { text: count(lines, 'line') };
    const type = textAt(envelope, 'type');
    return type === undefined ? undefined : { text: type };
  },
  Write: (envelope) => editSummary(envelope) ?? created(envelope),
  Edit: (envelope) => editSummary(envelope),
  MultiEdit: (envelope) => editSummary(envelope),
  Bash: (envelope, call) => {
    const output = [textAt(envelope, 'stdout'), textAt(envelope, 'stderr')].filter((part) => part).join('\n');
    const body = output === '' ? call.text : output;
    if (textAt(envelope, 'backgroundTaskId') !== undefined) return { text: 'runs in the background' };
    return { text: 'exit 0', exitCode: 0, ...(body === '' ? {} : { body: capped(body) }) };
  },
  Grep: (envelope) => found(envelope),
  Glob: (envelope) => found(envelope),
  Agent: (envelope) => agent(envelope),
  Task: (envelope) => agent(envelope),
  TodoWrite: (envelope) => {
    const todos = listAt(envelope, 'newTodos').filter(isObject);
    if (todos.length === 0) return undefined;
    const done = todos.filter((todo) => todo['status'] === 'completed').length;
    return { text: `${done} of ${todos.length} done` };
  },
  WebFetch: (envelope) => {
    const code = numberAt(envelope, 'code');
    return code === undefined ? undefined : { text: `${code} ${textAt(envelope, 'codeText') ?? ''}`.trim() };
  },
};

function editSummary(envelope: Json): Partial<ReadSummary> | undefined {
  const hunks = listAt(envelope, 'structuredPatch').flatMap((hunk) => hunkOf(hunk) ?? []);
  if (hunks.length === 0) return undefined;
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const diff = {
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
  return { text: `+${diff.added} −${diff.removed}`, diff, hunks };
}

function created(envelope: Json): Partial<ReadSummary> | undefined {
  const content = textAt(envelope, 'content');
  if (content === undefined) return undefined;
  const added = content.replace(/\n$/, '').split('\n').length;
  return { text: `+${added} −0`, diff: { added, removed: 0 } };
}

function hunkOf(value: unknown): Hunk | undefined {
  if (!isObject(value)) return undefined;
  return {
    oldStart: numberAt(value, 'oldStart') ?? 0,
    oldLines: numberAt(value, 'oldLines') ?? 0,
    newStart: numberAt(value, 'newStart') ?? 0,
    newLines: numberAt(value, 'newLines') ?? 0,
    lines: listAt(value, 'lines').filter((line) => typeof line === 'string'),
  };
}

function found(envelope: Json): Partial<ReadSummary> | undefined {
  const files = numberAt(envelope, 'numFiles');
  const lines = numberAt(envelope, 'numLines');
  if (files === undefined) return undefined;
  if (textAt(envelope, 'mode') === 'content' && lines !== undefined) return { text: count(lines, 'line') };
  return { text: count(files, 'file') };
}

function agent(envelope: Json): Partial<ReadSummary> | undefined {
  const calls = numberAt(envelope, 'totalToolUseCount');
  if (calls !== undefined) return { text: count(calls, 'call') };
  return envelope['isAsync'] === true ? { text: 'runs in the background' } : undefined;
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

function firstLine(text: string): string {
  const line =
    text
      .replace(/<\/?[a-z_-]+>/g, '')
      .trim()
      .split('\n', 1)[0] ?? '';
  return line.length <= 80 ? line : `${line.slice(0, 80)}…`;
}

/** Head and tail: the end of an output is where it says what went wrong. */
function capped(text: string): string {
  if (text.length <= BODY_LIMIT) return text;
  const half = BODY_LIMIT / 2;
  return `${text.slice(0, half)}\n…\n${text.slice(-half)}`;
}
