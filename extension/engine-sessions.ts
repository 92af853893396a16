/** Opens and makes sessions inside VS Code: a conversation with its file, its tools, and VS Code's side of every port. */
import { copyFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ConversationDeps, Resumed } from './agent/conversation';
import { DEFAULT_SETTINGS } from './agent/limits/settings';
import {
  assembleConversation,
  resumedFrom,
  type Assembled,
  type AssemblyParts,
  type AssemblyPorts,
} from './assembly/conversation';
import { openEditors } from './editor/around/open-editors';
import type { Approvals } from './editor/review/approver';
import { editorDiagnostics } from './editor/diagnostics';
import { editorFiles } from './editor/files';
import { sessionCatalog } from './engine-catalog';
import { editorRawFiles, watchWorkspace } from './editor/raw-files';
import { findRipgrep } from './editor/ripgrep';
import { checkpointStore } from './node/checkpoints/checkpoint-store';
import type { CheckpointStore } from './node/checkpoints/checkpoint-store';
import { createCheckpoints } from './review/checkpoints';
import type { Checkpoints } from './review/checkpoints';
import { parseEntries } from './review/history';
import { findPrompt } from './sessions/prompts';
import { pageBefore, type PageCursor } from './sessions/read/pages';
import type { Position } from './sessions/read/resume';
import { forkSession } from './sessions/session-admin';
import { readSettings } from './editor/settings';
import { currentWorkspace } from './editor/workspace';
import { editorPermissions, withAdditional } from './engine-gate';
import type { GateParts } from './engine-gate';
import { systemClock } from './node/clock';
import { randomId } from './node/ids';
import { lineFile } from './node/line-file';
import { nodeSearch } from './node/node-search';
import type { Sandbox } from './node/gate/sandbox';
import type { NodeShell } from './node/node-shell';
import { gitBranchOf, nodeProcesses, nodeSessionFiles } from './node/session-files';
import { nodeWeb } from './node/web/node-web';
import { historyRows } from './panel/state/history-rows';
import { todosOf } from './panel/state/todos';
import type { KnownTool } from './panel/state/history-rows';
import type { EarlierRows, Session, SessionCatalog, SessionStart, Sessions } from './panel/chat/session';
import type { RuleBook } from './permissions/sources/rule-book';
import type { Route } from './models/transport';
import { narrowerMode } from './protocol/vocabulary';
import type { Diagnostics, Files, Log, Search } from './ports';
import { createSession, createSubagent, openSession } from './sessions/open-session';
import type { OpenSession, OpenedSession, SessionDeps } from './sessions/open-session';
import type { OpenCall } from './sessions/read/messages';
import { isSessionId, projectFolder, sessionPaths, sessionsRoot } from './sessions/paths';
import type { Tool, Workspace } from './tools/tool';

/** After a reload the last extension host may still be on its way out. */
const BUSY_RETRIES = 10;
const BUSY_WAIT_MS = 300;

export interface EngineSessionDeps {
  readonly log: Log;
  readonly shell: NodeShell;
  readonly approver: Pick<Approvals, 'withoutCard' | 'forSession'>;
  readonly hooks?: AssemblyPorts['hooks'];
  readonly mcp?: AssemblyPorts['mcp'];
  readonly grammars: GateParts['grammars'];
  readonly fallback: NonNullable<ConversationDeps['fallback']>;
  readonly routeFor: NonNullable<ConversationDeps['routeFor']>;
  readonly book: RuleBook;
  readonly sandbox: Sandbox;
  /** The route of this id; undefined when there is none. */
  readonly summaryRoute: (id: string | undefined) => Route | undefined;
}

export interface EngineSessions extends Sessions {
  readonly catalog: SessionCatalog;
  /** The files as every session sees them. */
  readonly files: Files;
  /** Finds what it is asked for, whatever the gate says of it. */
  readonly search: Search;
  /** Where sessions are kept. */
  readonly root: string;
  readonly store: CheckpointStore;
  /** Closes the files first, so that nothing of the shutting down is recorded, and then ends what runs. */
  shutDown(): Promise<void>;
}

interface Ports extends EngineSessionDeps {
  readonly root: string;
  readonly files: Files;
  readonly search: Search;
  readonly diagnostics: Diagnostics;
  readonly open: Set<Session>;
  readonly store: CheckpointStore;
}

export async function engineSessions(deps: EngineSessionDeps): Promise<EngineSessions> {
  const files = editorFiles();
  const search = nodeSearch({ ripgrepPath: await findRipgrep() });
  const root = sessionsRoot(homedir());
  const diagnostics = editorDiagnostics();
  const store = checkpointStore(join(root, 'checkpoints'));
  const ports: Ports = { ...deps, root, files, search, diagnostics, open: new Set(), store };
  return {
    root: ports.root,
    files,
    search,
    store,
    create: (start) => create(ports, start),
    resume: (id, start) => resume(ports, id, start),
    catalog: sessionCatalog(root, () => sessionDeps(ports, workspaceNow())),
    async shutDown() {
      const closings = await Promise.allSettled([...ports.open].map((session) => session.close()));
      for (const closing of closings)
        if (closing.status === 'rejected')
          deps.log.write('error', 'A session could not be closed', closing.reason);
    },
  };
}

async function checkpointsOf({ store, log, files }: Ports, id: string): Promise<Checkpoints> {
  return createCheckpoints({
    blobs: store.blobs,
    raw: editorRawFiles(files),
    log,
    clock: systemClock,
    file: lineFile(store.listPath(id)),
    entries: parseEntries(await store.list(id)),
    watch: watchWorkspace,
  });
}

/** Without a folder there is nothing that tools could work on. */
function workspaceNow(): Workspace {
  const workspace = currentWorkspace();
  if (workspace !== undefined) return withAdditional(workspace);
  return { roots: [], cwd: homedir(), home: homedir(), trusted: false };
}

function workspaceAt(cwd: string | undefined): Workspace {
  const workspace = workspaceNow();
  return cwd === undefined ? workspace : { ...workspace, cwd };
}

async function sessionDeps(ports: Ports, workspace: Workspace): Promise<SessionDeps & { gitBranch: string }> {
  const gitBranch = await gitBranchOf(workspace.cwd);
  return {
    root: ports.root,
    files: nodeSessionFiles,
    openLineFile: lineFile,
    processes: await nodeProcesses(),
    clock: systemClock,
    newId: randomId,
    place: () => ({ cwd: workspace.cwd, gitBranch }),
    gitBranch,
  };
}

async function create(ports: Ports, start: SessionStart): Promise<Session> {
  const workspace = workspaceAt(start.cwd);
  const deps = await sessionDeps(ports, workspace);
  const file = await createSession(deps);
  return unlockedOnError(file, async () => {
    const checkpoints = await checkpointsOf(ports, file.paths.id);
    const { gitBranch } = deps;
    const { conversation, context, stopAgent, mentions, close } = await converse(ports, start, {
      workspace,
      gitBranch,
      file,
      checkpoints,
      newSubagent: (manifest) => createSubagent(deps, file.paths, manifest),
    });
    const fresh = { title: '', rows: [], usage: {}, notices: [] };
    return track(ports, deps, {
      ...fresh,
      conversation,
      context,
      stopAgent,
      mentions,
      file,
      checkpoints,
      close,
    });
  });
}

/** What is locked and then not handed out is given back: nobody else could close it. */
async function unlockedOnError<T>(file: Pick<OpenSession, 'close'>, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function resume(ports: Ports, id: string, start: SessionStart): Promise<Session | undefined> {
  if (!isSessionId(id)) return undefined;
  const workspace = workspaceNow();
  const deps = await sessionDeps(ports, workspace);
  const path = sessionPaths(projectFolder(ports.root, workspace.cwd), id).transcript;
  if ((await deps.files.stat(path)) === undefined) return undefined;
  const opened = await openWhenFree(deps, path);
  if (opened.type === 'busy') throw new Error('Another window has this session open.');
  return unlockedOnError(opened, async () =>
    fromFile(ports, start, workspace, deps, opened, await checkpointsOf(ports, id)),
  );
}

async function fromFile(
  ports: Ports,
  start: SessionStart,
  workspace: Workspace,
  deps: SessionDeps & { readonly gitBranch: string },
  opened: Extract<OpenedSession, { readonly type: 'opened' }>,
  checkpoints: Checkpoints,
): Promise<Session> {
  const { session } = opened;
  const { gitBranch } = deps;
  // A turn that goes on has no new prompt.
  const last = session.items.findLast((item) => item.type === 'prompt');
  if (last !== undefined) checkpoints.begin(last.promptId ?? last.id, last.text);
  else if (session.leaf !== null) checkpoints.begin(session.leaf, session.lastPrompt ?? '');
  const resumed = resumedFrom(opened);
  const mode = session.mode === undefined ? start.mode : narrowerMode(session.mode, start.mode);
  const newSubagent: AssemblyParts['newSubagent'] = (manifest) =>
    createSubagent(deps, opened.paths, manifest);
  const place = { workspace, gitBranch, file: opened, checkpoints, newSubagent };
  const talk = await converse(ports, { ...start, mode }, place, resumed);
  const known = {
    toolNamed: knownTools(talk.tools, workspace),
    fateOf: fatesOf(session.open, resumed.pending),
  };
  return track(ports, deps, {
    checkpoints,
    conversation: talk.conversation,
    context: talk.context,
    stopAgent: talk.stopAgent,
    mentions: talk.mentions,
    file: opened,
    title: session.title?.text ?? '',
    rows: historyRows(session.items, known),
    earlier: earlierRows(opened.paths.transcript, session.earlier, known),
    usage: session.usage,
    ...(session.lastUsage === undefined ? {} : { lastUsage: session.lastUsage }),
    todos: todosOf(session.todos),
    notices: noticesOf(session),
    close: talk.close,
  });
}

/** Calls that the loop takes up again wait; the others were answered when the file was opened. */
function fatesOf(
  open: readonly OpenCall[],
  pending: Resumed['pending'],
): (callId: string) => 'pending' | 'cancelled' | 'unknown' {
  const waiting = new Set(pending.map((call) => call.id));
  const neverRan = new Set(
    open.filter(({ fate }) => fate === 'never_ran').flatMap(({ call, diskId }) => [call.id, diskId]),
  );
  return (id) => (waiting.has(id) ? 'pending' : neverRan.has(id) ? 'cancelled' : 'unknown');
}

/** Lines of a page. */
const PAGE = 200;

function earlierRows(
  path: string,
  from: PageCursor | undefined,
  known: Parameters<typeof historyRows>[1],
): EarlierRows {
  let cursor = from;
  return {
    get more() {
      return cursor !== undefined;
    },
    async next() {
      if (cursor === undefined) return [];
      const page = await pageBefore(nodeSessionFiles, path, cursor, PAGE);
      cursor = page.earlier;
      return historyRows(page.items, known);
    },
  };
}

async function openWhenFree(deps: SessionDeps, path: string): Promise<OpenedSession> {
  for (let attempt = 0; ; attempt++) {
    const opened = await openSession(deps, path, { displayLines: PAGE });
    if (opened.type !== 'busy' || opened.holder.self || attempt >= BUSY_RETRIES) return opened;
    await systemClock.sleep(BUSY_WAIT_MS);
  }
}

function noticesOf(session: { readonly skipped: readonly unknown[] }): string[] {
  const notices: string[] = [];
  if (session.skipped.length > 0)
    notices.push(`${session.skipped.length} damaged lines of the session file were left out.`);
  return notices;
}

async function converse(
  ports: Ports,
  { route, mode, cwd, unseen = false }: SessionStart,
  place: Pick<AssemblyParts, 'workspace' | 'gitBranch' | 'file' | 'newSubagent'> & {
    readonly checkpoints: Checkpoints;
  },
  resumed?: Resumed,
): Promise<Assembled> {
  const { files, search, shell, diagnostics, log, approver, grammars, book } = ports;
  const talk = await assembleConversation(
    {
      platform: process.platform,
      files,
      search,
      shell,
      diagnostics,
      clock: systemClock,
      log,
      newId: randomId,
      grammars,
      openEditors,
      web: nodeWeb(),
      ...(ports.hooks === undefined ? {} : { hooks: ports.hooks }),
      ...(ports.mcp === undefined ? {} : { mcp: ports.mcp }),
      permissions: editorPermissions(book, ports.sandbox, log),
    },
    {
      ...place,
      route,
      mode,
      approver: unseen ? approver.withoutCard : approver.forSession(place.file.paths.id),
      workspaceNow: () => workspaceAt(cwd),
      settings: () => {
        const { limits, compaction } = readSettings();
        return { ...DEFAULT_SETTINGS, ...limits, compaction };
      },
      ...routesOf(ports),
      unseen: approver.withoutCard,
      ...(resumed === undefined ? {} : { resumed }),
    },
  );
  const watch = book.onDidChange(() => talk.conversation.reconsider());
  return {
    ...talk,
    close() {
      watch.dispose();
      return talk.close();
    },
  };
}

function routesOf({ fallback, routeFor, summaryRoute }: Ports) {
  return { fallback, routeFor, summaryRoute: () => summaryRoute(readSettings().compaction.route) };
}

type Added = 'saving' | 'close' | 'rename' | 'findPrompt' | 'position' | 'rewind' | 'fork';

interface Parts extends Omit<Session, Added> {
  readonly file: OpenSession;
  readonly close: () => Promise<void>;
}

function track(ports: Ports, deps: SessionDeps, parts: Parts): Session {
  const { file, close, ...rest } = parts;
  const { transcript } = file;
  const session: Session = {
    ...rest,
    saving: {
      problem: () =>
        file.transcript.saving.type === 'failed' ? file.transcript.saving.error.message : undefined,
      retry: () => file.transcript.retry(),
      goOnUnsaved: () => file.transcript.continueUnsaved(),
    },
    rename: (text) => file.transcript.title({ text, by: 'person' }),
    findPrompt: (id) => findPrompt(deps.files, transcript.path, id),
    position: () => transcript.position,
    rewind: (to) => transcript.rewind(to),
    fork: (to) => fork(ports, deps, file, to),
    async close() {
      ports.open.delete(session);
      try {
        await file.close();
      } finally {
        await close();
        await rest.checkpoints.close();
      }
    },
  };
  ports.open.add(session);
  return session;
}

/** The files of the new session can be rewound as far as those of the old one. */
async function fork({ store }: Ports, deps: SessionDeps, file: OpenSession, to: Position): Promise<string> {
  const { id } = await forkSession(deps, file.transcript.path, { leaf: to.leaf });
  await copyFile(store.listPath(file.paths.id), store.listPath(id)).catch(() => undefined);
  return id;
}

function knownTools(tools: readonly Tool[], workspace: Workspace): (name: string) => KnownTool | undefined {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return (name) => {
    const tool = byName.get(name);
    if (tool === undefined) return undefined;
    const { kind, title } = tool;
    return {
      kind,
      title,
      target(input) {
        const parsed = tool.input.safeParse(input);
        return parsed.success ? tool.target(parsed.data, workspace) : undefined;
      },
    };
  };
}
