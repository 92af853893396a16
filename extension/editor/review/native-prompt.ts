/** Asks about a call in a native dialog, for when the panel cannot be seen. It shows all of what would run. */
import * as vscode from 'vscode';
import type { ApprovalRequest } from '../../ports';
import { visibleText } from '../text/visible-text';

export type NativeAnswer = 'allow' | 'deny' | 'show';

/**
 * Undefined when the person closed the dialog or none could be shown: that is no answer. Without a `card` there is no other place to answer
 * later, so that closing is a no.
 */
export async function askNatively(request: ApprovalRequest, card = true): Promise<NativeAnswer | undefined> {
  // The first button is the one that Enter presses; it must not be the one that lets something run.
  const allow: Button = { title: vscode.l10n.t('Allow Once'), answer: 'allow' };
  const buttons: readonly Button[] = card
    ? [
        { title: vscode.l10n.t('Show in Chat'), answer: 'show' },
        allow,
        { title: vscode.l10n.t('Deny'), answer: 'deny' },
        { title: vscode.l10n.t('Decide Later'), isCloseAffordance: true },
      ]
    : [{ title: vscode.l10n.t('Deny'), answer: 'deny', isCloseAffordance: true }, allow];
  const options = { modal: true, detail: detailText(request) };
  const picked = await vscode.window.showWarningMessage(question(request), options, ...buttons);
  return picked?.answer ?? (card ? undefined : 'deny');
}

interface Button extends vscode.MessageItem {
  readonly answer?: NativeAnswer;
}

function question({ detail, title }: ApprovalRequest): string {
  switch (detail.type) {
    case 'command':
      return vscode.l10n.t('Run this command?');
    case 'edit':
      return vscode.l10n.t('Make this edit?');
    case 'other':
      return visibleText(title);
  }
}

function detailText({ detail, reason }: ApprovalRequest): string {
  switch (detail.type) {
    case 'command':
      return `${visibleText(detail.command)}\n\n${vscode.l10n.t('In {0}', visibleText(detail.cwd))}\n${reason}`;
    case 'edit':
      return `${visibleText(detail.proposal.path)}\n\n${reason}`;
    case 'other':
      return `${visibleText(detail.text)}\n\n${reason}`;
  }
}
