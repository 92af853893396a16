/** Answers slash commands that need no model, in the chat itself, and turns the others into the prompt they stand for. */
import * as vscode from 'vscode';
import type { Prompt } from '../../agent/conversation';
import {
  aboutAgents,
  aboutCommands,
  aboutContext,
  aboutHooks,
  aboutProblems,
  aboutServers,
  aboutSkills,
} from '../../context/session/about';
import type { SessionContext } from '../../context/session/session-context';
import { localCommand, parseSlash } from '../../context/session/slash';
import type { LocalCommand, SlashCall } from '../../context/session/slash';
import { currentWorkspace } from '../../editor/workspace';
import { unreachable } from '../../protocol/vocabulary';
import type { PermissionMode } from '../../protocol/vocabulary';
import { openNew } from './sessions';
import { nextCard } from './state';
import type { State } from './state';
import { offered, paletteCommand } from './slash-table';

/** The prompt to send; undefined when the command has been answered here. */
export async function expanded(state: State, prompt: Prompt): Promise<Prompt | undefined> {
  const call = parseSlash(prompt.text);
  if (call === undefined) return prompt;
  const local = localCommand(call.name);
  if (local !== undefined) return answerLocally(state, local, call, prompt);
  const session = await openNew(state);
  if (session?.context === undefined) return prompt;
  const command = await session.context.expand(call.name, call.args);
  if (command !== undefined) {
    const { text: meaning, frontMatter } = command;
    return { ...prompt, command: meaning, ...(frontMatter === undefined ? {} : { frontMatter }) };
  }
  const text = vscode.l10n.t(
    'There is no command /{0}, so nothing was sent. /help lists the commands. To send the text as it is, put a word before it.',
    call.name,
  );
  say(state, prompt.text, text);
  return undefined;
}

/** As a row of the person's and one of ours; neither is part of the conversation with the model. */
function say(state: State, asked: string, answer: string): void {
  const id = nextCard(state);
  state.model.change([
    { type: 'row', row: { type: 'prompt', id, text: asked, at: Date.now() } },
    { type: 'row', row: { type: 'text', id: `${id}:answer`, text: answer, open: false } },
  ]);
}

async function answerLocally(
  state: State,
  name: LocalCommand,
  { args }: SlashCall,
  prompt: Prompt,
): Promise<Prompt | undefined> {
  switch (name) {
    case 'plan':
      setMode(state, 'plan');
      if (args !== '') return { ...prompt, text: args };
      say(state, prompt.text, vscode.l10n.t('The mode is Plan: only reading and searching.'));
      return undefined;
    case 'mode':
      await changeMode(state, args, prompt.text);
      return undefined;
    case 'new':
    case 'clear':
    case 'model':
    case 'compact':
    case 'resume':
    case 'rewind':
    case 'export':
    case 'permissions':
      await runPalette(state, name, prompt.text);
      return undefined;
    case 'help':
    case 'context':
    case 'cost':
    case 'hooks':
    case 'agents':
    case 'skills':
    case 'mcp':
    case 'doctor':
      say(state, prompt.text, await told(state, name));
      return undefined;
    default:
      return unreachable(name);
  }
}

async function runPalette(state: State, name: LocalCommand, asked: string): Promise<void> {
  const id = await paletteCommand(name);
  if (id === undefined) say(state, asked, vscode.l10n.t('/{0} is not available in this version.', name));
  else await vscode.commands.executeCommand(id);
}

/** `autoRun` is not among them: a text in the panel takes no questions away. */
const TYPED_MODES: readonly PermissionMode[] = ['ask', 'acceptEdits', 'plan'];

async function changeMode(state: State, args: string, asked: string): Promise<void> {
  const mode = TYPED_MODES.find((one) => one.toLowerCase() === args.toLowerCase());
  if (mode !== undefined) {
    setMode(state, mode);
    say(state, asked, vscode.l10n.t('The mode is {0}.', mode));
  } else await vscode.commands.executeCommand('sluice.chooseMode');
}

function setMode(state: State, mode: PermissionMode): void {
  state.mode = mode;
  state.session?.conversation.setMode(mode);
  state.model.change([{ type: 'header', patch: { mode } }]);
}

type Topic = 'help' | 'context' | 'cost' | 'hooks' | 'agents' | 'skills' | 'mcp' | 'doctor';

async function told(state: State, topic: Topic): Promise<string> {
  if (topic === 'cost') return aboutCost(state);
  const session = await openNew(state);
  const workspace = currentWorkspace();
  if (session?.context === undefined || workspace === undefined)
    return vscode.l10n.t('Open a folder first: commands, skills and instructions belong to a workspace.');
  return aboutDefinitions(session.context, workspace, topic);
}

async function aboutDefinitions(
  context: SessionContext,
  workspace: NonNullable<ReturnType<typeof currentWorkspace>>,
  topic: Exclude<Topic, 'cost'>,
): Promise<string> {
  const definitions = await context.definitions();
  switch (topic) {
    case 'help':
      return aboutCommands(await offered(await context.commands()));
    case 'context':
      return aboutContext(await context.instructions(), definitions, workspace);
    case 'skills':
      return aboutSkills(definitions, workspace);
    case 'hooks':
      return aboutHooks(definitions, workspace, (index) => context.hookAccepted(definitions.hooks[index]));
    case 'agents':
      return aboutAgents(await context.agents(), workspace);
    case 'mcp':
      return aboutServers(definitions, workspace, (name) => context.serverState(name));
    case 'doctor':
      return aboutProblems(definitions, await context.instructions(), workspace);
    default:
      return unreachable(topic);
  }
}

function aboutCost({ model }: State): string {
  const { usage } = model.view.header;
  const lines: readonly (readonly [string, number | undefined])[] = [
    [vscode.l10n.t('Sent'), usage.inputTokens],
    [vscode.l10n.t('Received'), usage.outputTokens],
    [vscode.l10n.t('Thinking'), usage.reasoningTokens],
    [vscode.l10n.t('Read from cache'), usage.cacheReadTokens],
    [vscode.l10n.t('Written to cache'), usage.cacheWriteTokens],
  ];
  const known = lines.flatMap(([name, count]) =>
    count === undefined ? [] : [`- ${name}: ${count.toLocaleString('en')} tokens`],
  );
  const costs = model.view.rows.flatMap((row) => (row.type === 'outcome' ? [row.costUsd] : []));
  const priced = costs.filter((cost) => cost !== undefined);
  const money =
    priced.length === 0 || priced.length < costs.length
      ? vscode.l10n.t('The price of this route is not known.')
      : `$${priced.reduce((sum, cost) => sum + cost, 0).toFixed(4)}`;
  return [...(known.length === 0 ? [vscode.l10n.t('Nothing was sent yet.')] : known), '', money].join('\n');
}
