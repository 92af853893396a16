/**
 * One conversation: what outlives a turn (history, reads, queue, mode, route, totals), and the way into a turn. It runs one turn at a time and
 * knows nothing of panels or files; everything outside comes through its dependencies.
 */
import type { Effort, InstructionPart, PermissionMode } from '../protocol/vocabulary';
import type { Approver, Clock, Diagnostics, Files, Log, NewId, Search, Shell } from '../ports';
import type { Message, ToolUseBlock } from '../models/message';
import type { Route, RouteError, ToolSpec } from '../models/transport';
import type { Ledger } from '../context/counter';
import type { TurnFrontMatter } from '../context/definitions/commands';
import type { Gate } from '../permissions/verdict';
import type { Tool, Workspace } from '../tools/tool';
import { toolSet } from './calls/tool-set';
import { channel, type Channel } from './channel';
import type { TurnEvent } from './events';
import { sourcesOf } from '../context/sources';
import { createHistory } from './history';
import type { HookReport, Hooks } from './hooks';
import type { Ending } from './ending';
import { usedUp, type Spent } from './limits/budget';
import { DEFAULT_SETTINGS, type AgentSettings } from './limits/settings';
import { addUsage, totalTokens } from './limits/usage';
import type { Outcome } from './outcome';
import { createQueue, type PromptQueue } from './prompts/queue';
import { readLedger } from './calls/reads';
import type { Attached } from './prompts/attached';
import type { PromptRecord, Recorder, SeenText } from './recorder';
import { runTurn } from './turn';
import type { TurnContext } from './turn-context';
import { turnContext, type State } from './conversation-state';
import { createCompactor } from './compaction/compactor';
import { compactNow, failedOutcome, goOn, notesAfter, takePrompt, toldModeIn } from './opening';

export interface ConversationDeps {
  /** The session id. */
  readonly id: string;
  /** Byte-stable for the life of the conversation. */
  readonly system: string;
  /** The same in fewer words, for small windows. Default: `system`. */
  readonly brief?: string;
  readonly route: Route;
  readonly mode: PermissionMode;
  /** Without those that a deny rule hides. */
  readonly tools: readonly Tool[];
  /** Tools of servers as they are now, without those that a deny rule hides: the same array until they change. Default: none. */
  serverTools?(): readonly Tool[];
  /** JSON-schema form of `tools`, sorted by name. */
  readonly specs: readonly ToolSpec[];
  readonly gate: Gate;
  readonly approver: Approver;
  readonly recorder: Recorder;
  readonly files: Files;
  readonly search: Search;
  readonly shell: Shell;
  /** Absent outside an editor. */
  readonly diagnostics?: Diagnostics;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: NewId;
  /** Absolute; spilled tool output goes there. */
  readonly spillFolder: string;
  workspace(): Workspace;
  /** The gate of a turn whose command names tools. Without it such a command changes no rights. */
  turnGate?(frontMatter: TurnFrontMatter): Gate;
  /** The route of a model that a file asks for; undefined = there is none, or it may not be chosen by that file. */
  routeFor?(model: string, current: Route, owned: boolean): Route | undefined;
  /** Read at the start of each turn. Default: {@link DEFAULT_SETTINGS}. */
  settings?(): AgentSettings;
  readonly hooks?: Hooks;
  /** Of a subagent: the budget of whoever started it, once it is used up. Asked before each step. */
  parentLimit?(): Ending | undefined;
  /** What the model is told beside the first prompt (instructions, skills). A failure is logged, and the turn goes on without. */
  introduction?(): Promise<Introduction>;
  /** Where the conversation moves when `failed` cannot go on with this error; undefined = nowhere. Not asked again for a route that was tried in the turn. */
  fallback?(failed: Route, error: RouteError): Route | undefined;
  /** The route that writes summaries, when it is not the conversation's own. */
  summaryRoute?(): Route | undefined;
  /** What else the model is told again after a compaction of these messages, such as skills that were invoked; what matters most first. */
  standing?(past: readonly Message[]): Promise<readonly string[]>;
  /** Titles of commands and agents that go on in the background. Default: none. */
  readonly pendingWork?: () => readonly string[];
  /** In [0, 1); for jitter. Default Math.random. */
  readonly random?: () => number;
  /** What a resumed session brings. */
  readonly resumed?: Resumed;
}

export interface Resumed {
  readonly messages: readonly Message[];
  /** Calls of the last response that have no result and never began: they are judged, asked about and run on {@link Conversation.continueTurn}. */
  readonly pending: readonly ToolUseBlock[];
  readonly tokens: number;
  readonly usd: number;
  /** What the model has seen of files. */
  readonly seen?: readonly SeenText[];
  /** Of the turn that has not ended: what its command's file left of its rights. */
  readonly limits?: { readonly label: string; readonly tools: readonly string[] };
  /** The lines of the record that messages begin with. */
  readonly lines?: ReadonlyMap<Message, string>;
}

export interface Introduction {
  /** Empty = nothing. */
  readonly text: string;
  readonly parts: readonly InstructionPart[];
}

export interface Prompt {
  readonly text: string;
  /** The text is a slash command, which stands for this; the model gets both. */
  readonly command?: string;
  readonly attached?: readonly Attached[];
  /** What the command's file says of the turn. */
  readonly frontMatter?: TurnFrontMatter;
  /** Default `typed`. */
  readonly source?: PromptRecord['source'];
}

export interface NamedSource {
  /** Of the call. */
  readonly id: string;
  readonly name: string;
  /** About. */
  readonly tokens: number;
}

export interface Conversation {
  readonly id: string;
  readonly running: boolean;
  readonly mode: PermissionMode;
  readonly route: Route;
  /** The gate of the running turn. */
  readonly gate: Gate;
  /** Starts a turn; its events end with exactly one `turn_ended`. Throws when a turn is running: queue instead. */
  submit(prompt: Prompt): AsyncIterable<TurnEvent>;
  /** Goes on from where the history stands: pending calls, an unanswered prompt, or, after an answer, the word "Continue." */
  continueTurn(): AsyncIterable<TurnEvent>;
  /** Ends the running turn as `interrupted`; what runs is stopped by its tool's rule. No-op when idle. */
  stop(): void;
  /** The next attempt now instead of after the wait. No-op when nothing waits. */
  retryNow(): void;
  /** Makes the conversation smaller by a summary, as a turn of its own; `focus`: what to look after. Throws when a turn is running. */
  compact(focus?: string): AsyncIterable<TurnEvent>;
  /** Takes the last compaction back and names it; undefined when the conversation has gone on since, or there was none. */
  undoCompaction(): Promise<string | undefined>;
  /** Tokens of each part of the next request. */
  ledger(): Ledger & { readonly window?: number };
  /** What of the next request takes the most room, one result each. */
  sources(limit: number): readonly NamedSource[];
  /** Takes a result out of what the model is shown; false when there is none, or a turn runs. */
  removeSource(callId: string): Promise<boolean>;
  /** How hard the model is to think, where its route takes that; undefined = as the model does by itself. Holds from the next step. */
  setEffort(effort: Effort | undefined): void;
  /** For the running turn: delivered with the next results. What is left at the end of the turn is the next prompt (`queue.takeAll`). */
  readonly queue: PromptQueue;
  /** Takes effect for the next judgement, in a running turn too. */
  setMode(mode: PermissionMode): void;
  /** Rules or trust have changed: questions that wait are judged again, and withdrawn when they are settled by now. */
  reconsider(): void;
  /** Takes effect with the next step. */
  setRoute(route: Route): void;
  /** Calls that wait to be continued after a restart. */
  pendingCalls(): readonly ToolUseBlock[];
  messages(): readonly Message[];
  /** A subagent has used this; it counts against the budgets of the turn and the session. */
  spend(spent: Spent): void;
  /** The budget that is used up, if one is. */
  limit(): Ending | undefined;
}

export function createConversation(deps: ConversationDeps): Conversation {
  const state = stateOf(deps);
  deps.hooks?.listen?.((report) => tellHook(state, report));
  return {
    id: deps.id,
    queue: state.queue,
    get running() {
      return state.turn !== undefined;
    },
    get mode() {
      return state.mode;
    },
    get route() {
      return state.turn?.route ?? state.route;
    },
    get gate() {
      return state.turn?.gate ?? deps.gate;
    },
    submit: (prompt) =>
      begin(state, (turn, events) => takePrompt(state, turn, events, prompt), prompt.frontMatter),
    continueTurn: () => begin(state, (turn, events) => goOn(state, turn, events), limitsOnResume(state)),
    compact: (focus) => begin(state, (turn, events) => compactNow(state, turn, events, focus)),
    undoCompaction: async () => (state.turn === undefined ? state.compactor.undo() : undefined),
    ledger: () => state.compactor.ledger(),
    sources: (limit) => namedSources(state, limit),
    removeSource: async (callId) => state.turn === undefined && state.compactor.drop(callId),
    setEffort: (effort) => void (state.effort = effort),
    stop: () => state.turn?.controller.abort(),
    retryNow: () => state.turn?.wakeRetry(),
    setMode: (mode) => setMode(state, mode),
    reconsider: () => reconsider(state),
    setRoute: (route) => setRoute(state, route),
    pendingCalls: () => state.pending,
    messages: () => state.history.all(),
    spend: (spent) => spend(state, spent),
    limit: () => limitOf(state),
  };
}

const NO_TOOLS: readonly Tool[] = [];

function stateOf(deps: ConversationDeps): State {
  const history = createHistory(deps.resumed?.messages, deps.resumed?.lines);
  const reads = readLedger(deps.resumed?.seen);
  const { system, brief = system, specs } = deps;
  const set = toolSet(deps.tools, { system, brief, specs }, () => deps.serverTools?.() ?? NO_TOOLS);
  const state: State = {
    deps,
    history,
    compactor: createCompactor({
      conversationId: deps.id,
      setup: (window, answer) => set.setup(window, answer),
      history,
      recorder: deps.recorder,
      files: deps.files,
      reads,
      clock: deps.clock,
      log: deps.log,
      newId: deps.newId,
      spillFolder: deps.spillFolder,
      route: () => state.turn?.route ?? state.route,
      summaryRoute: () => deps.summaryRoute?.(),
      notes: (past, tokens) => notesAfter(state, past, tokens),
    }),
    queue: createQueue(deps.newId),
    toolContext: {
      files: deps.files,
      search: deps.search,
      shell: deps.shell,
      ...(deps.diagnostics === undefined ? {} : { diagnostics: deps.diagnostics }),
      log: deps.log,
      reads,
      spillFolder: deps.spillFolder,
    },
    tools: () => set.tools(),
    mode: deps.mode,
    reconsider: new Set(),
    route: deps.route,
    effort: undefined,
    toldMode: toldModeIn(deps.resumed?.messages ?? []),
    pending: deps.resumed?.pending ?? [],
    turn: undefined,
    tokens: deps.resumed?.tokens ?? 0,
    usd: deps.resumed?.usd ?? 0,
    lastPrompt: '',
    begun: false,
    titled: (deps.resumed?.messages.length ?? 0) > 0,
    toldLeftOut: '',
  };
  return state;
}

/** Opens the turn and returns its events; the turn itself runs on, whether or not anybody reads them. */
function begin(
  state: State,
  open: (turn: TurnContext, events: Channel<TurnEvent>) => Promise<readonly ToolUseBlock[] | Outcome>,
  frontMatter?: TurnFrontMatter,
): AsyncIterable<TurnEvent> {
  if (state.turn) throw new Error('A turn is running; queue the prompt or stop the turn first.');
  const events = channel<TurnEvent>();
  const controller = new AbortController();
  state.turn = {
    controller,
    emit: (event) => events.push(event),
    context: undefined,
    wakeRetry: () => undefined,
    ...turnRights(state.deps, state.route, frontMatter),
  };
  const turn = turnContext(state, controller.signal, events);
  state.turn.context = turn;
  void run(state, turn, events, open);
  return events;
}

/** A turn that is taken up again has no more rights than it began with; what a file had given it is not given again. */
function limitsOnResume({ deps, pending }: State): TurnFrontMatter | undefined {
  const limits = pending.length === 0 ? undefined : deps.resumed?.limits;
  return limits && { label: limits.label, allowedTools: limits.tools, owned: false };
}

/** What a command's file changes for the turn. */
function turnRights(
  deps: ConversationDeps,
  current: Route,
  frontMatter: TurnFrontMatter | undefined,
): { readonly gate: Gate; readonly route: Route | undefined } {
  const { allowedTools, model, owned = false } = frontMatter ?? {};
  return {
    gate:
      frontMatter !== undefined && allowedTools !== undefined
        ? (deps.turnGate?.(frontMatter) ?? deps.gate)
        : deps.gate,
    route: model === undefined ? undefined : deps.routeFor?.(model, current, owned),
  };
}

/** Shown while a turn runs; recorded always. */
function tellHook(state: State, report: HookReport): void {
  state.turn?.emit({ type: 'hook', report });
  state.deps.recorder
    .note({ type: 'hook', report })
    .catch((error: unknown) => state.deps.log.write('warning', 'A hook could not be recorded', error));
}

/** Never rejects: whatever goes wrong inside becomes the turn's outcome. */
async function run(
  state: State,
  turn: TurnContext,
  events: Channel<TurnEvent>,
  open: (turn: TurnContext, events: Channel<TurnEvent>) => Promise<readonly ToolUseBlock[] | Outcome>,
): Promise<void> {
  const startedAt = state.deps.clock.now();
  let outcome: Outcome;
  try {
    const opened = await open(turn, events);
    outcome = isPending(opened)
      ? await runTurn(turn, { pending: opened, sessionTokens: state.tokens, sessionUsd: state.usd })
      : opened;
  } catch (error) {
    state.deps.log.write('error', 'The turn failed', error);
    outcome = failedOutcome(turn, error, state.deps.clock.now() - startedAt);
  }
  state.tokens += totalTokens(turn.totals.usage);
  state.usd += turn.totals.usd ?? 0;
  try {
    // A compaction leaves its boundary; it is no turn of the person's.
    if (outcome.kind !== 'compacted') await state.deps.recorder.outcome(outcome, state.lastPrompt);
  } catch (error) {
    state.deps.log.write('error', 'The outcome could not be written', error);
  }
  state.turn = undefined;
  events.push({ type: 'turn_ended', turnId: turn.turnId, outcome });
  events.close();
}

function isPending(opened: readonly ToolUseBlock[] | Outcome): opened is readonly ToolUseBlock[] {
  return Array.isArray(opened);
}

function spend(state: State, { usage, usd }: Spent): void {
  const totals = state.turn?.context?.totals;
  state.turn?.emit({ type: 'spent', usage });
  if (totals === undefined) {
    state.tokens += totalTokens(usage);
    state.usd += usd ?? 0;
    return;
  }
  totals.usage = addUsage(totals.usage, usage);
  totals.usd = usd === undefined || totals.usd === undefined ? undefined : totals.usd + usd;
}

function limitOf({ deps, turn, tokens, usd }: State): Ending | undefined {
  const settings = turn?.context?.settings ?? deps.settings?.() ?? DEFAULT_SETTINGS;
  const used = turn?.context?.totals ?? { usage: {}, usd: 0 };
  return usedUp(settings, used, { tokens, usd }) ?? deps.parentLimit?.();
}

function namedSources({ history, tools, deps }: State, limit: number): readonly NamedSource[] {
  return sourcesOf(history.all(), limit).map(({ callId, tool, input, tokens }) => {
    const known = tools().get(tool);
    const parsed = known?.input.safeParse(input);
    const target =
      known !== undefined && parsed?.success === true ? known.target(parsed.data, deps.workspace()).text : '';
    return { id: callId, name: [tool, target].filter((part) => part !== '').join(' '), tokens };
  });
}

function setMode(state: State, mode: PermissionMode): void {
  if (mode === state.mode) return;
  state.mode = mode;
  reconsider(state);
  state.deps.recorder
    .note({ type: 'mode', mode })
    .catch((error: unknown) => state.deps.log.write('error', 'The mode could not be recorded', error));
}

function reconsider(state: State): void {
  for (const listener of [...state.reconsider]) listener();
}

function setRoute(state: State, route: Route): void {
  // The person's choice counts for the running turn too.
  if (state.turn !== undefined) state.turn.route = undefined;
  if (route.id === state.route.id && route.transport === state.route.transport) return;
  state.route = route;
  state.deps.recorder
    .note({ type: 'route', origin: route.transport.origin, title: route.title })
    .catch((error: unknown) => state.deps.log.write('error', 'The route could not be recorded', error));
}
