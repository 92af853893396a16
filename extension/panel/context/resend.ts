/** Edits an earlier prompt and sends it again in its own place: what came after it leaves the conversation, and its files too if so wished. */
import * as vscode from 'vscode';
import type { Attachment } from '../../protocol/attachments';
import type { AttachedItem } from '../../protocol/vocabulary';
import { rewindPlan, rewindToReplace } from '../chat/rewind';
import { fail, post } from '../chat/state';
import type { State } from '../chat/state';
import { submit } from '../chat/turns';
import type { Outgoing } from '../chat/turns';
import { attachmentOf } from './completions';

export async function editPrompt(state: State, promptId: string): Promise<void> {
  const row = state.model.view.rows.find(({ id }) => id === promptId);
  if (row?.type !== 'prompt') return;
  const attachments = besideOf(state, promptId);
  const beside = attachments.length === 0 ? {} : { attachments };
  const found = await rewindPlan(state, promptId);
  // What was answered here was never part of the conversation: its text is all there is of it.
  if (found === undefined) return post(state, { type: 'prefill', text: row.text, ...beside });
  const edit = { promptId, files: found.plan.length };
  post(state, { type: 'prefill', text: row.text, ...beside, edit });
}

export async function resendPrompt(
  state: State,
  promptId: string,
  prompt: Outgoing,
  files: boolean,
): Promise<void> {
  if (await rewindToReplace(state, promptId, files)) return submit(state, prompt, 'queue');
  const { text, beside = [] } = prompt;
  fail(
    state,
    vscode.l10n.t('The message was not sent again'),
    vscode.l10n.t('The conversation goes on as it is. Your text is in the message box.'),
    { type: 'none' },
  );
  post(state, { type: 'prefill', text, ...(beside.length === 0 ? {} : { attachments: beside }) });
}

/** As it was put there; of a session that was opened again, what can be found by its path. */
function besideOf({ beside, model }: State, promptId: string): readonly Attachment[] {
  const known = beside.get(promptId);
  if (known !== undefined) return known;
  const { rows } = model.view;
  const after = rows[rows.findIndex(({ id }) => id === promptId) + 1];
  return after?.type === 'attached' ? after.items.flatMap(again) : [];
}

function again({ kind, label, path, line }: AttachedItem): readonly Attachment[] {
  if (kind === 'problems' || kind === 'changes') return [attachmentOf(label, '', undefined, { type: kind })];
  if (path === undefined) return [];
  if (kind === 'folder') return [attachmentOf(label, '', undefined, { type: 'folder', path })];
  if (kind !== 'file' && kind !== 'symbol') return [];
  const range = /:(\d+)(?:-(\d+))?$/.exec(label);
  const lines =
    line === undefined || range === null ? {} : { lines: { from: line, to: Number(range[2] ?? range[1]) } };
  return [attachmentOf(label, '', undefined, { type: 'file', path, ...lines })];
}
