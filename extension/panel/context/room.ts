/** What takes the most room in the context, and taking it out: the call stays, its result gives way to a line that says so. */
import * as vscode from 'vscode';
import { fail } from '../chat/state';
import type { State } from '../chat/state';

const SHOWN = 8;

export function listSources({ session, model }: State): void {
  const { context } = model.view.header;
  if (session === undefined || context === undefined) return;
  const sources = session.conversation.sources(SHOWN);
  model.change([{ type: 'header', patch: { context: { ...context, sources } } }]);
}

export async function removeSource(state: State, id: string): Promise<void> {
  const { session, model } = state;
  if (session === undefined) return;
  if (!(await session.conversation.removeSource(id))) {
    const detail = vscode.l10n.t(
      'A turn runs, or it has left the context already. Try again when the turn has ended.',
    );
    return fail(state, vscode.l10n.t('Nothing was taken out of the context'), detail, { type: 'none' });
  }
  const { context } = model.view.header;
  const { system, tools, notes, prompts, answers, results, total } = session.conversation.ledger();
  const parts = Object.entries({ system, tools, notes, prompts, answers, results }).flatMap(
    ([name, tokens]) => (tokens === 0 ? [] : [{ name, tokens }]),
  );
  if (context !== undefined)
    model.change([{ type: 'header', patch: { context: { ...context, used: total, parts } } }]);
  listSources(state);
}
