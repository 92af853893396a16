/**
 * Puts a conversation together over its session's file: tools, gate, system prompt, and what a resumed session brings. Pure: everything of the
 * machine comes in through ports, so VS Code and the command line get the very same conversation.
 */
import {
  createConversation,
  type Conversation,
  type ConversationDeps,
  type Resumed,
} from '../agent/conversation';
import type { AgentSettings } from '../agent/limits/settings';
import { totalTokens } from '../agent/limits/usage';
import type { McpServerDefinition } from '../context/definitions/mcp';
import type { Environment } from '../context/environment';
import { invokedSkills, skillText } from '../context/session/invoked-skills';
import { createSessionContext } from '../context/session/session-context';
import type { CommandEntry, SessionContext } from '../context/session/session-context';
import type { SurroundingFacts } from '../context/session/surroundings';
import { briefSystemPrompt, systemPrompt } from '../context/system-prompt';
import type { Hooks } from '../agent/hooks';
import type { Message } from '../models/message';
import { hookKey, hookRunner, type HookRunnerDeps } from '../hooks/runner';
import type { Route } from '../models/transport';
import { filteredSearch } from '../permissions/filtered-search';
import type { GateOptions, PermissionGate } from '../permissions/gate';
import { isPrivateHost } from '../permissions/network';
import { rememberAnswers } from '../permissions/remember';
import { readOnlyCommand } from '../permissions/read-only-command';
import type { RuleSet } from '../permissions/rules/rule-set';
import type { RuleBook } from '../permissions/sources/rule-book';
import { hidesTool } from '../permissions/tool-rules';
import type { Gate } from '../permissions/verdict';
import type {
  Approver,
  Clock,
  Diagnostics,
  Files,
  HookShell,
  Log,
  NewId,
  OpenEditors,
  Search,
  Shell,
  Web,
} from '../ports';
import type { PermissionMode } from '../protocol/vocabulary';
import type { OpenedSession, OpenSession, SubagentFile, SubagentManifest } from '../sessions/open-session';
import { backgroundTasks } from '../tools/commands/background';
import { builtInTools, toolSpec, type BuiltInOptions } from '../tools/registry';
import { limited } from '../tools/results/limited';
import { skillTool } from '../tools/session/skill';
import { anyTool } from '../tools/tool';
import type { Tool, Workspace } from '../tools/tool';
import type { AgentParent } from './agent-run';
import { createAgents, type Agents } from './agents';
import { agentGate, gateFor, turnGate } from './rights';
import { gitStatus } from './git-status';
import { instructionHooks } from './instruction-hooks';
import { mentionReader, type MentionReader } from './mention-reader';
import { surroundingsOf } from './surroundings';
import type { Checkpoints } from '../review/checkpoints';
import { checkpointedFiles, checkpointedRecorder, checkpointedShell } from './checkpointed';

/** What a machine gives to every conversation on it. */
export interface AssemblyPorts {
  readonly platform: string;
  readonly files: Files;
  readonly search: Search;
  readonly shell: Shell;
  /** Absent outside an editor. */
  readonly diagnostics?: Diagnostics;
  /** Absent: pages of the web cannot be fetched. */
  readonly web?: Web;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: NewId;
  readonly grammars: NonNullable<GateOptions['grammars']>;
  readonly permissions: AssemblyPermissions;
  /** Runs the user's hooks; absent: none run. */
  readonly hooks?: { readonly shell: HookShell; readonly accepted: (key: string) => boolean };
  /** What is open, for the first request. Absent outside an editor. */
  openEditors?(): OpenEditors;
  /** The MCP servers of this machine's window; absent: there are none. */
  readonly mcp?: AssemblyServers;
}

/** What a conversation needs of MCP servers. */
export interface AssemblyServers {
  /** Starts what may run and is defined; returns at once. */
  follow(definitions: readonly McpServerDefinition[]): void;
  /** The same array until something changes. */
  tools(): readonly Tool[];
  readonly facts: NonNullable<GateOptions['mcp']>;
  /** In a few words. */
  stateOf(name: string): string;
  /** Slash commands that are prompts of servers. */
  prompts(): readonly CommandEntry[];
  /** Undefined when no server offers it. */
  expand(name: string, args: string): Promise<string | undefined>;
}

/** What the gates of a machine go by. */
export interface AssemblyPermissions {
  readonly book: RuleBook;
  readonly looks: Pick<GateOptions, 'readOnlyAuto' | 'autoRun' | 'sandbox' | 'hiddenBy' | 'excludedBy'>;
  /** Called when the person wanted something remembered and it could not be. */
  notKept(error: unknown): void;
}

export interface AssemblyParts {
  readonly file: OpenSession;
  readonly route: Route;
  readonly mode: PermissionMode;
  readonly approver: Approver;
  /** As it is when the conversation begins; its roots are what the model is told of. */
  readonly workspace: Workspace;
  /** As it is later. */
  readonly workspaceNow: () => Workspace;
  /** Empty outside a repository. */
  readonly gitBranch: string;
  readonly settings: () => AgentSettings;
  readonly fallback?: ConversationDeps['fallback'];
  readonly routeFor?: ConversationDeps['routeFor'];
  /** For agents whose call has returned: no card can show their questions. Default: `approver`. */
  readonly unseen?: Approver;
  /** Where the file of a subagent comes from. */
  readonly newSubagent: (manifest: SubagentManifest) => Promise<SubagentFile>;
  readonly summaryRoute?: ConversationDeps['summaryRoute'];
  readonly resumed?: Resumed;
  /** Absent: what is changed cannot be taken back. */
  readonly checkpoints?: Checkpoints;
}

export interface Assembled {
  readonly conversation: Conversation;
  readonly context: SessionContext;
  readonly tools: readonly Tool[];
  /** Reads what a person puts beside a prompt. */
  readonly mentions: MentionReader;
  /** Ends the subagent that this call started; false when none runs. */
  readonly stopAgent: (callId: string) => boolean;
  /** Ends commands that go on in the background. */
  readonly close: () => Promise<void>;
}

export async function assembleConversation(ports: AssemblyPorts, parts: AssemblyParts): Promise<Assembled> {
  const { file, resumed, summaryRoute } = parts;
  const { id } = file.paths;
  const { files, shell, recorder } = underCheckpoints(ports, file, parts.checkpoints);
  const tasks = backgroundTasks();
  const gate = gateFor(ports, () => ports.permissions.book.rules(id));
  const context: SessionContext = contextOf(ports, parts, gate, () => ({ context, conversation, tools }));
  const approver = remembering(ports, parts);
  const prompts = promptsOf(ports, parts);
  const agents = createAgents({
    agents: await context.agents(),
    tools: () => [...tools, ...(late.serverTools?.() ?? [])],
    tasks,
    parent: () => ({
      shared,
      gate: conversation.gate,
      agentGate: (base, definition) => agentGate(ports, base, definition),
      approver,
      ...prompts,
      settings: parts.settings,
      conversation,
    }),
    newFile: parts.newSubagent,
    unseen: parts.unseen ?? approver,
  });
  const builtIn = builtInTools({ readOnlyCommand, tasks, ...outside(ports) });
  // Without a folder there is nothing that tools could work on.
  const all = parts.workspace.roots.length === 0 ? [] : withOurs(builtIn, context, agents);
  const rules = await ports.permissions.book.rules(id);
  const tools: readonly Tool[] = all.filter(({ name }) => !hidesTool(rules, name));
  const late = serverTools(ports, parts, context, rules);
  const shared = sharedOf({ ...ports, files, shell }, parts, gate, context, () => conversation.mode);
  const conversation: Conversation = createConversation({
    ...shared,
    id,
    ...prompts,
    route: parts.route,
    mode: parts.mode,
    tools,
    specs: tools.map(toolSpec),
    ...late,
    gate,
    turnGate: (frontMatter) => turnGate(ports, id, gate, frontMatter),
    approver,
    recorder,
    pendingWork: () => tasks.running(),
    standing: (past) => skillsIn(context, past),
    settings: parts.settings,
    ...(summaryRoute === undefined ? {} : { summaryRoute }),
    ...(resumed === undefined ? {} : { resumed }),
  });
  return {
    conversation,
    context,
    tools,
    mentions: mentionsOf(ports, parts, { tools, gate, search: shared.search, mode: () => conversation.mode }),
    stopAgent: (callId) => agents.stop(callId),
    close: () => tasks.stopAll().then(() => endHooks(shared.hooks, ports.log)),
  };
}

/** The window may be closing: it waits no longer than this for them. */
const LAST_HOOKS_MS = 1_500;

async function endHooks(hooks: Hooks | undefined, log: Log): Promise<void> {
  try {
    await hooks?.sessionEnd?.(AbortSignal.timeout(LAST_HOOKS_MS));
  } catch (error) {
    log.write('warning', 'A hook failed at the end of the session', error);
  }
}

/** They join whenever their server is ready; nobody waits for it. */
function serverTools(
  { mcp, log }: AssemblyPorts,
  { workspace }: AssemblyParts,
  context: SessionContext,
  rules: RuleSet,
): Pick<ConversationDeps, 'serverTools'> {
  if (mcp === undefined || !workspace.trusted || workspace.roots.length === 0) return {};
  void context.definitions().then(
    ({ servers }) => mcp.follow(servers),
    (error: unknown) => log.write('error', 'The MCP servers could not be read', error),
  );
  let last: { readonly all: readonly Tool[]; readonly kept: readonly Tool[] } | undefined;
  return {
    serverTools() {
      const all = mcp.tools();
      if (last?.all !== all)
        last = { all, kept: all.filter(({ name }) => !hidesTool(rules, name)).map(limited) };
      return last.kept;
    },
  };
}

function remembering({ permissions }: AssemblyPorts, { approver, file }: AssemblyParts): Approver {
  return rememberAnswers(
    approver,
    (scope, kept) => permissions.book.remember(scope, kept, file.paths.id),
    (error) => permissions.notKept(error),
  );
}

function mentionsOf(
  ports: AssemblyPorts,
  parts: AssemblyParts,
  its: { tools: readonly Tool[]; gate: Gate; search: Search; mode: () => PermissionMode },
): MentionReader {
  const { tools, gate, search, mode } = its;
  const { files, shell, diagnostics, log, newId } = ports;
  const { file, workspaceNow } = parts;
  return mentionReader({
    tools,
    gate,
    log,
    newId,
    approver: remembering(ports, { ...parts, approver: parts.unseen ?? parts.approver }),
    state: () => ({ mode: mode(), workspace: workspaceNow() }),
    context: {
      files,
      search,
      shell,
      log,
      spillFolder: file.paths.toolResults,
      ...(diagnostics === undefined ? {} : { diagnostics }),
    },
  });
}

/** What subagents get as well. */
function sharedOf(
  ports: AssemblyPorts,
  { file, workspaceNow, fallback, routeFor }: AssemblyParts,
  gate: PermissionGate,
  context: SessionContext,
  mode: () => PermissionMode,
): AgentParent['shared'] {
  const { files, shell, clock, log, newId, diagnostics } = ports;
  return {
    files,
    shell,
    clock,
    log,
    newId,
    search: filteredSearch(ports.search, gate, () => ({ mode: mode(), workspace: workspaceNow() })),
    ...(diagnostics === undefined ? {} : { diagnostics }),
    hooks: instructionHooks(
      context,
      ports.hooks && userHooks(ports, ports.hooks, file, { workspace: workspaceNow, mode }, context),
    ),
    introduction: () => context.introduction(),
    spillFolder: file.paths.toolResults,
    workspace: workspaceNow,
    ...(fallback === undefined ? {} : { fallback }),
    ...(routeFor === undefined ? {} : { routeFor }),
  };
}

function userHooks(
  { log, clock }: AssemblyPorts,
  { shell, accepted }: NonNullable<AssemblyPorts['hooks']>,
  file: OpenSession,
  now: Pick<HookRunnerDeps, 'workspace' | 'mode'>,
  context: SessionContext,
): Hooks {
  return hookRunner({
    shell,
    log,
    clock,
    sessionId: file.paths.id,
    transcript: file.paths.transcript,
    ...now,
    definitions: async () => (await context.definitions()).hooks,
    accepted,
  });
}

function contextOf(
  ports: AssemblyPorts,
  { workspaceNow, file }: AssemblyParts,
  gate: PermissionGate,
  its: () => Standing,
): SessionContext {
  const looking = { files: ports.files, shell: ports.shell, gate, spillFolder: file.paths.toolResults };
  return createSessionContext({
    files: ports.files,
    mayRead: (path) => mayRead(gate, path, workspaceNow()),
    workspace: workspaceNow,
    now: () => ports.clock.now(),
    window: () => its().conversation.route.transport.info.contextTokens,
    hookAccepted: (hook) => ports.hooks?.accepted(hookKey(hook)) ?? false,
    surroundings: surroundingsOf({
      clock: ports.clock,
      git: () => gitStatus(looking, workspaceNow()),
      facts: async () => ({
        ...(await standing(its())),
        editors: ports.openEditors?.(),
        roots: workspaceNow().roots,
      }),
    }),
    ...(ports.mcp === undefined ? {} : { servers: ports.mcp }),
  });
}

/** What tools exist only where the machine has what they need. */
function outside({ diagnostics, web, clock }: AssemblyPorts): Pick<BuiltInOptions, 'diagnostics' | 'web'> {
  return {
    diagnostics: diagnostics !== undefined,
    ...(web === undefined ? {} : { web: { web, askedAbout: isPrivateHost, now: () => clock.now() } }),
  };
}

interface Standing {
  readonly context: SessionContext;
  readonly conversation: Conversation;
  readonly tools: readonly Tool[];
}

async function standing({
  context,
  conversation,
  tools,
}: Standing): Promise<Pick<SurroundingFacts, 'mode' | 'model' | 'tools' | 'servers'>> {
  const { mode, route } = conversation;
  const { servers } = await context.definitions();
  return {
    mode,
    model: route.transport.info.id,
    tools: tools.map(({ name }) => name),
    servers: servers.map(({ name }) => ({ name, state: context.serverState(name) })),
  };
}

function promptsOf(
  { platform, shell, clock }: AssemblyPorts,
  { workspace, gitBranch }: AssemblyParts,
): { readonly system: string; readonly brief: string } {
  const environment: Environment = {
    platform,
    shell: shell.name,
    roots: workspace.roots,
    date: new Date(clock.now()).toISOString().slice(0, 10),
    trusted: workspace.trusted,
    ...(gitBranch === '' ? {} : { gitBranch }),
  };
  return { system: systemPrompt(environment), brief: briefSystemPrompt(environment) };
}

/** What a definition file says goes to the model, so the gate must let it be read without a question. */
async function mayRead(gate: Gate, path: string, workspace: Workspace): Promise<boolean> {
  const request = {
    tool: 'Read',
    input: { file_path: path },
    isReadOnly: true,
    effects: [{ type: 'read', path }],
  } as const;
  return (await gate.judge(request, { mode: 'ask', workspace })).type === 'allow';
}

function withOurs(builtIn: readonly Tool[], context: SessionContext, agents: Agents): readonly Tool[] {
  const skill = skillTool({
    async text(name) {
      const found = await context.skill(name);
      return found?.forModel === true ? skillText(found) : undefined;
    },
    names: async () => (await context.skills()).filter(({ forModel }) => forModel).map(({ name }) => name),
  });
  return [...builtIn, limited(anyTool(skill)), agents.tool].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The one that was used last comes first. */
async function skillsIn(context: SessionContext, past: readonly Message[]): Promise<readonly string[]> {
  const found = await Promise.all(invokedSkills(past).map((name) => context.skill(name)));
  return found.flatMap((skill) => (skill === undefined ? [] : [skillText(skill)])).reverse();
}

function underCheckpoints(
  { files, shell }: AssemblyPorts,
  { transcript }: OpenSession,
  checkpoints: Checkpoints | undefined,
): Pick<ConversationDeps, 'files' | 'shell' | 'recorder'> {
  if (checkpoints === undefined) return { files, shell, recorder: transcript };
  return {
    files: checkpointedFiles(files, checkpoints),
    shell: checkpointedShell(shell, checkpoints),
    recorder: checkpointedRecorder(transcript, checkpoints),
  };
}

/** What a session that was opened again brings into its conversation. */
export function resumedFrom({
  session,
  pending,
}: Extract<OpenedSession, { readonly type: 'opened' }>): Resumed {
  return {
    messages: pending?.messages ?? session.messages,
    pending: pending?.calls ?? [],
    tokens: totalTokens(session.usage),
    usd: 0,
    seen: session.seen,
    lines: session.lines,
    ...(session.limits === undefined ? {} : { limits: session.limits }),
  };
}
