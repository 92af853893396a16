/**
 * The engine: everything that the first chat needs and no sooner. It puts the pure rooms together with VS Code's side of their
 * ports, and is the only file that knows all of them.
 */
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { answerQuestion, showPermissions } from './commands/permissions';
import type { Opened } from './commands/register';
import { reviewDrafts } from './editor/review/review-drafts';
import { createApprovals } from './editor/review/approver';
import type { Approvals } from './editor/review/approver';
import type { DiffReview } from './editor/review/diff-review';
import { createFreshness } from './editor/review/freshness';
import { lensesOf, reviewOfChanges } from './engine-review';
import { editorSources } from './editor/context/sources';
import { editorFiles } from './editor/files';
import type { HostLog } from './editor/log';
import type { EditorOpener } from './editor/review/open-editor';
import type { KeyStore } from './editor/secrets';
import { editorShell } from './editor/shell';
import { readSettings } from './editor/settings';
import { modelFacts } from './editor/model-facts';
import { engineRoutes, routeDeps } from './engine-routes';
import { routeChecks } from './engine-route-check';
import { routeSetup } from './engine-route-setup';
import type { StartedTask, TaskOptions } from './api';
import { permissionDesk } from './engine-permissions';
import { mayAutoRun } from './engine-gate';
import { engineRules, watchRules } from './engine-rules';
import { engineHooks } from './editor/hooks/desk';
import { mcpDesk } from './editor/mcp/desk';
import { engineMcp } from './editor/mcp/window';
import { engineSessions } from './engine-sessions';
import type { EngineSessionDeps, EngineSessions } from './engine-sessions';
import { taskStarter } from './engine-tasks';
import { grammarFiles } from './node/gate/grammar-files';
import type { Route } from './models/transport';
import { openChat } from './panel/chat/chat';
import type { Chat, ChatDeps } from './panel/chat/chat';
import type { ChatView } from './panel/chat-view';
import { intentsOf } from './panel/intents';
import type { LastSession } from './panel/chat/last-session';
import type { Sessions } from './panel/chat/session';
import type { StatusBar } from './panel/status-bar';
import { background } from './editor/log';

/** What activation made already. */
export interface EngineParts {
  readonly context: vscode.ExtensionContext;
  readonly log: HostLog;
  readonly opener: EditorOpener;
  readonly review: DiffReview;
  readonly keys: KeyStore;
  readonly view: ChatView;
  readonly status: StatusBar;
  readonly last: LastSession;
}

export interface Engine extends Opened {
  readonly sessions: Sessions;
  /** For other extensions. */
  readonly startTask: (options: TaskOptions) => StartedTask;
  readonly keys: KeyStore;
  /** Ends what runs, because the window closes. */
  shutDown(): Promise<void>;
}

export async function startEngine(parts: EngineParts): Promise<Engine> {
  const { context, log, opener, keys } = parts;
  const { shell, sandbox } = editorShell();
  const panel: { chat?: Chat } = {};
  const approvals = approvalsOf(parts, panel);
  const grammars = grammarFiles(join(context.extensionPath, 'dist'));
  const rules = engineRules();
  const facts = modelFacts(context.globalState);
  const routes = engineRoutes(keys, facts, process.env);
  const setup = routeSetup({ routes, keys, facts, environment: process.env, deps: routeDeps(keys, facts) });
  const hooks = engineHooks(context.workspaceState);
  const mcp = engineMcp(context, log);
  const sessions = await engineSessions({
    log,
    shell,
    approver: approvals,
    hooks: hooks.ports,
    mcp: mcp.ports,
    book: rules.book,
    sandbox,
    grammars,
    ...routesOf(routes),
  });
  const chat = await chatOf(parts, { routes, sessions, approvals });
  panel.chat = chat;
  const desk = permissionDesk(
    { book: rules.book, sandbox, files: sessions.files, log, grammars, shellName: () => shell.name },
    chat,
  );
  const changes = reviewOfChanges({ context, chat, opener, log, store: sessions.store });
  context.subscriptions.push(approvals, lensesOf(approvals), chat, rules, watchRules(rules, chat, log));
  return {
    chat,
    mcp: mcpDesk(mcp.servers),
    hooks: hooks.desk(() => chat.definitions, log),
    routes,
    setup,
    checks: routeChecks(routes, sessions.root, log),
    approvals,
    showPermissions: () => showPermissions(desk),
    answerQuestion: () => answerQuestion(approvals),
    autoRun: () => mayAutoRun(rules.book),
    changes,
    checkpointStore: sessions.store,
    sessions,
    catalog: sessions.catalog,
    startTask: taskStarter({ sessions, routes, keys, log, mode: () => readSettings().mode }),
    keys,
    async shutDown() {
      await sessions.shutDown();
      await Promise.all([mcp.servers.close(), shell.dispose()]);
    },
  };
}

function routesOf(
  routes: ReturnType<typeof engineRoutes>,
): Pick<EngineSessionDeps, 'fallback' | 'routeFor' | 'summaryRoute'> {
  return {
    fallback: (failed, error) => routes.fallback(failed, error),
    routeFor: (model, current, owned) => routes.forModel(model, current, owned),
    summaryRoute: (id) => routeNamed(routes, id),
  };
}

function chatOf(
  { context, log, keys, last, view, status, opener }: EngineParts,
  its: { routes: ChatDeps['routes']; sessions: EngineSessions; approvals: Approvals },
): Promise<Chat> {
  const { routes, sessions, approvals } = its;
  const sources = editorSources(sessions.search, log);
  context.subscriptions.push(sources);
  return openChat({
    log,
    context: { sources, catalog: sessions.catalog },
    routes,
    sessions,
    approvals,
    keys,
    last,
    surfaces: { view, status },
    mode: () => readSettings().mode,
    intents: (opened) => intentsOf(opened, { log, approvals, opener, ownFolders: [sessions.root] }),
  });
}

/** The panel shows one session at a time; the question of another one is asked natively. Until there is a chat, the one that opens is shown. */
function approvalsOf(
  { review, log, view, context }: EngineParts,
  panel: { readonly chat?: Chat },
): Approvals {
  const isShown = (session: string | undefined): boolean =>
    session === undefined || panel.chat === undefined || panel.chat.view.header.sessionId === session;
  const show = async (session: string | undefined): Promise<void> => {
    if (session !== undefined) await panel.chat?.switchTo(session);
    await view.show();
  };
  return createApprovals({
    review,
    log,
    freshness: createFreshness(editorFiles()),
    drafts: reviewDrafts(context.workspaceState, log),
    isPanelVisible: async (session) => (await view.settled()) && isShown(session),
    showPanel: (session) => background(log, 'Showing the chat', show(session)),
    onPanelHidden: view.onDidHide,
  });
}

function routeNamed(routes: ReturnType<typeof engineRoutes>, id: string | undefined): Route | undefined {
  const choice = routes.list().find((each) => each.id === id);
  return choice === undefined ? undefined : routes.open(choice);
}
