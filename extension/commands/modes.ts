/** Picks how the gate treats what no rule decides. */
import * as vscode from 'vscode';
import type { PermissionMode } from '../protocol/vocabulary';
import type { CommandDeps } from './register';

interface ModeItem extends vscode.QuickPickItem {
  readonly mode: PermissionMode;
}

export async function chooseMode({ open }: CommandDeps): Promise<void> {
  const { chat, autoRun } = await open();
  const offered = (await autoRun()) ? [...modeItems(), autoRunItem()] : modeItems();
  const items = offered.map((item) =>
    item.mode === chat.mode ? { ...item, description: vscode.l10n.t('current') } : item,
  );
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Permission Mode'),
    placeHolder: vscode.l10n.t('What Sluice may do without asking, in this session'),
  });
  if (picked === undefined || picked.mode === chat.mode) return;
  if (picked.mode === 'autoRun' && !(await isSure())) return;
  chat.setMode(picked.mode);
}

/** Chosen on purpose, every time. */
async function isSure(): Promise<boolean> {
  const yes = vscode.l10n.t('Run Without Asking');
  const question = vscode.l10n.t('Let Sluice edit files and run commands without asking, in this session?');
  const detail = vscode.l10n.t(
    'Only what a rule forbids or what is protected still asks. Do this where nothing can be lost, such as a container.',
  );
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes;
}

function autoRunItem(): ModeItem {
  return {
    mode: 'autoRun',
    label: vscode.l10n.t('Auto-run'),
    detail: vscode.l10n.t(
      'Edits and runs without asking, except for what is protected or what a rule forbids.',
    ),
  };
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
