/** Runs the turns of the open session: sends prompts, queues them behind a running turn, and starts what comes next. It makes no session itself. */
import type { TurnEvent } from '../../agent/events';
import type { Outcome } from '../../agent/outcome';
import type { Prompt } from '../../agent/conversation';
import type { QueuedPrompt } from '../../agent/prompts/queue';
import type { Attachment } from '../../protocol/attachments';
import { background } from '../../editor/log';
import { compact, compactFocus } from '../compaction';
import { readBeside } from '../context/beside';
import { queuedItem } from '../state/translate';
import { savesAgain } from './dialogs';
import type { Waiting } from './last-session';
import { obstacleTo } from './obstacles';
import { followFallback, followWindow } from './route';
import { openNew, retire } from './sessions';
import type { Session } from './session';
import { expanded } from './slash';
import { attention, fail, post } from './state';
import type { State } from './state';

/** A prompt, and the chips that it came with: they go back to the message box with it. */
export interface Outgoing extends Prompt {
  readonly beside?: readonly Attachment[];
}

export async function submit(state: State, prompt: Outgoing, delivery: 'queue' | 'now'): Promise<void> {
  const focus = compactFocus(prompt.text);
  if (focus !== undefined) return compact(state, focus);
  state.underway += 1;
  try {
    const typed = prompt.source === undefined || prompt.source === 'typed';
    const isCommand = typed && prompt.text.trimStart().startsWith('/');
    const meant = isCommand ? await expanded(state, prompt) : prompt;
    if (meant === undefined) return;
    const whole = await withAttached(state, { ...prompt, ...meant });
    if (whole !== undefined) await send(state, whole, delivery);
  } finally {
    state.underway -= 1;
    if (state.underway === 0) state.stopNext = false;
  }
}

/** Reads what is beside the prompt; undefined when it is not to be sent. Prompts keep their order, however long that takes. */
async function withAttached(state: State, prompt: Outgoing): Promise<Outgoing | undefined> {
  const { beside = [] } = prompt;
  const before = state.reading;
  if (beside.length === 0 && before === undefined) return prompt;
  const work = async (): Promise<Outgoing | undefined> => {
    await before;
    if (prompt.attached !== undefined || beside.length === 0) return prompt;
    const attached = await readBeside(state, beside);
    return attached === undefined ? undefined : { ...prompt, attached };
  };
  const mine = work();
  const done = mine.then(
    () => undefined,
    () => undefined,
  );
  state.reading = done;
  const whole = await mine;
  if (state.reading === done) state.reading = undefined;
  if (whole === undefined) giveBack(state, prompt);
  return whole;
}

/** Text and chips go back to the message box. */
function giveBack(state: State, { text, beside = [] }: Outgoing): void {
  post(
    state,
    beside.length === 0 ? { type: 'prefill', text } : { type: 'prefill', text, attachments: beside },
  );
}

async function send(state: State, prompt: Outgoing, delivery: 'queue' | 'now'): Promise<void> {
  const running = state.session?.conversation;
  if (state.turn !== undefined && running !== undefined) {
    if (delivery === 'queue') queuePrompt(state, running, prompt);
    else state.sendNow.push(prompt);
    showQueue(state);
    if (delivery === 'now') running.stop();
    return;
  }
  state.underway += 1;
  try {
    await startWith(state, prompt, delivery);
  } finally {
    state.underway -= 1;
    if (state.underway === 0) state.stopNext = false;
  }
}

/** What a command's file says holds for a turn of its own, where the command is looked up again. */
function queuePrompt(state: State, { queue }: Session['conversation'], prompt: Outgoing): void {
  const { text, command, frontMatter, attached, beside } = prompt;
  const { id } =
    frontMatter === undefined ? queue.add(command ?? text, false, attached) : queue.add(text, true, attached);
  remember(state, id, beside);
}

async function startWith(state: State, prompt: Outgoing, delivery: 'queue' | 'now'): Promise<void> {
  const obstacle = await obstacleTo(state.route, state.deps.keys);
  if (obstacle !== undefined) {
    fail(state, obstacle.title, obstacle.detail, obstacle.next);
    return giveBack(state, prompt);
  }
  const start = ({ conversation }: Session): AsyncIterable<TurnEvent> => {
    state.besideNext = prompt.beside ?? [];
    return conversation.submit(prompt);
  };
  if (await begin(state, start)) return;
  // Another prompt was a moment faster, or there is no session to be had: the text is not lost.
  if (state.turn !== undefined) return send(state, prompt, delivery);
  giveBack(state, prompt);
}

/** Prompts of which more is kept than their words: the newest. */
const MOST_REMEMBERED = 50;

function remember({ beside }: State, id: string, attachments: readonly Attachment[] = []): void {
  if (attachments.length === 0) return;
  beside.set(id, attachments);
  for (const key of beside.keys()) {
    if (beside.size <= MOST_REMEMBERED) return;
    beside.delete(key);
  }
}

/** Starts a turn, which goes on by itself. False, and nothing done, when one runs or no session can be made. */
export async function begin(
  state: State,
  open: (session: Session) => AsyncIterable<TurnEvent>,
): Promise<boolean> {
  if (state.turn !== undefined) return false;
  let session = await openNew(state);
  // Another one may have taken its place while this one was waited for.
  while (session !== undefined && session !== state.session) session = await openNew(state);
  if (session === undefined || isRunning(state)) return false;
  const { log } = state.deps;
  const turn = follow(state, open(session)).finally(() => {
    state.turn = undefined;
    attention(state.desk);
  });
  state.turn = turn.then(undefined, () => undefined);
  // A stop that came while the turn was on its way.
  if (state.stopNext) session.conversation.stop();
  state.stopNext = false;
  attention(state.desk);
  background(
    log,
    'A turn',
    turn.then((outcome) => next(state, outcome)).then(() => retire(state)),
  );
  return true;
}

/** A call, because the compiler does not see that time has passed. */
function isRunning(state: State): boolean {
  return state.turn !== undefined;
}

const CALL_FOR_ATTENTION: ReadonlySet<TurnEvent['type']> = new Set([
  'approval_requested',
  'approval_answered',
  'title',
]);

async function follow(state: State, events: AsyncIterable<TurnEvent>): Promise<Outcome | undefined> {
  const { model, session, deps } = state;
  let outcome: Outcome | undefined;
  for await (const event of events) {
    model.feed(event);
    const shown = state.desk.shown === state;
    if (event.type === 'turn_started' && session !== undefined && shown)
      deps.last.opened(session.conversation.id);
    if (event.type === 'turn_started') {
      remember(state, event.promptId, state.besideNext);
      state.besideNext = [];
    }
    if (CALL_FOR_ATTENTION.has(event.type)) attention(state.desk);
    if (event.type === 'queued' && session !== undefined && shown)
      deps.last.queued(session.conversation.id, waitingOf(state, event.prompts));
    if (event.type === 'turn_ended') outcome = event.outcome;
    if (event.type === 'step_ended') followWindow(state);
    if (event.type === 'route_changed') followFallback(state, event.to.id);
  }
  return outcome;
}

/** What was queued and not delivered is the next prompt; after a stop or a failure it goes back to the composer instead. */
async function next(state: State, outcome: Outcome | undefined): Promise<void> {
  // The turn that goes on comes first; what was sent meanwhile is still there when it ends.
  if (outcome?.kind === 'internal_error' && (await savesAgain(state.session))) {
    await begin(state, goOn);
    return;
  }
  const [first, ...more] = state.sendNow.splice(0);
  if (first !== undefined) return submit(state, together(first, more), 'queue');
  const queue = state.session?.conversation.queue;
  if (queue === undefined || queue.list().length === 0) return;
  if (outcome?.kind === 'completed') {
    const queued = queue.takeFirst();
    showQueue(state);
    if (queued !== undefined) await submit(state, outgoing(state, queued), 'queue');
    return;
  }
  const all = queue.takeAll().map((prompt) => outgoing(state, prompt));
  showQueue(state);
  const [oldest, ...others] = all;
  if (oldest !== undefined) giveBack(state, together(oldest, others));
}

function outgoing({ beside }: State, { id, text, attached = [] }: QueuedPrompt): Outgoing {
  return { text, attached, beside: beside.get(id) ?? [] };
}

/** Stops what runs, and sends a prompt that waits. */
export async function sendQueued(state: State, id: string): Promise<void> {
  const queue = state.session?.conversation.queue;
  const prompt = queue?.list().find((one) => one.id === id);
  if (queue === undefined || prompt === undefined || !queue.remove(id)) return;
  await send(state, outgoing(state, prompt), 'now');
  showQueue(state);
}

/** Takes a prompt that waits back into the message box. */
export function editQueued(state: State, id: string): void {
  const queue = state.session?.conversation.queue;
  const prompt = queue?.list().find((one) => one.id === id);
  if (queue === undefined || prompt === undefined || !queue.remove(id)) return;
  showQueue(state);
  giveBack(state, outgoing(state, prompt));
}

function together(first: Outgoing, more: readonly Outgoing[]): Outgoing {
  const all = [first, ...more];
  return {
    ...first,
    text: all.map((prompt) => prompt.text).join('\n\n'),
    attached: all.flatMap((prompt) => prompt.attached ?? []),
    beside: all.flatMap((prompt) => prompt.beside ?? []),
  };
}

export function goOn({ conversation }: Session): AsyncIterable<TurnEvent> {
  return conversation.continueTurn();
}

export function showQueue(state: State): void {
  const queued = state.session?.conversation.queue.list() ?? [];
  state.model.change([{ type: 'header', patch: { queued: queued.map(queuedItem) } }]);
  if (state.session !== undefined && state.desk.shown === state)
    state.deps.last.queued(state.session.conversation.id, waitingOf(state, queued));
}

function waitingOf({ beside }: State, queued: readonly QueuedPrompt[]): readonly Waiting[] {
  return queued.map(({ id, text }) => ({ text, attachments: beside.get(id) ?? [] }));
}
