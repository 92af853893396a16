/**
 * What a screen reader is told when a delta arrives: finished things politely, approvals and errors at once, streamed text never.
 * Pure: the state before the delta and the delta in, sentences out.
 */
import type { Delta } from '../../extension/protocol/messages';
import type { ApprovalCard, CallRow, OutcomeRow, Row } from '../../extension/protocol/view-state';
import { plural } from '../numbers';
import { gateOf, boundaryWords, outcomeWords, sentenceOf } from '../words';
import { visibleText } from '../visible-text';

export interface Announcement {
  readonly urgency: 'polite' | 'assertive';
  readonly text: string;
}

const REPLY_CAP = 1_000;

/** `rowOf` is the state before the delta; `lastText` is the newest text row, read out once when its turn has ended. */
export function announcementsFor(
  delta: Delta,
  rowOf: (id: string) => Row | undefined,
  lastText: () => string | undefined,
): readonly Announcement[] {
  switch (delta.type) {
    case 'row':
      return forRow(delta.row, rowOf(delta.row.id), lastText);
    case 'call': {
      const before = rowOf(delta.id);
      if (before?.type !== 'call') return [];
      return forCall({ ...before, ...delta.patch }, before);
    }
    case 'header':
      return delta.patch.retry === undefined
        ? []
        : [
            {
              urgency: 'polite',
              text: `${delta.patch.retry.reason}. Trying again, attempt ${delta.patch.retry.attempt} of ${delta.patch.retry.of}.`,
            },
          ];
    case 'append':
    case 'close':
    case 'output':
    case 'remove':
    case 'earlier':
      return [];
  }
}

function forRow(
  row: Row,
  before: Row | undefined,
  lastText: () => string | undefined,
): readonly Announcement[] {
  switch (row.type) {
    case 'error':
      return [{ urgency: 'assertive', text: `Error: ${row.title}. ${row.detail}` }];
    case 'notice':
      return [{ urgency: row.level === 'error' ? 'assertive' : 'polite', text: row.text }];
    case 'call':
      return forCall(row, before?.type === 'call' ? before : undefined);
    case 'outcome':
      return before === undefined ? forOutcome(row, lastText()) : [];
    case 'boundary':
      return before?.type === 'boundary' && before.state === row.state
        ? []
        : [{ urgency: 'polite', text: `${boundaryWords(row)}. ${row.reason ?? ''}`.trim() }];
    case 'prompt':
    case 'text':
    case 'thinking':
      return [];
    default:
      return [];
  }
}

function forOutcome(row: OutcomeRow, reply: string | undefined): readonly Announcement[] {
  const end = `${outcomeWords(row.kind, row.place)}, ${plural(row.steps, 'step')}.`;
  if (row.kind !== 'completed') return [{ urgency: 'polite', text: `${end} ${row.reason}` }];
  const spoken = reply === undefined ? '' : spokenReply(reply);
  return [{ urgency: 'polite', text: spoken === '' ? end : `Sluice: ${spoken} ${end}` }];
}

/** Prose only: in code the same characters mean something. */
function withoutMarks(prose: string): string {
  return prose
    .replace(/^\s*(?:#{1,6}|>)\s+/gm, '')
    .replace(/(\*\*|__)(?=\S)(.+?)\1/g, '$2')
    .replace(/(^|[^\w*])[*_](?=\S)([^*_\n]+)[*_](?![\w*])/g, '$1$2');
}

/** Markdown without its marks, and never endless. */
export function spokenReply(markdown: string): string {
  const plain = markdown
    .split(/(```[\s\S]*?```|`[^`\n]*`)/)
    .map((part, i) => (i % 2 === 1 ? part.replace(/^```.*$/gm, '').replaceAll('`', '') : withoutMarks(part)))
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.length <= REPLY_CAP
    ? plain
    : `${plain.slice(0, REPLY_CAP)} … shortened, the whole reply is in the conversation.`;
}

function forCall(row: CallRow, before: CallRow | undefined): readonly Announcement[] {
  const question = waitingQuestion(row);
  if (question !== undefined)
    return waitingQuestion(before)?.id === question.id
      ? []
      : [{ urgency: 'assertive', text: approvalSentence(question) }];
  const over = row.state === 'completed' || row.state === 'yielded';
  const wasOver = before?.state === 'completed' || before?.state === 'yielded';
  if (!over || wasOver) return [];
  const worthIt = row.kind === 'command' || row.kind === 'edit' || gateOf(row) !== 'done';
  return worthIt ? [{ urgency: 'polite', text: visibleText(sentenceOf(row)) }] : [];
}

function waitingQuestion(row: CallRow | undefined): ApprovalCard | undefined {
  return row?.state === 'waiting' ? row.approval : undefined;
}

function approvalSentence(card: ApprovalCard): string {
  const { detail } = card;
  const what =
    detail.type === 'command' ? detail.command : detail.type === 'edit' ? detail.label : detail.text;
  return `Approval needed. ${card.title} ${visibleText(what)}`;
}
