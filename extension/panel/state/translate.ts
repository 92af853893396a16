/**
 * Turns the agent's events into changes of the panel's state. Pure: it sends nothing, keeps only what the running turn needs,
 * and its work per event does not depend on how long the conversation is.
 */
import { unreachable } from '../../protocol/vocabulary';
import type { DiffStat, Hunk } from '../../protocol/vocabulary';
import { boundedHunk, boundedHunks } from './bounded-hunks';
import type { Delta } from '../../protocol/messages';
import type {
  ApprovalCard,
  BoundaryRow,
  CallRow,
  Header,
  OutcomeRow,
  PartCard,
  QueuedItem,
} from '../../protocol/view-state';
import type { TurnEvent } from '../../agent/events';
import type { Outcome } from '../../agent/outcome';
import type { QueuedPrompt } from '../../agent/prompts/queue';
import type { ApprovalRequest, EditProposal } from '../../ports';
import { hunkOf } from '../../review/blocks';
import { partsOfProposal } from '../../review/parts';
import { actionButton, routeErrorCard } from './route-errors';
import { todosOf } from './todos';
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
  step: number;
  stopping: boolean;
  retrying: boolean;
  notices: number;
  readonly open: Map<string, OpenBlock>;
  /** Text and thinking rows of the running step: void if its attempt is abandoned. */
  readonly partial: Set<string>;
  /** Calls of the running step that have not started. */
  readonly unstarted: Set<string>;
  readonly executing: Map<string, number>;
  /** Questions and their calls. */
  readonly waiting: Map<string, string>;
  /** The header names them. */
  together: boolean;
  /** Lists of things to do that calls bring and that count once these have succeeded. */
  readonly lists: Map<string, unknown>;
}

export function createTranslator(now: () => number): Translator {
  const memory: Memory = {
    turnId: '',
    step: 0,
    stopping: false,
    retrying: false,
    notices: 0,
    open: new Map(),
    partial: new Set(),
    unstarted: new Set(),
    executing: new Map(),
    waiting: new Map(),
    together: false,
    lists: new Map(),
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

function changes(event: TurnEvent, memory: Memory, header: Header, now: () => number): readonly Delta[] {
  switch (event.type) {
    case 'turn_started':
      return turnStarted(event, memory);
    case 'turn_ended':
      return turnEnded(event, memory);
    case 'step_started':
      return stepStarted(event, memory);
    case 'step_ended':
      return [stepEnded(event, header)];
    case 'spent':
      return [{ type: 'header', patch: { usage: addUsage(header.usage, event.usage) } }];
    case 'attempt_abandoned':
      return attemptAbandoned(memory);
    case 'retry_waiting':
      memory.retrying = true;
      return [{ type: 'header', patch: { retry: retryOf(event) } }];
    case 'text_delta':
    case 'thinking_delta':
      return [...retryOver(memory), blockDelta(event, memory, now)];
    case 'block_ended':
      return blockEnded(event, memory, now);
    case 'call_received':
    case 'call_ready':
    case 'call_state':
    case 'call_allowed':
    case 'call_progress':
    case 'call_completed':
      return callChanges(event, memory);
    case 'call_nested':
      return [callPatch(event.callId, { nested: { calls: event.calls, total: event.total } })];
    case 'approval_requested':
    case 'approval_answered':
      return [approvalPatch(event, memory), ...waitingTogether(memory)];
    case 'notice':
      return [noticeRow(event, memory)];
    case 'hook':
      return event.report.notice === undefined ? [] : [noticeRow(event.report.notice, memory)];
    case 'compaction':
      return [{ type: 'row', row: boundaryRow(event) }];
    case 'context':
      return [contextPatch(event, header)];
    case 'queued':
      return [{ type: 'header', patch: { queued: event.prompts.map(queuedItem) } }];
    case 'attached':
      return [attachedRow(event)];
    case 'route_changed':
      return routeChanged(event, memory);
    case 'prompt_delivered':
      return [promptRow(event.promptId, event.prompt, event.at)];
    case 'instructions':
      return [{ type: 'header', patch: { instructions: event.parts } }];
    case 'title':
      return [{ type: 'header', patch: { title: event.text } }];
    default:
      return unreachable(event);
  }
}

function attachedRow({ promptId, items }: EventOf<'attached'>): Delta {
  return { type: 'row', row: { type: 'attached', id: `${promptId}:attached`, items } };
}

function contextPatch({ type: _, ...context }: EventOf<'context'>, header: Header): Delta {
  const { leftOut: __, sources: ___, ...before } = header.context ?? {};
  return { type: 'header', patch: { context: { ...before, ...context } } };
}

export function queuedItem({ id, text, attached = [] }: QueuedPrompt): QueuedItem {
  if (attached.length === 0) return { id, text };
  return { id, text, attached: attached.map(({ item }) => item.label) };
}

function approvalPatch(
  event: EventOf<'approval_requested'> | EventOf<'approval_answered'>,
  memory: Memory,
): Delta {
  if (event.type === 'approval_answered') {
    memory.waiting.delete(event.approvalId);
    return callPatch(event.callId, answerPatch(event.answer), ['approval']);
  }
  const { request } = event;
  memory.waiting.set(request.id, request.callId);
  return callPatch(request.callId, { approval: approvalCard(request) });
}

function activityAfter(event: TurnEvent, memory: Memory): Header['activity'] {
  if (memory.turnId === '' || event.type === 'turn_ended') return 'idle';
  if (memory.stopping) return 'stopping';
  if (memory.waiting.size > 0) return 'waiting';
  if (memory.retrying) return 'retrying';
  return memory.executing.size > 0 ? 'tools' : 'streaming';
}

/** Several questions can be answered at once; one needs no word in the header. */
function waitingTogether(memory: Memory): readonly Delta[] {
  const waiting = [...memory.waiting.values()];
  const before = memory.together;
  memory.together = waiting.length > 1;
  if (memory.together) return [{ type: 'header', patch: { waiting } }];
  return before ? [{ type: 'header', patch: {}, drop: ['waiting'] }] : [];
}

function turnStarted(event: EventOf<'turn_started'>, memory: Memory): readonly Delta[] {
  memory.turnId = event.turnId;
  memory.stopping = false;
  memory.retrying = false;
  for (const set of [memory.open, memory.partial, memory.unstarted, memory.executing, memory.waiting])
    set.clear();
  memory.lists.clear();
  // A turn that goes on after a restart has no new prompt.
  if (event.prompt === '') return [];
  return [promptRow(event.promptId, event.prompt, event.at)];
}

function promptRow(id: string, text: string, at: number): Delta {
  return { type: 'row', row: { type: 'prompt', id, text, at } };
}

function turnEnded(event: EventOf<'turn_ended'>, memory: Memory): readonly Delta[] {
  const cut = [...memory.open.values()].map((block): Delta => ({ type: 'close', id: block.rowId }));
  memory.open.clear();
  memory.waiting.clear();
  const deltas = [
    ...cut,
    ...retryOver(memory),
    ...waitingTogether(memory),
    ...outcomeRows(event.turnId, event.outcome),
  ];
  memory.turnId = '';
  memory.stopping = false;
  return deltas;
}

/** A compaction has its own row. A failed route gets a card that says why and has the button; the line at the end then repeats neither. */
export function outcomeRows(turnId: string, outcome: Outcome): readonly Delta[] {
  const { kind, reason, place, steps, durationMs, usage, costUsd, error } = outcome;
  if (kind === 'compacted') return [];
  const row: OutcomeRow = {
    type: 'outcome',
    id: `${turnId}:outcome`,
    kind,
    reason: error === undefined ? reason : '',
    ...(place === undefined ? {} : { place }),
    steps,
    durationMs,
    usage,
    ...(costUsd === undefined ? {} : { costUsd }),
    denials: outcome.denials.length,
    next: error === undefined ? outcome.next : { type: 'none' },
  };
  if (error === undefined) return [{ type: 'row', row }];
  const card = routeErrorCard(error.kind, error.message, outcome.next);
  return [
    { type: 'row', row: { type: 'error', id: `${turnId}:error`, ...card } },
    { type: 'row', row },
  ];
}

function stepStarted({ step }: EventOf<'step_started'>, memory: Memory): readonly Delta[] {
  memory.step = step;
  memory.partial.clear();
  memory.unstarted.clear();
  return retryOver(memory);
}

function stepEnded(event: EventOf<'step_ended'>, header: Header): Delta {
  const used = tokensInWindow(event.usage);
  const usage = addUsage(header.usage, event.usage);
  const patch = used === undefined ? { usage } : { usage, context: { ...header.context, used } };
  return { type: 'header', patch };
}

function attemptAbandoned(memory: Memory): readonly Delta[] {
  const shown = [...memory.partial, ...memory.unstarted];
  memory.partial.clear();
  memory.unstarted.clear();
  memory.open.clear();
  return shown.map((id) => ({ type: 'remove', id }));
}

function retryOf(event: EventOf<'retry_waiting'>): NonNullable<Header['retry']> {
  return {
    attempt: event.attempt,
    of: event.of,
    untilMs: event.untilMs,
    reason: routeErrorCard(event.error.kind, event.error.message, { type: 'none' }).title,
  };
}

function retryOver(memory: Memory): readonly Delta[] {
  if (!memory.retrying) return [];
  memory.retrying = false;
  return [{ type: 'header', patch: {}, drop: ['retry'] }];
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

function blockEnded(event: EventOf<'block_ended'>, memory: Memory, now: () => number): readonly Delta[] {
  const key = blockKey(event);
  const open = memory.open.get(key);
  if (open === undefined) return [];
  memory.open.delete(key);
  return open.kind === 'text'
    ? [{ type: 'close', id: open.rowId }]
    : [{ type: 'close', id: open.rowId, durationMs: now() - open.startedAt }];
}

function blockKey(event: { readonly messageId: string; readonly key: number }): string {
  return `${event.messageId}:${event.key}`;
}

type CallEvent = EventOf<
  'call_received' | 'call_ready' | 'call_state' | 'call_allowed' | 'call_progress' | 'call_completed'
>;

function callChanges(event: CallEvent, memory: Memory): readonly Delta[] {
  const { callId } = event;
  switch (event.type) {
    case 'call_received':
      return callReceived(event, memory);
    case 'call_ready':
      if (memory.lists.has(callId)) memory.lists.set(callId, event.input['todos']);
      return [callPatch(callId, { target: event.target })];
    case 'call_state':
      return callState(event, memory);
    case 'call_allowed':
      return [callPatch(callId, { whyAllowed: event.because.text })];
    case 'call_progress':
      return event.chunk.stream === 'status'
        ? [callPatch(callId, { summary: event.chunk.text })]
        : [{ type: 'output', id: callId, text: event.chunk.text }];
    case 'call_completed':
      return callCompleted(event, memory);
    default:
      return unreachable(event);
  }
}

function callReceived(event: EventOf<'call_received'>, memory: Memory): readonly Delta[] {
  const { callId: id, name: tool, kind, title } = event;
  memory.unstarted.add(id);
  if (kind === 'todo') memory.lists.set(id, undefined);
  const { step } = memory;
  return [
    ...retryOver(memory),
    { type: 'row', row: { type: 'call', id, tool, kind, title, state: 'queued', step } },
  ];
}

function callState(event: EventOf<'call_state'>, memory: Memory): readonly Delta[] {
  const { callId, state, at } = event;
  if (state !== 'executing') return [callPatch(callId, { state })];
  memory.unstarted.delete(callId);
  memory.executing.set(callId, 1);
  const deltas = [callPatch(callId, { state, startedAt: at })];
  const overlap = memory.executing.size;
  if (overlap < 2) return deltas;
  for (const [id, seen] of memory.executing) {
    if (seen >= overlap) continue;
    memory.executing.set(id, overlap);
    deltas.push(callPatch(id, { overlap }));
  }
  return deltas;
}

function callCompleted(event: EventOf<'call_completed'>, memory: Memory): readonly Delta[] {
  const { callId, end, cause, summary, durationMs } = event;
  const started = memory.executing.delete(callId);
  memory.unstarted.delete(callId);
  if (cause === 'attempt_abandoned' && !started) return [{ type: 'remove', id: callId }];
  const { text, diff, hunks, exitCode, body } = summary;
  const patch: CallPatch = {
    state: 'completed',
    end,
    durationMs,
    summary: text,
    ...(cause === undefined ? {} : { cause }),
    ...(diff === undefined ? {} : { diff }),
    ...(hunks === undefined ? {} : { hunks: boundedHunks(hunks) }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(body === undefined ? {} : { output: body }),
  };
  return [callPatch(callId, patch), ...listChanged(event, memory)];
}

function listChanged({ callId, end }: EventOf<'call_completed'>, memory: Memory): readonly Delta[] {
  if (!memory.lists.has(callId)) return [];
  const todos = todosOf(memory.lists.get(callId));
  memory.lists.delete(callId);
  return end === 'ok' ? [{ type: 'header', patch: { todos } }] : [];
}

function callPatch(id: string, patch: CallPatch, drop?: readonly (keyof CallRow)[]): Delta {
  return drop === undefined ? { type: 'call', id, patch } : { type: 'call', id, patch, drop };
}

/** The card of a question. It shows the bytes that run, never words of the model. */
export function approvalCard(request: ApprovalRequest): ApprovalCard {
  const { id, title, reason: why, detail, parts, remember, everyTime } = request;
  const reason = {
    reason: why,
    ...(parts === undefined ? {} : { parts }),
    ...(remember === undefined ? {} : { remember }),
    ...(everyTime === undefined ? {} : { everyTime }),
  };
  if (detail.type !== 'edit') return { id, title, ...reason, detail };
  const { path, before, hunks } = detail.proposal;
  const edit = {
    type: 'edit',
    path,
    hunks: boundedHunks(hunks),
    diff: diffStat(hunks),
    creates: before === null,
    label: path.split(/[\\/]/).at(-1) ?? path,
  } as const;
  const changes = partCards(detail.proposal);
  return {
    id,
    title,
    ...reason,
    detail: changes === undefined ? edit : { ...edit, hunks: [], parts: changes },
  };
}

/** More would be slow to draw and are better decided about in the diff editor. */
const MOST_PARTS = 60;

/** Undefined when there is only one change, or there are too many for a card. */
function partCards(proposal: EditProposal): readonly PartCard[] | undefined {
  if (proposal.before === null) return undefined;
  const { blocks, keys, before: old, proposed } = partsOfProposal(proposal);
  if (blocks.length < 2 || blocks.length > MOST_PARTS) return undefined;
  return keys.map((key, index) => ({
    key,
    hunk: boundedHunk(hunkOf(old.exact, proposed.exact, blocks, index), blocks.length),
    state: 'open',
  }));
}

/** The card as it is after decisions about single changes, or when there is something to know about the file. */
export function reviewedCard(
  request: ApprovalRequest,
  parts: readonly PartCard[],
  hint: string | undefined,
): ApprovalCard {
  const card = approvalCard(request);
  if (card.detail.type !== 'edit') return card;
  const detail = { ...card.detail, ...(hint === undefined ? {} : { hint }) };
  if (detail.parts === undefined) return { ...card, detail };
  const bounded = parts.map((part) => ({ ...part, hunk: boundedHunk(part.hunk, parts.length) }));
  return { ...card, detail: { ...detail, parts: bounded } };
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
  if (answer.type !== 'withdrawn') return { answeredBy: answeredBy(answer) };
  // What settled the question is said with the call's own end.
  return answer.because === undefined ? { answeredBy: 'Not answered' } : {};
}

/** The live row and the row of a session that is opened again say it in the same words. */
export function answeredBy({ type, by }: { readonly type: 'allow' | 'deny'; readonly by: string }): string {
  return type === 'allow' ? `Allowed ${by}` : `Denied ${by}`;
}

function boundaryRow(event: EventOf<'compaction'>): BoundaryRow {
  const { id, state } = event;
  const row = { type: 'boundary', id, state, trigger: '' } as const;
  switch (event.state) {
    case 'running':
      return { ...row, trigger: event.trigger };
    case 'done': {
      const { trigger, before, after, summary } = event;
      return { ...row, trigger, before, after, summary, undo: trigger === 'manual' };
    }
    case 'failed':
      return { ...row, reason: event.reason };
  }
}

function noticeRow({ level, text }: Pick<EventOf<'notice'>, 'level' | 'text'>, memory: Memory): Delta {
  const id = `${memory.turnId}:notice:${memory.notices++}`;
  return { type: 'row', row: { type: 'notice', id, level, text } };
}

function routeChanged({ from, to, error }: EventOf<'route_changed'>, memory: Memory): readonly Delta[] {
  const text = `${from} could not go on (${error.message}). The conversation goes on with ${to.title}.`;
  return [{ type: 'header', patch: { route: to } }, noticeRow({ level: 'warning', text }, memory)];
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
