/** How a turn begins: a prompt is recorded before anything else happens with it, or what an earlier process left open is taken up again. */
import { PERMISSION_MODES, type PermissionMode } from '../protocol/vocabulary';
import type { Message, ToolUseBlock } from '../models/message';
import { promptContent, takeAttached } from './prompts/attached';
import { textTokens } from '../context/tokens';
import type { Channel } from './channel';
import type { Prompt } from './conversation';
import type { State } from './conversation-state';
import type { TurnEvent } from './events';
import type { Outcome } from './outcome';
import { syntheticResult } from './calls/state';
import { reminder } from './compaction/replace';
import type { TurnContext } from './turn-context';

export function failedOutcome(turn: TurnContext, error: unknown, durationMs: number): Outcome {
  return {
    kind: 'internal_error',
    reason: error instanceof Error ? error.message : String(error),
    steps: turn.totals.steps,
    durationMs,
    apiDurationMs: turn.totals.apiMs,
    usage: turn.totals.usage,
    denials: [...turn.denials],
    pending: [],
    next: { type: 'show_log' },
  };
}

/** The prompt is on disk before anything else happens with it. */
export async function takePrompt(
  state: State,
  turn: TurnContext,
  events: Channel<TurnEvent>,
  prompt: Prompt,
): Promise<readonly ToolUseBlock[] | Outcome> {
  await answerPending(state);
  const promptId = state.deps.newId();
  events.push({
    type: 'turn_started',
    turnId: turn.turnId,
    promptId,
    prompt: prompt.text,
    at: state.deps.clock.now(),
  });
  tellModel(state, turn, prompt);
  const beginning = await beginSession(state, turn);
  const hook = await state.deps.hooks?.userPrompt?.(prompt.text, turn.signal);
  if (hook?.block !== undefined) {
    return { ...failedOutcome(turn, hook.block, 0), kind: 'hook_stopped', next: { type: 'none' } };
  }
  const content = promptContent(prompt.text, prompt.attached);
  state.lastPrompt = prompt.text;
  let line: string | undefined;
  try {
    line = await state.deps.recorder.prompt({
      promptId,
      content,
      mode: state.mode,
      source: prompt.source ?? 'typed',
    });
  } finally {
    // When it could not be written, the transcript keeps it for the next try, and so does the history.
    state.history.push({ role: 'user', content }, line);
  }
  await noteLimits(state, prompt);
  if (prompt.command !== undefined) await stateCommand(state, prompt.command);
  await takeAttached(state, (event) => events.push(event), promptId, prompt.attached);
  if (!state.titled) {
    await introduce(state, turn, events);
    state.titled = true;
    // A call that begins before its response is written must be known by the route that it came from.
    if (turn.settings.sideEffects === 'block_close') await tellRoute(state);
    events.push({ type: 'title', text: titleOf(prompt.text) });
  }
  if (beginning !== undefined) await turn.inject(beginning, 'hook');
  if (hook?.context) await turn.inject(hook.context, 'hook');
  await tellMode(state, turn);
  return [];
}

async function noteLimits({ deps }: State, { frontMatter }: Prompt): Promise<void> {
  const { label = '', allowedTools, owned = true } = frontMatter ?? {};
  if (!owned && allowedTools !== undefined)
    await deps.recorder.note({ type: 'limits', label, tools: allowedTools });
}

/** Once a process; what its hooks say to the model. One that fails takes nothing away. */
async function beginSession(state: State, turn: TurnContext): Promise<string | undefined> {
  if (state.begun) return undefined;
  state.begun = true;
  const source = state.deps.resumed === undefined ? 'startup' : 'resume';
  try {
    return (await state.deps.hooks?.sessionStart?.(source, turn.signal))?.context;
  } catch (error) {
    state.deps.log.write('warning', 'A hook failed at the beginning of the session', error);
    return undefined;
  }
}

/** A file may ask for a model that is not there, or that it may not choose. */
function tellModel({ turn: running, route }: State, turn: TurnContext, { frontMatter }: Prompt): void {
  if (frontMatter?.model === undefined || running?.route !== undefined) return;
  turn.emit({
    type: 'notice',
    level: 'info',
    text: `${frontMatter.label} asks for the model ${frontMatter.model}, which no route of yours offers here; ${route.title} is used.`,
  });
}

/** What a slash command stands for are the person's own words, so they carry no tag of the program's. */
async function stateCommand(state: State, text: string): Promise<void> {
  await state.deps.recorder.note({ type: 'injected', text, why: 'command' });
  state.history.push({ role: 'user', content: [{ type: 'text', text }] });
}

async function introduce(state: State, turn: TurnContext, events: Channel<TurnEvent>): Promise<void> {
  if (state.deps.introduction === undefined) return;
  try {
    const { text, parts } = await state.deps.introduction();
    if (text !== '') await turn.inject(text, 'instructions');
    if (parts.length > 0) events.push({ type: 'instructions', parts });
  } catch (error) {
    state.deps.log.write('warning', 'The instructions could not be read', error);
  }
}

export async function goOn(
  state: State,
  turn: TurnContext,
  events: Channel<TurnEvent>,
): Promise<readonly ToolUseBlock[] | Outcome> {
  const pending = state.pending;
  state.pending = [];
  const last = state.history.all().at(-1);
  if (pending.length === 0 && (last === undefined || last.role === 'assistant')) {
    return takePrompt(state, turn, events, { text: 'Continue.', source: 'task' });
  }
  events.push({
    type: 'turn_started',
    turnId: turn.turnId,
    promptId: turn.turnId,
    prompt: '',
    at: state.deps.clock.now(),
  });
  const beginning = await beginSession(state, turn);
  // Between a call and its result there is no place for words.
  if (beginning !== undefined && pending.length === 0) await turn.inject(beginning, 'hook');
  await tellMode(state, turn);
  return pending;
}

/** A compaction that a person asked for. */
export async function compactNow(
  state: State,
  turn: TurnContext,
  events: Channel<TurnEvent>,
  focus: string | undefined,
): Promise<Outcome> {
  const at = state.deps.clock.now();
  events.push({ type: 'turn_started', turnId: turn.turnId, promptId: turn.turnId, prompt: '', at });
  await answerPending(state);
  const fit = await turn.compact('manual', focus);
  const numbers = {
    ...failedOutcome(turn, '', state.deps.clock.now() - at),
    next: { type: 'none' },
  } as const;
  switch (fit.type) {
    case 'smaller':
    case 'same':
      return { ...numbers, kind: 'compacted', reason: 'The conversation was made smaller.' };
    case 'stopped':
      return { ...numbers, kind: 'compacted', reason: 'Stopped.' };
    case 'failed':
      return { ...numbers, kind: 'compacted', reason: fit.reason };
  }
}

/** What a compaction takes out of the model's sight and must be told again. */
export async function notesAfter(
  state: State,
  past: readonly Message[],
  tokens: number,
): Promise<{ text: string; why: string }[]> {
  const told = await state.deps.introduction?.().catch(() => undefined);
  const instructions =
    told === undefined || told.text === '' ? [] : [{ text: reminder(told.text), why: 'instructions' }];
  const mode = state.toldMode === 'ask' ? [] : [{ text: reminder(MODE_WORDS[state.toldMode]), why: 'mode' }];
  const known = (await state.deps.standing?.(past).catch(() => [])) ?? [];
  const standing = within(known, tokens).map((text) => ({ text: reminder(text), why: 'standing' }));
  return [...instructions, ...standing, ...mode, ...(await hookNotes(state))];
}

async function hookNotes({ deps, turn }: State): Promise<{ text: string; why: string }[]> {
  if (turn === undefined) return [];
  try {
    const told = await deps.hooks?.sessionStart?.('compact', turn.controller.signal);
    return told?.context === undefined ? [] : [{ text: reminder(told.context), why: 'hook' }];
  } catch (error) {
    deps.log.write('warning', 'A hook failed after a compaction', error);
    return [];
  }
}

/** The first ones that fit. */
function within(texts: readonly string[], tokens: number): readonly string[] {
  let left = tokens;
  return texts.filter((text) => {
    const cost = textTokens(text);
    if (cost > left) return false;
    left -= cost;
    return true;
  });
}

/** A new prompt instead of the continuation: what an earlier process left unanswered did not run, and the model is told so. */
async function answerPending(state: State): Promise<void> {
  const pending = state.pending;
  if (pending.length === 0) return;
  state.pending = [];
  const { content } = syntheticResult('host_restarted', false);
  for (const block of pending) {
    await state.deps.recorder.result({
      callId: block.id,
      tool: block.name,
      content,
      isError: true,
      end: 'cancelled',
      cause: 'host_restarted',
    });
  }
  state.history.push({
    role: 'user',
    content: pending.map((block) => ({ type: 'tool_result', callId: block.id, content, isError: true })),
  });
}

const MODE_WORDS: Record<PermissionMode, string> = {
  ask: 'Permission mode: ask. The user is asked before edits and commands.',
  acceptEdits:
    'Permission mode: accept edits. Edits inside the workspace are applied without asking; commands are still asked about.',
  plan: 'Permission mode: plan. Only reading and searching is possible now: edits and commands that change anything are refused. Investigate and answer with a plan.',
  autoRun: 'Permission mode: auto-run. Calls run without asking unless a safety rule forbids them.',
};

/** The mode that a conversation was last told of; `ask` needs no telling at its beginning. */
export function toldModeIn(messages: readonly Message[]): PermissionMode {
  for (const { role, content } of messages.toReversed()) {
    if (role !== 'user') continue;
    const told = PERMISSION_MODES.find((mode) =>
      content.some((block) => block.type === 'text' && block.text.includes(MODE_WORDS[mode])),
    );
    if (told) return told;
  }
  return 'ask';
}

/** The system prompt is byte-stable, so the mode travels in the conversation, once per change. */
async function tellMode(state: State, turn: TurnContext): Promise<void> {
  if (state.mode === state.toldMode) return;
  state.toldMode = state.mode;
  await turn.inject(MODE_WORDS[state.mode], 'mode');
}

/** The first line of the first prompt, cut at a word. */
async function tellRoute({ deps, route }: State): Promise<void> {
  await deps.recorder.note({ type: 'route', origin: route.transport.origin, title: route.title });
}

function titleOf(prompt: string): string {
  const line = prompt.trim().split('\n', 1)[0] ?? '';
  if (line.length <= 60) return line;
  const cut = line.slice(0, 60);
  const space = cut.lastIndexOf(' ');
  return `${space > 30 ? cut.slice(0, space) : cut}…`;
}
