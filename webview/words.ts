/**
 * The words of a call row: its verb, its icon, the facts at its right edge, and the sentence a screen reader gets. Pure, so that
 * what is said about a state is tested without a browser.
 */
import type { BoundaryRow, CallRow } from '../extension/protocol/view-state';
import type { CancelCause, InterruptPlace, OutcomeKind, ToolKind } from '../extension/protocol/vocabulary';
import { unreachable } from '../extension/protocol/vocabulary';
import { duration, elapsed } from './numbers';

/** What the dot shows. */
export type Gate =
  'queued' | 'executing' | 'waiting' | 'done' | 'failed' | 'denied' | 'cancelled' | 'unknown';

export function gateOf(row: CallRow): Gate {
  switch (row.state) {
    case 'queued':
      return 'queued';
    case 'waiting':
      return 'waiting';
    case 'executing':
      return 'executing';
    case 'completed':
    case 'yielded':
      return gateOfEnd(row);
  }
}

function gateOfEnd(row: CallRow): Gate {
  return row.end === undefined || row.end === 'ok' ? 'done' : row.end;
}

/** The dot of a fold: what still goes on wins over what is over. */
export function gateOfMany(rows: readonly CallRow[]): Gate {
  const gates = rows.map(gateOf);
  return (
    gates.find((gate) => gate === 'executing') ??
    gates.find((gate) => gate === 'queued') ??
    gates[0] ??
    'done'
  );
}

export function iconOf(kind: ToolKind): string {
  switch (kind) {
    case 'read':
      return 'file';
    case 'search':
      return 'search';
    case 'edit':
      return 'diff';
    case 'command':
      return 'terminal';
    case 'fetch':
      return 'globe';
    case 'agent':
      return 'agent';
    case 'todo':
    case 'plan':
      return 'checklist';
    case 'question':
      return 'question';
    case 'mcp':
      return 'plug';
    case 'other':
      return 'tools';
  }
}

const VERBS: Partial<Record<ToolKind, readonly [base: string, now: string, past: string]>> = {
  read: ['Read', 'Reading', 'Read'],
  search: ['Search', 'Searching', 'Searched'],
  edit: ['Edit', 'Editing', 'Edited'],
  fetch: ['Fetch', 'Fetching', 'Fetched'],
};
const WRITE = ['Write', 'Writing', 'Wrote'] as const;

/** `Read`, `Editing`, `Searched`; '' for commands, which speak for themselves; the tool's title for the rest. */
export function verbOf(row: CallRow): string {
  if (row.kind === 'command' && row.target !== undefined) return '';
  const verbs = row.tool === 'Write' ? WRITE : VERBS[row.kind];
  if (verbs === undefined) return row.title;
  const gate = gateOf(row);
  if (gate === 'executing') return verbs[1];
  return gate === 'done' ? verbs[2] : verbs[0];
}

export interface Fact {
  readonly text: string;
  readonly tone?: 'bad' | 'warn' | 'added' | 'removed';
  /** Dropped first when the panel is narrow. */
  readonly minor?: boolean;
}

/** Right edge of a call's line. `now` only matters while it runs. */
export function factsOf(row: CallRow, now: number): readonly Fact[] {
  const gate = gateOf(row);
  const time: readonly Fact[] = row.durationMs === undefined ? [] : [{ text: duration(row.durationMs) }];
  switch (gate) {
    case 'queued':
      return [{ text: 'queued' }];
    case 'waiting':
      return [{ text: 'needs your answer', tone: 'warn' }];
    case 'executing':
      return running(row, now);
    case 'done':
      return [...ended(row), ...answered(row), ...time];
    case 'failed':
      return [...exit(row, true), ...time];
    case 'denied':
      return [{ text: row.answeredBy?.startsWith('Denied') === true ? deniedBy(row) : 'denied' }];
    case 'cancelled':
      return [{ text: causeWords(row.cause) }];
    case 'unknown':
      return [{ text: 'result unknown', tone: 'warn' }];
    default:
      return unreachable(gate);
  }
}

function running(row: CallRow, now: number): readonly Fact[] {
  const past = row.startedAt === undefined ? 0 : now - row.startedAt;
  return past < 2_000 ? [{ text: 'running' }] : [{ text: 'running', minor: true }, { text: elapsed(past) }];
}

function ended(row: CallRow): readonly Fact[] {
  const overlap: readonly Fact[] =
    (row.overlap ?? 1) > 1 ? [{ text: `${row.overlap} at once`, minor: true }] : [];
  return [...exit(row, false), ...diffFacts(row), ...overlap];
}

function exit(row: CallRow, failed: boolean): readonly Fact[] {
  if (row.exitCode !== undefined && (failed || row.exitCode !== 0))
    return [{ text: `exit ${row.exitCode}`, tone: 'bad' }];
  if (failed) return [{ text: 'failed', tone: 'bad' }];
  return row.exitCode === undefined ? [] : [{ text: `exit ${row.exitCode}`, minor: true }];
}

export function diffFacts({ diff }: Pick<CallRow, 'diff'>): readonly Fact[] {
  if (diff === undefined) return [];
  return [
    ...(diff.added > 0 || diff.removed === 0 ? [{ text: `+${diff.added}`, tone: 'added' as const }] : []),
    ...(diff.removed > 0 ? [{ text: `−${diff.removed}`, tone: 'removed' as const }] : []),
  ];
}

function answered(row: CallRow): readonly Fact[] {
  if (row.answeredBy === undefined) return [];
  return [{ text: row.kind === 'edit' ? 'you accepted' : 'you allowed', minor: true }];
}

function deniedBy(row: CallRow): string {
  return row.kind === 'edit' ? 'you rejected' : 'you denied';
}

export function causeWords(cause: CancelCause | undefined): string {
  if (cause === undefined) return 'cancelled';
  switch (cause) {
    case 'user_interrupt':
      return 'stopped by you';
    case 'sibling_failed':
      return 'not run: another call failed';
    case 'attempt_abandoned':
      return 'dropped: the answer was retried';
    case 'limit_reached':
      return 'not run: limit reached';
    case 'host_restarted':
      return 'ended by a restart';
    case 'response_cut':
      return 'not run: the answer was cut off';
  }
}

/** What a call found, where its numbers do not say it already, or why an edit failed. */
export function summaryWords(row: CallRow): readonly string[] {
  const inNumbers = row.kind === 'command' || (row.kind === 'edit' && gateOf(row) !== 'failed');
  return row.summary === undefined || inNumbers ? [] : [row.summary];
}

/** The whole row in one sentence, for assistive technology. */
export function sentenceOf(row: CallRow): string {
  const what = [row.kind === 'command' ? 'Command' : verbOf(row), row.target?.text ?? ''].join(' ').trim();
  const facts = factsOf({ ...row, startedAt: 0 }, 0).map((fact) => fact.text);
  const state = gateOf(row) === 'done' ? ['done'] : gateOf(row) === 'failed' ? ['failed'] : [];
  return [what, ...summaryWords(row), ...state, ...facts.filter((f) => !state.includes(f))].join(', ');
}

export function boundaryWords({ state, trigger }: BoundaryRow): string {
  switch (state) {
    case 'running':
      return 'Compacting the conversation';
    case 'done':
      return trigger === 'auto' ? 'Compacted by itself' : 'Compacted';
    case 'failed':
      return 'Could not compact the conversation';
    case 'undone':
      return 'Compaction undone';
  }
}

export function outcomeWords(kind: OutcomeKind, place: InterruptPlace | undefined): string {
  switch (kind) {
    case 'completed':
      return 'Done';
    case 'compacted':
      return 'Compacted';
    case 'refused':
      return 'The model declined';
    case 'interrupted':
      return place === 'approval'
        ? 'Stopped while waiting for you'
        : place === 'tools'
          ? 'Stopped while working'
          : 'Stopped';
    case 'hook_stopped':
      return 'Stopped by a hook';
    case 'max_steps':
      return 'Step limit reached';
    case 'budget':
      return 'Budget reached';
    case 'repeated_failure':
      return 'Stopped after repeated failures';
    case 'context_exhausted':
      return 'Context is full';
    case 'output_limit':
      return 'Output limit reached';
    case 'route_error':
      return 'Route failed';
    case 'internal_error':
      return 'Sluice failed';
  }
}
