/** What the parts of the chat share: its state, the cards that are no part of a turn, and what asks for attention. It starts nothing. */
import type * as vscode from 'vscode';
import type { Effort, PermissionMode, NextAction } from '../../protocol/vocabulary';
import type { Attachment } from '../../protocol/attachments';
import type { HostMessage } from '../../protocol/messages';
import type { Header } from '../../protocol/view-state';
import type { Prompt } from '../../agent/conversation';
import type { Log } from '../../ports';
import type { Approvals } from '../../editor/review/approver';
import type { KeyStore } from '../../editor/secrets';
import type { Position } from '../../sessions/read/resume';
import { workspaceState } from '../../editor/workspace';
import type { Bridge } from '../bridge';
import type { ContextParts } from '../context/parts';
import { errorDelta } from '../state/translate';
import { createViewModel } from '../state/view-model';
import type { ViewModel } from '../state/view-model';
import { showAttention } from './attention';
import type { Surfaces } from './attention';
import type { LastSession } from './last-session';
import type { RouteChoice, Routes, Session, Sessions } from './session';

export interface ChatParts {
  readonly log: Log;
  readonly routes: Routes;
  readonly sessions: Sessions;
  readonly approvals: Approvals;
  readonly keys: KeyStore;
  readonly surfaces: Surfaces;
  readonly last: LastSession;
  /** What can be put beside a prompt. */
  readonly context: ContextParts;
  /** Mode of new sessions. */
  mode(): PermissionMode;
}

/** The panel, and the sessions that are open behind it: the one it shows, and those whose turns go on out of sight. */
export interface Desk {
  readonly deps: ChatParts;
  bridge: Bridge | undefined;
  /** The message box was asked for before there was a panel. */
  wantsFocus: boolean;
  shown: State;
  readonly open: Set<State>;
  /** The shown session, or what it changed, is another. */
  readonly filesChanged: vscode.EventEmitter<void>;
}

/** How to take a rewind back. */
export interface Rewound {
  /** What is undone and done again: the rewind itself. */
  readonly of?: { readonly title: string; readonly undone: boolean };
  readonly title: string;
  /** Of the turn that put files back. */
  readonly files?: string;
  /** Where the conversation ended. */
  readonly end?: Position | null;
}

/** One session and the turns in it. */
export interface State {
  readonly desk: Desk;
  /** Messages beside the state that wait until the panel shows this session. */
  readonly late: HostMessage[];
  /** Prompts that are on their way to a turn. */
  underway: number;
  /** The next turn is to be stopped as soon as it begins. */
  stopNext: boolean;
  readonly deps: ChatParts;
  session: Session | undefined;
  model: ViewModel;
  mode: PermissionMode;
  route: RouteChoice;
  /** As the person asked; undefined = as the model does by itself. */
  effort: Effort | undefined;
  turn: Promise<void> | undefined;
  /** A session on its way: whoever needs one waits for this one. */
  opening: Promise<Session | undefined> | undefined;
  /** They interrupt the running turn and come next, together. */
  sendNow: (Prompt & { readonly beside?: readonly Attachment[] })[];
  cards: number;
  /** What was put beside prompts that were sent or wait, by their ids; for changing them and sending them again. */
  readonly beside: Map<string, readonly Attachment[]>;
  /** What is beside the prompt whose turn begins next. */
  besideNext: readonly Attachment[];
  /** What was put beside a prompt is being read; prompts sent later come later. */
  reading: Promise<void> | undefined;
  /** Rewinds that can be taken back, by the id of their card. */
  readonly rewinds: Map<string, Rewound>;
}

export function emptyHeader(route: RouteChoice, mode: PermissionMode): Header {
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

export function fail(state: State, title: string, detail: string, next: NextAction): void {
  state.model.change([errorDelta(nextCard(state), title, detail, next)]);
}

export function nextCard(state: State): string {
  return `card:${state.session?.conversation.id ?? ''}:${state.cards++}`;
}

/** Of all sessions for the badge and the status bar, of the shown one for its keys and for what is remembered. */
export function attention({ deps, shown, open }: Desk): void {
  const { approvals, surfaces, last } = deps;
  const working = [...open].some(({ turn }) => turn !== undefined);
  const { mode } = shown;
  showAttention(surfaces, { running: shown.turn !== undefined, working, mode }, approvals);
  surfaces.view.describe(shown.model.view.header.title);
  if (shown.session !== undefined) last.waiting(shown.session.conversation.id, isWaiting(shown));
}

export function isWaiting({ model }: State): boolean {
  return model.view.header.activity === 'waiting';
}

/** A place for a session that is about to be made or opened. */
export function blankState(desk: Omit<Desk, 'shown'> & { shown?: State }, route: RouteChoice): State {
  const mode = desk.deps.mode();
  return {
    desk: desk as Desk,
    late: [],
    underway: 0,
    stopNext: false,
    deps: desk.deps,
    session: undefined,
    model: createViewModel({ header: emptyHeader(route, mode), rows: [] }),
    mode,
    route,
    effort: desk.shown?.effort,
    turn: undefined,
    opening: undefined,
    sendNow: [],
    cards: 0,
    beside: new Map(),
    besideNext: [],
    reading: undefined,
    rewinds: new Map(),
  };
}

/** A message beside the state; kept for when the panel shows this session again. */
export function post(state: State, message: HostMessage): void {
  const { bridge, shown } = state.desk;
  if (bridge !== undefined && shown === state) bridge.post(message);
  else state.late.push(message);
}

/** Puts this session into the panel. What another one does goes on out of sight. */
export function present(state: State): void {
  const { desk } = state;
  desk.shown = state;
  desk.bridge?.show(state.model);
  desk.filesChanged.fire();
  if (desk.bridge !== undefined) for (const message of state.late.splice(0)) desk.bridge.post(message);
  attention(desk);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
