/** Accept and Reject for the proposal in the diff editor: the whole, or the change at the cursor. */
import * as vscode from 'vscode';
import { activeProposal } from '../editor/review/diff-review';
import type { PartChoice } from '../editor/review/approver';
import type { HunkReview } from '../editor/review/hunk-review';
import { PROPOSAL_SCHEME } from '../editor/review/proposal-fs';
import type { CommandDeps } from './register';

export async function decide(
  { open }: CommandDeps,
  type: 'allow' | 'deny',
  argument: unknown,
): Promise<void> {
  const { approvals } = await open();
  const proposal = proposalOf(argument);
  const request = approvals.findEdit(proposal);
  // Pressed twice, or answered elsewhere a moment ago: what the person wanted has happened.
  if (request === undefined) return;
  approvals.answer(request.id, { type, by: proposal === undefined ? 'by command' : 'in the diff editor' });
}

export type PartCommand = 'accept' | 'reject' | 'comment' | 'reopen';

/** `key`: of the change; without it, the one at the cursor. */
export async function decideChange(
  { open }: CommandDeps,
  command: PartCommand,
  argument: unknown,
  key: unknown,
): Promise<void> {
  const { approvals } = await open();
  const request = approvals.findEdit(proposalOf(argument));
  const hunks = request && approvals.hunksOf(request.id);
  if (request === undefined || hunks === undefined) return;
  const at = typeof key === 'string' ? key : keyAtCursor(hunks);
  const choice = at === undefined ? undefined : await choiceOf(command);
  if (at === undefined || choice === undefined) return;
  await approvals.decidePart(request.id, at, choice, 'in the diff editor');
  if (typeof key !== 'string' && command !== 'reopen') moveTo(hunks, 1);
}

async function choiceOf(command: PartCommand): Promise<PartChoice | undefined> {
  if (command !== 'comment') return { type: command };
  const comment = await vscode.window.showInputBox({
    title: vscode.l10n.t('Reject This Change'),
    prompt: vscode.l10n.t('The agent is told what you write here.'),
    placeHolder: vscode.l10n.t('Why not, or what to do instead'),
    ignoreFocusOut: true,
  });
  const said = comment?.trim() ?? '';
  return said === '' ? undefined : { type: 'reject', comment: said };
}

/** Moves the cursor to the next (1) or last (-1) change that is not decided. */
export async function goToChange({ open }: CommandDeps, step: 1 | -1): Promise<void> {
  const { approvals } = await open();
  const request = approvals.findEdit(activeProposal());
  const hunks = request && approvals.hunksOf(request.id);
  if (hunks !== undefined) moveTo(hunks, step);
}

function moveTo(hunks: HunkReview, step: 1 | -1): void {
  const editor = editorOf(hunks);
  if (editor === undefined) return;
  const lines = hunks
    .shown()
    .filter((each) => !each.accepted)
    .map(({ block }) => Math.min(block.newStart, editor.document.lineCount - 1));
  const here = editor.selection.active.line;
  const line =
    step === 1
      ? (lines.find((each) => each > here) ?? lines[0])
      : (lines.findLast((each) => each < here) ?? lines.at(-1));
  if (line === undefined) return;
  editor.selection = new vscode.Selection(line, 0, line, 0);
  editor.revealRange(
    new vscode.Range(line, 0, line, 0),
    vscode.TextEditorRevealType.InCenterIfOutsideViewport,
  );
}

/** The change in which the cursor is, else the next one below it, else the last. */
function keyAtCursor(hunks: HunkReview): string | undefined {
  const line = editorOf(hunks)?.selection.active.line ?? 0;
  const shown = hunks.shown();
  const at = shown.find(({ block }) => line < Math.max(block.newEnd, block.newStart + 1)) ?? shown.at(-1);
  return at?.key;
}

function editorOf({ proposal }: HunkReview): vscode.TextEditor | undefined {
  return vscode.window.visibleTextEditors.find(
    ({ document }) => document.uri.toString() === proposal.toString(),
  );
}

function proposalOf(argument: unknown): vscode.Uri | undefined {
  const given = argument instanceof vscode.Uri && argument.scheme === PROPOSAL_SCHEME ? argument : undefined;
  return given ?? activeProposal();
}
