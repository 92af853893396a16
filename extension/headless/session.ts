/** Puts a conversation together on plain Node: the pure rooms, the ports of `node/`, and nobody to ask. */
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { Conversation, Resumed } from '../agent/conversation';
import { DEFAULT_SETTINGS } from '../agent/limits/settings';
import { join } from 'node:path';
import { assembleConversation, resumedFrom, type AssemblyPermissions } from '../assembly/conversation';
import type { Route } from '../models/transport';
import { checkpointStore, type CheckpointStore } from '../node/checkpoints/checkpoint-store';
import { nodeRawFiles } from '../node/checkpoints/raw-files';
import { systemClock } from '../node/clock';
import { grammarFiles } from '../node/gate/grammar-files';
import { sluiceIgnore } from '../node/gate/hidden-paths';
import { nodeRuleFiles, policyFile } from '../node/gate/rule-disk';
import { createRuleBook } from '../permissions/sources/rule-book';
import { NO_LISTS } from '../permissions/sources/rule-texts';
import { randomId } from '../node/ids';
import { nodeFiles } from '../node/node-files';
import { nodeSearch } from '../node/node-search';
import { nodeWeb } from '../node/web/node-web';
import { nodeShell, type NodeShell } from '../node/node-shell';
import { KEY_VARIABLES } from '../node/shell-environment';
import { gitBranchOf, nodeProcesses, nodeSessionFiles } from '../node/session-files';
import { lineFile } from '../node/line-file';
import { UserError, type Approver, type Log } from '../ports';
import { createCheckpoints, type Checkpoints } from '../review/checkpoints';
import { parseEntries } from '../review/history';
import {
  createSession,
  createSubagent,
  openSession,
  type OpenSession,
  type SessionDeps,
} from '../sessions/open-session';
import { projectFolder, sessionPaths, sessionsRoot } from '../sessions/paths';
import type { Workspace } from '../tools/tool';
import type { HeadlessOptions } from './arguments';

export interface HeadlessSession {
  readonly conversation: Conversation;
  readonly session: OpenSession;
  readonly shell: NodeShell;
  /** Ends what still runs, and closes the files. */
  readonly close: () => Promise<void>;
}

/** Nobody is there to ask, and no answer is no permission. */
const NOBODY: Approver = {
  ask: async () => ({
    type: 'deny',
    by: 'nobody is there to ask',
    words: 'This run has nobody to ask. Use --mode auto-run or acceptEdits to allow more.',
  }),
};

async function open(
  deps: SessionDeps,
  { cwd, resume }: HeadlessOptions,
): Promise<{ readonly session: OpenSession; readonly resumed?: Resumed; readonly last?: LastPrompt }> {
  if (resume === undefined) return { session: await createSession(deps) };
  const path = sessionPaths(projectFolder(deps.root, cwd), resume).transcript;
  if (!(await deps.files.stat(path)))
    throw new UserError(`There is no session ${resume} of this folder (${path}).`);
  const opened = await openSession(deps, path);
  if (opened.type === 'busy')
    throw new UserError(`Session ${resume} is being written by process ${opened.holder.process.pid}.`);
  const last = opened.session.items.findLast((item) => item.type === 'prompt');
  return {
    session: opened,
    resumed: resumedFrom(opened),
    ...(last === undefined ? {} : { last: { id: last.promptId ?? last.id, text: last.text } }),
  };
}

/** A turn that goes on belongs to the prompt of before. */
interface LastPrompt {
  readonly id: string;
  readonly text: string;
}

async function sessionDeps(options: HeadlessOptions): Promise<SessionDeps & { readonly gitBranch: string }> {
  const folder = await stat(options.cwd).catch(() => undefined);
  if (folder?.isDirectory() !== true) throw new UserError(`${options.cwd} is not a folder.`);
  const gitBranch = await gitBranchOf(options.cwd);
  return {
    root: options.sessions ?? sessionsRoot(homedir()),
    files: nodeSessionFiles,
    processes: await nodeProcesses(),
    openLineFile: lineFile,
    clock: systemClock,
    newId: randomId,
    place: () => ({ cwd: options.cwd, gitBranch }),
    gitBranch,
  };
}

export async function openHeadless(
  options: HeadlessOptions,
  route: Route,
  log: Log,
): Promise<HeadlessSession> {
  const shell = nodeShell({ hiddenVariables: KEY_VARIABLES });
  const deps = await sessionDeps(options);
  const { session, resumed, last } = await open(deps, options);
  const workspace: Workspace = { roots: [options.cwd], cwd: options.cwd, home: homedir(), trusted: true };
  const store = checkpointStore(join(deps.root, 'checkpoints'));
  const checkpoints = await checkpointsOf(store, session.paths.id, log);
  if (last !== undefined) checkpoints.begin(last.id, last.text);
  const { conversation, close } = await assembleConversation(
    {
      platform: process.platform,
      files: nodeFiles(),
      search: nodeSearch(),
      web: nodeWeb(),
      shell,
      clock: systemClock,
      log,
      newId: randomId,
      grammars: grammarFiles(__dirname),
      permissions: permissionsAt(options.cwd, deps.root),
    },
    {
      file: session,
      checkpoints,
      route,
      mode: options.mode,
      approver: NOBODY,
      workspace,
      workspaceNow: () => workspace,
      gitBranch: deps.gitBranch,
      settings: () => ({
        ...DEFAULT_SETTINGS,
        maxSteps: options.maxSteps,
        sideEffects: options.sideEffects,
      }),
      newSubagent: (manifest) => createSubagent(deps, session.paths, manifest),
      ...(resumed === undefined ? {} : { resumed }),
    },
  );
  return {
    conversation,
    session,
    shell,
    async close() {
      await session.close();
      await close();
      await shell.dispose();
      await checkpoints.close();
      await tidy(store, checkpoints, session.paths.id);
    },
  };
}

/** Only after a run that kept something. */
async function tidy(store: CheckpointStore, { history }: Checkpoints, keep: string): Promise<void> {
  if (history.turns.length > 0) await store.prune({ ...CHECKPOINT_LIMITS, keep });
}

/** The defaults of the extension's settings. */
const CHECKPOINT_LIMITS = { days: 30, mostBytes: 500_000_000 };

/** So that VS Code can take back what a run on the command line did. Nobody watches the folder: what commands do is seen in touched files. */
async function checkpointsOf(store: CheckpointStore, id: string, log: Log): Promise<Checkpoints> {
  return createCheckpoints({
    blobs: store.blobs,
    raw: nodeRawFiles(),
    log,
    clock: systemClock,
    file: lineFile(store.listPath(id)),
    entries: parseEntries(await store.list(id)),
  });
}

/** The machine's policy, the person's own rules for the folder, and what the folder forbids; nobody is there to be asked. */
function permissionsAt(cwd: string, root: string): AssemblyPermissions {
  return {
    book: createRuleBook({
      disk: nodeRuleFiles(),
      policyFile: policyFile(process.platform, process.env),
      folder: join(root, 'permissions'),
      user: { read: () => NO_LISTS, write: () => Promise.reject(new Error('There are no settings here.')) },
      workspace: () => ({ roots: [cwd], trusted: true }),
    }),
    looks: { hiddenBy: sluiceIgnore() },
    notKept: () => undefined,
  };
}
