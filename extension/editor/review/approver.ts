/**
 * The Approver port: questions that wait for the person, each answered once, by whatever comes first: the chat card, the diff's
 * buttons, its closed tab, the native dialog or a command. It never allows anything by itself.
 */
import * as vscode from 'vscode';
import type { ApprovalAnswer, ApprovalRequest, Approver, Log } from '../../ports';
import type { DiffReview, Review } from './diff-review';
import { background } from '../log';
import { askNatively } from './native-prompt';

/** Said after "Allowed" or "Denied". */
export type AnsweredBy =
  'in the chat' | 'in the diff editor' | 'by closing the diff' | 'in the dialog' | 'by command';

export interface Approvals extends Approver, vscode.Disposable {
  /** Asks for a session that no panel shows: natively always, and a closed dialog is a no. */
  readonly withoutCard: Approver;
  /** Questions that have a card in the panel. */
  readonly waiting: readonly ApprovalRequest[];
  /** An edit waits for Accept or Reject, with a card or without. */
  readonly editWaiting: boolean;
  readonly onDidChange: vscode.Event<void>;
  /** False when the question is not waiting (any more). */
  answer(id: string, answer: PlainAnswer): boolean;
  /** Shows the diff of a waiting edit, because the person asked for it. */
  showDiff(id: string): Promise<void>;
  /** The waiting edit whose proposal this is; without a proposal, the only one there is. */
  findEdit(proposal: vscode.Uri | undefined): ApprovalRequest | undefined;
}

/** An answer as a button gives it; the text of a changed proposal is added here. */
export type PlainAnswer =
  | { readonly type: 'allow'; readonly by: AnsweredBy }
  | { readonly type: 'deny'; readonly by: AnsweredBy; readonly words?: string };

export interface ApprovalSurroundings {
  readonly review: DiffReview;
  readonly log: Log;
  /** Resolves when it is certain whether the panel, which has the card, can be seen; right after a start it may still be on its way. */
  isPanelVisible(): Promise<boolean>;
  showPanel(): void;
}

interface Waiting {
  readonly request: ApprovalRequest;
  readonly review: Review | undefined;
  /** Somebody shows the session in a panel. */
  readonly card: boolean;
  settle(answer: PlainAnswer): void;
}

export function createApprovals(around: ApprovalSurroundings): Approvals {
  const waiting = new Map<string, Waiting>();
  const changed = new vscode.EventEmitter<void>();

  const isWaiting = (id: string): boolean => waiting.has(id);
  const answer = (id: string, given: PlainAnswer): boolean => {
    const entry = waiting.get(id);
    entry?.settle(given);
    return entry !== undefined;
  };

  const ask = (request: ApprovalRequest, signal: AbortSignal, card: boolean): Promise<ApprovalAnswer> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(reasonOf(signal));
      const end = (): void => {
        signal.removeEventListener('abort', abort);
        waiting.delete(request.id);
        review?.close();
        changed.fire();
      };
      const abort = (): void => {
        end();
        reject(reasonOf(signal));
      };
      const settle = (given: PlainAnswer): void => {
        if (!waiting.has(request.id)) return;
        const editedText = given.type === 'allow' ? review?.editedText() : undefined;
        end();
        resolve(fullAnswer(given, editedText));
      };
      const review = beginReview(around, request, () => settle({ type: 'deny', by: 'by closing the diff' }));
      waiting.set(request.id, { request, review, card, settle });
      signal.addEventListener('abort', abort, { once: true });
      changed.fire();
      background(
        around.log,
        'Showing a question',
        present(card ? around : NO_CARD, around.log, { request, review, answer, isWaiting }),
      );
    });

  return {
    ask: (request, signal) => ask(request, signal, true),
    withoutCard: { ask: (request, signal) => ask(request, signal, false) },
    answer,
    get waiting() {
      return [...waiting.values()].filter(({ card }) => card).map(({ request }) => request);
    },
    get editWaiting() {
      return [...waiting.values()].some(({ review }) => review !== undefined);
    },
    onDidChange: changed.event,
    async showDiff(id) {
      await waiting.get(id)?.review?.show('asked');
    },
    findEdit: (proposal) => findEdit([...waiting.values()], proposal),
    dispose() {
      changed.dispose();
    },
  };
}

function findEdit(
  waiting: readonly Waiting[],
  proposal: vscode.Uri | undefined,
): ApprovalRequest | undefined {
  const edits = waiting.filter(({ review }) => review !== undefined);
  if (proposal === undefined) return edits.length === 1 ? edits[0]?.request : undefined;
  return edits.find(({ review }) => review?.proposal.toString() === proposal.toString())?.request;
}

function beginReview(
  around: ApprovalSurroundings,
  request: ApprovalRequest,
  closed: () => void,
): Review | undefined {
  return request.detail.type === 'edit'
    ? around.review.begin(request.id, request.detail.proposal, closed)
    : undefined;
}

/** Stands for the panel where none shows the session. */
const NO_CARD = 'no card';

interface Question {
  readonly request: ApprovalRequest;
  readonly review: Review | undefined;
  readonly answer: Approvals['answer'];
  readonly isWaiting: (id: string) => boolean;
}

/** The diff for an edit; a dialog when there is none to be had, or for anything else when the panel with the card is out of sight. */
async function present(
  around: Pick<ApprovalSurroundings, 'isPanelVisible' | 'showPanel'> | typeof NO_CARD,
  log: Log,
  { request, review, answer, isWaiting }: Question,
): Promise<void> {
  if (review !== undefined && (await isShown(review, log))) return;
  if (around !== NO_CARD && (await around.isPanelVisible())) return;
  if (!isWaiting(request.id)) return;
  const given = await askNatively(request, around !== NO_CARD);
  if (given === 'show') {
    if (around !== NO_CARD) around.showPanel();
  } else if (given !== undefined) answer(request.id, { type: given, by: 'in the dialog' });
}

async function isShown(review: Review, log: Log): Promise<boolean> {
  try {
    await review.show('unasked');
    return true;
  } catch (error) {
    log.write('error', 'A proposal could not be shown', error);
    return false;
  }
}

function fullAnswer(given: PlainAnswer, editedText: string | undefined): ApprovalAnswer {
  if (given.type === 'deny') return given;
  return { ...given, scope: 'once', ...(editedText === undefined ? {} : { editedText }) };
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('The question was withdrawn.');
}
