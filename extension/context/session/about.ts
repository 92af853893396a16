/** What a person is told about definitions, as Markdown: what is there, where it comes from, and what is wrong. Pure. */
import { relative } from 'node:path';
import type { Workspace } from '../../tools/tool';
import type { Definitions } from '../definitions/load';
import { launchLine } from '../definitions/mcp';
import type { Origin } from '../definitions/source';
import type { Instructions } from '../instructions/find';
import { roughTokens, tellInstructions } from '../instructions/told';
import type { CommandEntry } from './session-context';

export function aboutCommands(commands: readonly CommandEntry[]): string {
  const lines = commands.map(
    ({ name, description, hint }) =>
      `- \`/${name}${hint === undefined ? '' : ` ${plain(hint)}`}\` ${plain(description)}`,
  );
  return ['Describe a task in your own words, or begin with a command:', '', ...lines].join('\n');
}

export function aboutContext(
  instructions: Instructions,
  { skills }: Definitions,
  workspace: Workspace,
): string {
  const told = tellInstructions(instructions.always, workspace.roots);
  const files = (told?.parts ?? []).map(
    ({ name, tokens, used }) =>
      `- \`${name}\` about ${tokens} tokens${used ? '' : ', **left out: over the budget**'}`,
  );
  const rules = instructions.rules.map(
    ({ path, globs, text }) =>
      `- \`${where(path, workspace)}\` for \`${globs.join(', ')}\`, about ${roughTokens(text)} tokens, when such a file is touched`,
  );
  return [
    list('Instructions', files, 'No instructions files were found. `/init` writes one.'),
    ...(rules.length > 0 ? [list('Rules for certain files', rules, '')] : []),
    skills.length === 0 ? 'No skills.' : `${skills.length} skills; their bodies are read when they are used.`,
    trustNote(workspace),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

export function aboutSkills({ skills }: Definitions, workspace: Workspace): string {
  const lines = skills.map(
    ({ name, description, origin, forModel }) =>
      `- **${plain(name)}** ${plain(description)}${forModel ? '' : ' (only you can start it)'} · ${from(origin, workspace)}`,
  );
  return withTrust(
    list('Skills', lines, 'No skills. A skill is a folder with a SKILL.md in `.sluice/skills`.'),
    workspace,
  );
}

export function aboutHooks(
  { hooks }: Definitions,
  workspace: Workspace,
  accepted: (index: number) => boolean,
): string {
  const lines = hooks.map(
    ({ event, matcher, command, origin, line }, index) =>
      `- **${event}**${matcher === '' ? '' : ` \`${code(matcher)}\``}: \`${code(command)}\` · ${from(origin, workspace)}:${line}${accepted(index) ? '' : ' · **not accepted yet: it does not run**'}`,
  );
  return withTrust(list('Hooks', lines, 'No hooks. They stand in `.sluice/hooks.json`.'), workspace);
}

export interface AgentFact {
  readonly name: string;
  readonly description: string;
  readonly tools?: readonly string[];
  readonly origin: Origin;
}

export function aboutAgents(agents: readonly AgentFact[], workspace: Workspace): string {
  const lines = agents.map(
    ({ name, description, tools, origin }) =>
      `- **${plain(name)}** ${plain(description.split('\n', 1)[0] ?? '')} · ${tools === undefined ? 'all tools' : plain(tools.join(', '))} · ${from(origin, workspace)}`,
  );
  return withTrust(list('Agents', lines, 'No agents.'), workspace);
}

export function aboutServers(
  { servers }: Definitions,
  workspace: Workspace,
  stateOf: (name: string) => string,
): string {
  const lines = servers.map(
    ({ name, launch, disabled, origin }) =>
      `- **${plain(name)}** ${disabled ? 'switched off' : stateOf(name)} · \`${code(launchLine(launch))}\` · ${from(origin, workspace)}`,
  );
  return withTrust(
    list('MCP servers', lines, 'No MCP servers. They stand in `.mcp.json` or `.vscode/mcp.json`.'),
    workspace,
  );
}

export function aboutProblems(
  definitions: Definitions,
  instructions: Instructions,
  workspace: Workspace,
): string {
  const lines = [...definitions.problems, ...instructions.problems].map(
    ({ path, line, column, level, text }) =>
      `- ${level === 'error' ? '**error**' : 'warning'} \`${where(path, workspace)}:${line}:${column}\` ${plain(text)}`,
  );
  const { commands, skills, agents, hooks, servers } = definitions;
  const counts = `Read: ${instructions.always.length} instructions, ${instructions.rules.length} rules, ${commands.length} commands, ${skills.length} skills, ${agents.length} agents, ${hooks.length} hooks, ${servers.length} MCP servers.`;
  return withTrust(
    `${counts}\n\n${list('What is wrong', lines, 'Nothing is wrong with the files that Sluice reads.')}`,
    workspace,
  );
}

function list(title: string, lines: readonly string[], otherwise: string): string {
  return lines.length === 0 ? otherwise : `**${title}**\n\n${lines.join('\n')}`;
}

function withTrust(text: string, workspace: Workspace): string {
  const note = trustNote(workspace);
  return note === '' ? text : `${text}\n\n${note}`;
}

function trustNote({ trusted }: Workspace): string {
  return trusted ? '' : 'This workspace is not trusted: what its files define is not used.';
}

function from({ scope, path, plugin }: Origin, workspace: Workspace): string {
  if (scope === 'built-in') return 'built in';
  const file = `\`${code(where(path, workspace))}\``;
  return plugin === undefined ? file : `plugin ${plain(plugin)}, ${file}`;
}

function where(path: string, { roots, home }: Workspace): string {
  const root = roots.find((one) => path.startsWith(`${one}/`) || path.startsWith(`${one}\\`));
  if (root !== undefined) return relative(root, path).replaceAll('\\', '/');
  return path.startsWith(home) ? `~${path.slice(home.length)}` : path;
}

/** Words of files are data: they must not become Markdown of ours. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#|~!]/g, '\\$&');
}

/** For between backticks. */
function code(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('`', "'");
}
