/** What the parts of the chat share: its state, the cards that are no part of a turn, and what asks for attention. It starts nothing. */
import type { PermissionMode, NextAction } from '../../protocol/vocabulary';
import type { Header } from '../../protocol/view-state';
import type { Prompt } from '../../agent/conversation';
import type { Log } from '../../ports';
import type { Approvals } from '../../editor/review/approver';
import type { KeyStore } from '../../editor/secrets';
import { workspaceState } from '../../editor/workspace';
import type { Bridge } from '../bridge';
import { errorDelta } from '../state/translate';
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
  /** Mode of new sessions. */
  mode(): PermissionMode;
}

export interface State {
  /** Prompts that are on their way to a turn. */
  underway: number;
  /** The next turn is to be stopped as soon as it begins. */
  stopNext: boolean;
  readonly deps: ChatParts;
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

export function attention(state: State): void {
  const { approvals, surfaces, last } = state.deps;
  showAttention(surfaces, state.turn !== undefined, approvals);
  if (state.session !== undefined) last.waiting(state.session.conversation.id, approvals.waiting.length > 0);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
