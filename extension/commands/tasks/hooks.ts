/** Shows every hook with the exact command that would run, and lets the person say which do. */
import * as vscode from 'vscode';
import { UserError } from '../../ports';
import type { CommandDeps } from '../register';

export async function reviewHooks({ open }: CommandDeps): Promise<void> {
  const { hooks } = await open();
  const all = await hooks.list();
  if (all.length === 0)
    throw new UserError(vscode.l10n.t('There are no hooks. They stand in .sluice/hooks.json.'));
  const items = all.map(({ key, event, matcher, command, where, accepted }) => ({
    label: command,
    description: matcher === '' ? event : `${event} ${matcher}`,
    detail: where,
    picked: accepted,
    key,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Hooks That May Run'),
    placeHolder: vscode.l10n.t('They run as you, without asking, each time their event happens'),
    canPickMany: true,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (picked !== undefined) await hooks.accept(picked.map(({ key }) => key));
}
