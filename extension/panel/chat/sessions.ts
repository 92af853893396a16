/** Which session is open: makes one, opens an old one, follows the workspace, and shows it. It runs no turn. */
import * as vscode from 'vscode';
import type { PermissionMode } from '../../protocol/vocabulary';
import type { Header } from '../../protocol/view-state';
import { background } from '../../editor/log';
import { workspaceState } from '../../editor/workspace';
import { mayStop } from './dialogs';
import type { Routes, Session } from './session';
import { tokensInWindow } from '../state/usage';
import { createViewModel } from '../state/view-model';
import { attention, emptyHeader, fail, messageOf, nextCard } from './state';
import type { State } from './state';
import { suggestionsFor } from './suggestions';

export async function resumeLast(state: State, id: string): Promise<Session | undefined> {
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

/** The session that is open, or the one on its way, or a new one: two that ask at once get the same. */
export async function openNew(state: State): Promise<Session | undefined> {
  return state.session ?? opened(state, () => makeSession(state));
}

export function opened(state: State, make: () => Promise<Session | undefined>): Promise<Session | undefined> {
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

async function showSuggestions(state: State): Promise<void> {
  const { model } = state;
  const suggestions = await suggestionsFor();
  model.change([{ type: 'header', patch: { suggestions } }]);
}

export async function followWorkspace(state: State): Promise<void> {
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

export async function newSession(state: State): Promise<void> {
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
