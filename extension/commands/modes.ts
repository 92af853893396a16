/** Picks how the gate treats what no rule decides. */
import * as vscode from 'vscode';
import type { PermissionMode } from '../protocol/vocabulary';
import type { CommandDeps } from './register';

interface ModeItem extends vscode.QuickPickItem {
  readonly mode: PermissionMode;
}

export async function chooseMode({ open }: CommandDeps): Promise<void> {
  const { chat } = await open();
  const items = modeItems().map((item) =>
    item.mode === chat.mode ? { ...item, description: vscode.l10n.t('current') } : item,
  );
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Permission Mode'),
    placeHolder: vscode.l10n.t('What Sluice may do without asking, in this session'),
  });
  if (picked !== undefined) chat.setMode(picked.mode);
}

function modeItems(): readonly ModeItem[] {
  return [
    {
      mode: 'ask',
      label: vscode.l10n.t('Ask'),
      detail: vscode.l10n.t('Asks before every edit and every command.'),
    },
    {
      mode: 'acceptEdits',
      label: vscode.l10n.t('Accept edits'),
      detail: vscode.l10n.t('Applies edits inside the workspace without asking; asks before commands.'),
    },
    {
      mode: 'plan',
      label: vscode.l10n.t('Plan'),
      detail: vscode.l10n.t('Reads and searches only; no edits and no commands.'),
    },
  ];
}
