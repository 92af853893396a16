/**
 * All definitions of a workspace and its user, read at once. A file that is wrong hides no other: it is a problem in the list. Of two equal names
 * the one from the stronger place counts, and the other is said.
 */
import { join } from 'node:path';
import type { Workspace } from '../../tools/tool';
import { parseAgent } from './agents';
import type { AgentDefinition } from './agents';
import { parseCommand } from './commands';
import type { PromptCommand } from './commands';
import { parseHooks } from './hooks';
import type { HookDefinition } from './hooks';
import { parseMcp } from './mcp';
import type { McpServerDefinition } from './mcp';
import { complaintsOf } from './problem';
import type { DefinitionProblem } from './problem';
import { findSkills } from './skills';
import type { Skill } from './skills';
import { markdownFiles, readDefinition, sourceFolders } from './source';
import type { DefinitionDeps, Origin, Scope, SourceFolder } from './source';

export interface Definitions {
  readonly commands: readonly PromptCommand[];
  readonly skills: readonly Skill[];
  readonly agents: readonly AgentDefinition[];
  readonly hooks: readonly HookDefinition[];
  readonly servers: readonly McpServerDefinition[];
  readonly problems: readonly DefinitionProblem[];
}

/** Never rejects. */
export async function loadDefinitions(
  deps: DefinitionDeps,
  workspace: Workspace,
  plugins: readonly SourceFolder[] = [],
): Promise<Definitions> {
  const problems: DefinitionProblem[] = [];
  const folders = [...sourceFolders(workspace), ...plugins];
  const each = async <T>(read: (folder: SourceFolder) => Promise<readonly T[]>): Promise<readonly T[]> =>
    (await Promise.all(folders.map(read))).flat();
  const [commands, skills, agents, hooks, servers] = await Promise.all([
    each((folder) => commandsOf(deps, folder, problems)),
    each((folder) => findSkills(deps, join(folder.folder, 'skills'), bare(folder), problems)),
    each((folder) => agentsOf(deps, folder, problems)),
    each((folder) => hooksOf(deps, folder, problems)),
    serversOf(deps, workspace, folders, problems),
  ]);
  const result = {
    commands: unique('command', commands, problems),
    skills: unique('skill', skills, problems),
    agents: unique('agent', agents, problems),
    hooks,
    servers: unique('server', servers, problems),
  };
  return { ...result, problems: problems.sort(byPlace) };
}

function bare({ scope, plugin }: SourceFolder): Omit<Origin, 'path'> {
  return plugin === undefined ? { scope } : { scope, plugin };
}

async function commandsOf(
  deps: DefinitionDeps,
  folder: SourceFolder,
  problems: DefinitionProblem[],
): Promise<readonly PromptCommand[]> {
  const files = await markdownFiles(deps, join(folder.folder, 'commands'), folder.scope, problems);
  return files
    .map((file) => parseCommand(file, { ...bare(folder), path: file.path }, problems))
    .filter((command) => command !== undefined);
}

async function agentsOf(
  deps: DefinitionDeps,
  folder: SourceFolder,
  problems: DefinitionProblem[],
): Promise<readonly AgentDefinition[]> {
  const files = await markdownFiles(deps, join(folder.folder, 'agents'), folder.scope, problems);
  return files
    .map((file) => parseAgent(file, { ...bare(folder), path: file.path }, problems))
    .filter((agent) => agent !== undefined);
}

/** Hooks have files of their own, or stand in the settings of another program, of which nothing else is read. */
const HOOK_FILES: readonly (readonly [name: string, whole: boolean])[] = [
  ['hooks.json', true],
  [join('hooks', 'hooks.json'), true],
  ['settings.json', false],
  ['settings.local.json', false],
];

async function hooksOf(
  deps: DefinitionDeps,
  folder: SourceFolder,
  problems: DefinitionProblem[],
): Promise<readonly HookDefinition[]> {
  const found = await Promise.all(
    HOOK_FILES.map(async ([name, whole]) => {
      const path = join(folder.folder, name);
      const text = await readDefinition(deps, path, folder.scope, problems);
      return text === undefined ? [] : parseHooks(path, text, { ...bare(folder), path }, whole, problems);
    }),
  );
  return found.flat();
}

interface ServerFile {
  readonly path: string;
  readonly key: 'servers' | 'mcpServers';
  readonly scope: Scope;
  readonly plugin?: string;
}

async function serversOf(
  deps: DefinitionDeps,
  { roots, trusted }: Workspace,
  folders: readonly SourceFolder[],
  problems: DefinitionProblem[],
): Promise<readonly McpServerDefinition[]> {
  const inRoots = (trusted ? roots : []).flatMap((root): readonly ServerFile[] => [
    { path: join(root, '.vscode', 'mcp.json'), key: 'servers', scope: 'workspace' },
    { path: join(root, '.mcp.json'), key: 'mcpServers', scope: 'workspace' },
  ]);
  const inFolders = folders.map((folder): ServerFile => ({
    path: join(folder.folder, folder.plugin === undefined ? 'mcp.json' : '.mcp.json'),
    key: 'mcpServers',
    ...bare(folder),
  }));
  const found = await Promise.all(
    [...inRoots, ...inFolders].map(async ({ path, key, ...origin }) => {
      const text = await readDefinition(deps, path, origin.scope, problems);
      return text === undefined ? [] : parseMcp(path, text, { ...origin, path }, key, problems);
    }),
  );
  return found.flat();
}

/** The first counts. */
function unique<T extends { readonly name: string; readonly origin: Origin; readonly line?: number }>(
  what: string,
  all: readonly T[],
  problems: DefinitionProblem[],
): readonly T[] {
  const first = new Map<string, T>();
  for (const one of all) {
    const before = first.get(one.name);
    if (before === undefined) first.set(one.name, one);
    else
      complaintsOf(one.origin.path, problems).warning(
        one.line ?? 1,
        1,
        `There is another ${what} "${one.name}" in ${before.origin.path}; that one counts.`,
      );
  }
  return [...first.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function byPlace(a: DefinitionProblem, b: DefinitionProblem): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
