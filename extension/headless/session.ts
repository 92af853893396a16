/** Puts a conversation together on plain Node: the pure rooms, the ports of `node/`, and nobody to ask. */
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { Conversation, Resumed } from '../agent/conversation';
import { DEFAULT_SETTINGS } from '../agent/limits/settings';
import { join } from 'node:path';
import { assembleConversation, resumedFrom, type AssemblyPermissions } from '../assembly/conversation';
import type { Route } from '../models/transport';
import { systemClock } from '../node/clock';
import { grammarFiles } from '../node/gate/grammar-files';
import { sluiceIgnore } from '../node/gate/hidden-paths';
import { nodeRuleFiles, policyFile } from '../node/gate/rule-disk';
import { createRuleBook } from '../permissions/sources/rule-book';
import { NO_LISTS } from '../permissions/sources/rule-texts';
import { randomId } from '../node/ids';
import { nodeFiles } from '../node/node-files';
import { nodeSearch } from '../node/node-search';
import { nodeShell, type NodeShell } from '../node/node-shell';
import { KEY_VARIABLES } from '../node/shell-environment';
import { gitBranchOf, nodeProcesses, nodeSessionFiles } from '../node/session-files';
import { lineFile } from '../node/line-file';
import { UserError, type Approver, type Log } from '../ports';
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
): Promise<{ readonly session: OpenSession; readonly resumed?: Resumed }> {
  if (resume === undefined) return { session: await createSession(deps) };
  const path = sessionPaths(projectFolder(deps.root, cwd), resume).transcript;
  if (!(await deps.files.stat(path)))
    throw new UserError(`There is no session ${resume} of this folder (${path}).`);
  const opened = await openSession(deps, path);
  if (opened.type === 'busy')
    throw new UserError(`Session ${resume} is being written by process ${opened.holder.process.pid}.`);
  return { session: opened, resumed: resumedFrom(opened) };
}

export async function openHeadless(
  options: HeadlessOptions,
  route: Route,
  log: Log,
): Promise<HeadlessSession> {
  const folder = await stat(options.cwd).catch(() => undefined);
  if (folder?.isDirectory() !== true) throw new UserError(`${options.cwd} is not a folder.`);
  const shell = nodeShell({ hiddenVariables: KEY_VARIABLES });
  const gitBranch = await gitBranchOf(options.cwd);
  const deps: SessionDeps = {
    root: options.sessions ?? sessionsRoot(homedir()),
    files: nodeSessionFiles,
    processes: await nodeProcesses(),
    openLineFile: lineFile,
    clock: systemClock,
    newId: randomId,
    place: () => ({ cwd: options.cwd, gitBranch }),
  };
  const { session, resumed } = await open(deps, options);
  const workspace: Workspace = { roots: [options.cwd], cwd: options.cwd, home: homedir(), trusted: true };
  const { conversation } = await assembleConversation(
    {
      platform: process.platform,
      files: nodeFiles(),
      search: nodeSearch(),
      shell,
      clock: systemClock,
      log,
      newId: randomId,
      grammars: grammarFiles(__dirname),
      permissions: permissionsAt(options.cwd, deps.root),
    },
    {
      file: session,
      route,
      mode: options.mode,
      approver: NOBODY,
      workspace,
      workspaceNow: () => workspace,
      gitBranch,
      settings: () => ({
        ...DEFAULT_SETTINGS,
        maxSteps: options.maxSteps,
        sideEffects: options.sideEffects,
      }),
      newSubagent: (manifest) => createSubagent(deps, session.paths, manifest),
      ...(resumed === undefined ? {} : { resumed }),
    },
  );
  return { conversation, session, shell };
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
