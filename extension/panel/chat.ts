/**
 * The open session as the panel shows it: runs its turns, feeds what they say into the view state, and knows what is in the way of
 * a prompt. It never reads a webview's message and never decides what a call may do.
 */
import * as vscode from 'vscode';
import type { NextAction, PermissionMode } from '../protocol/vocabulary';
import type { Header } from '../protocol/view-state';
import type { TurnEvent } from '../agent/events';
import type { Outcome } from '../agent/outcome';
import type { Prompt } from '../agent/conversation';
import type { Log } from '../ports';
import type { Approvals } from '../editor/review/approver';
import { background } from '../editor/log';
import type { KeyStore } from '../editor/secrets';
import { onRouteSettings } from '../editor/settings';
import { onWorkspaceChange, workspaceState } from '../editor/workspace';
import { showAttention } from './attention';
import type { Surfaces } from './attention';
import { connect } from './bridge';
import { mayStop, savesAgain } from './dialogs';
import { obstacleTo } from './obstacles';
import type { Bridge, Intents } from './bridge';
import type { PanelPort } from './chat-view';
import type { LastSession } from './last-session';
import type { RouteChoice, Routes, Session, Sessions } from './session';
import { errorDelta } from './state/translate';
import { tokensInWindow } from './state/usage';
import { createViewModel } from './state/view-model';
import type { ViewModel } from './state/view-model';
import { suggestionsFor } from './suggestions';

export interface ChatDeps {
  readonly log: Log;
  readonly routes: Routes;
  readonly sessions: Sessions;
  readonly approvals: Approvals;
  readonly keys: KeyStore;
  readonly surfaces: Surfaces;
  readonly last: LastSession;
  /** Mode of new sessions. */
  mode(): PermissionMode;
  intents(chat: Chat): Intents;
}

export interface Chat extends vscode.Disposable {
  /** Shows the session in this webview, and in no earlier one. */
  attach(port: PanelPort): void;
  /** Sends a prompt, or queues it behind the running turn; `now` stops the turn first. */
  submit(prompt: Prompt, delivery?: 'queue' | 'now'): Promise<void>;
  unqueue(id: string): void;
  stop(): void;
  /** Goes on where the conversation stands: pending calls, an unanswered prompt, or the word to continue. */
  goOn(): Promise<void>;
  /** Goes on if the last prompt or result has no answer; what kept it from one is out of the way now. */
  answerWhatWaits(): Promise<void>;
  newSession(): Promise<void>;
  readonly mode: PermissionMode;
  setMode(mode: PermissionMode): void;
  readonly route: RouteChoice;
  setRoute(choice: RouteChoice): Promise<void>;
  /** A card in the transcript for what went wrong outside a turn. */
  fail(title: string, detail: string, next: NextAction): void;
  /** Resolves when no turn runs. */
  idle(): Promise<void>;
  readonly view: ViewModel['view'];
  /** The keyboard into the message box; once the panel is there, if it is not yet. */
  focusBox(): void;
}

interface State {
  /** Prompts that are on their way to a turn. */
  underway: number;
  /** The next turn is to be stopped as soon as it begins. */
  stopNext: boolean;
  readonly deps: ChatDeps;
  session: Session | undefined;
  model: ViewModel;
  bridge: Bridge | undefined;
  /** The message box was asked for before there was a panel. */
  wantsFocus: boolean;
  mode: PermissionMode;
  route: RouteChoice;
  turn: Promise<void> | undefined;
  /** A session on its way: whoever needs one waits for this one. */
  opening: Promise<Session | undefined> | undefined;
  /** They interrupt the running turn and come next, together. */
  sendNow: Prompt[];
  cards: number;
}

/** Opens the last session of this workspace, or a new one. */
export async function openChat(deps: ChatDeps): Promise<Chat> {
  const route = deps.routes.preferred();
  const state: State = {
    underway: 0,
    stopNext: false,
    deps,
    session: undefined,
    model: createViewModel({ header: emptyHeader(route, deps.mode()), rows: [] }),
    bridge: undefined,
    wantsFocus: false,
    mode: deps.mode(),
    route,
    turn: undefined,
    opening: undefined,
    sendNow: [],
    cards: 0,
  };
  const chat = chatOf(state);
  const watch = vscode.Disposable.from(
    onWorkspaceChange(() => background(deps.log, 'Following the workspace', followWorkspace(state))),
    deps.approvals.onDidChange(() => attention(state)),
    onRouteSettings(() => followSettings(state)),
  );
  await reopen(state);
  for (const { setting, text } of deps.routes.problems())
    chat.fail(vscode.l10n.t('A setting was ignored'), text, { type: 'open_settings', setting });
  return Object.assign(chat, {
    dispose: () => {
      watch.dispose();
      state.model.dispose();
    },
  });
}

function chatOf(state: State): Chat {
  const chat: Chat = {
    attach(port) {
      state.bridge = connect(port, state.model, state.deps.intents(chat), state.deps.log);
      if (state.wantsFocus) state.bridge.post({ type: 'focus' });
      state.wantsFocus = false;
    },
    submit: (prompt, delivery = 'queue') => submit(state, prompt, delivery),
    unqueue(id) {
      const queue = state.session?.conversation.queue;
      if (queue?.remove(id) === true) showQueue(state);
    },
    stop() {
      state.model.stopping();
      if (state.turn === undefined) state.stopNext = state.underway > 0;
      state.session?.conversation.stop();
    },
    goOn: async () => void (await begin(state, goOn)),
    async answerWhatWaits() {
      if (state.session?.conversation.messages().at(-1)?.role === 'user') await begin(state, goOn);
    },
    newSession: () => newSession(state),
    get mode() {
      return state.mode;
    },
    setMode(mode) {
      state.mode = mode;
      state.session?.conversation.setMode(mode);
      state.model.change([{ type: 'header', patch: { mode } }]);
    },
    get route() {
      return state.route;
    },
    setRoute: (choice) => setRoute(state, choice),
    fail: (title, detail, next) => fail(state, title, detail, next),
    async idle() {
      while (state.turn !== undefined) await state.turn;
    },
    get view() {
      return state.model.view;
    },
    focusBox() {
      if (state.bridge === undefined) state.wantsFocus = true;
      else state.bridge.post({ type: 'focus' });
    },
    dispose: () => undefined,
  };
  return chat;
}

/** A session that was waiting for an answer when the window went away asks its question again. */
async function reopen(state: State): Promise<void> {
  const remembered = state.deps.last.get();
  if (remembered !== undefined) {
    const session = await opened(state, () => resumeLast(state, remembered.id));
    if (session !== undefined) {
      for (const text of remembered.queued) session.conversation.queue.add(text);
      if (remembered.queued.length > 0) showQueue(state);
      const unfinished = session.conversation.pendingCalls().length > 0;
      if (unfinished && remembered.waiting) await begin(state, goOn);
      else if (unfinished || endsWithoutOutcome(session)) cutOff(state, unfinished);
      return;
    }
  }
  await openNew(state);
}

async function resumeLast(state: State, id: string): Promise<Session | undefined> {
  try {
    return await state.deps.sessions.resume(id, start(state));
  } catch (error) {
    state.deps.log.write('error', 'The last session could not be opened', error);
    fail(state, vscode.l10n.t('The last session could not be opened'), messageOf(error), {
      type: 'show_log',
    });
    return undefined;
  }
}

/** Every turn ends with its outcome, unless the program ended first. */
function endsWithoutOutcome({ rows }: Session): boolean {
  return rows.length > 0 && rows.at(-1)?.type !== 'outcome';
}

function cutOff(state: State, unfinished: boolean): void {
  const text = unfinished
    ? vscode.l10n.t('The last turn was cut off. Some of its calls have not run.')
    : vscode.l10n.t('The last turn was cut off before it was done.');
  const action = { title: vscode.l10n.t('Continue'), action: { type: 'continue' } } as const;
  state.model.change([
    { type: 'row', row: { type: 'notice', id: nextCard(state), level: 'warning', text, action } },
  ]);
}

/** The session that is open, or the one on its way, or a new one: two that ask at once get the same. */
async function openNew(state: State): Promise<Session | undefined> {
  return state.session ?? opened(state, () => makeSession(state));
}

function opened(state: State, make: () => Promise<Session | undefined>): Promise<Session | undefined> {
  state.opening ??= make()
    .then((session) => {
      if (session !== undefined) show(state, session);
      return session;
    })
    .finally(() => {
      state.opening = undefined;
    });
  return state.opening;
}

async function makeSession(state: State): Promise<Session | undefined> {
  try {
    return await state.deps.sessions.create(start(state));
  } catch (error) {
    state.deps.log.write('error', 'A session could not be made', error);
    fail(state, vscode.l10n.t('A session could not be made'), messageOf(error), { type: 'show_log' });
    return undefined;
  }
}

function start(state: State): { route: ReturnType<Routes['open']>; mode: PermissionMode } {
  return { route: state.deps.routes.open(state.route), mode: state.mode };
}

function show(state: State, session: Session): void {
  const { conversation, title, rows, usage, lastUsage = {}, todos, notices } = session;
  state.session = session;
  state.mode = conversation.mode;
  const window = conversation.route.transport.info.contextTokens;
  const header: Header = {
    ...emptyHeader(state.route, conversation.mode),
    sessionId: conversation.id,
    title,
    usage,
    ...(window === undefined ? {} : { context: { used: tokensInWindow(lastUsage) ?? 0, window } }),
    ...(todos === undefined ? {} : { todos }),
  };
  state.model.dispose();
  state.model = createViewModel({ header, rows });
  for (const text of notices)
    state.model.change([
      { type: 'row', row: { type: 'notice', id: nextCard(state), level: 'warning', text } },
    ]);
  state.bridge?.show(state.model);
  attention(state);
  background(state.deps.log, 'Reading the workspace', showSuggestions(state));
}

function emptyHeader(route: RouteChoice, mode: PermissionMode): Header {
  const { id, title, detail } = route;
  return {
    sessionId: '',
    title: '',
    mode,
    route: { id, title, detail },
    activity: 'idle',
    usage: {},
    queued: [],
    workspace: workspaceState(),
    suggestions: [],
  };
}

async function showSuggestions(state: State): Promise<void> {
  const { model } = state;
  const suggestions = await suggestionsFor();
  model.change([{ type: 'header', patch: { suggestions } }]);
}

async function followWorkspace(state: State): Promise<void> {
  state.model.change([{ type: 'header', patch: { workspace: workspaceState() } }]);
  // A session on its way was made for the folders as they were.
  while (state.opening !== undefined) await state.opening;
  const untouched = state.model.view.rows.length === 0 && state.turn === undefined;
  if (!untouched) return;
  const { session } = state;
  state.session = undefined;
  await session?.close();
  await openNew(state);
}

/** The open session goes on with the route as it is set now; a route that is gone gives way to the preferred one. */
function followSettings(state: State): void {
  const { routes } = state.deps;
  useRoute(state, routes.list().find(({ id }) => id === state.route.id) ?? routes.preferred());
}

async function submit(state: State, prompt: Prompt, delivery: 'queue' | 'now'): Promise<void> {
  const running = state.session?.conversation;
  if (state.turn !== undefined && running !== undefined) {
    if (delivery === 'queue') running.queue.add(prompt.text);
    else state.sendNow.push(prompt);
    showQueue(state);
    if (delivery === 'now') running.stop();
    return;
  }
  state.underway += 1;
  try {
    await startWith(state, prompt, delivery);
  } finally {
    state.underway -= 1;
    if (state.underway === 0) state.stopNext = false;
  }
}

async function startWith(state: State, prompt: Prompt, delivery: 'queue' | 'now'): Promise<void> {
  const obstacle = await obstacleTo(state.route, state.deps.keys);
  if (obstacle !== undefined) {
    fail(state, obstacle.title, obstacle.detail, obstacle.next);
    state.bridge?.post({ type: 'prefill', text: prompt.text });
    return;
  }
  if (await begin(state, ({ conversation }) => conversation.submit(prompt))) return;
  // Another prompt was a moment faster, or there is no session to be had: the text is not lost.
  if (state.turn !== undefined) return submit(state, prompt, delivery);
  state.bridge?.post({ type: 'prefill', text: prompt.text });
}

/** Starts a turn, which goes on by itself. False, and nothing done, when one runs or no session can be made. */
async function begin(state: State, open: (session: Session) => AsyncIterable<TurnEvent>): Promise<boolean> {
  if (state.turn !== undefined) return false;
  let session = await openNew(state);
  // Another one may have taken its place while this one was waited for.
  while (session !== undefined && session !== state.session) session = await openNew(state);
  if (session === undefined || isRunning(state)) return false;
  const { log } = state.deps;
  const turn = follow(state, open(session)).finally(() => {
    state.turn = undefined;
    attention(state);
  });
  state.turn = turn.then(undefined, () => undefined);
  // A stop that came while the turn was on its way.
  if (state.stopNext) session.conversation.stop();
  state.stopNext = false;
  attention(state);
  background(
    log,
    'A turn',
    turn.then((outcome) => next(state, outcome)),
  );
  return true;
}

/** A call, because the compiler does not see that time has passed. */
function isRunning(state: State): boolean {
  return state.turn !== undefined;
}

async function follow(state: State, events: AsyncIterable<TurnEvent>): Promise<Outcome | undefined> {
  const { model, session, deps } = state;
  let outcome: Outcome | undefined;
  for await (const event of events) {
    model.feed(event);
    if (event.type === 'turn_started' && session !== undefined) deps.last.opened(session.conversation.id);
    if (event.type === 'queued' && session !== undefined)
      deps.last.queued(
        session.conversation.id,
        event.prompts.map(({ text }) => text),
      );
    if (event.type === 'turn_ended') outcome = event.outcome;
  }
  return outcome;
}

/** What was queued and not delivered is the next prompt; after a stop or a failure it goes back to the composer instead. */
async function next(state: State, outcome: Outcome | undefined): Promise<void> {
  // The turn that goes on comes first; what was sent meanwhile is still there when it ends.
  if (outcome?.kind === 'internal_error' && (await savesAgain(state.session))) {
    await begin(state, goOn);
    return;
  }
  const [first, ...more] = state.sendNow.splice(0);
  if (first !== undefined) return submit(state, together(first, more), 'queue');
  const queue = state.session?.conversation.queue;
  if (queue === undefined || queue.list().length === 0) return;
  if (outcome?.kind === 'completed') {
    const queued = queue.takeFirst();
    showQueue(state);
    if (queued !== undefined) await submit(state, { text: queued.text }, 'queue');
    return;
  }
  const text = queue
    .takeAll()
    .map((prompt) => prompt.text)
    .join('\n\n');
  showQueue(state);
  state.bridge?.post({ type: 'prefill', text });
}

function together(first: Prompt, more: readonly Prompt[]): Prompt {
  const all = [first, ...more];
  const attachments = all.flatMap((prompt) => prompt.attachments ?? []);
  const text = all.map((prompt) => prompt.text).join('\n\n');
  return attachments.length === 0 ? { ...first, text } : { ...first, text, attachments };
}

function goOn({ conversation }: Session): AsyncIterable<TurnEvent> {
  return conversation.continueTurn();
}

function showQueue(state: State): void {
  const queued = state.session?.conversation.queue.list() ?? [];
  state.model.change([{ type: 'header', patch: { queued } }]);
  if (state.session !== undefined)
    state.deps.last.queued(
      state.session.conversation.id,
      queued.map(({ text }) => text),
    );
}

async function newSession(state: State): Promise<void> {
  if (state.turn !== undefined && !(await mayStop())) return;
  // Not for a turn of the old session any more, and not lost.
  const unsent = state.sendNow.splice(0);
  while (state.turn !== undefined || state.opening !== undefined) {
    state.session?.conversation.stop();
    await (state.turn ?? state.opening);
  }
  const { session } = state;
  state.session = undefined;
  state.mode = state.deps.mode();
  state.deps.last.forget();
  // A folder that is gone keeps nobody from a new session; what the old one wrote is on disk already.
  if (session !== undefined)
    await session
      .close()
      .catch((error: unknown) => state.deps.log.write('error', 'A session could not be closed', error));
  await openNew(state);
  for (const { text } of unsent) state.bridge?.post({ type: 'prefill', text });
}

async function setRoute(state: State, choice: RouteChoice): Promise<void> {
  useRoute(state, choice);
  await state.deps.routes.prefer(choice.id);
}

function useRoute(state: State, choice: RouteChoice): void {
  const { id, title, detail } = choice;
  const route = state.deps.routes.open(choice);
  state.route = choice;
  state.session?.conversation.setRoute(route);
  const window = route.transport.info.contextTokens;
  const used = state.model.view.header.context?.used ?? 0;
  const patch = { route: { id, title, detail } };
  state.model.change([
    window === undefined
      ? { type: 'header', patch, drop: ['context'] }
      : { type: 'header', patch: { ...patch, context: { used, window } } },
  ]);
}

function fail(state: State, title: string, detail: string, next: NextAction): void {
  state.model.change([errorDelta(nextCard(state), title, detail, next)]);
}

function nextCard(state: State): string {
  return `card:${state.session?.conversation.id ?? ''}:${state.cards++}`;
}

function attention(state: State): void {
  const { approvals, surfaces, last } = state.deps;
  showAttention(surfaces, state.turn !== undefined, approvals);
  if (state.session !== undefined) last.waiting(state.session.conversation.id, approvals.waiting.length > 0);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
