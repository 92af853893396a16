/** Makes the open conversation smaller, and takes that back. What a compaction is, is not known here. */
import * as vscode from 'vscode';
import { fail, nextCard } from './chat/state';
import type { State } from './chat/state';
import { begin } from './chat/turns';

/** `/compact`, with what is to be looked after behind it; undefined for every other prompt. */
export function compactFocus(text: string): string | undefined {
  const found = /^\s*\/compact(?:\s+([\s\S]*))?$/.exec(text);
  return found === null ? undefined : (found[1] ?? '').trim();
}

/** A running turn is not disturbed: its next steps are compacted by themselves when they must be. */
export async function compact(state: State, focus?: string): Promise<void> {
  if (state.turn !== undefined) {
    const text = vscode.l10n.t('The conversation is compacted when this turn has ended.');
    state.model.change([{ type: 'row', row: { type: 'notice', id: nextCard(state), level: 'info', text } }]);
    while (state.turn !== undefined) await state.turn;
  }
  if ((state.session?.conversation.messages().length ?? 0) === 0) {
    const text = vscode.l10n.t('There is nothing to compact yet.');
    state.model.change([{ type: 'row', row: { type: 'notice', id: nextCard(state), level: 'info', text } }]);
    return;
  }
  await begin(state, ({ conversation }) =>
    conversation.compact(focus === undefined || focus === '' ? undefined : focus),
  );
}

export async function undoCompaction(state: State): Promise<void> {
  const id = await state.session?.conversation.undoCompaction();
  const row = state.model.view.rows.find((each) => each.id === id);
  if (id === undefined || row?.type !== 'boundary') {
    fail(
      state,
      vscode.l10n.t('The compaction cannot be undone'),
      vscode.l10n.t(
        'The conversation has gone on since. What stood before is in the session file and above in the chat.',
      ),
      { type: 'none' },
    );
    return;
  }
  state.model.change([{ type: 'row', row: { ...row, state: 'undone', undo: false } }]);
}
