/** What a conversation keeps between turns, and how a turn's context is made of it. */
import type { Effort, PermissionMode } from '../protocol/vocabulary';
import type { ToolUseBlock } from '../models/message';
import { promptContent, takeAttached } from './prompts/attached';
import type { Route } from '../models/transport';
import type { Gate } from '../permissions/verdict';
import type { Tool } from '../tools/tool';
import type { Channel } from './channel';
import type { CompactionWhy, Compactor, Fit } from './compaction/compactor';
import type { ConversationDeps } from './conversation';
import type { TurnEvent } from './events';
import type { History } from './history';
import { failureGuard } from './limits/failure-guard';
import { DEFAULT_COMPACTION, DEFAULT_SETTINGS, type AgentSettings } from './limits/settings';
import { addUsage, costUsd } from './limits/usage';
import type { CallDeps } from './calls/run-call';
import type { PromptQueue, QueuedPrompt } from './prompts/queue';
import type { Totals, TurnContext } from './turn-context';

export interface State {
  readonly deps: ConversationDeps;
  readonly history: History;
  readonly compactor: Compactor;
  readonly queue: PromptQueue;
  readonly toolContext: TurnContext['calls']['toolContext'];
  readonly tools: () => ReadonlyMap<string, Tool>;
  mode: PermissionMode;
  /** What the person asked for; a route that takes none gets none. */
  effort: Effort | undefined;
  /** Questions that wait. */
  readonly reconsider: Set<() => void>;
  route: Route;
  /** The mode that the model was last told of. */
  toldMode: PermissionMode;
  pending: readonly ToolUseBlock[];
  turn:
    | {
        readonly controller: AbortController;
        readonly emit: (event: TurnEvent) => void;
        /** What the turn has used, subagents included. */
        context: TurnContext | undefined;
        wakeRetry: () => void;
        readonly gate: Gate;
        /** Only for this turn: the model that its command asks for. */
        route: Route | undefined;
      }
    | undefined;
  tokens: number;
  usd: number;
  lastPrompt: string;
  /** The hooks of its beginning have run. */
  begun: boolean;
  titled: boolean;
  /** What the person was last told is left out of requests. */
  toldLeftOut: string;
}

export function turnContext(state: State, signal: AbortSignal, events: Channel<TurnEvent>): TurnContext {
  const { deps, history } = state;
  const settings = deps.settings?.() ?? DEFAULT_SETTINGS;
  const emit = (event: TurnEvent): void => events.push(event);
  const stopRequest: { reason?: string } = {};
  const totals: Totals = { steps: 0, apiMs: 0, usage: {}, stepUsage: {}, stop: 'other', usd: 0 };
  const inject = async (words: string, why: string): Promise<void> => {
    // The tag that models know: these words are the program's, not the person's.
    const text = `<system-reminder>\n${words}\n</system-reminder>`;
    await deps.recorder.note({ type: 'injected', text, why });
    history.push({ role: 'user', content: [{ type: 'text', text }] });
  };
  const turn: TurnContext = {
    conversationId: deps.id,
    turnId: deps.newId(),
    signal,
    route: () => state.turn?.route ?? state.route,
    effort: () => state.effort,
    get system() {
      return state.compactor.setup().system;
    },
    get specs() {
      return state.compactor.setup().specs;
    },
    get tools() {
      return state.tools();
    },
    history,
    recorder: deps.recorder,
    settings,
    hooks: deps.hooks ?? {},
    guard: failureGuard(settings.repeatedFailures),
    clock: deps.clock,
    log: deps.log,
    newId: deps.newId,
    totals,
    denials: [],
    stopRequest,
    emit,
    parentLimit: () => deps.parentLimit?.(),
    inject,
    deliverQueued: () => deliverQueued(state, emit),
    retryNow: () =>
      new Promise((resolve) => {
        if (state.turn) state.turn.wakeRetry = resolve;
      }),
    pendingWork: deps.pendingWork ?? (() => []),
    random: deps.random ?? Math.random,
    moveToFallback: fallbackMover(state, emit),
    compact: (why, focus) => compact(state, turn, why, focus),
    counted: (messages, usage) => {
      state.compactor.observe(messages, usage);
      emit(contextEvent(state));
    },
    calls: callDeps(state, settings, stopRequest, emit),
  };
  return turn;
}

async function compact(
  state: State,
  turn: TurnContext,
  why: CompactionWhy,
  focus: string | undefined,
): Promise<Fit> {
  const { emit, signal, settings, totals } = turn;
  const fit = await state.compactor.fit(
    {
      emit,
      signal,
      focus: (trigger, asked) => focusOf(state, trigger, asked, signal),
      settings: settings.compaction ?? DEFAULT_COMPACTION,
      used: (usage, route) => {
        totals.usage = addUsage(totals.usage, usage);
        const usd = costUsd(usage, route.transport.info.price);
        totals.usd = usd === undefined || totals.usd === undefined ? undefined : totals.usd + usd;
      },
    },
    why,
    focus,
  );
  tellLeftOut(state, emit);
  if (fit.type === 'smaller') emit(contextEvent(state));
  return fit;
}

/** Once for each set-up that is less than the whole. */
function tellLeftOut(state: State, emit: (event: TurnEvent) => void): void {
  const { leftOut } = state.compactor.setup();
  const words = leftOut.join(', ');
  if (words === state.toldLeftOut) return;
  state.toldLeftOut = words;
  const { window } = state.compactor.ledger();
  if (words === '' || window === undefined) return;
  const text = `The window of this route holds ${window.toLocaleString('en')} tokens. To leave room for the work, these were left out of what the model is told: ${words}.`;
  emit({ type: 'notice', level: 'info', text });
}

/** What is looked after in a summary: the person's words, and what hooks add to them. */
async function focusOf(
  { deps }: State,
  trigger: 'manual' | 'auto',
  asked: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const told = await deps.hooks?.preCompact?.(trigger, asked, signal);
    return told?.context === undefined ? asked : [asked, told.context].filter(Boolean).join('\n\n');
  } catch (error) {
    deps.log.write('warning', 'A hook failed before the conversation was compacted', error);
    return asked;
  }
}

/** Parts of nothing are left out. */
function contextEvent(state: State): Extract<TurnEvent, { type: 'context' }> {
  const { system, tools, notes, prompts, answers, results, total, window } = state.compactor.ledger();
  const parts = Object.entries({ system, tools, notes, prompts, answers, results }).flatMap(
    ([name, tokens]) => (tokens === 0 ? [] : [{ name, tokens }]),
  );
  const { leftOut } = state.compactor.setup();
  return {
    type: 'context',
    parts,
    used: total,
    ...(window === undefined ? {} : { window }),
    ...(leftOut.length === 0 ? {} : { leftOut }),
  };
}

function callDeps(
  state: State,
  settings: AgentSettings,
  stopRequest: { reason?: string },
  emit: (event: TurnEvent) => void,
): CallDeps {
  const { deps } = state;
  return {
    get tools() {
      return state.tools();
    },
    gate: state.turn?.gate ?? deps.gate,
    approver: deps.approver,
    hooks: deps.hooks ?? {},
    clock: deps.clock,
    log: deps.log,
    newId: deps.newId,
    emit,
    mode: () => state.mode,
    onReconsider(listener) {
      state.reconsider.add(listener);
      return () => void state.reconsider.delete(listener);
    },
    workspace: () => deps.workspace(),
    toolContext: state.toolContext,
    started: (call) =>
      deps.recorder.note({
        type: 'call_started',
        callId: call.id,
        ...(settings.sideEffects === 'block_close' && call.block ? { block: call.block } : {}),
      }),
    stopAfterStep: (reason) => void (stopRequest.reason = reason),
  };
}

async function deliverQueued(state: State, emit: (event: TurnEvent) => void): Promise<void> {
  const prompts: readonly QueuedPrompt[] = state.queue.takeJoining();
  if (prompts.length === 0) return;
  for (const { id, text, attached } of prompts) {
    const content = promptContent(text, attached);
    await state.deps.recorder.note({ type: 'queued_prompt', promptId: id, content });
    state.history.push({ role: 'user', content });
    state.lastPrompt = text;
    emit({ type: 'prompt_delivered', promptId: id, prompt: text, at: state.deps.clock.now() });
    await takeAttached(state, emit, id, attached);
  }
  emit({ type: 'queued', prompts: state.queue.list() });
}

/** Each route is tried at most once per turn, so that two routes cannot hand a turn back and forth for ever. */
function fallbackMover(state: State, emit: (event: TurnEvent) => void): TurnContext['moveToFallback'] {
  const tried = new Set([state.route.id]);
  return async (error) => {
    const own = state.turn?.route;
    const from = own ?? state.route;
    // A model that only a command's file asked for: first the person's own.
    const to = own === undefined ? state.deps.fallback?.(from, error) : state.route;
    if (state.turn !== undefined) state.turn.route = undefined;
    if (!to || (own === undefined && tried.has(to.id))) return false;
    tried.add(to.id);
    state.route = to;
    await state.deps.recorder.note({ type: 'route', origin: to.transport.origin, title: to.title });
    emit({
      type: 'route_changed',
      from: from.title,
      to: { id: to.id, title: to.title, detail: to.detail },
      error,
    });
    return true;
  };
}
