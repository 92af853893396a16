/**
 * Turns the agent's events into changes of the panel's state. Pure: it sends nothing, keeps only what the running turn needs,
 * and its work per event does not depend on how long the conversation is.
 */
import { unreachable } from '../protocol/vocabulary';
import type { DiffStat, Hunk } from '../protocol/vocabulary';
import type { Delta } from '../protocol/messages';
import type { ApprovalCard, CallRow, Header } from '../protocol/view-state';
import type { TurnEvent } from '../agent/events';
import type { Outcome } from '../agent/outcome';
import type { ApprovalRequest } from '../ports';
import { actionButton, routeErrorCard } from './route-errors';
import { addUsage, tokensInWindow } from './usage';

type EventOf<T extends TurnEvent['type']> = Extract<TurnEvent, { type: T }>;
type CallPatch = Partial<Omit<CallRow, 'type' | 'id'>>;

export interface Translator {
  /** The changes that an event makes. `header` is the header as it is now. */
  translate(event: TurnEvent, header: Header): readonly Delta[];
  /** The person asked to stop; shown until the turn ends. */
  stopping(header: Header): readonly Delta[];
}

interface OpenBlock {
  readonly rowId: string;
  readonly kind: 'text' | 'thinking';
  readonly startedAt: number;
  length: number;
}

/** What the running turn has shown so far. */
interface Memory {
  turnId: string;
  stopping: boolean;
  retrying: boolean;
  notices: number;
  readonly open: Map<string, OpenBlock>;
  /** Text and thinking rows of the running step: void if its attempt is abandoned. */
  readonly partial: Set<string>;
  /** Calls of the running step that have not started. */
  readonly unstarted: Set<string>;
  readonly executing: Map<string, number>;
  readonly waiting: Set<string>;
}

export function createTranslator(now: () => number): Translator {
  const memory: Memory = {
    turnId: '',
    stopping: false,
    retrying: false,
    notices: 0,
    open: new Map(),
    partial: new Set(),
    unstarted: new Set(),
    executing: new Map(),
    waiting: new Set(),
  };
  return {
    translate(event, header) {
      const deltas = [...changes(event, memory, header, now)];
      const activity = activityAfter(event, memory);
      if (activity !== header.activity) deltas.push({ type: 'header', patch: { activity } });
      return deltas;
    },
    stopping(header) {
      if (header.activity === 'idle' || header.activity === 'stopping') return [];
      memory.stopping = true;
      return [{ type: 'header', patch: { activity: 'stopping' } }];
    },
  };
}

function* changes(event: TurnEvent, memory: Memory, header: Header, now: () => number): Iterable<Delta> {
  switch (event.type) {
    case 'turn_started':
      return yield* turnStarted(event, memory);
    case 'turn_ended':
      return yield* turnEnded(event, memory);
    case 'step_started':
      memory.partial.clear();
      memory.unstarted.clear();
      return yield* retryOver(memory);
    case 'step_ended':
      return yield* stepEnded(event, header);
    case 'attempt_abandoned':
      return yield* attemptAbandoned(memory);
    case 'retry_waiting':
      memory.retrying = true;
      return yield { type: 'header', patch: { retry: retryOf(event) } };
    case 'text_delta':
    case 'thinking_delta':
      yield* retryOver(memory);
      return yield blockDelta(event, memory, now);
    case 'block_ended':
      return yield* blockEnded(event, memory, now);
    case 'call_received':
    case 'call_ready':
    case 'call_state':
    case 'call_allowed':
    case 'call_progress':
    case 'call_completed':
      return yield* callChanges(event, memory);
    case 'approval_requested':
      memory.waiting.add(event.request.id);
      return yield callPatch(event.request.callId, { approval: approvalCard(event.request) });
    case 'approval_answered':
      memory.waiting.delete(event.approvalId);
      return yield callPatch(event.callId, answerPatch(event.answer), ['approval']);
    case 'notice':
      return yield { type: 'row', row: { ...noticeRow(event), id: nextId(memory, 'notice') } };
    case 'queued':
      return yield { type: 'header', patch: { queued: event.prompts } };
    case 'title':
      return yield { type: 'header', patch: { title: event.text } };
    default:
      return unreachable(event);
  }
}

function activityAfter(event: TurnEvent, memory: Memory): Header['activity'] {
  if (memory.turnId === '' || event.type === 'turn_ended') return 'idle';
  if (memory.stopping) return 'stopping';
  if (memory.waiting.size > 0) return 'waiting';
  if (memory.retrying) return 'retrying';
  return memory.executing.size > 0 ? 'tools' : 'streaming';
}

function* turnStarted(event: EventOf<'turn_started'>, memory: Memory): Iterable<Delta> {
  memory.turnId = event.turnId;
  memory.stopping = false;
  memory.retrying = false;
  for (const set of [memory.open, memory.partial, memory.unstarted, memory.executing, memory.waiting])
    set.clear();
  // A turn that goes on after a restart has no new prompt.
  if (event.prompt === '') return;
  yield { type: 'row', row: { type: 'prompt', id: event.promptId, text: event.prompt, at: event.at } };
}

function* turnEnded(event: EventOf<'turn_ended'>, memory: Memory): Iterable<Delta> {
  for (const block of memory.open.values()) yield { type: 'close', id: block.rowId };
  memory.open.clear();
  yield* retryOver(memory);
  yield* outcomeRows(event.turnId, event.outcome);
  memory.turnId = '';
  memory.stopping = false;
}

/** A failed route gets a card with the button; the line at the end then offers nothing of its own. */
export function* outcomeRows(turnId: string, outcome: Outcome): Iterable<Delta> {
  const { kind, reason, place, steps, durationMs, usage, costUsd, error } = outcome;
  const failed = error !== undefined;
  if (failed) {
    const card = routeErrorCard(error.kind, error.message, outcome.next);
    yield { type: 'row', row: { type: 'error', id: `${turnId}:error`, ...card } };
  }
  yield {
    type: 'row',
    row: {
      type: 'outcome',
      id: `${turnId}:outcome`,
      kind,
      reason,
      ...(place === undefined ? {} : { place }),
      steps,
      durationMs,
      usage,
      ...(costUsd === undefined ? {} : { costUsd }),
      denials: outcome.denials.length,
      next: failed ? { type: 'none' } : outcome.next,
    },
  };
}

function* stepEnded(event: EventOf<'step_ended'>, header: Header): Iterable<Delta> {
  const used = tokensInWindow(event.usage);
  yield {
    type: 'header',
    patch: {
      usage: addUsage(header.usage, event.usage),
      ...(used === undefined ? {} : { context: { ...header.context, used } }),
    },
  };
}

function* attemptAbandoned(memory: Memory): Iterable<Delta> {
  for (const id of [...memory.partial, ...memory.unstarted]) yield { type: 'remove', id };
  memory.partial.clear();
  memory.unstarted.clear();
  memory.open.clear();
}

function retryOf(event: EventOf<'retry_waiting'>): NonNullable<Header['retry']> {
  return {
    attempt: event.attempt,
    of: event.of,
    untilMs: event.untilMs,
    reason: routeErrorCard(event.error.kind, event.error.message, { type: 'none' }).title,
  };
}

function* retryOver(memory: Memory): Iterable<Delta> {
  if (!memory.retrying) return;
  memory.retrying = false;
  yield { type: 'header', patch: {}, drop: ['retry'] };
}

function blockDelta(
  event: EventOf<'text_delta'> | EventOf<'thinking_delta'>,
  memory: Memory,
  now: () => number,
): Delta {
  const key = blockKey(event);
  const open = memory.open.get(key);
  if (open !== undefined) {
    const at = open.length;
    open.length += event.text.length;
    return { type: 'append', id: open.rowId, at, text: event.text };
  }
  const startedAt = now();
  const kind = event.type === 'text_delta' ? 'text' : 'thinking';
  memory.open.set(key, { rowId: key, kind, startedAt, length: event.text.length });
  memory.partial.add(key);
  const row = { id: key, text: event.text, open: true };
  return {
    type: 'row',
    row: kind === 'text' ? { type: 'text', ...row } : { type: 'thinking', ...row, startedAt },
  };
}

function* blockEnded(event: EventOf<'block_ended'>, memory: Memory, now: () => number): Iterable<Delta> {
  const key = blockKey(event);
  const open = memory.open.get(key);
  if (open === undefined) return;
  memory.open.delete(key);
  yield open.kind === 'text'
    ? { type: 'close', id: open.rowId }
    : { type: 'close', id: open.rowId, durationMs: now() - open.startedAt };
}

function blockKey(event: { readonly messageId: string; readonly key: number }): string {
  return `${event.messageId}:${event.key}`;
}

type CallEvent = EventOf<
  'call_received' | 'call_ready' | 'call_state' | 'call_allowed' | 'call_progress' | 'call_completed'
>;

function* callChanges(event: CallEvent, memory: Memory): Iterable<Delta> {
  const { callId } = event;
  switch (event.type) {
    case 'call_received': {
      yield* retryOver(memory);
      memory.unstarted.add(callId);
      const { name, kind, title } = event;
      return yield {
        type: 'row',
        row: { type: 'call', id: callId, tool: name, kind, title, state: 'queued' },
      };
    }
    case 'call_ready':
      return yield callPatch(callId, { target: event.target });
    case 'call_state':
      return yield* callState(event, memory);
    case 'call_allowed':
      return yield callPatch(callId, { whyAllowed: event.because.text });
    case 'call_progress':
      return yield event.chunk.stream === 'status'
        ? callPatch(callId, { summary: event.chunk.text })
        : { type: 'output', id: callId, text: event.chunk.text };
    case 'call_completed':
      return yield* callCompleted(event, memory);
    default:
      return unreachable(event);
  }
}

function* callState(event: EventOf<'call_state'>, memory: Memory): Iterable<Delta> {
  const { callId, state, at } = event;
  if (state !== 'executing') return yield callPatch(callId, { state });
  memory.unstarted.delete(callId);
  memory.executing.set(callId, 1);
  yield callPatch(callId, { state, startedAt: at });
  const together = memory.executing.size;
  if (together < 2) return;
  for (const [id, seen] of memory.executing) {
    if (seen >= together) continue;
    memory.executing.set(id, together);
    yield callPatch(id, { overlap: together });
  }
}

function* callCompleted(event: EventOf<'call_completed'>, memory: Memory): Iterable<Delta> {
  const { callId, end, cause, summary, durationMs } = event;
  const started = memory.executing.delete(callId);
  memory.unstarted.delete(callId);
  if (cause === 'attempt_abandoned' && !started) return yield { type: 'remove', id: callId };
  const { text, diff, hunks, exitCode, body } = summary;
  yield callPatch(callId, {
    state: 'completed',
    end,
    durationMs,
    summary: text,
    ...(cause === undefined ? {} : { cause }),
    ...(diff === undefined ? {} : { diff }),
    ...(hunks === undefined ? {} : { hunks }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(body === undefined ? {} : { output: body }),
  });
}

function callPatch(id: string, patch: CallPatch, drop?: readonly (keyof CallRow)[]): Delta {
  return drop === undefined ? { type: 'call', id, patch } : { type: 'call', id, patch, drop };
}

/** The card of a question. It shows the bytes that run, never words of the model. */
export function approvalCard(request: ApprovalRequest): ApprovalCard {
  const { id, title, reason, detail } = request;
  if (detail.type !== 'edit') return { id, title, reason, detail };
  const { path, before, hunks } = detail.proposal;
  const edit = { type: 'edit', path, hunks, diff: diffStat(hunks), creates: before === null } as const;
  return { id, title, reason, detail: { ...edit, label: path.split(/[\\/]/).at(-1) ?? path } };
}

export function diffStat(hunks: readonly Hunk[]): DiffStat {
  let added = 0;
  let removed = 0;
  for (const hunk of hunks)
    for (const line of hunk.lines) {
      if (line.startsWith('+')) added++;
      else if (line.startsWith('-')) removed++;
    }
  return { added, removed };
}

function answerPatch(answer: EventOf<'approval_answered'>['answer']): CallPatch {
  switch (answer.type) {
    case 'allow':
      return { answeredBy: `Allowed ${answer.by}` };
    case 'deny':
      return { answeredBy: `Denied ${answer.by}` };
    case 'withdrawn':
      return { answeredBy: 'Not answered' };
    default:
      return unreachable(answer);
  }
}

function noticeRow(event: EventOf<'notice'>) {
  return { type: 'notice', level: event.level, text: event.text } as const;
}

function nextId(memory: Memory, word: string): string {
  return `${memory.turnId}:${word}:${memory.notices++}`;
}

/** Rows for what went wrong outside a turn, such as a session that cannot be written. */
export function errorDelta(
  id: string,
  title: string,
  detail: string,
  next: Parameters<typeof actionButton>[0],
): Delta {
  const action = actionButton(next);
  const row = { type: 'error', id, title, detail } as const;
  return { type: 'row', row: action === undefined ? row : { ...row, action } };
}
