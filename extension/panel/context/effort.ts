/** How hard the model is to think: asked of the person, told to the conversation, shown where the route takes it. */
import * as vscode from 'vscode';
import type { Effort } from '../../protocol/vocabulary';
import type { State } from '../chat/state';

export async function pickEffort(state: State): Promise<void> {
  const { choices = [], value } = state.model.view.header.effort ?? {};
  if (choices.length === 0) return;
  const items = [undefined, ...choices].map((effort) => ({
    label: effortTitle(effort),
    description: effort === value ? vscode.l10n.t('in use') : '',
    effort,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('How hard should the model think?'),
    placeHolder: vscode.l10n.t('More effort takes longer and costs more. It holds from the next request on.'),
  });
  if (picked === undefined) return;
  state.effort = picked.effort;
  state.session?.conversation.setEffort(picked.effort);
  showEffort(state);
}

function effortTitle(effort: Effort | undefined): string {
  switch (effort) {
    case undefined:
      return vscode.l10n.t('As the model does by itself');
    case 'low':
      return vscode.l10n.t('Low');
    case 'medium':
      return vscode.l10n.t('Medium');
    case 'high':
      return vscode.l10n.t('High');
  }
}

/** Another route takes others, or none. */
export function showEffort({ model, session, effort }: State): void {
  const choices = session?.conversation.route.transport.info.efforts ?? [];
  const { header } = model.view;
  if (choices.length === 0) {
    if (header.effort !== undefined) model.change([{ type: 'header', patch: {}, drop: ['effort'] }]);
    return;
  }
  const value = effort !== undefined && choices.includes(effort) ? { value: effort } : {};
  model.change([{ type: 'header', patch: { effort: { choices, ...value } } }]);
}
