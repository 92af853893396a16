/**
 * Keeps a conversation inside its window. It decides when to act and how far to go: shorten old results, drop what was read again, summarise
 * before a tail that stays word for word, smaller still, and in the end say that nothing helps. How each of these is done is in `context/`.
 */
import type { Clock, Files, Log, NewId } from '../../ports';
import type { Usage } from '../../protocol/vocabulary';
import type { Message } from '../../models/message';
import type { Route } from '../../models/transport';
import type { ReadLedger } from '../../tools/tool';
import { tokenCounter, type Ledger, type Request } from '../../context/counter';
import type { Setup } from '../../context/setup';
import { withoutResult } from '../../context/sources';
import { trim, type Trimmed } from '../../context/trim';
import { budgetOf, type Budget } from '../../context/window';
import type { TurnEvent } from '../events';
import type { History } from '../history';
import type { CompactionSettings } from '../limits/settings';
import type { Recorder } from '../recorder';
import { breaker } from './breaker';
import { replaceBySummary, type Replaced } from './replace';

/** What a conversation lends to its compactor. */
export interface CompactionHost {
  readonly conversationId: string;
  /** System prompt and tools of a window; for the same window always the same objects. */
  setup(window: number | undefined, answerTokens: number | undefined): Setup;
  readonly history: History;
  readonly recorder: Recorder;
  readonly files: Files;
  readonly reads: ReadLedger;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: NewId;
  /** Absolute. */
  readonly spillFolder: string;
  route(): Route;
  /** The route that writes summaries, when it is another one. */
  summaryRoute(): Route | undefined;
  /** What the model must be told again: instructions, its mode, and, in so many tokens, skills that were invoked in `past`. */
  notes(
    past: readonly Message[],
    tokens: number,
  ): Promise<readonly { readonly text: string; readonly why: string }[]>;
}

/** Of the turn that it happens in. */
export interface CompactionTurn {
  /** What the summary is to look after; asked right before it is written. */
  focus?(trigger: 'manual' | 'auto', asked: string | undefined): Promise<string | undefined>;
  readonly signal: AbortSignal;
  readonly settings: CompactionSettings;
  readonly emit: (event: TurnEvent) => void;
  readonly used: (usage: Usage, route: Route) => void;
}

export type CompactionWhy =
  /** Before a request. */
  | 'before_step'
  /** The route refused a request as too large, or an answer filled the window. */
  | 'context_overflow'
  /** A person asked for it. */
  | 'manual';

export type Fit =
  /** Nothing was to be done, or could be done without need. */
  | { readonly type: 'same' }
  | { readonly type: 'smaller' }
  | { readonly type: 'stopped' }
  | { readonly type: 'failed'; readonly reason: string };

export interface Compactor {
  fit(turn: CompactionTurn, why: CompactionWhy, focus?: string): Promise<Fit>;
  /** What a provider counted for the request that was just answered. */
  observe(messages: readonly Message[], usage: Usage): void;
  ledger(): Ledger & { readonly window?: number };
  /** System prompt and tools as they fit into the window that is known by now. */
  setup(): Setup;
  /** The model is not shown this result any more; false when there is none. */
  drop(callId: string): Promise<boolean>;
  /** Takes the last compaction back and names it; undefined when there is none, or the conversation has gone on since. */
  undo(): Promise<string | undefined>;
}

interface State {
  readonly host: CompactionHost;
  readonly counter: ReturnType<typeof tokenCounter>;
  readonly breaker: ReturnType<typeof breaker>;
  /** Windows that were found out by being refused, by route. */
  readonly found: Map<string, number>;
  /** How many messages there were when the count was last acted upon. */
  countedAt: number;
  undo: (() => Promise<string | undefined>) | undefined;
  /** As the turn that runs, or ran last, was told. */
  answerTokens: number | undefined;
}

const FAILURES = 3;
const COOL_MS = 10 * 60_000;
/** Messages after which the count is looked at again. */
const COUNT_STEP = 50;
/** Where only the count is high: a request of this share of the window is really large. */
const LARGE_SHARE = 0.5;
/** The same where no window is known, in tokens. */
const LARGE = 60_000;
/** Shortening must save this share to be worth a cold cache. */
const WORTH = 0.2;
/** A request that was refused at this size shows that the window is smaller than that. */
const REFUSED_SHARE = 0.9;
/** System prompt and tools may take this share of the limit, and no more. */
const FIXED_MOST = 0.9;
/** Tokens that an old result keeps. */
const RESULT_LEAST = 80;
const RESULT_MOST = 1_000;
const RESULT_SHARE = 0.015;

export function createCompactor(host: CompactionHost): Compactor {
  const state: State = {
    host,
    counter: tokenCounter(),
    breaker: breaker(FAILURES, COOL_MS),
    found: new Map(),
    countedAt: 0,
    undo: undefined,
    answerTokens: undefined,
  };
  return {
    fit: (turn, why, focus) => fit(state, turn, why, focus),
    observe: (messages, usage) =>
      state.counter.observe(host.route().transport.origin, requestOf(state, messages), usage),
    ledger() {
      const window = windowOf(state);
      const ledger = state.counter.ledger(host.route().transport.origin, requestOf(state));
      return window === undefined ? ledger : { ...ledger, window };
    },
    setup: () => setupOf(state),
    async drop(callId) {
      const trimmed = withoutResult(host.history.all(), callId);
      if (trimmed !== undefined) await apply(host, trimmed);
      return trimmed !== undefined;
    },
    async undo() {
      const { undo } = state;
      state.undo = undefined;
      return undo?.();
    },
  };
}

function setupOf(state: State): Setup {
  return state.host.setup(windowOf(state), state.answerTokens);
}

function requestOf(state: State, messages: readonly Message[] = state.host.history.all()): Request {
  const { system, specs } = setupOf(state);
  return { system, tools: specs, messages };
}

function totalOf(state: State, messages?: readonly Message[]): number {
  return state.counter.total(state.host.route().transport.origin, requestOf(state, messages));
}

function windowOf({ host, found }: State): number | undefined {
  const { id, transport } = host.route();
  const known = transport.info.contextTokens;
  const refused = found.get(id);
  return refused === undefined ? known : Math.min(refused, known ?? refused);
}

async function fit(
  state: State,
  turn: CompactionTurn,
  why: CompactionWhy,
  focus: string | undefined,
): Promise<Fit> {
  const { host } = state;
  state.answerTokens = turn.settings.answerTokens;
  if (why === 'context_overflow') learn(state, turn.settings);
  const total = totalOf(state);
  const fixed = totalOf(state, []);
  const window = windowOf(state);
  const budget = window === undefined ? undefined : budgetOf(window, fixed, turn.settings.answerTokens);
  const need = needOf(state, turn, why, total, budget);
  if (need === 'none') return { type: 'same' };
  // Without a known window the request as it is stands for one.
  const goal = budget ?? budgetOf(Math.max(total, fixed * 2), fixed, turn.settings.answerTokens);
  if (fixed > goal.limit * FIXED_MOST)
    return {
      type: 'failed',
      reason: `System prompt and tools alone take ${fixed} of the ${goal.window} tokens of the window. Choose a route with a larger window, or ask for a larger one where the route lets you (numCtx).`,
    };
  if (why !== 'manual') {
    const gentle = await shorten(state, goal, need);
    if (gentle) return { type: 'smaller' };
    if (need === 'count' && total < largeFrom(budget)) return { type: 'same' };
  }
  const cooling = state.breaker.openUntil(host.clock.now());
  if (cooling !== undefined && why === 'before_step') return { type: 'same' };
  return summarised(state, turn, { why, focus, goal, total });
}

/** A request that was refused although it should have fitted shows that the window is smaller than what is known of it. */
function learn(state: State, settings: CompactionSettings): void {
  const window = windowOf(state);
  const { found, host } = state;
  const total = totalOf(state);
  const fixed = totalOf(state, []);
  if (window !== undefined && total > budgetOf(window, fixed, settings.answerTokens).trigger) return;
  found.set(host.route().id, Math.floor(total * REFUSED_SHARE));
}

type Need = 'none' | 'tokens' | 'count' | 'cap' | 'asked';

function needOf(
  state: State,
  { settings }: CompactionTurn,
  why: CompactionWhy,
  total: number,
  budget: Budget | undefined,
): Need {
  const count = state.host.history.length;
  if (count < state.countedAt) state.countedAt = 0;
  if (why === 'manual') return 'asked';
  if (why === 'context_overflow') return 'tokens';
  if (!settings.automatic) return 'none';
  if (budget !== undefined && total > budget.trigger) return 'tokens';
  if (count >= settings.maxMessages) return 'cap';
  if (count < settings.messages || count < state.countedAt + COUNT_STEP) return 'none';
  state.countedAt = count;
  return 'count';
}

function largeFrom(budget: Budget | undefined): number {
  return budget === undefined ? LARGE : budget.limit * LARGE_SHARE;
}

/** Rungs 1 and 2; true when they were enough. What is not enough is not done at all: the summary sees the whole. */
async function shorten(state: State, goal: Budget, need: Need): Promise<boolean> {
  if (need === 'cap') return false;
  const { host } = state;
  const messages = host.history.all();
  const before = totalOf(state);
  const enough = need === 'count' ? Math.floor(before * (1 - WORTH)) : Math.min(goal.trimTo, before * 0.8);
  const options = {
    freshFrom: freshFrom(messages),
    keep: Math.min(RESULT_MOST, Math.max(RESULT_LEAST, Math.floor(goal.room * RESULT_SHARE))),
    wholeAt: (callId: string) => spillPath(host, callId),
  };
  for (const superseded of [false, true]) {
    const trimmed = trim(messages, { ...options, superseded });
    const saved = trimmed.replaced.length > 0 && totalOf(state, trimmed.messages) <= enough;
    if (!saved) continue;
    await apply(host, trimmed);
    return true;
  }
  return false;
}

/** The last two answers and what they brought. */
function freshFrom(messages: readonly Message[]): number {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const before = messages.slice(0, Math.max(0, last)).findLastIndex(({ role }) => role === 'assistant');
  return Math.max(0, before < 0 ? last : before);
}

function spillPath({ spillFolder }: CompactionHost, callId: string): string {
  const separator = spillFolder.includes('\\') ? '\\' : '/';
  return `${spillFolder}${separator}${callId.replace(/[^\w.-]/g, '_')}.txt`;
}

/** What a shortened result points to must be there before the model is told of it. */
async function apply(host: CompactionHost, { messages, replaced }: Trimmed): Promise<void> {
  for (const { callId, whole } of replaced) if (whole !== undefined) await keepWhole(host, callId, whole);
  try {
    await host.recorder.shortened(replaced.map(({ callId, text }) => ({ callId, text })));
  } finally {
    host.history.replace(messages, 'kept');
  }
}

async function keepWhole(host: CompactionHost, callId: string, text: string): Promise<void> {
  const path = spillPath(host, callId);
  try {
    // What is there already is the whole that the tool itself put there.
    if ((await host.files.stat(path)) !== undefined) return;
    const whole = text.replace(/\p{Surrogate}/gu, '\uFFFD');
    await host.files.write({ path, text: whole, encoding: 'utf8', expectHash: null });
  } catch (error) {
    host.log.write('warning', `An old result could not be kept at ${path}`, error);
  }
}

interface Asked {
  readonly why: CompactionWhy;
  readonly focus: string | undefined;
  readonly goal: Budget;
  readonly total: number;
}

/** Rungs 3 to 5. */
async function summarised(state: State, turn: CompactionTurn, asked: Asked): Promise<Fit> {
  const { host } = state;
  const id = host.newId();
  const trigger = asked.why === 'manual' ? 'manual' : 'auto';
  const startedAt = host.clock.now();
  turn.emit({ type: 'compaction', id, state: 'running', trigger });
  const before = host.history.all();
  const focus = turn.focus === undefined ? asked.focus : await turn.focus(trigger, asked.focus);
  const replaced = await replaceBySummary(host, turn, {
    ...asked,
    focus,
    trigger,
    startedAt,
    total: asked.total,
    count: (messages) => totalOf(state, messages),
    wholeAt: (callId) => spillPath(host, callId),
    keepWhole: (callId, text) => keepWhole(host, callId, text),
  });
  return ended(state, turn, id, before, replaced);
}

function ended(
  state: State,
  turn: CompactionTurn,
  id: string,
  before: readonly Message[],
  replaced: Replaced,
): Fit {
  const { host } = state;
  switch (replaced.type) {
    case 'stopped':
      turn.emit({ type: 'compaction', id, state: 'failed', reason: 'Stopped.' });
      return { type: 'stopped' };
    case 'nothing':
    case 'failed': {
      const { reason } = replaced;
      turn.emit({ type: 'compaction', id, state: 'failed', reason });
      // Not at every step again, whatever the reason is.
      state.countedAt = host.history.length;
      if (state.breaker.failed(host.clock.now()) === 'opened')
        turn.emit({
          type: 'notice',
          level: 'warning',
          text: `Compacting failed ${FAILURES} times. It is not tried by itself for ${COOL_MS / 60_000} minutes; the conversation goes on as long as it fits. Last reason: ${reason}`,
        });
      return { type: 'failed', reason };
    }
    case 'done': {
      state.breaker.succeeded();
      state.countedAt = 0;
      const { length } = host.history;
      const { record } = replaced;
      state.undo = async () => {
        if (host.history.length !== length) return undefined;
        await record.undo();
        host.history.replace(before);
        return id;
      };
      turn.emit({
        type: 'compaction',
        id,
        state: 'done',
        trigger: replaced.trigger,
        before: replaced.before,
        after: replaced.after,
        summary: replaced.summary,
      });
      return { type: 'smaller' };
    }
  }
}
