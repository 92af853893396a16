/**
 * Takes the open session back to before a prompt: its files, the conversation, or both, or begins a new one from there. It asks first, says what
 * it left alone, and can be taken back.
 */
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { carryOut, planRevert } from '../../review/revert';
import type { PlannedFile, Reverted } from '../../review/revert';
import type { Turn } from '../../review/history';
import type { PromptPlace } from '../../sessions/prompts';
import type { Session } from './session';
import { newSession, reopened, switchTo } from './sessions';
import { conflictWords, pickFiles, pickWhat } from './rewind-picks';
import { fail, nextCard, post } from './state';
import type { Rewound, State } from './state';

export type RewindWhat = 'both' | 'files' | 'conversation' | 'fork';

export async function rewind(state: State, promptId: string, what?: RewindWhat): Promise<void> {
  if (!(await stopped(state))) return;
  const { session } = state;
  const place = await session?.findPrompt(promptId);
  if (session === undefined || place === undefined) {
    const detail = vscode.l10n.t('The conversation, as it is now, has no such prompt.');
    return fail(state, vscode.l10n.t('Nothing was rewound'), detail, { type: 'none' });
  }
  const plan = (await planRevert(session.checkpoints, sinceOf(session, place))).filter(
    ({ type }) => type !== 'same',
  );
  const chosen = what ?? (await pickWhat(place.text, plan));
  if (chosen === undefined) return;
  if (chosen === 'fork') return fork(state, session, place);
  const withFiles = chosen !== 'conversation';
  const files = withFiles && what === undefined ? await pickFiles(plan) : plan;
  if (files === undefined) return;
  await carryOutRewind(state, session, place, { files: withFiles ? files : [], talk: chosen !== 'files' });
}

/** What of the files could be put back as it was before a prompt; undefined when the conversation has no such prompt. */
export async function rewindPlan(
  state: State,
  promptId: string,
): Promise<{ readonly place: PromptPlace; readonly plan: readonly PlannedFile[] } | undefined> {
  const { session } = state;
  const place = await session?.findPrompt(promptId);
  if (session === undefined || place === undefined) return undefined;
  const plan = await planRevert(session.checkpoints, sinceOf(session, place));
  return { place, plan: plan.filter(({ type }) => type !== 'same') };
}

/** To before a prompt, which another one takes the place of. False when it could not be done; then nothing was. */
export async function rewindToReplace(state: State, promptId: string, files: boolean): Promise<boolean> {
  if (!(await stopped(state))) return false;
  const found = await rewindPlan(state, promptId);
  const { session } = state;
  if (session === undefined || found === undefined) return false;
  const what = { files: files ? found.plan : [], talk: true };
  await carryOutRewind(state, session, { ...found.place, text: '' }, what, found.place.text);
  return true;
}

async function carryOutRewind(
  state: State,
  session: Session,
  place: PromptPlace,
  what: { readonly files: readonly PlannedFile[]; readonly talk: boolean },
  words = place.text,
): Promise<void> {
  const id = randomUUID();
  const title = vscode.l10n.t('Rewind to before “{0}”', short(words));
  const reverted = await carryOut(session.checkpoints, what.files, { id, title });
  const end = session.position();
  if (what.talk) await moveTo(state, session, place.before, place.text);
  const rewound: Rewound = {
    title,
    ...(reverted.done.length > 0 ? { files: id } : {}),
    ...(what.talk ? { end } : {}),
  };
  report(state, rewound, reverted, what.talk);
}

/** Every turn that began with the prompt or later, with what was undone since. */
function sinceOf({ checkpoints }: Session, { promptId, at }: PromptPlace): (turn: Turn) => boolean {
  const { turns } = checkpoints.history;
  const named = turns.findIndex((turn) => turn.id === promptId);
  const first = named >= 0 ? named : turns.findIndex((turn) => turn.at >= at);
  const since = new Set(first < 0 ? [] : turns.slice(first));
  return (turn) => since.has(turn);
}

/** The session's file is told; then it is opened again from there. */
async function moveTo(
  state: State,
  session: Session,
  to: PromptPlace['before'],
  draft: string,
): Promise<void> {
  const { id } = session.conversation;
  await session.rewind(to);
  await openAgain(state, session, id);
  if (draft !== '') post(state, { type: 'prefill', text: draft });
}

async function openAgain(state: State, old: Session, id: string): Promise<void> {
  state.session = undefined;
  await old.close();
  await reopened(state, id);
  state.deps.last.opened(id);
}

async function fork(state: State, session: Session, place: PromptPlace): Promise<void> {
  if (place.before === null) {
    await newSession(state.desk);
    return post(state.desk.shown, { type: 'prefill', text: place.text });
  }
  if (!(await switchTo(state.desk, await session.fork(place.before)))) return;
  const { shown } = state.desk;
  post(shown, { type: 'prefill', text: place.text });
  notice(shown, vscode.l10n.t('This is a fork. The session it came from is as it was.'));
}

/** Without an id: the last one, which may be of before a reload. */
export async function undoRewind(state: State, id?: string): Promise<void> {
  if (!(await stopped(state))) return;
  const { session } = state;
  if (session === undefined) return;
  const rewound = id === undefined ? lastRewind(state, session) : state.rewinds.get(id);
  if (rewound === undefined) return notice(state, vscode.l10n.t('There is no rewind to undo.'));
  if (id !== undefined) state.rewinds.delete(id);
  const undoId = randomUUID();
  const of = { title: rewound.of?.title ?? rewound.title, undone: rewound.of?.undone !== true };
  const title = of.undone ? vscode.l10n.t('Undo: {0}', of.title) : vscode.l10n.t('Redo: {0}', of.title);
  const plan =
    rewound.files === undefined
      ? []
      : await planRevert(session.checkpoints, (turn) => turn.id === rewound.files);
  const reverted = await carryOut(session.checkpoints, plan, { id: undoId, title });
  const end = session.position();
  const talk = rewound.end !== undefined;
  if (rewound.end !== undefined) await moveTo(state, session, rewound.end, '');
  report(
    state,
    { title, of, ...(reverted.done.length > 0 ? { files: undoId } : {}), ...(talk ? { end } : {}) },
    reverted,
    talk,
  );
}

function lastRewind(state: State, { checkpoints }: Session): Rewound | undefined {
  const shown = [...state.rewinds].at(-1);
  if (shown !== undefined) {
    state.rewinds.delete(shown[0]);
    return shown[1];
  }
  const turn = checkpoints.history.turns.findLast(({ kind }) => kind === 'undo');
  return turn === undefined ? undefined : { title: turn.title, files: turn.id };
}

/** What was done, with its Undo, and a card of its own for what was not. */
function report(state: State, rewound: Rewound, { done, left }: Reverted, talk: boolean): void {
  const card = nextCard(state);
  const merged = done.filter(({ type }) => type === 'merge').length;
  const parts = [
    doneWords(done.length),
    ...(merged > 0 ? [vscode.l10n.t('your later edits kept in {0}', merged)] : []),
    ...(talk ? [vscode.l10n.t('the conversation goes on from there')] : []),
  ];
  const undoable = done.length > 0 || talk;
  if (undoable) state.rewinds.set(card, rewound);
  const action = { title: vscode.l10n.t('Undo'), action: { type: 'undo_rewind', id: card } } as const;
  const text = `${rewound.title}: ${parts.join(', ')}.`;
  const row = { type: 'notice', id: card, level: 'info', text } as const;
  state.model.change([{ type: 'row', row: undoable ? { ...row, action } : row }]);
  if (left.length === 0) return;
  const detail = left.map((file) => conflictWords(file)).join('\n');
  const title =
    left.length === 1
      ? vscode.l10n.t('1 file was left alone')
      : vscode.l10n.t('{0} files were left alone', left.length);
  fail(state, title, detail, { type: 'review_changes' });
}

function doneWords(count: number): string {
  if (count === 0) return vscode.l10n.t('no file changed');
  return count === 1 ? vscode.l10n.t('1 file put back') : vscode.l10n.t('{0} files put back', count);
}

function notice(state: State, text: string): void {
  state.model.change([{ type: 'row', row: { type: 'notice', id: nextCard(state), level: 'info', text } }]);
}

/** True when no turn runs (any more). */
async function stopped(state: State): Promise<boolean> {
  if (state.turn === undefined) return true;
  const stop = vscode.l10n.t('Stop the Turn');
  const question = vscode.l10n.t('A turn is running. It must be stopped before anything is rewound.');
  if ((await vscode.window.showWarningMessage(question, { modal: true }, stop)) !== stop) return false;
  state.session?.conversation.stop();
  await state.turn;
  return true;
}

function short(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
