/** Questions about a session that only the person can answer. */
import * as vscode from 'vscode';
import type { Session } from './session';

/** Nothing goes on unsaved unless the person says so. True when the turn may go on. */
export async function savesAgain(session: Session | undefined): Promise<boolean> {
  const problem = session?.saving.problem();
  if (session === undefined || problem === undefined) return false;
  const again = vscode.l10n.t('Try Again');
  const unsaved = vscode.l10n.t('Go On Without Saving');
  const picked = await vscode.window.showErrorMessage(problem, again, unsaved);
  if (picked === unsaved) session.saving.goOnUnsaved();
  if (picked !== again) return picked === unsaved;
  return session.saving.retry().then(
    () => true,
    () => savesAgain(session),
  );
}
