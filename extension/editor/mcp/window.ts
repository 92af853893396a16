/** The MCP servers of this window inside VS Code: what starts them, what they may know of the person, and what a conversation sees of them. */
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { launchLine } from '../../context/definitions/mcp';
import type { CommandEntry } from '../../context/session/session-context';
import { background } from '../log';
import { askForServer } from './elicit';
import { serverInput } from './inputs';
import { serverTrust } from './trust';
import { currentWorkspace } from '../workspace';
import { connector } from '../../mcp/connect';
import { overLines } from '../../mcp/lines';
import type { Connect, ServerView } from '../../mcp/model';
import { plainName } from '../../mcp/names';
import { mcpServers } from '../../mcp/servers';
import type { McpServers } from '../../mcp/servers';
import { resolveLaunch } from '../../mcp/variables';
import { mcpProcess } from '../../node/mcp/mcp-process';
import { systemClock } from '../../node/clock';
import { KEY_VARIABLES } from '../../node/shell-environment';
import type { Log } from '../../ports';
import { unreachable } from '../../protocol/vocabulary';

export interface EngineMcp {
  readonly servers: McpServers;
  /** What conversations see of them. */
  readonly ports: Pick<McpServers, 'follow' | 'tools' | 'facts'> & {
    stateOf(name: string): string;
    prompts(): readonly CommandEntry[];
    expand(name: string, args: string): Promise<string | undefined>;
  };
}

export function engineMcp(context: vscode.ExtensionContext, log: Log): EngineMcp {
  const servers = mcpServers({
    connect: connectorOf(context),
    resolve: ({ name, launch }) =>
      resolveLaunch(launch, {
        env: (variable) => process.env[variable],
        hidden: KEY_VARIABLES,
        input: (id) => serverInput(context.secrets, name, id),
        workspaceFolder: cwd(),
        home: homedir(),
      }),
    trust: serverTrust(context.workspaceState),
    roots: () => currentWorkspace()?.roots ?? [],
    elicit: askForServer,
    log,
    launchLine: ({ launch }) => launchLine(launch),
    digest: (text) => createHash('sha256').update(text).digest('hex'),
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
  });
  hintOnce(servers, log);
  return {
    servers,
    ports: {
      follow: (definitions) => servers.follow(definitions),
      tools: () => servers.tools(),
      facts: (server, tool) => servers.facts(server, tool),
      stateOf: (name) => stateWords(servers.list().find(({ definition }) => definition.name === name)),
      prompts: () => servers.list().flatMap(promptEntries),
      expand: (name, args) => expandPrompt(servers, name, args),
    },
  };
}

function connectorOf(context: vscode.ExtensionContext): Connect {
  return connector({
    version: String((context.extension.packageJSON as { readonly version?: unknown }).version),
    openProcess: ({ command, args, env, cwd: folder = cwd() }, say) =>
      overLines(mcpProcess({ command, args, env, cwd: folder }, say, KEY_VARIABLES), say),
  });
}

function cwd(): string {
  return currentWorkspace()?.cwd ?? homedir();
}

/** Said once a window; nothing of them has run. */
function hintOnce(servers: McpServers, log: Log): void {
  const watch = servers.onDidChange(() => {
    const waiting = servers.list().filter(({ state }) => state.type === 'waiting');
    if (waiting.length === 0 || !vscode.workspace.isTrusted) return;
    watch.dispose();
    background(log, 'Offering MCP servers', offer(waiting));
  });
}

async function offer(waiting: readonly ServerView[]): Promise<void> {
  const review = vscode.l10n.t('Review…');
  const names = waiting.map(({ definition }) => definition.name).join(', ');
  const text = vscode.l10n.t(
    'MCP servers wait for you: {0}. None starts before you agree to its command.',
    names,
  );
  if ((await vscode.window.showInformationMessage(text, review)) === review)
    await vscode.commands.executeCommand('sluice.mcpServers');
}

export function stateWords(view: ServerView | undefined): string {
  if (view === undefined) return 'not read yet';
  const { state } = view;
  switch (state.type) {
    case 'waiting':
      return '**waits for you to agree**: `Sluice: MCP Servers…`';
    case 'off':
      return 'off';
    case 'starting':
      return 'starting';
    case 'failed':
      return `**failed**: ${state.why.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#|~!]/g, '\\$&')}${state.again ? ' It is started again.' : ''}`;
    case 'running':
      return [
        `running: ${state.offer.tools.length} tools, ${state.offer.resources.length} resources, ${state.offer.prompts.length} prompts`,
        ...(state.offer.leftOut > 0 ? [`${state.offer.leftOut} tools left out`] : []),
        ...(state.changed.length > 0
          ? [`**changed since you agreed, not used**: ${state.changed.map(plainName).join(', ')}`]
          : []),
      ].join(', ');
    default:
      return unreachable(state);
  }
}

function promptEntries({ definition, state }: ServerView): readonly CommandEntry[] {
  if (state.type !== 'running') return [];
  return state.offer.prompts.map((prompt) => ({
    name: promptName(definition.name, prompt.name),
    description: prompt.description.slice(0, 200),
    ...(prompt.arguments.length === 0
      ? {}
      : { hint: prompt.arguments.map(({ name, required }) => (required ? name : `[${name}]`)).join(' ') }),
  }));
}

function promptName(server: string, prompt: string): string {
  return `mcp__${plainName(server)}__${plainName(prompt)}`;
}

async function expandPrompt(servers: McpServers, name: string, args: string): Promise<string | undefined> {
  for (const { definition, state } of servers.list()) {
    if (state.type !== 'running') continue;
    const prompt = state.offer.prompts.find((one) => promptName(definition.name, one.name) === name);
    if (prompt !== undefined)
      return servers.prompt(definition.name, prompt.name, args === '' ? [] : args.split(/\s+/));
  }
  return undefined;
}
