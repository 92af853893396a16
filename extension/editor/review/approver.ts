/**
 * The Approver port: questions that wait for the person, each answered once, by whatever comes first: the chat card, the diff's
 * buttons, its closed tab, the native dialog or a command. It never allows anything by itself.
 */
import * as vscode from 'vscode';
import type { ApprovalAnswer, ApprovalRequest, Approver, Log, RememberOption } from '../../ports';
import type { DiffReview, Review } from './diff-review';
import type { Freshness } from './freshness';
import { createHunkReview } from './hunk-review';
import type { HunkReview, Part } from './hunk-review';
import { background } from '../log';
import type { KeptDraft, ReviewDrafts } from './review-drafts';
import { askNatively, notify } from './native-prompt';
import { editRules, pickAnswer } from './pick-answer';
import type { NativeAnswer } from './pick-answer';

/** Said after "Allowed" or "Denied". */
export type AnsweredBy =
  | 'in the chat'
  | 'in the diff editor'
  | 'by closing the diff'
  | 'in the dialog'
  | 'in the notification'
  | 'by command';

export interface Approvals extends Approver, vscode.Disposable {
  /** Asks for a session that no panel shows: natively always, and a closed dialog is a no. */
  readonly withoutCard: Approver;
  /** Asks for a session whose card can be seen only while the panel shows that session. */
  forSession(id: string): Approver;
  /** Questions that have a card in the panel. */
  readonly waiting: readonly ApprovalRequest[];
  /** An edit waits for Accept or Reject, with a card or without. */
  readonly editWaiting: boolean;
  readonly onDidChange: vscode.Event<void>;
  /** False when the question is not waiting (any more). */
  answer(id: string, answer: PlainAnswer): boolean;
  /** Allows, and keeps what the question itself offers for this scope; plain *once* when it offers nothing. */
  allowAndRemember(id: string, scope: RememberOption['scope'], by: AnsweredBy): boolean;
  /** The person changes the rule in the editor's own dialogs before it is kept. */
  editRules(id: string): Promise<void>;
  /** The dialog that shows every byte, or at once the list of all answers. */
  askByHand(id: string, how: 'dialog' | 'list'): Promise<void>;
  /** Shows the diff of a waiting edit, because the person asked for it. */
  showDiff(id: string): Promise<void>;
  /** The waiting edit whose proposal this is; without a proposal, the only one there is. */
  findEdit(proposal: vscode.Uri | undefined): ApprovalRequest | undefined;
  /** The changes of a waiting edit, one by one. */
  hunksOf(id: string): HunkReview | undefined;
  /** Decides about one change; once all are decided, the question is answered. False when it is not waiting (any more). */
  decidePart(id: string, key: string, choice: PartChoice, by: AnsweredBy): Promise<boolean>;
  /** What is known of a waiting edit beside its question has changed. */
  readonly onDidReview: vscode.Event<ReviewNews>;
}

export type PartChoice =
  { readonly type: 'accept' | 'reopen' } | { readonly type: 'reject'; readonly comment?: string };

export interface ReviewNews {
  readonly request: ApprovalRequest;
  readonly parts: readonly Part[];
  /** What the person should know before they answer. */
  readonly hint: string | undefined;
}

/** An answer as a button gives it; the text of a changed proposal is added here. */
export type PlainAnswer =
  | {
      readonly type: 'allow';
      readonly by: AnsweredBy;
      readonly scope?: RememberOption['scope'];
      readonly rules?: readonly string[];
    }
  | { readonly type: 'deny'; readonly by: AnsweredBy; readonly words?: string };

export interface ApprovalSurroundings {
  readonly review: DiffReview;
  readonly log: Log;
  /** Default: nobody looks. */
  readonly freshness?: Freshness;
  /** Default: a reload forgets what was decided about single changes. */
  readonly drafts?: ReviewDrafts;
  /** Resolves when it is certain whether the panel, which has the card, can be seen; right after a start it may still be on its way. */
  isPanelVisible(session: string | undefined): Promise<boolean>;
  showPanel(session: string | undefined): void;
  /** The panel went out of sight. Default: nobody tells. */
  readonly onPanelHidden?: vscode.Event<void>;
}

interface Waiting {
  readonly request: ApprovalRequest;
  readonly review: Review | undefined;
  readonly hunks: HunkReview | undefined;
  readonly draft: KeptDraft | undefined;
  /** Somebody shows the session in a panel. */
  readonly card: boolean;
  readonly session: string | undefined;
  hint: string | undefined;
  readonly settle: (answer: PlainAnswer) => void;
}

interface State {
  readonly around: ApprovalSurroundings;
  readonly waiting: Map<string, Waiting>;
  readonly changed: vscode.EventEmitter<void>;
  readonly reviewed: vscode.EventEmitter<ReviewNews>;
}

export function createApprovals(around: ApprovalSurroundings): Approvals {
  const state: State = {
    around,
    waiting: new Map(),
    changed: new vscode.EventEmitter(),
    reviewed: new vscode.EventEmitter(),
  };
  const { waiting, changed, reviewed } = state;
  const typed = vscode.workspace.onDidChangeTextDocument(({ document }) => {
    const uri = document.uri.toString();
    for (const entry of waiting.values())
      if (entry.review?.proposal.toString() === uri) decided(state, entry);
  });
  return {
    ask: (request, signal) => ask(state, request, signal, true),
    withoutCard: { ask: (request, signal) => ask(state, request, signal, false) },
    forSession: (id) => ({ ask: (request, signal) => ask(state, request, signal, true, id) }),
    answer: (id, given) => answer(state, id, given),
    ...byHand(state),
    get waiting() {
      return [...waiting.values()].filter(({ card }) => card).map(({ request }) => request);
    },
    get editWaiting() {
      return [...waiting.values()].some(({ review }) => review !== undefined);
    },
    onDidChange: changed.event,
    findEdit: (proposal) => findEdit([...waiting.values()], proposal),
    hunksOf: (id) => waiting.get(id)?.hunks,
    async decidePart(id, key, choice, by) {
      const entry = waiting.get(id);
      if (entry?.hunks === undefined) return false;
      await decidePart(entry, entry.hunks, key, choice, by);
      if (waiting.has(id)) decided(state, entry);
      return true;
    },
    onDidReview: reviewed.event,
    dispose() {
      typed.dispose();
      reviewed.dispose();
      changed.dispose();
    },
  };
}

/** Answers that take more than a click. */
function byHand(state: State): Pick<Approvals, 'allowAndRemember' | 'editRules' | 'askByHand' | 'showDiff'> {
  const { waiting, around } = state;
  const given = (id: string, native: NativeAnswer | 'show' | undefined): void => {
    if (native === 'show') around.showPanel(waiting.get(id)?.session);
    else if (native !== undefined) answer(state, id, plainAnswer(native, 'in the dialog'));
  };
  return {
    allowAndRemember(id, scope, by) {
      const option = waiting.get(id)?.request.remember?.find((each) => each.scope === scope);
      return answer(state, id, { type: 'allow', by, ...option });
    },
    async editRules(id) {
      given(id, await editRules(waiting.get(id)?.request.remember ?? []));
    },
    async askByHand(id, how) {
      const request = waiting.get(id)?.request;
      if (request !== undefined)
        given(id, await (how === 'list' ? pickAnswer(request) : askNatively(request)));
    },
    async showDiff(id) {
      await waiting.get(id)?.review?.show('asked');
    },
  };
}

function answer({ waiting }: State, id: string, given: PlainAnswer): boolean {
  const entry = waiting.get(id);
  entry?.settle(given);
  return entry !== undefined;
}

/** Something about single changes is other than before. */
function decided(state: State, entry: Waiting): void {
  entry.draft?.keep(() => entry.hunks?.draft());
  tell(state, entry);
}

function tell({ reviewed }: State, { request, hunks, hint }: Waiting): void {
  reviewed.fire({ request, parts: hunks?.parts() ?? [], hint });
}

function ask(
  state: State,
  request: ApprovalRequest,
  signal: AbortSignal,
  card: boolean,
  session?: string,
): Promise<ApprovalAnswer> {
  const { around, waiting, changed } = state;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(reasonOf(signal));
    const end = (): void => {
      signal.removeEventListener('abort', abort);
      waiting.delete(request.id);
      watch?.dispose();
      hidden?.dispose();
      review?.close();
      changed.fire();
    };
    const abort = (): void => {
      end();
      reject(reasonOf(signal));
    };
    const settle = (given: PlainAnswer): void => {
      if (!waiting.has(request.id)) return;
      const answered = fullAnswer(given, hunks);
      draft?.forget();
      end();
      const ready = given.type === 'allow' ? review?.openFile() : undefined;
      resolve(ready === undefined ? answered : ready.then(() => answered));
    };
    const { review, hunks, draft } = beginReview(around, request, () =>
      settle({ type: 'deny', by: 'by closing the diff' }),
    );
    const entry: Waiting = { request, review, hunks, draft, card, session, hint: undefined, settle };
    waiting.set(request.id, entry);
    const watch = watchFile(around, request, (hint) => {
      entry.hint = hint;
      tell(state, entry);
    });
    signal.addEventListener('abort', abort, { once: true });
    changed.fire();
    const question: Question = {
      request,
      session,
      review,
      answer: (id, given) => answer(state, id, given),
      isWaiting: (id) => waiting.has(id),
    };
    const hidden = card ? whenHidden(around, question) : undefined;
    const shown = present(card ? around : NO_CARD, around.log, question);
    background(around.log, 'Showing a question', shown);
    // The card is there by now, with every change as not decided.
    if (draft?.found !== undefined)
      background(
        around.log,
        'Restoring',
        shown.then(() => tell(state, entry)),
      );
  });
}

function findEdit(
  waiting: readonly Waiting[],
  proposal: vscode.Uri | undefined,
): ApprovalRequest | undefined {
  const edits = waiting.filter(({ review }) => review !== undefined);
  if (proposal === undefined) return edits.length === 1 ? edits[0]?.request : undefined;
  return edits.find(({ review }) => review?.proposal.toString() === proposal.toString())?.request;
}

/** All that there is for an edit, and nothing for anything else. */
function beginReview(
  { review: reviews, drafts }: ApprovalSurroundings,
  { id, detail }: ApprovalRequest,
  closed: () => void,
): Pick<Waiting, 'review' | 'hunks' | 'draft'> {
  if (detail.type !== 'edit') return { review: undefined, hunks: undefined, draft: undefined };
  const { proposal } = detail;
  const draft = drafts?.of(proposal);
  const review = reviews.begin(id, proposal, closed, draft?.found?.text);
  return { review, hunks: createHunkReview(proposal, review, draft?.found), draft };
}

function watchFile(
  { freshness }: ApprovalSurroundings,
  { detail }: ApprovalRequest,
  tell: (hint: string | undefined) => void,
): vscode.Disposable | undefined {
  return detail.type === 'edit' ? freshness?.watch(detail.proposal, tell) : undefined;
}

/** The last decision about a part is the answer to the whole. */
async function decidePart(
  { settle }: Waiting,
  hunks: HunkReview,
  key: string,
  choice: PartChoice,
  by: AnsweredBy,
): Promise<void> {
  if (choice.type === 'accept') hunks.accept(key);
  else if (choice.type === 'reject') await hunks.reject(key, choice.comment);
  else return hunks.reopen(key);
  const decided = hunks.decided();
  if (decided === 'something') return settle({ type: 'allow', by });
  const words = hunks.words();
  if (decided === 'nothing') settle({ type: 'deny', by, ...(words === undefined ? {} : { words }) });
}

/** Stands for the panel where none shows the session. */
const NO_CARD = 'no card';

interface Question {
  readonly request: ApprovalRequest;
  readonly session: string | undefined;
  readonly review: Review | undefined;
  readonly answer: Approvals['answer'];
  readonly isWaiting: (id: string) => boolean;
}

/** A question whose card goes out of sight is asked natively: once, and not for an edit, whose diff is there. */
function whenHidden(around: ApprovalSurroundings, question: Question): vscode.Disposable | undefined {
  if (question.review !== undefined) return undefined;
  const once = around.onPanelHidden?.(() => {
    once?.dispose();
    background(around.log, 'Showing a question', present(around, around.log, question));
  });
  return once;
}

/** The diff for an edit; a dialog when there is none to be had, or for anything else when the panel with the card is out of sight. */
async function present(
  around: Pick<ApprovalSurroundings, 'isPanelVisible' | 'showPanel'> | typeof NO_CARD,
  log: Log,
  { request, session, review, answer, isWaiting }: Question,
): Promise<void> {
  if (review !== undefined && (await isShown(review, log))) return;
  if (around !== NO_CARD && (await around.isPanelVisible(session))) return;
  if (!isWaiting(request.id) || asked.has(request.id)) return;
  asked.add(request.id);
  const given = around === NO_CARD ? await askNatively(request, false) : await notify(request);
  if (given === undefined) return;
  if (given === 'show') {
    if (around !== NO_CARD) around.showPanel(session);
    return;
  }
  const by = around === NO_CARD ? 'in the dialog' : 'in the notification';
  if (!answer(request.id, plainAnswer(given, by)))
    void vscode.window.showInformationMessage(vscode.l10n.t('This question has been answered already.'));
}

/** Questions that have had their notification. */
const asked = new Set<string>();

async function isShown(review: Review, log: Log): Promise<boolean> {
  try {
    await review.show('unasked');
    return true;
  } catch (error) {
    log.write('error', 'A proposal could not be shown', error);
    return false;
  }
}

function plainAnswer(native: NativeAnswer, by: AnsweredBy): PlainAnswer {
  if (native.type === 'deny') return { ...native, by };
  return native.scope === 'once' ? { type: 'allow', by } : { ...native, by };
}

function fullAnswer(given: PlainAnswer, hunks: HunkReview | undefined): ApprovalAnswer {
  if (given.type === 'deny') return withWords(given, hunks?.words());
  const { scope, rules, by } = given;
  const kept = scope === undefined || rules === undefined ? { scope: 'once' as const } : { scope, rules };
  const result = hunks?.result();
  const edited = result === undefined ? {} : { editedText: result.text, partly: result.partly };
  return { type: 'allow', by, ...kept, ...edited };
}

/** What was said about single changes goes to the model, also when the whole is declined in the end. */
function withWords(given: PlainAnswer & { readonly type: 'deny' }, said: string | undefined): ApprovalAnswer {
  if (said === undefined || given.words === said) return given;
  return { ...given, words: given.words === undefined ? said : `${given.words}\n${said}` };
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('The question was withdrawn.');
}
