/** What commands and the panel can do with the open session. It never reads a webview's message and never decides what a call may do. */
import * as vscode from 'vscode';
import type { NextAction, PermissionMode } from '../../protocol/vocabulary';
import type { Prompt } from '../../agent/conversation';
import type { SessionContext } from '../../context/session/session-context';
import { background } from '../../editor/log';
import { onRouteSettings } from '../../editor/settings';
import { onWorkspaceChange } from '../../editor/workspace';
import { connect } from '../bridge';
import type { Intents } from '../bridge';
import type { PanelPort } from '../chat-view';
import { followSettings, setRoute } from './route';
import { rewind, undoRewind } from './rewind';
import type { RewindWhat } from './rewind';
import type { Attachment } from '../../protocol/attachments';
import { attachUris, completer, followSelection, readBeside } from '../context/beside';
import type { Remembered } from './last-session';
import { parseAttachments } from '../webview-message';
import type { Checkpoints } from '../../review/checkpoints';
import type { RouteChoice, Session } from './session';
import { reviewedCard } from '../state/translate';
import type { ViewModel } from '../state/view-model';
import { showEarlier, followWorkspace, newSession, openNew, reopened, switchTo } from './sessions';
import { attention, blankState, fail, isWaiting, nextCard, present, post } from './state';
import type { ChatParts, Desk, State } from './state';
import { compact, undoCompaction } from '../compaction';
import { pickEffort } from '../context/effort';
import { listSources, removeSource } from '../context/room';
import { editPrompt, resendPrompt } from '../context/resend';
import { begin, editQueued, goOn, sendQueued, showQueue, submit } from './turns';

export interface ChatDeps extends ChatParts {
  intents(chat: Chat): Intents;
}

export interface Chat extends vscode.Disposable {
  /** Shows the session in this webview, and in no earlier one. */
  attach(port: PanelPort): void;
  /** Sends a prompt, or queues it behind the running turn; `now` stops the turn first. */
  submit(prompt: Prompt, delivery?: 'queue' | 'now', beside?: readonly Attachment[]): Promise<void>;
  /** Tells the panel what a text after an @ could become. */
  complete(n: number, query: string): Promise<void>;
  /** Makes chips of what was dropped into the panel. */
  attachUris(uris: readonly string[]): void;
  /** Puts chips into the message box. */
  addAttachments(attachments: readonly Attachment[]): void;
  /** What the shown session's workspace defines. */
  readonly definitions: SessionContext | undefined;
  /** Puts an earlier prompt into the message box, to be sent again in its own place. */
  editPrompt(promptId: string): Promise<void>;
  /** Takes back this prompt and what came after it, its files too if so wished, and sends the new one. */
  resendPrompt(promptId: string, text: string, files: boolean, beside: readonly Attachment[]): Promise<void>;
  /** Asks how hard the model is to think. */
  pickEffort(): Promise<void>;
  /** Shows what takes the most room in the context. */
  listSources(): void;
  removeSource(id: string): Promise<void>;
  unqueue(id: string): void;
  /** Takes a prompt that waits back into the message box. */
  editQueued(id: string): void;
  moveQueued(id: string, to: number): void;
  /** Stops what runs, and sends this one. */
  sendQueued(id: string): Promise<void>;
  /** Puts a text into the message box, before what stands there; sends nothing. */
  prefill(text: string): void;
  stop(): void;
  /** Ends one subagent; the turn goes on. */
  stopCall(callId: string): void;
  /** Ends the wait between two tries. */
  retryNow(): void;
  /** What stands above the rows that are shown. */
  showEarlier(): Promise<void>;
  /** Goes on where the conversation stands: pending calls, an unanswered prompt, or the word to continue. */
  goOn(): Promise<void>;
  /** Goes on if the last prompt or result has no answer; what kept it from one is out of the way now. */
  answerWhatWaits(): Promise<void>;
  /** Makes the conversation smaller by a summary, once no turn runs; `focus`: what the person wants looked after. */
  compact(focus?: string): Promise<void>;
  undoCompaction(): Promise<void>;
  /** A running turn of the session that was shown goes on out of sight. */
  newSession(): Promise<void>;
  /** Files, the conversation or both as they were before a prompt, or a fork from there. Without `what` the person is asked. */
  rewind(promptId: string, what?: RewindWhat): Promise<void>;
  /** Without an id: the last one. */
  undoRewind(id?: string): Promise<void>;
  /** What the shown session changed. */
  checkpoints(): Checkpoints | undefined;
  /** The shown session, or what it changed, is another. */
  readonly onDidChangeFiles: vscode.Event<void>;
  /** Shows another session; false, and said in a card, when it cannot be opened. */
  switchTo(id: string): Promise<boolean>;
  /** False when the session is not open here. */
  rename(id: string, title: string): Promise<boolean>;
  /** Those that hold their file: the shown one and those that work out of sight. */
  openSessions(): readonly { readonly id: string; readonly activity: 'idle' | 'working' | 'waiting' }[];
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

/** Opens the last session of this workspace, or a new one. */
export async function openChat(deps: ChatDeps): Promise<Chat> {
  const route = deps.routes.preferred();
  const desk = makeDesk(deps, route);
  const chat = chatOf(desk, deps);
  const watch = vscode.Disposable.from(
    onWorkspaceChange(() => background(deps.log, 'Following the workspace', followWorkspace(desk))),
    deps.approvals.onDidChange(() => attention(desk)),
    deps.approvals.onDidReview(({ request, parts, hint }) => {
      const approval = reviewedCard(request, parts, hint);
      for (const { model } of desk.open)
        model.change([{ type: 'call', id: request.callId, patch: { approval } }]);
    }),
    onRouteSettings(() => desk.open.forEach(followSettings)),
    followSelection(desk),
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) desk.bridge?.check();
    }),
  );
  await reopen(desk.shown);
  for (const { setting, text } of deps.routes.problems())
    chat.fail(vscode.l10n.t('A setting was ignored'), text, { type: 'open_settings', setting });
  return Object.assign(chat, {
    dispose: () => {
      watch.dispose();
      for (const { model } of desk.open) model.dispose();
    },
  });
}

function makeDesk(deps: ChatDeps, route: RouteChoice): Desk {
  const filesChanged = new vscode.EventEmitter<void>();
  const parts = { deps, bridge: undefined, wantsFocus: false, open: new Set<State>(), filesChanged };
  const shown = blankState(parts, route);
  const desk: Desk = Object.assign(parts, { shown });
  desk.open.add(shown);
  return desk;
}

/** What it does, it does to the session that is shown. */
function chatOf(desk: Desk, deps: ChatDeps): Chat {
  const chat: Chat = {
    ...panelOf(desk, () => deps.intents(chat)),
    ...turnsOf(desk),
    newSession: () => newSession(desk),
    rewind: (promptId, what) => rewind(desk.shown, promptId, what),
    undoRewind: (id) => undoRewind(desk.shown, id),
    checkpoints: () => desk.shown.session?.checkpoints,
    onDidChangeFiles: desk.filesChanged.event,
    switchTo: (id) => switchTo(desk, id),
    rename: (id, title) => rename(desk, id, title),
    openSessions: () =>
      [...desk.open].flatMap((state) =>
        state.session === undefined
          ? []
          : [{ id: state.session.conversation.id, activity: activityOf(state) }],
      ),
    get mode() {
      return desk.shown.mode;
    },
    setMode(mode) {
      const state = desk.shown;
      state.mode = mode;
      state.session?.conversation.setMode(mode);
      state.model.change([{ type: 'header', patch: { mode } }]);
      attention(desk);
    },
    get route() {
      return desk.shown.route;
    },
    setRoute: (choice) => setRoute(desk.shown, choice),
    get definitions() {
      return desk.shown.session?.context;
    },
    get view() {
      return desk.shown.model.view;
    },
    fail: (title, detail, next) => fail(desk.shown, title, detail, next),
    dispose: () => undefined,
  };
  return chat;
}

async function rename(desk: Desk, id: string, title: string): Promise<boolean> {
  const state = [...desk.open].find(({ session }) => session?.conversation.id === id);
  if (state?.session === undefined) return false;
  await state.session.rename(title);
  state.model.change([{ type: 'header', patch: { title } }]);
  attention(desk);
  return true;
}

function activityOf(state: State): 'idle' | 'working' | 'waiting' {
  if (isWaiting(state)) return 'waiting';
  return state.turn === undefined ? 'idle' : 'working';
}

function sayRevived(state: State): void {
  const text = vscode.l10n.t('The panel had stopped answering and was opened anew. Nothing was lost.');
  state.model.change([{ type: 'row', row: { type: 'notice', id: nextCard(state), level: 'info', text } }]);
}

type PanelSide = Pick<Chat, 'attach' | 'focusBox'>;

function panelOf(desk: Desk, intents: () => Intents): PanelSide {
  return {
    attach(port) {
      desk.bridge = connect(port, desk.shown.model, {
        intents: intents(),
        log: desk.deps.log,
        revived: () => sayRevived(desk.shown),
      });
      present(desk.shown);
      if (desk.wantsFocus) desk.bridge.post({ type: 'focus' });
      desk.wantsFocus = false;
    },
    focusBox() {
      if (desk.bridge === undefined) desk.wantsFocus = true;
      else desk.bridge.post({ type: 'focus' });
    },
  };
}

type TurnSide = Pick<
  Chat,
  | 'submit'
  | 'complete'
  | 'attachUris'
  | 'addAttachments'
  | 'editPrompt'
  | 'resendPrompt'
  | 'pickEffort'
  | 'listSources'
  | 'removeSource'
  | 'unqueue'
  | 'editQueued'
  | 'moveQueued'
  | 'sendQueued'
  | 'prefill'
  | 'stop'
  | 'stopCall'
  | 'retryNow'
  | 'showEarlier'
  | 'goOn'
  | 'answerWhatWaits'
  | 'compact'
  | 'undoCompaction'
  | 'idle'
>;

function turnsOf(desk: Desk): TurnSide {
  return {
    submit: (prompt, delivery = 'queue', beside = []) => submit(desk.shown, { ...prompt, beside }, delivery),
    complete: completer(desk),
    attachUris: (uris) => attachUris(desk.shown, uris),
    addAttachments: (attachments) => post(desk.shown, { type: 'attach', attachments }),
    prefill: (text) => post(desk.shown, { type: 'prefill', text }),
    editPrompt: (promptId) => editPrompt(desk.shown, promptId),
    resendPrompt: (promptId, text, files, beside) =>
      resendPrompt(desk.shown, promptId, { text, beside }, files),
    pickEffort: () => pickEffort(desk.shown),
    listSources: () => listSources(desk.shown),
    removeSource: (id) => removeSource(desk.shown, id),
    editQueued: (id) => editQueued(desk.shown, id),
    moveQueued(id, to) {
      if (desk.shown.session?.conversation.queue.move(id, to) === true) showQueue(desk.shown);
    },
    sendQueued: (id) => sendQueued(desk.shown, id),
    unqueue(id) {
      if (desk.shown.session?.conversation.queue.remove(id) === true) showQueue(desk.shown);
    },
    stop() {
      const state = desk.shown;
      state.model.stopping();
      if (state.turn === undefined) state.stopNext = state.underway > 0;
      state.session?.conversation.stop();
    },
    stopCall: (callId) => void desk.shown.session?.stopAgent?.(callId),
    retryNow: () => desk.shown.session?.conversation.retryNow(),
    showEarlier: () => showEarlier(desk.shown),
    goOn: async () => void (await begin(desk.shown, goOn)),
    async answerWhatWaits() {
      if (desk.shown.session?.conversation.messages().at(-1)?.role === 'user') await begin(desk.shown, goOn);
    },
    compact: (focus) => compact(desk.shown, focus),
    undoCompaction: () => undoCompaction(desk.shown),
    async idle() {
      const state = desk.shown;
      while (state.turn !== undefined) await state.turn;
    },
  };
}

/** A session that was waiting for an answer when the window went away asks its question again. */
async function reopen(state: State): Promise<void> {
  const remembered = state.deps.last.get();
  if (remembered !== undefined) {
    const session = await reopened(state, remembered.id);
    if (session !== undefined) {
      await queueAgain(state, session, remembered.queued);
      const unfinished = session.conversation.pendingCalls().length > 0;
      if (unfinished && remembered.waiting) await begin(state, goOn);
      else if (unfinished || endsWithoutOutcome(session)) cutOff(state, unfinished);
      return;
    }
  }
  await openNew(state);
}

/** What waited behind a turn when the window went away. */
async function queueAgain(state: State, session: Session, waiting: Remembered['queued']): Promise<void> {
  for (const { text, attachments: stored } of waiting) {
    const attachments = parseAttachments(stored) ?? [];
    const attached = await readBeside(state, attachments);
    const { id } = session.conversation.queue.add(text, false, attached ?? []);
    if (attachments.length > 0) state.beside.set(id, attachments);
  }
  if (waiting.length > 0) showQueue(state);
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
