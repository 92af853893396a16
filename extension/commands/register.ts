/** Registers every command of the manifest, and catches what a command throws. The commands themselves are one family a file. */
import * as vscode from 'vscode';
import type { Log } from '../ports';
import type { HookDesk } from '../editor/hooks/desk';
import type { McpDesk } from '../editor/mcp/desk';
import type { HostLog } from '../editor/log';
import type { KeyStore } from '../editor/secrets';
import type { Approvals } from '../editor/review/approver';
import type { ChangesModel } from '../editor/review/changes-model';
import type { CheckpointStore } from '../node/checkpoints/checkpoint-store';
import type { Chat } from '../panel/chat/chat';
import type { ChatView } from '../panel/chat-view';
import type { Routes, SessionCatalog } from '../panel/chat/session';
import { chooseMode } from './modes';
import { decide, decideChange, goToChange } from './proposals';
import { addRoute } from './add-route';
import { checkRoute, compareRoutes } from './check-route';
import type { RouteChecks, RouteSetup } from './route-setup';
import { chooseRoute, setApiKey } from './routes';
import { exportShown, renameShown, showSessions } from './sessions';
import { manageCheckpoints } from './checkpoints';
import {
  keepAll,
  keepChange,
  openChange,
  reviewChanges,
  rewindTo,
  showScope,
  undoAll,
  undoChange,
} from './review';
import { compactConversation, fixFailingTest, focusChat, newSession } from './session';
import { showServers } from './mcp';
import { reviewHooks } from './tasks/hooks';
import { EDITOR_TASKS, editorTask, problemActions } from './tasks/editor-tasks';
import { commitMessage, explainTerminal, promptLinks, runOwnTask } from './tasks/more-tasks';

/** What commands act on once a chat is open. */
export interface Opened {
  readonly chat: Chat;
  readonly routes: Routes;
  readonly setup: RouteSetup;
  readonly checks: RouteChecks;
  readonly approvals: Approvals;
  readonly catalog: SessionCatalog;
  /** *Sluice: Permissions*. */
  readonly showPermissions: () => Promise<void>;
  readonly answerQuestion: () => Promise<void>;
  /** Whether this machine's owner lets Auto-run be chosen. */
  readonly autoRun: () => Promise<boolean>;
  readonly hooks: HookDesk;
  readonly mcp: McpDesk;
  readonly changes: ChangesModel;
  readonly checkpointStore: CheckpointStore;
}

export interface CommandDeps {
  readonly log: HostLog;
  readonly keys: KeyStore;
  readonly view: ChatView;
  /** Loads the engine at the first call. */
  readonly open: () => Promise<Opened>;
}

type Command = (deps: CommandDeps, ...args: readonly unknown[]) => unknown;

const COMMANDS: Readonly<Record<string, Command>> = {
  'sluice.focusChat': focusChat,
  'sluice.newSession': newSession,
  'sluice.sessions': showSessions,
  'sluice.renameSession': renameShown,
  'sluice.exportSession': exportShown,
  'sluice.compact': compactConversation,
  'sluice.stop': async ({ open }) => (await open()).chat.stop(),
  'sluice.setApiKey': setApiKey,
  'sluice.addRoute': addRoute,
  'sluice.checkRoute': checkRoute,
  'sluice.compareRoutes': compareRoutes,
  'sluice.chooseRoute': chooseRoute,
  'sluice.chooseMode': chooseMode,
  'sluice.permissions': async ({ open }) => (await open()).showPermissions(),
  'sluice.answer': async ({ open }) => (await open()).answerQuestion(),
  'sluice.fixFailingTest': fixFailingTest,
  ...Object.fromEntries(
    Object.entries(EDITOR_TASKS).map(([id, task]): [string, Command] => [
      id,
      (deps, resource, range) => editorTask(deps, task, resource, range),
    ]),
  ),
  'sluice.explainTerminal': explainTerminal,
  'sluice.commitMessage': commitMessage,
  'sluice.runTask': runOwnTask,
  'sluice.reviewHooks': reviewHooks,
  'sluice.mcpServers': showServers,
  'sluice.showLog': ({ log }) => log.show(),
  'sluice.acceptProposal': (deps, proposal) => decide(deps, 'allow', proposal),
  'sluice.rejectProposal': (deps, proposal) => decide(deps, 'deny', proposal),
  'sluice.acceptChange': (deps, proposal, key) => decideChange(deps, 'accept', proposal, key),
  'sluice.rejectChange': (deps, proposal, key) => decideChange(deps, 'reject', proposal, key),
  'sluice.rejectChangeWithComment': (deps, proposal, key) => decideChange(deps, 'comment', proposal, key),
  'sluice.reopenChange': (deps, proposal, key) => decideChange(deps, 'reopen', proposal, key),
  'sluice.reviewChanges': reviewChanges,
  'sluice.openChange': openChange,
  'sluice.keepChange': keepChange,
  'sluice.undoChange': undoChange,
  'sluice.keepAllChanges': keepAll,
  'sluice.undoAllChanges': undoAll,
  'sluice.showTurnChanges': (deps) => showScope(deps, 'turn'),
  'sluice.showSessionChanges': (deps) => showScope(deps, 'session'),
  'sluice.rewind': rewindTo,
  'sluice.undoRewind': async ({ open }) => (await open()).chat.undoRewind(),
  'sluice.manageCheckpoints': manageCheckpoints,
  'sluice.nextChange': (deps) => goToChange(deps, 1),
  'sluice.previousChange': (deps) => goToChange(deps, -1),
};

export function registerCommands(deps: CommandDeps): vscode.Disposable {
  return vscode.Disposable.from(
    problemActions(),
    promptLinks(deps, deps.log),
    ...Object.entries(COMMANDS).map(([id, command]) =>
      vscode.commands.registerCommand(id, async (...args: unknown[]) => {
        try {
          await command(deps, ...args);
        } catch (error) {
          await report(error, id, deps.log);
        }
      }),
    ),
  );
}

interface UserErrorShape extends Error {
  readonly action?: { readonly title: string; readonly command: string; readonly args?: readonly unknown[] };
}

/** By name: the engine is a bundle of its own, with its own copy of the class. */
function isUserError(error: unknown): error is UserErrorShape {
  return error instanceof Error && error.name === 'UserError';
}

async function report(error: unknown, id: string, log: Log): Promise<void> {
  const showLog = { title: vscode.l10n.t('Show Log'), command: 'sluice.showLog' };
  if (!isUserError(error)) log.write('error', `The command ${id} failed`, error);
  const text = error instanceof Error ? error.message : String(error);
  const action = isUserError(error) ? error.action : showLog;
  const picked =
    action === undefined
      ? await vscode.window.showErrorMessage(text)
      : await vscode.window.showErrorMessage(text, action.title);
  if (action === undefined || picked === undefined) return;
  await vscode.commands.executeCommand(action.command, ...('args' in action ? (action.args ?? []) : []));
}
