/** What a text that begins with `/` means, and which commands are always there. Pure; what a local command does is the panel's business. */
import type { PromptCommand } from '../definitions/commands';

export interface SlashCall {
  readonly name: string;
  readonly args: string;
}

/** `/review main`; a path such as `/usr/bin` is none. */
export function parseSlash(text: string): SlashCall | undefined {
  const match = /^\/([\p{L}][\p{L}\p{N}_.:-]*)(?:\s+([\s\S]*))?$/u.exec(text.trim());
  return match === null ? undefined : { name: match[1] ?? '', args: (match[2] ?? '').trim() };
}

/** Commands that are answered here, without a model. */
export const LOCAL_COMMANDS = [
  { name: 'help', description: 'What Sluice can do, and every command' },
  { name: 'new', description: 'Start a new session' },
  { name: 'clear', description: 'Start a new session; this one is kept' },
  { name: 'compact', description: 'Make the conversation smaller' },
  { name: 'context', description: 'What the model is told: instructions, skills, tokens' },
  { name: 'cost', description: 'Tokens and money of this session' },
  { name: 'model', description: 'Choose the route and its model' },
  { name: 'mode', description: 'Choose what may run without asking', hint: 'ask | acceptEdits | plan' },
  { name: 'plan', description: 'Plan first: only reading and searching', hint: 'what to plan' },
  { name: 'resume', description: 'Open an earlier session' },
  { name: 'rewind', description: 'Go back to an earlier prompt' },
  { name: 'export', description: 'Save this session as Markdown' },
  { name: 'permissions', description: 'What is allowed, asked about and denied' },
  { name: 'hooks', description: 'Hooks that run at events, and where they come from' },
  { name: 'agents', description: 'Agents that can be given a task' },
  { name: 'skills', description: 'Skills that are at hand' },
  { name: 'mcp', description: 'MCP servers and their state' },
  { name: 'doctor', description: 'What is wrong with the files that Sluice reads' },
] as const satisfies readonly {
  readonly name: string;
  readonly description: string;
  readonly hint?: string;
}[];
export type LocalCommand = (typeof LOCAL_COMMANDS)[number]['name'];

export function localCommand(name: string): LocalCommand | undefined {
  return LOCAL_COMMANDS.find((command) => command.name === name)?.name;
}

const builtIn = (name: string, description: string, body: string, argumentHint?: string): PromptCommand => ({
  name,
  description,
  body,
  ...(argumentHint === undefined ? {} : { argumentHint }),
  origin: { scope: 'built-in', path: '' },
});

/** Prompts that are always there; a file of the same name takes their place. */
export const BUILT_IN_PROMPTS: readonly PromptCommand[] = [
  builtIn(
    'init',
    'Write an AGENTS.md for this workspace',
    `Write an AGENTS.md at the root of this workspace for agents that will work here; if there is one, improve it instead. First look around: build and test commands, the layout of the folders, conventions that the code follows and that a newcomer would get wrong. Put in only what is true here and not obvious from the code, in at most 60 lines. Name commands exactly as they are run.`,
  ),
  builtIn(
    'review',
    'Review the changes of this workspace',
    `Review the changes of this workspace against $ARGUMENTS (when nothing is named: what is not committed, or, if everything is, the last commit). Read the diff and enough of the code around it. Report real faults only: what is wrong, where (file and line), why it matters, how to fix it, the worst first. Change nothing.`,
    'branch or commit',
  ),
];
