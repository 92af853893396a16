/** Accept and Reject for the proposal in the diff editor. */
import * as vscode from 'vscode';
import { UserError } from '../ports';
import { activeProposal } from '../editor/review/diff-review';
import { PROPOSAL_SCHEME } from '../editor/review/proposal-fs';
import type { CommandDeps } from './register';

export async function decide(
  { open }: CommandDeps,
  type: 'allow' | 'deny',
  argument: unknown,
): Promise<void> {
  const { approvals } = await open();
  const given = argument instanceof vscode.Uri && argument.scheme === PROPOSAL_SCHEME ? argument : undefined;
  const proposal = given ?? activeProposal();
  const request = approvals.findEdit(proposal);
  if (request === undefined) throw new UserError(vscode.l10n.t('No edit waits for a decision here.'));
  approvals.answer(request.id, { type, by: proposal === undefined ? 'by command' : 'in the diff editor' });
}
