/**
 * One compaction by summary: asks for it, puts together what replaces the past, writes the boundary, and only then changes the history. Until
 * the boundary is written everything is as it was.
 */
import type { Message } from '../../models/message';
import { lastStepStart, tailStart } from '../../context/cut';
import { factsOf, type Facts } from '../../context/facts';
import { start } from '../../context/shorten';
import { summaryText } from '../../context/summary-text';
import { messagesTokens } from '../../context/tokens';
import { trim, type Trimmed } from '../../context/trim';
import { budgetOf, sharesOf, type Budget, type Shares } from '../../context/window';
import type { BoundaryRecord } from '../recorder';
import { changedFiles } from './attach';
import type { CompactionHost, CompactionTurn } from './compactor';
import { summarise } from './summarise';

export interface ReplaceOptions {
  readonly trigger: BoundaryRecord['trigger'];
  readonly focus: string | undefined;
  readonly goal: Budget;
  /** Tokens before. */
  readonly total: number;
  readonly startedAt: number;
  readonly count: (messages: readonly Message[]) => number;
  readonly wholeAt: (callId: string) => string;
  readonly keepWhole: (callId: string, text: string) => Promise<void>;
}

export type Replaced =
  | {
      readonly type: 'done';
      readonly trigger: BoundaryRecord['trigger'];
      readonly before: number;
      readonly after: number;
      readonly summary: string;
      readonly record: { readonly undo: () => Promise<void> };
    }
  | { readonly type: 'stopped' }
  /** There is nothing that could be summarised. */
  | { readonly type: 'nothing'; readonly reason: string }
  | { readonly type: 'failed'; readonly reason: string };

const HALVINGS = 3;
/** A last step as large as this share of the room stays all the same: the model is in the middle of it. */
const STEP_SHARE = 0.4;
/** A tail is never more than this share of what is there, in tokens and, beside the hard cap, in number: else nothing would become smaller. */
const TAIL_SHARE = 0.4;
const TAIL_COUNT_SHARE = 0.25;
/** What an instruction around the past takes in a request for a summary. */
const PROMPT_TOKENS = 600;
/** Of the window that the past may fill when it is summarised: the guess may be low. */
const INPUT_SHARE = 0.7;
const INPUT_UNKNOWN = 24_000;

interface Cut {
  readonly head: readonly Message[];
  readonly tail: readonly Message[];
  readonly trimmed: Trimmed;
}

export async function replaceBySummary(
  host: CompactionHost,
  turn: CompactionTurn,
  options: ReplaceOptions,
): Promise<Replaced> {
  const messages = host.history.all();
  const shares = sharesFor(options.goal);
  const cut = cutOf(host, messages, options, shares, turn.settings.maxMessages);
  const facts = factsOf(cut.head);
  if (!cut.head.some(({ role }) => role === 'assistant')) return { type: 'nothing', reason: NOTHING };
  const answer = await notesOn(host, turn, options, shares, cut.head, facts);
  if (answer.type !== 'done') return answer;
  const kept: Facts = { ...facts, summary: start(answer.text, shares.summary * 1.5) };
  const summary = summaryText(kept, { said: shares.said, lists: Math.max(60, Math.floor(shares.said / 2)) });
  const made = await fitting(host, options, shares, { cut, facts, summary });
  if (made === undefined) return { type: 'nothing', reason: NOTHING };
  if (turn.signal.aborted) return { type: 'stopped' };
  return write(host, options, made, summary);
}

const NOTHING =
  'There is too little left that could be summarised. Start a new session, or choose a route with a larger window.';

/** Halved until all the parts together are well under what would trigger the next compaction. */
function sharesFor(goal: Budget): Shares {
  for (let halvings = 0; halvings < HALVINGS; halvings++) {
    const shares = sharesOf(goal, halvings);
    if (shares.summary * 1.5 + shares.said + shares.tail + shares.files <= goal.room * 0.7) return shares;
  }
  return sharesOf(goal, HALVINGS);
}

function cutOf(
  host: CompactionHost,
  messages: readonly Message[],
  { goal, wholeAt }: ReplaceOptions,
  shares: Shares,
  maxMessages: number,
): Cut {
  const untouched: Trimmed = { messages, replaced: [] };
  const allowed = (message: Message): boolean => host.history.lineOf(message) !== undefined;
  const tokens = Math.min(shares.tail, Math.floor(messagesTokens(messages) * TAIL_SHARE));
  const at = tailStart(messages, tokens, allowed, Math.floor(maxMessages * TAIL_COUNT_SHARE));
  if (at < messages.length)
    return { head: messages.slice(0, at), tail: messages.slice(at), trimmed: untouched };
  // Not even the last step fits: its results are shortened, and it stays if it can.
  const last = lastStart(messages, allowed);
  if (last === undefined) return { head: messages, tail: [], trimmed: untouched };
  const stepTokens = (step: readonly Message[]): number => messagesTokens(step.slice(last));
  if (stepTokens(messages) <= goal.room * STEP_SHARE)
    return { head: messages.slice(0, last), tail: messages.slice(last), trimmed: untouched };
  const trimmed = trim(messages, { freshFrom: Infinity, keep: shares.result, wholeAt, superseded: true });
  return stepTokens(trimmed.messages) <= goal.room * STEP_SHARE
    ? { head: messages.slice(0, last), tail: trimmed.messages.slice(last), trimmed }
    : { head: messages, tail: [], trimmed: untouched };
}

/** Where the last step begins, or the prompt that has no answer yet. */
function lastStart(messages: readonly Message[], allowed: (message: Message) => boolean): number | undefined {
  const prompt = messages.findLastIndex(
    (message) => message.role === 'user' && allowed(message) && message.content[0]?.type !== 'tool_result',
  );
  const step = lastStepStart(messages);
  const at = prompt > step ? prompt : step;
  const message = messages[at];
  return message !== undefined && allowed(message) ? at : undefined;
}

async function notesOn(
  host: CompactionHost,
  turn: CompactionTurn,
  { goal, focus }: ReplaceOptions,
  shares: Shares,
  head: readonly Message[],
  facts: Facts,
): ReturnType<typeof summarise> {
  const { settings, signal, used } = turn;
  const other = host.summaryRoute();
  const routes = other === undefined ? [host.route()] : [other, host.route()];
  let answer: Awaited<ReturnType<typeof summarise>> = { type: 'failed', reason: 'There is no route.' };
  for (const route of routes) {
    const window = route === other ? route.transport.info.contextTokens : goal.window;
    const limit = window === undefined ? INPUT_UNKNOWN : budgetOf(window, PROMPT_TOKENS).limit * INPUT_SHARE;
    answer = await summarise({
      route,
      conversationId: host.conversationId,
      clock: host.clock,
      timeoutMs: settings.timeoutMs,
      past: head,
      before: facts.summary,
      focus,
      input: Math.floor(limit - PROMPT_TOKENS - shares.summary * 3),
      output: shares.summary,
      signal,
      used,
    });
    if (answer.type !== 'failed') return answer;
  }
  return answer;
}

interface Made {
  readonly messages: readonly Message[];
  readonly tail: readonly Message[];
  readonly trimmed: Trimmed;
  readonly notes: NonNullable<BoundaryRecord['notes']>;
  readonly after: number;
}

/** With changed files, else without them, else without a tail; undefined when even that is too large. */
async function fitting(
  host: CompactionHost,
  { goal, count }: ReplaceOptions,
  shares: Shares,
  { cut, facts, summary }: { readonly cut: Cut; readonly facts: Facts; readonly summary: string },
): Promise<Made | undefined> {
  const standing = await host.notes(cut.head, shares.files);
  const files = await changedFiles(host.files, host.reads, facts.changed, shares.files);
  const all = [...standing, ...files.map((text) => ({ text: reminder(text), why: 'changed_file' }))];
  const tries = [
    { tail: cut.tail, notes: all },
    { tail: cut.tail, notes: standing },
    { tail: [], notes: standing },
    { tail: [], notes: [] },
  ];
  for (const { tail, notes } of tries) {
    const messages: readonly Message[] = [said(summary), ...tail, ...notes.map(({ text }) => said(text))];
    const after = count(messages);
    if (after <= goal.trigger) return { messages, tail, trimmed: cut.trimmed, notes, after };
  }
  return undefined;
}

export function reminder(words: string): string {
  return `<system-reminder>\n${words}\n</system-reminder>`;
}

function said(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

async function write(
  host: CompactionHost,
  options: ReplaceOptions,
  { messages, tail, trimmed, notes, after }: Made,
  summary: string,
): Promise<Replaced> {
  const [first] = tail;
  const keepFrom = first === undefined ? undefined : host.history.lineOf(first);
  const inTail = new Set(
    tail.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === 'tool_result' ? [block.callId] : [])),
    ),
  );
  const shortened = trimmed.replaced.filter(({ callId }) => inTail.has(callId));
  if (shortened.length > 0) {
    for (const { callId, whole } of shortened)
      if (whole !== undefined) await options.keepWhole(callId, whole);
    await host.recorder.shortened(shortened.map(({ callId, text }) => ({ callId, text })));
  }
  const record: BoundaryRecord = {
    trigger: options.trigger,
    preTokens: options.total,
    postTokens: after,
    durationMs: host.clock.now() - options.startedAt,
    summary,
    ...(keepFrom === undefined ? {} : { keepFrom }),
    ...(notes.length === 0 ? {} : { notes }),
  };
  const written = await host.recorder.boundary(record);
  host.history.replace(messages);
  return {
    type: 'done',
    trigger: options.trigger,
    before: options.total,
    after,
    summary,
    record: written,
  };
}
