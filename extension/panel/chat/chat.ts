/** What commands and the panel can do with the open session. It never reads a webview's message and never decides what a call may do. */
import * as vscode from 'vscode';
import type { NextAction, PermissionMode } from '../../protocol/vocabulary';
import type { Prompt } from '../../agent/conversation';
import { background } from '../../editor/log';
import { onRouteSettings } from '../../editor/settings';
import { onWorkspaceChange } from '../../editor/workspace';
import { connect } from '../bridge';
import type { Intents } from '../bridge';
import type { PanelPort } from '../chat-view';
import { followSettings, setRoute } from './route';
import type { RouteChoice, Session } from './session';
import { reviewedCard } from '../state/translate';
import { createViewModel } from '../state/view-model';
import type { ViewModel } from '../state/view-model';
import { newSession, openNew, opened, followWorkspace, resumeLast } from './sessions';
import { attention, emptyHeader, fail, nextCard } from './state';
import type { ChatParts, State } from './state';
import { begin, goOn, showQueue, submit } from './turns';

export interface ChatDeps extends ChatParts {
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
  const chat = chatOf(state, deps);
  const watch = vscode.Disposable.from(
    onWorkspaceChange(() => background(deps.log, 'Following the workspace', followWorkspace(state))),
    deps.approvals.onDidChange(() => attention(state)),
    deps.approvals.onDidReview(({ request, parts, hint }) => {
      const approval = reviewedCard(request, parts, hint);
      state.model.change([{ type: 'call', id: request.callId, patch: { approval } }]);
    }),
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

function chatOf(state: State, deps: ChatDeps): Chat {
  const chat: Chat = {
    attach(port) {
      state.bridge = connect(port, state.model, deps.intents(chat), state.deps.log);
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
