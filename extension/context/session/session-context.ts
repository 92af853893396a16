/**
 * What a session knows of its definitions: what the model is told at the beginning and when a file is touched, which slash commands and skills there
 * are, and what a person is told about them. It reads files only when it is asked to; a session does not wait for it.
 */
import { dirname } from 'node:path';
import type { Files } from '../../ports';
import type { Workspace } from '../../tools/tool';
import { withBuiltIn } from '../definitions/agents-built-in';
import type { AgentDefinition } from '../definitions/agents';
import { expandCommand, frontMatterOf } from '../definitions/commands';
import type { PromptCommand, TurnFrontMatter } from '../definitions/commands';
import { loadDefinitions } from '../definitions/load';
import type { HookDefinition } from '../definitions/hooks';
import type { Definitions } from '../definitions/load';
import type { Skill } from '../definitions/skills';
import { findInstructions, instructionsFor } from '../instructions/find';
import type { Instructions } from '../instructions/find';
import { INSTRUCTION_TOKENS, roughTokens, tellInstructions } from '../instructions/told';
import type { Told } from '../instructions/told';
import { limitOf } from '../window';
import { skillText } from './invoked-skills';
import { BUILT_IN_PROMPTS, LOCAL_COMMANDS } from './slash';

export interface ContextDeps {
  readonly files: Files;
  /** Whether the gate lets this file of the workspace go to the model. */
  mayRead(path: string): Promise<boolean>;
  workspace(): Workspace;
  /** Milliseconds. */
  now(): number;
  /** Lines about what is open and how the workspace stands, at the beginning. Default: none. */
  surroundings?(): Promise<readonly string[]>;
  hookAccepted?(hook: HookDefinition): boolean;
  /** Absent: MCP servers are read of and not used. */
  readonly servers?: {
    stateOf(name: string): string;
    prompts(): readonly CommandEntry[];
    expand(name: string, args: string): Promise<string | undefined>;
  };
  /** Tokens of the window that all of it goes into; undefined = not known. */
  window?(): number | undefined;
}

export interface CommandEntry {
  readonly name: string;
  readonly description: string;
  readonly hint?: string;
}

export interface Introduction {
  /** For the model; empty = nothing. */
  readonly text: string;
  readonly parts: Told['parts'];
}

export interface Expansion {
  /** What the command stands for. */
  readonly text: string;
  readonly frontMatter?: TurnFrontMatter;
}

export interface SessionContext {
  /** What the first request says beside the prompt. */
  introduction(): Promise<Introduction>;
  /** What a file adds that is touched for the first time. */
  touched(path: string): Promise<string | undefined>;
  commands(): Promise<readonly CommandEntry[]>;
  /** Undefined when there is none of that name. */
  expand(name: string, args: string): Promise<Expansion | undefined>;
  skill(name: string): Promise<Skill | undefined>;
  skills(): Promise<readonly Skill[]>;
  definitions(): Promise<Definitions>;
  instructions(): Promise<Instructions>;
  /** Built-in ones and those of files. */
  agents(): Promise<readonly AgentDefinition[]>;
  /** Whether the person has accepted exactly this hook. */
  hookAccepted(hook: HookDefinition | undefined): boolean;
  /** In a few words. */
  serverState(name: string): string;
}

/** Files are looked at again when the last look is older. */
const FRESH_MS = 2_000;
const SKILL_TOKENS = 2_000;
/** Of what a request may take: in a small window the instructions and the list of skills get no more. */
const INSTRUCTIONS_SHARE = 0.2;
const SKILLS_SHARE = 0.04;
const MOST_TOLD_CHARS = 300;

export function createSessionContext(deps: ContextDeps): SessionContext {
  const told = new Set<string>();
  const visited = new Set<string>();
  const definitions = cached(deps, () => loadDefinitions(deps, deps.workspace()));
  const instructions = cached(deps, () => findInstructions(deps, deps.workspace()));
  const skills = async (): Promise<readonly Skill[]> => (await definitions()).skills;
  const prompts = async (): Promise<readonly PromptCommand[]> => {
    const own = (await definitions()).commands;
    return [...own, ...BUILT_IN_PROMPTS.filter(({ name }) => !own.some((one) => one.name === name))];
  };
  return {
    async introduction() {
      const [{ always }, listed, around] = await Promise.all([
        instructions(),
        skills(),
        deps.surroundings?.().catch(() => []) ?? [],
      ]);
      for (const { path } of always) told.add(path);
      const words = tellInstructions(always, deps.workspace().roots, instructionsBudget(deps));
      const skillWords = tellSkills(listed, share(deps, SKILLS_SHARE, SKILL_TOKENS));
      const texts = [words?.text, skillWords, around.length > 0 ? around.join('\n') : undefined];
      return { text: texts.filter((one) => one !== undefined).join('\n\n'), parts: words?.parts ?? [] };
    },
    async touched(path) {
      const folder = dirname(path);
      const found = await instructionsFor(
        deps,
        deps.workspace(),
        path,
        await instructions(),
        visited.has(folder),
      );
      visited.add(folder);
      const fresh = found.filter((one) => !told.has(one.path));
      for (const one of fresh) told.add(one.path);
      return tellInstructions(fresh, deps.workspace().roots, instructionsBudget(deps))?.text;
    },
    commands: async () => entries(await prompts(), await skills(), deps.servers?.prompts() ?? []),
    expand: async (name, args) =>
      expansion(await prompts(), await skills(), name, args) ?? fromServer(deps, name, args),
    skills,
    skill: async (name) => (await skills()).find((one) => one.name === name),
    definitions,
    instructions,
    agents: async () => withBuiltIn((await definitions()).agents),
    hookAccepted: (hook) => hook !== undefined && (deps.hookAccepted?.(hook) ?? false),
    serverState: (name) => deps.servers?.stateOf(name) ?? 'not used here',
  };
}

function instructionsBudget(deps: ContextDeps): number {
  return share(deps, INSTRUCTIONS_SHARE, INSTRUCTION_TOKENS);
}

function share(deps: ContextDeps, part: number, most: number): number {
  const window = deps.window?.();
  return window === undefined ? most : Math.min(most, Math.floor(limitOf(window) * part));
}

/** The first of a name wins. */
function entries(
  prompts: readonly PromptCommand[],
  skills: readonly Skill[],
  ofServers: readonly CommandEntry[],
): readonly CommandEntry[] {
  const taken = new Set<string>();
  const all = [
    ...LOCAL_COMMANDS.map((command): CommandEntry => command),
    ...prompts.map(({ name, description, argumentHint }) => entry(name, description, argumentHint)),
    ...skills.map(({ name, description }) => entry(name, description, undefined)),
    ...ofServers,
  ];
  return all.filter(({ name }) => !taken.has(name) && taken.add(name));
}

async function fromServer(
  { servers }: ContextDeps,
  name: string,
  args: string,
): Promise<Expansion | undefined> {
  const text = await servers?.expand(name, args);
  return text === undefined ? undefined : { text };
}

function expansion(
  prompts: readonly PromptCommand[],
  skills: readonly Skill[],
  name: string,
  args: string,
): Expansion | undefined {
  const command = prompts.find((one) => one.name === name);
  if (command !== undefined) return expanded(expandCommand(command, args), command);
  const skill = skills.find((one) => one.name === name);
  if (skill === undefined) return undefined;
  return expanded(`${skillText(skill)}${args === '' ? '' : `\n\nWhat the user asks for: ${args}`}`, skill);
}

function expanded(text: string, file: PromptCommand | Skill): Expansion {
  const frontMatter = frontMatterOf(file);
  return frontMatter === undefined ? { text } : { text, frontMatter };
}

function entry(name: string, description: string, hint: string | undefined): CommandEntry {
  return hint === undefined ? { name, description } : { name, description, hint };
}

function cached<T>(deps: ContextDeps, load: () => Promise<T>): () => Promise<T> {
  let last: { readonly at: number; readonly value: Promise<T> } | undefined;
  return () => {
    if (last === undefined || deps.now() - last.at > FRESH_MS) last = { at: deps.now(), value: load() };
    return last.value;
  };
}

/** Names and descriptions within a budget; the rest by name alone. */
export function tellSkills(skills: readonly Skill[], budget = SKILL_TOKENS): string | undefined {
  const forModel = skills.filter((skill) => skill.forModel);
  if (forModel.length === 0) return undefined;
  let left = budget;
  const lines: string[] = [];
  const more: string[] = [];
  for (const { name, description } of forModel) {
    const plain = description.replace(/\s+/g, ' ');
    const line = `- ${name}: ${plain.length > MOST_TOLD_CHARS ? `${plain.slice(0, MOST_TOLD_CHARS - 1)}…` : plain}`;
    const tokens = roughTokens(line);
    if (tokens > left) more.push(name);
    else {
      lines.push(line);
      left -= tokens;
    }
  }
  const tail = more.length > 0 ? [`More skills, by name: ${more.join(', ')}.`] : [];
  return [
    'Skills: instructions for certain tasks. When one fits the task, call the Skill tool with its name before you begin; only then do you see it.',
    ...lines,
    ...tail,
  ].join('\n');
}
