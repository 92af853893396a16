/** Asks about a call in a native dialog, for when the panel cannot be seen. It shows all of what would run. */
import * as vscode from 'vscode';
import type { ApprovalRequest } from '../ports';
import { visibleText } from './text/visible-text';

export type NativeAnswer = 'allow' | 'deny' | 'show';

/** Undefined when the person closed the dialog or none could be shown: that is no answer. */
export async function askNatively(request: ApprovalRequest): Promise<NativeAnswer | undefined> {
  // The first button is the one that Enter presses; it must not be the one that lets something run.
  const show = vscode.l10n.t('Show in Chat');
  const allow = vscode.l10n.t('Allow Once');
  const deny = vscode.l10n.t('Deny');
  const picked = await vscode.window.showWarningMessage(
    request.title,
    { modal: true, detail: detailText(request) },
    show,
    allow,
    deny,
  );
  switch (picked) {
    case allow:
      return 'allow';
    case deny:
      return 'deny';
    case show:
      return 'show';
    default:
      return undefined;
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
