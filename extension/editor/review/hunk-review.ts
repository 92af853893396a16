/**
 * The changes of one proposal while it waits: which are accepted, which were taken out of the right side of the diff, and what the person
 * said about them. Taking out is an edit of that side, so that what is seen is what is saved. It answers nothing by itself.
 */
import * as vscode from 'vscode';
import type { EditProposal, Partly } from '../../ports';
import type { Hunk } from '../../protocol/vocabulary';
import { hunkOf } from '../../review/blocks';
import {
  missingBlocks,
  originalLines,
  partialResult,
  partsOfProposal,
  shownBlocks,
  withLineEnds,
} from '../../review/parts';
import type { Parts, ShownBlock } from '../../review/parts';
import { sameLines } from '../text/line-endings';
import type { Review } from './diff-review';
import type { ReviewDraft } from './review-drafts';

export type PartState = 'open' | 'accepted' | 'rejected' | 'changed';

/** One change of the proposal. */
export interface Part {
  readonly key: string;
  readonly hunk: Hunk;
  readonly state: PartState;
  readonly comment?: string;
}

export interface HunkReview {
  readonly proposal: vscode.Uri;
  parts(): readonly Part[];
  /** What is on the right side now, the person's own changes included, in order. */
  shown(): readonly (ShownBlock & { readonly accepted: boolean })[];
  accept(key: string): void;
  /** False when the change is not there (any more). */
  reject(key: string, comment?: string): Promise<boolean>;
  /** Takes back a decision. */
  reopen(key: string): Promise<void>;
  /** What is left once every change is decided; undefined while one is open. */
  decided(): 'something' | 'nothing' | undefined;
  /** The final text; undefined when it is what was proposed. */
  result(): { readonly text: string; readonly partly: Partly } | undefined;
  /** What was said about changes that were taken out, for the model. */
  words(): string | undefined;
  /** For a reload; undefined when nothing was decided or changed. */
  draft(): ReviewDraft | undefined;
}

/** `draft`: what was decided before a reload. */
export function createHunkReview(proposal: EditProposal, review: Review, draft?: ReviewDraft): HunkReview {
  const parts = (): Parts => partsOfProposal(proposal);
  const accepted = new Set<string>(draft?.accepted);
  const comments = new Map<string, string>(draft?.comments);
  const shown = remembered(
    () => review.shownText(),
    (text) => shownBlocks(parts(), text),
  );
  const ownIndex = (key: string): number => parts().keys.indexOf(key);

  const self: HunkReview = {
    proposal: review.proposal,
    parts: () => partViews(parts(), shown(), accepted, comments),
    shown: () => shown().map((each) => ({ ...each, accepted: accepted.has(each.key) })),
    accept: (key) => void accepted.add(key),
    async reject(key, comment) {
      const found = shown().find((each) => each.key === key);
      if (found === undefined) return false;
      const { block } = found;
      await replaceLines(review.proposal, block.newStart, block.newEnd, originalLines(parts(), block));
      accepted.delete(key);
      if (comment !== undefined) comments.set(key, comment);
      return true;
    },
    async reopen(key) {
      accepted.delete(key);
      comments.delete(key);
      const index = ownIndex(key);
      const now = shown();
      if (index < 0 || !missingBlocks(parts(), now).includes(index)) return;
      const block = parts().blocks[index];
      if (block === undefined) return;
      const shift = shiftAt(now, block.oldStart);
      const text = parts().proposed.lines.slice(block.newStart, block.newEnd).join('');
      await replaceLines(review.proposal, block.oldStart + shift, block.oldEnd + shift, text);
    },
    decided() {
      const now = shown();
      if (now.some((each) => each.proposed !== undefined && !accepted.has(each.key))) return undefined;
      return now.length === 0 ? 'nothing' : 'something';
    },
    result() {
      const text = review.shownText();
      if (sameLines(text, proposal.after)) return undefined;
      const { exact, typed, decisions } = partialResult(parts(), text, comments);
      return { text: typed ? withLineEnds(parts(), text) : exact, partly: { typed, decisions } };
    },
    words: () => saidWords(parts(), comments, new Set(shown().map(({ key }) => key))),
    draft() {
      const text = review.shownText();
      const decided = accepted.size + comments.size > 0;
      if (!decided && sameLines(text, proposal.after)) return undefined;
      return { text, accepted: [...accepted], comments: [...comments] };
    },
  };
  return self;
}

function saidWords(
  { keys, blocks }: Parts,
  comments: ReadonlyMap<string, string>,
  present: ReadonlySet<string>,
): string | undefined {
  const said = [...comments].flatMap(([key, comment]) => {
    const block = blocks[keys.indexOf(key)];
    if (present.has(key)) return [];
    return block === undefined ? comment : `Line ${block.oldStart + 1}: ${comment}`;
  });
  return said.length === 0 ? undefined : said.join('\n');
}

/** Lenses, marks and cards all ask, and a text of megabytes is not compared for each. */
function remembered<T>(read: () => string, make: (text: string) => T): () => T {
  let last: { readonly text: string; readonly made: T } | undefined;
  return () => {
    const text = read();
    if (last?.text !== text) last = { text, made: make(text) };
    return last.made;
  };
}

function partViews(
  parts: Parts,
  now: readonly ShownBlock[],
  accepted: ReadonlySet<string>,
  comments: ReadonlyMap<string, string>,
): readonly Part[] {
  const present = new Set(now.flatMap((each) => each.proposed ?? []));
  const missing = new Set(missingBlocks(parts, now));
  return parts.keys.map((key, index): Part => {
    const hunk = hunkOf(parts.before.exact, parts.proposed.exact, parts.blocks, index);
    if (present.has(index)) return { key, hunk, state: accepted.has(key) ? 'accepted' : 'open' };
    if (!missing.has(index)) return { key, hunk, state: 'changed' };
    const comment = comments.get(key);
    return { key, hunk, state: 'rejected', ...(comment === undefined ? {} : { comment }) };
  });
}

/** How far lines at `oldLine` have moved by the changes that are shown above them. */
function shiftAt(shown: readonly ShownBlock[], oldLine: number): number {
  return shown
    .filter(({ block }) => block.oldEnd <= oldLine)
    .reduce((sum, { block }) => sum + block.newEnd - block.newStart - (block.oldEnd - block.oldStart), 0);
}

/** As one step that Undo takes back; saved, so that the tab does not ask. */
async function replaceLines(uri: vscode.Uri, from: number, to: number, text: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  const edit = new vscode.WorkspaceEdit();
  edit.replace(uri, document.validateRange(new vscode.Range(from, 0, to, 0)), text);
  await vscode.workspace.applyEdit(edit);
  await document.save();
}
