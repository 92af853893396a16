/** Which sessions are open and which is shown: makes one, opens an old one, switches, and closes what nobody needs. It runs no turn. */
import * as vscode from 'vscode';
import type { PermissionMode } from '../../protocol/vocabulary';
import type { Header } from '../../protocol/view-state';
import { background } from '../../editor/log';
import { workspaceState } from '../../editor/workspace';
import type { EarlierRows, Routes, Session } from './session';
import { tokensInWindow } from '../state/usage';
import { createViewModel } from '../state/view-model';
import { blankState, emptyHeader, fail, messageOf, nextCard, present } from './state';
import type { Desk, State } from './state';
import { showEffort } from '../context/effort';
import { offered } from './slash-table';
import { suggestionsFor } from './suggestions';

/** The session of before a reload, in the place that is shown. */
export function reopened(state: State, id: string): Promise<Session | undefined> {
  return opened(state, () => resumed(state, id));
}

/** The session that is open, or the one on its way, or a new one: two that ask at once get the same. */
export async function openNew(state: State): Promise<Session | undefined> {
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
  const { conversation, title, rows, earlier, usage, lastUsage = {}, todos, notices } = session;
  state.session = session;
  session.checkpoints.onDidChange(() => {
    if (state.desk.shown.session === session) state.desk.filesChanged.fire();
  });
  state.mode = conversation.mode;
  const window = conversation.route.transport.info.contextTokens;
  const header: Header = {
    ...emptyHeader(state.route, conversation.mode),
    sessionId: conversation.id,
    title,
    usage,
    ...(window === undefined ? {} : { context: { used: tokensInWindow(lastUsage) ?? 0, window } }),
    ...(todos === undefined ? {} : { todos }),
    ...(earlier?.more === true ? { earlier: true } : {}),
  };
  state.model.dispose();
  state.model = createViewModel({ header, rows });
  conversation.setEffort(state.effort);
  showEffort(state);
  for (const text of notices)
    state.model.change([
      { type: 'row', row: { type: 'notice', id: nextCard(state), level: 'warning', text } },
    ]);
  if (state.desk.shown === state) present(state);
  background(state.deps.log, 'Reading the workspace', showSuggestions(state));
  background(state.deps.log, 'Reading the commands', showCommands(state, session));
}

async function showSuggestions(state: State): Promise<void> {
  const { model } = state;
  const suggestions = await suggestionsFor();
  model.change([{ type: 'header', patch: { suggestions } }]);
}

/** What the message box completes after a `/`. */
export async function showCommands(state: State, { context }: Session): Promise<void> {
  const { model } = state;
  if (context === undefined) return;
  const commands = await offered(await context.commands());
  model.change([{ type: 'header', patch: { commands } }]);
}

export async function followWorkspace(desk: Desk): Promise<void> {
  for (const { model } of desk.open)
    model.change([{ type: 'header', patch: { workspace: workspaceState() } }]);
  const state = desk.shown;
  // A session on its way was made for the folders as they were.
  while (state.opening !== undefined) await state.opening;
  if (!isUntouched(state)) return;
  const { session } = state;
  state.session = undefined;
  await session?.close();
  await openNew(state);
}

function isUntouched({ model, turn }: State): boolean {
  return model.view.rows.length === 0 && turn === undefined;
}

/** One page more above the rows that are shown; asked for again while it is read, it comes once. */
export async function showEarlier(state: State): Promise<void> {
  const { session, model } = state;
  const { earlier } = session ?? {};
  if (earlier?.more !== true || reading.has(earlier)) return;
  reading.add(earlier);
  try {
    const rows = await earlier.next();
    if (state.model !== model) return;
    model.change([
      { type: 'earlier', rows },
      { type: 'header', patch: { earlier: earlier.more } },
    ]);
  } finally {
    reading.delete(earlier);
  }
}

const reading = new WeakSet<EarlierRows>();

/** The session that was shown stays open while it works, and is closed otherwise. */
export async function newSession(desk: Desk): Promise<void> {
  const before = desk.shown;
  if (isUntouched(before)) {
    await openNew(before);
    return;
  }
  const state = blankState(desk, desk.deps.routes.preferred());
  desk.open.add(state);
  desk.deps.last.forget();
  present(state);
  await retire(before);
  await openNew(state);
}

/** Shows a session of the list; false when it could not be opened. */
export async function switchTo(desk: Desk, id: string): Promise<boolean> {
  const before = desk.shown;
  const there = [...desk.open].find(({ session }) => session?.conversation.id === id);
  if (there === before) return true;
  const state = there ?? blankState(desk, before.route);
  if (there === undefined) {
    const session = await opened(state, () => resumed(state, id));
    if (session === undefined) {
      state.model.dispose();
      return false;
    }
    desk.open.add(state);
  }
  present(state);
  desk.deps.last.opened(id);
  await retire(before);
  return true;
}

async function resumed(state: State, id: string): Promise<Session | undefined> {
  const title = vscode.l10n.t('The session could not be opened');
  try {
    const session = await state.deps.sessions.resume(id, start(state));
    if (session === undefined)
      fail(state.desk.shown, title, vscode.l10n.t('Its file is not there any more.'), { type: 'none' });
    return session;
  } catch (error) {
    state.deps.log.write('error', 'A session could not be opened', error);
    fail(state.desk.shown, title, messageOf(error), { type: 'show_log' });
    return undefined;
  }
}

/** Closes a session that nobody sees and in which nothing goes on; the list of sessions tells how it ended. */
export async function retire(state: State): Promise<void> {
  while (state.opening !== undefined) await state.opening;
  const { desk, session } = state;
  if (desk.shown === state || state.turn !== undefined || state.underway > 0) return;
  if (state.late.length > 0 || (session?.conversation.queue.list().length ?? 0) > 0) return;
  if (!desk.open.delete(state)) return;
  state.model.dispose();
  // A folder that is gone keeps nobody from another session; what this one wrote is on disk already.
  await session
    ?.close()
    .catch((error: unknown) => state.deps.log.write('error', 'A session could not be closed', error));
}
