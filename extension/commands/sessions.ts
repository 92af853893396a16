/** The list of sessions: switch to one, rename, fork, export or delete it. Which sessions are open is the chat's to know. */
import * as vscode from 'vscode';
import type { SessionSummary } from '../sessions/session-index';
import type { CommandDeps, Opened } from './register';

interface SessionItem extends vscode.QuickPickItem {
  readonly session?: SessionSummary;
}

type Activity = 'idle' | 'working' | 'waiting';

const DAY_MS = 24 * 60 * 60 * 1000;

export async function showSessions({ open, view }: CommandDeps): Promise<void> {
  const opened = await open();
  const id = await pickSession(opened);
  if (id === undefined) return;
  await opened.chat.switchTo(id);
  await view.show();
  opened.chat.focusBox();
}

/** Renames the session that is shown. */
export async function renameShown({ open }: CommandDeps): Promise<void> {
  const opened = await open();
  const { sessionId, title } = opened.chat.view.header;
  await rename(opened, sessionId, title);
}

/** Saves the session that is shown. */
export async function exportShown({ open }: CommandDeps): Promise<void> {
  const opened = await open();
  const { sessionId, title } = opened.chat.view.header;
  await exportSession(opened, sessionId, title);
}

async function pickSession(opened: Opened): Promise<string | undefined> {
  const pick = vscode.window.createQuickPick<SessionItem>();
  pick.title = vscode.l10n.t('Sessions');
  pick.placeholder = vscode.l10n.t('Search the sessions of this workspace');
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  const refresh = async (): Promise<void> => {
    pick.busy = true;
    pick.items = await itemsOf(opened, Date.now());
    pick.busy = false;
  };
  pick.show();
  try {
    await refresh();
    return await new Promise<string | undefined>((resolve) => {
      pick.onDidAccept(() => resolve(pick.selectedItems[0]?.session?.id));
      pick.onDidHide(() => resolve(undefined));
      pick.onDidTriggerItemButton(({ item, button }) => {
        const { session } = item;
        if (session === undefined) return;
        // Its own dialogs hide the list; what comes of it is not lost.
        resolve(undefined);
        void act(opened, session, button).catch((error: unknown) => tell(error));
      });
    });
  } finally {
    pick.dispose();
  }
}

async function tell(error: unknown): Promise<void> {
  await vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
}

const RENAME = { iconPath: new vscode.ThemeIcon('edit'), tooltip: vscode.l10n.t('Rename') };
const FORK = { iconPath: new vscode.ThemeIcon('repo-forked'), tooltip: vscode.l10n.t('Fork') };
const EXPORT = { iconPath: new vscode.ThemeIcon('export'), tooltip: vscode.l10n.t('Export') };
const DELETE = { iconPath: new vscode.ThemeIcon('trash'), tooltip: vscode.l10n.t('Delete') };

async function act(opened: Opened, session: SessionSummary, button: vscode.QuickInputButton): Promise<void> {
  if (button === RENAME) return rename(opened, session.id, session.title);
  if (button === EXPORT) return exportSession(opened, session.id, session.title);
  if (button === DELETE) return remove(opened, session);
  if (button === FORK) await opened.chat.switchTo(await opened.catalog.fork(session.id));
}

async function rename({ chat, catalog }: Opened, id: string, title: string): Promise<void> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Rename Session'),
    value: title,
    validateInput: (value) =>
      value.trim() === '' ? vscode.l10n.t('A name has at least one letter.') : undefined,
  });
  if (text === undefined) return;
  if (!(await chat.rename(id, text.trim()))) await catalog.rename(id, text.trim());
}

async function exportSession({ catalog }: Opened, id: string, title: string): Promise<void> {
  const name =
    title
      .replace(/[^\p{L}\p{N} _-]+/gu, ' ')
      .trim()
      .slice(0, 60) || 'session';
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export Session'),
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, `${name}.md`) }),
    filters: { Markdown: ['md'], 'JSON Lines': ['jsonl'] },
  });
  if (target === undefined) return;
  const format = target.path.endsWith('.jsonl') ? 'jsonl' : 'markdown';
  await vscode.workspace.fs.writeFile(target, await catalog.exported(id, format));
  const show = vscode.l10n.t('Open');
  const done = vscode.l10n.t('The session was saved. It may hold what was read from your files.');
  if ((await vscode.window.showInformationMessage(done, show)) === show)
    await vscode.commands.executeCommand('vscode.open', target);
}

async function remove({ chat, catalog }: Opened, session: SessionSummary): Promise<void> {
  const open = chat.openSessions().find(({ id }) => id === session.id);
  if (open !== undefined && open.activity !== 'idle') {
    await vscode.window.showWarningMessage(
      vscode.l10n.t('This session is working. Stop it, then delete it.'),
    );
    return;
  }
  if (open !== undefined) await chat.newSession();
  const deleted = await catalog.remove(session.id);
  const undo = vscode.l10n.t('Undo');
  const done = vscode.l10n.t('Deleted: {0}', session.title);
  if ((await vscode.window.showInformationMessage(done, undo)) === undo) await deleted.undo();
}

async function itemsOf({ chat, catalog }: Opened, now: number): Promise<readonly SessionItem[]> {
  const open = new Map(chat.openSessions().map(({ id, activity }) => [id, activity]));
  const shown = chat.view.header.sessionId;
  const items: SessionItem[] = [];
  let group = '';
  for (const session of await catalog.list()) {
    const age = groupOf(session.changedAt, now);
    if (age !== group) items.push({ label: age, kind: vscode.QuickPickItemKind.Separator });
    group = age;
    items.push(itemOf(session, open.get(session.id), session.id === shown, now));
  }
  return items;
}

function itemOf(
  session: SessionSummary,
  activity: Activity | undefined,
  isShown: boolean,
  now: number,
): SessionItem {
  const { icon, words } = looks(session, activity);
  const facts = [words, ago(session.changedAt, now), session.gitBranch].filter((fact) => fact !== undefined);
  return {
    session,
    label: `$(${icon}) ${session.title.replace(/\s+/g, ' ').slice(0, 120)}`,
    description: [...(isShown ? [vscode.l10n.t('shown')] : []), ...facts].join(' · '),
    buttons: [RENAME, FORK, EXPORT, DELETE],
  };
}

function looks(
  { status }: SessionSummary,
  activity: Activity | undefined,
): { readonly icon: string; readonly words: string } {
  if (activity === 'waiting') return { icon: 'bell-dot', words: vscode.l10n.t('needs you') };
  if (activity === 'working') return { icon: 'loading~spin', words: vscode.l10n.t('working') };
  if (status.type === 'unfinished') return { icon: 'debug-pause', words: vscode.l10n.t('cut off') };
  if (status.type === 'unknown') return { icon: 'comment', words: vscode.l10n.t('of another program') };
  if (status.outcome === 'completed') return { icon: 'check', words: vscode.l10n.t('done') };
  if (status.outcome === 'interrupted') return { icon: 'debug-stop', words: vscode.l10n.t('stopped') };
  return { icon: 'warning', words: vscode.l10n.t('ended early') };
}

function groupOf(at: number, now: number): string {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (at >= midnight) return vscode.l10n.t('Today');
  if (at >= midnight - DAY_MS) return vscode.l10n.t('Yesterday');
  if (at >= midnight - 7 * DAY_MS) return vscode.l10n.t('Last 7 days');
  return vscode.l10n.t('Older');
}

function ago(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return vscode.l10n.t('just now');
  if (minutes < 60) return vscode.l10n.t('{0} min ago', minutes);
  if (minutes < 24 * 60) return vscode.l10n.t('{0} h ago', Math.floor(minutes / 60));
  return new Date(at).toLocaleDateString();
}
