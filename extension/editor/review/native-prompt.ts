/**
 * Asks about a call outside the panel: a notification, a dialog that shows every byte of what would run, and a list with all answers.
 * The first button of a dialog never lets anything run, and closing is no answer.
 */
import * as vscode from 'vscode';
import type { ApprovalRequest } from '../../ports';
import { visibleText } from '../text/visible-text';
import { pickAnswer } from './pick-answer';
import type { NativeAnswer } from './pick-answer';

/** Longer texts are not for a notification: they are read in the dialog before they are answered. */
const SHORT = 160;

/** For when the panel cannot be seen. Undefined = closed, which is no answer. */
export async function notify(request: ApprovalRequest): Promise<NativeAnswer | 'show' | undefined> {
  const line = oneLine(request);
  const allow = vscode.l10n.t('Allow Once');
  const deny = vscode.l10n.t('Deny');
  const review = vscode.l10n.t('Review…');
  const show = vscode.l10n.t('Show in Chat');
  const buttons = line === undefined ? [review, show, deny] : [allow, review, show, deny];
  const where =
    request.detail.type === 'command' ? vscode.l10n.t('In {0}', visibleText(request.detail.cwd)) : '';
  const text =
    line === undefined
      ? question(request)
      : [question(request), line, where].filter((each) => each !== '').join(' · ');
  switch (await vscode.window.showWarningMessage(text, ...buttons)) {
    case allow:
      return { type: 'allow', scope: 'once' };
    case deny:
      return { type: 'deny' };
    case show:
      return 'show';
    case review:
      return askNatively(request);
    default:
      return undefined;
  }
}

/** Undefined for what a notification would not show as it is: lines, hidden characters, links, or too much of it. */
function oneLine({ detail, everyTime }: ApprovalRequest): string | undefined {
  if (everyTime === true || detail.type === 'edit') return undefined;
  const text = detail.type === 'command' ? detail.command : detail.text;
  const plain =
    text.length <= SHORT &&
    visibleText(text) === text &&
    !/[\n\t]|\]\(/.test(`${text} ${detail.type === 'command' ? detail.cwd : ''}`);
  return plain ? text : undefined;
}

/** The dialog with all of it. Without a `card` there is no other place to answer later, so that closing is a no. */
export async function askNatively(
  request: ApprovalRequest,
  card = true,
): Promise<NativeAnswer | 'show' | undefined> {
  // The first button is the one that Enter presses; it must not be the one that lets something run.
  const allow: Button = { title: vscode.l10n.t('Allow Once'), answer: 'allow' };
  const more: Button = { title: vscode.l10n.t('More Answers…'), answer: 'more' };
  const buttons: readonly Button[] = card
    ? [
        { title: vscode.l10n.t('Show in Chat'), answer: 'show' },
        allow,
        { title: vscode.l10n.t('Deny'), answer: 'deny' },
        more,
        { title: vscode.l10n.t('Decide Later'), isCloseAffordance: true },
      ]
    : [{ title: vscode.l10n.t('Deny'), answer: 'deny', isCloseAffordance: true }, allow, more];
  const options = { modal: true, detail: detailText(request) };
  const picked = await vscode.window.showWarningMessage(question(request), options, ...buttons);
  switch (picked?.answer) {
    case 'allow':
      return { type: 'allow', scope: 'once' };
    case 'deny':
      return { type: 'deny' };
    case 'show':
      return 'show';
    case 'more':
      return (await pickAnswer(request)) ?? (card ? undefined : { type: 'deny' });
    case undefined:
      return card ? undefined : { type: 'deny' };
  }
}

interface Button extends vscode.MessageItem {
  readonly answer?: 'allow' | 'deny' | 'show' | 'more';
}

export function question({ detail, title }: ApprovalRequest): string {
  switch (detail.type) {
    case 'command':
      return vscode.l10n.t('Run this command?');
    case 'edit':
      return vscode.l10n.t('Make this edit?');
    case 'other':
      return visibleText(title);
  }
}

function detailText(request: ApprovalRequest): string {
  const { detail, reason, parts = [] } = request;
  const why = [visibleText(reason), ...partLines(request, parts)].join('\n');
  switch (detail.type) {
    case 'command':
      return `${visibleText(detail.command)}\n\n${vscode.l10n.t('In {0}', visibleText(detail.cwd))}\n${why}`;
    case 'edit':
      return `${visibleText(detail.proposal.path)}\n\n${why}`;
    case 'other':
      return `${visibleText(detail.text)}\n\n${why}`;
  }
}

/** A part that is the whole is there already. */
function partLines(
  { detail, reason }: ApprovalRequest,
  parts: NonNullable<ApprovalRequest['parts']>,
): readonly string[] {
  const whole = detail.type === 'command' ? detail.command : '';
  return parts
    .filter(({ part }) => part !== whole)
    .map(({ part, text }) => visibleText(text === reason ? `• ${part}` : `• ${part}: ${text}`));
}
