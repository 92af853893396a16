/** Runs the turns of the open session: sends prompts, queues them behind a running turn, and starts what comes next. It makes no session itself. */
import type { TurnEvent } from '../../agent/events';
import type { Outcome } from '../../agent/outcome';
import type { Prompt } from '../../agent/conversation';
import { background } from '../../editor/log';
import { compact, compactFocus } from '../compaction';
import { savesAgain } from './dialogs';
import { obstacleTo } from './obstacles';
import { followFallback, followWindow } from './route';
import { openNew, retire } from './sessions';
import type { Session } from './session';
import { expanded } from './slash';
import { attention, fail, post } from './state';
import type { State } from './state';

export async function submit(state: State, prompt: Prompt, delivery: 'queue' | 'now'): Promise<void> {
  const focus = compactFocus(prompt.text);
  if (focus !== undefined) return compact(state, focus);
  const typed = prompt.source === undefined || prompt.source === 'typed';
  if (!typed || !prompt.text.trimStart().startsWith('/')) return send(state, prompt, delivery);
  const meant = await expanded(state, prompt);
  if (meant !== undefined) await send(state, meant, delivery);
}

async function send(state: State, prompt: Prompt, delivery: 'queue' | 'now'): Promise<void> {
  const running = state.session?.conversation;
  if (state.turn !== undefined && running !== undefined) {
    if (delivery === 'queue') queuePrompt(running, prompt);
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
function queuePrompt({ queue }: Session['conversation'], { text, command, frontMatter }: Prompt): void {
  if (frontMatter === undefined) queue.add(command ?? text);
  else queue.add(text, true);
}

async function startWith(state: State, prompt: Prompt, delivery: 'queue' | 'now'): Promise<void> {
  const obstacle = await obstacleTo(state.route, state.deps.keys);
  if (obstacle !== undefined) {
    fail(state, obstacle.title, obstacle.detail, obstacle.next);
    post(state, { type: 'prefill', text: prompt.text });
    return;
  }
  if (await begin(state, ({ conversation }) => conversation.submit(prompt))) return;
  // Another prompt was a moment faster, or there is no session to be had: the text is not lost.
  if (state.turn !== undefined) return send(state, prompt, delivery);
  post(state, { type: 'prefill', text: prompt.text });
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
    if (CALL_FOR_ATTENTION.has(event.type)) attention(state.desk);
    if (event.type === 'queued' && session !== undefined && shown)
      deps.last.queued(
        session.conversation.id,
        event.prompts.map(({ text }) => text),
      );
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
    if (queued !== undefined) await submit(state, { text: queued.text }, 'queue');
    return;
  }
  const text = queue
    .takeAll()
    .map((prompt) => prompt.text)
    .join('\n\n');
  showQueue(state);
  post(state, { type: 'prefill', text });
}

function together(first: Prompt, more: readonly Prompt[]): Prompt {
  const all = [first, ...more];
  const attachments = all.flatMap((prompt) => prompt.attachments ?? []);
  const text = all.map((prompt) => prompt.text).join('\n\n');
  return attachments.length === 0 ? { ...first, text } : { ...first, text, attachments };
}

export function goOn({ conversation }: Session): AsyncIterable<TurnEvent> {
  return conversation.continueTurn();
}

export function showQueue(state: State): void {
  const queued = state.session?.conversation.queue.list() ?? [];
  state.model.change([{ type: 'header', patch: { queued } }]);
  if (state.session !== undefined && state.desk.shown === state)
    state.deps.last.queued(
      state.session.conversation.id,
      queued.map(({ text }) => text),
    );
}
