/**
 * What each click in the panel does. Paths and addresses come from models and files: a path opens only inside the workspace or the
 * session's own folder, an address only when it is a web or mail address.
 */
import * as vscode from 'vscode';
import { unreachable } from '../protocol/vocabulary';
import type { NextAction } from '../protocol/vocabulary';
import type { ApprovalChoice } from '../protocol/messages';
import type { Log } from '../ports';
import type { Approvals } from '../editor/review/approver';
import { background } from '../editor/log';
import type { EditorOpener } from '../editor/review/open-editor';
import { placeInside } from '../editor/places';
import type { Intents, PartAnswer } from './bridge';
import type { Chat } from './chat/chat';

export interface IntentDeps {
  readonly log: Log;
  readonly approvals: Approvals;
  readonly opener: EditorOpener;
  /** Folders of our own that hold spilled output. */
  readonly ownFolders: readonly string[];
}

export function intentsOf(chat: Chat, deps: IntentDeps): Intents {
  const { log, approvals } = deps;
  const run = (what: string, work: PromiseLike<unknown>): void => background(log, what, work);
  return {
    submit: (text, delivery, attachments) =>
      run('Sending a prompt', chat.submit({ text }, delivery, attachments)),
    complete: (n, query) => run('Completing a mention', chat.complete(n, query)),
    attachUris: (uris) => chat.attachUris(uris),
    editPrompt: (promptId) => run('Editing a prompt', chat.editPrompt(promptId)),
    resendPrompt: (promptId, text, files, attachments) =>
      run('Sending a prompt again', chat.resendPrompt(promptId, text, files, attachments)),
    unqueue: (id) => chat.unqueue(id),
    editQueued: (id) => chat.editQueued(id),
    moveQueued: (id, to) => chat.moveQueued(id, to),
    sendQueued: (id) => run('Sending a prompt', chat.sendQueued(id)),
    stop: () => chat.stop(),
    stopCall: (callId) => chat.stopCall(callId),
    retryNow: () => chat.retryNow(),
    showEarlier: () => run('Reading further up', chat.showEarlier()),
    approve: (id, choice, words) => run('Answering a question', approve(approvals, id, choice, words)),
    approvePart: (id, key, choice, words) =>
      run('Deciding about a change', approvePart(approvals, id, key, choice, words)),
    approveMany(ids, choice) {
      const type = choice === 'deny' ? 'deny' : 'allow';
      // What must be asked about every time is answered on its own.
      const together = approvals.waiting.filter((each) => ids.includes(each.id) && each.everyTime !== true);
      for (const each of together) approvals.answer(each.id, { type, by: 'in the chat' });
    },
    showPermissions: () => run('Showing permissions', vscode.commands.executeCommand('sluice.permissions')),
    rewind: (promptId) => run('A rewind', chat.rewind(promptId)),
    newSession: () => run('A new session', vscode.commands.executeCommand('sluice.newSession')),
    setMode: (mode) => chat.setMode(mode),
    pickMode: () => run('Choosing a mode', vscode.commands.executeCommand('sluice.chooseMode')),
    pickRoute: () => run('Choosing a route', vscode.commands.executeCommand('sluice.chooseRoute')),
    pickEffort: () => run('Choosing an effort', chat.pickEffort()),
    listSources: () => chat.listSources(),
    removeSource: (id) => run('Taking something out of the context', chat.removeSource(id)),
    act: (action) => run('A button', act(action, chat)),
    openFile: (path, line) => run('Opening a file', openFile(path, line, chat, deps)),
    openLink: (url) => run('Opening a link', openLink(url, log)),
    copy: (text) => run('Copying', vscode.env.clipboard.writeText(text)),
  };
}

const SCOPES = { allow_session: 'session', allow_workspace: 'workspace', allow_always: 'always' } as const;

async function approve(
  approvals: Approvals,
  id: string,
  choice: ApprovalChoice,
  words: string | undefined,
): Promise<void> {
  const by = 'in the chat';
  switch (choice) {
    case 'open_diff':
      return approvals.showDiff(id);
    case 'allow_once':
      approvals.answer(id, { type: 'allow', by });
      return;
    case 'allow_session':
    case 'allow_workspace':
    case 'allow_always':
      approvals.allowAndRemember(id, SCOPES[choice], by);
      return;
    case 'edit_rules':
      return approvals.editRules(id);
    case 'deny':
    case 'deny_with_words': {
      const said = words?.trim() ?? '';
      approvals.answer(id, said === '' ? { type: 'deny', by } : { type: 'deny', by, words: said });
      return;
    }
    default:
      return unreachable(choice);
  }
}

function approvePart(
  approvals: Approvals,
  id: string,
  key: string,
  choice: PartAnswer,
  words: string | undefined,
): Promise<boolean> {
  const comment = words?.trim() ?? '';
  if (choice !== 'reject') return approvals.decidePart(id, key, { type: choice }, 'in the chat');
  return approvals.decidePart(
    id,
    key,
    { type: 'reject', ...(comment === '' ? {} : { comment }) },
    'in the chat',
  );
}

async function act(action: NextAction, chat: Chat): Promise<unknown> {
  const command = (id: string, ...args: readonly unknown[]) => vscode.commands.executeCommand(id, ...args);
  switch (action.type) {
    case 'none':
      return undefined;
    case 'continue':
    case 'retry':
      return chat.goOn();
    case 'compact':
      return chat.compact();
    case 'undo_compaction':
      return chat.undoCompaction();
    case 'set_key':
      return command('sluice.setApiKey', action.routeId);
    case 'choose_route':
      return switchRoute(chat);
    case 'pull_model':
      return pullModel(action.model);
    case 'open_settings':
      return command('workbench.action.openSettings', action.setting);
    case 'open_folder':
      return command('workbench.action.files.openFolder');
    case 'trust':
      return command('workbench.trust.manage');
    case 'undo_rewind':
      return chat.undoRewind(action.id);
    case 'review_changes':
      return command('sluice.reviewChanges');
    case 'show_log':
      return command('sluice.showLog');
    default:
      return unreachable(action);
  }
}

/** The card's prompt is still without an answer: another route, or another model of this one, gives it. */
async function switchRoute(chat: Chat): Promise<void> {
  const before = chat.route;
  await vscode.commands.executeCommand('sluice.chooseRoute');
  if (chat.route !== before) await chat.answerWhatWaits();
}

async function openFile(
  path: string,
  line: number | undefined,
  chat: Chat,
  { opener, ownFolders }: IntentDeps,
): Promise<void> {
  const place = await placeInside(path, ownFolders);
  if (place === undefined) {
    const detail = vscode.l10n.t(
      '{0} is not in this workspace. Open it from the File menu if you want to see it.',
      path,
    );
    return chat.fail(vscode.l10n.t('The file was not opened'), detail, { type: 'none' });
  }
  try {
    await opener.file(place, line);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    chat.fail(vscode.l10n.t('The file could not be opened'), detail, { type: 'none' });
  }
}

/** Typed into a terminal, not run: it downloads gigabytes, so the person presses Enter. */
function pullModel(model: string): void {
  if (!/^[\w.:/-]{1,200}$/.test(model) || model.startsWith('-')) return;
  const terminal = vscode.window.createTerminal({ name: 'Ollama' });
  terminal.show();
  terminal.sendText(`ollama pull ${model}`, false);
}

const LINK_SCHEMES: ReadonlySet<string> = new Set(['http', 'https', 'mailto']);

/** VS Code shows the whole address and asks before it leaves the window. */
async function openLink(url: string, log: Log): Promise<void> {
  const uri = vscode.Uri.parse(url, true);
  if (!LINK_SCHEMES.has(uri.scheme))
    return log.write('warning', 'A link of another kind was not opened', uri.scheme);
  await vscode.env.openExternal(uri);
}
