/** *Would this be allowed?*: asks the gate about a text that the person types, and shows which stage decided and why. It runs nothing. */
import * as vscode from 'vscode';
import { visibleText } from '../editor/text/visible-text';
import type { PermissionDesk } from '../permissions/desk/desk';

export async function tryOut(desk: PermissionDesk): Promise<void> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Would This Be Allowed?'),
    prompt: vscode.l10n.t('A command, or Read(path), Edit(path), WebFetch(address)'),
    ignoreFocusOut: true,
  });
  if (text === undefined || text.trim() === '') return;
  const { verdict, stage, findings } = await desk.explain(text);
  const icon = { allow: 'pass', ask: 'question', deny: 'error' }[verdict.type];
  const words = {
    allow: vscode.l10n.t('Allowed without asking'),
    ask: vscode.l10n.t('Would ask'),
    deny: vscode.l10n.t('Refused'),
  }[verdict.type];
  const { clause } = verdict.because;
  const stageWords = vscode.l10n.t('stage: {0}', stage);
  await vscode.window.showQuickPick(
    [
      {
        label: `$(${icon}) ${words}`,
        description: clause === undefined ? stageWords : `${stageWords} · ${clause}`,
        detail: visibleText(verdict.because.text),
      },
      ...findings.map((finding) => ({
        label: visibleText(finding.part),
        description: `${finding.level} · ${finding.clause}`,
        detail: visibleText(finding.text),
      })),
    ],
    { title: visibleText(text.split('\n', 1)[0] ?? ''), ignoreFocusOut: true },
  );
}
