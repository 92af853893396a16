/**
 * What a person has decided about a proposal that still waits, kept so that a reload of the window does not lose it. It knows the proposal by
 * its texts, and forgets it once it is answered. It decides nothing.
 */
import { createHash } from 'node:crypto';
import type * as vscode from 'vscode';
import * as z from 'zod';
import type { EditProposal, Log } from '../../ports';
import { background } from '../log';

const KEY = 'sluice.reviewDrafts';
/** Answered ones are forgotten; this many can be left by turns that were stopped. */
const MOST = 20;
const MOST_CHARS = 1_000_000;
const SETTLE_MS = 200;

const draftSchema = z.object({
  /** The right side as it was left. */
  text: z.string(),
  accepted: z.array(z.string()),
  comments: z.array(z.tuple([z.string(), z.string()])),
});
const kept = z.record(z.string(), draftSchema);
type Kept = Readonly<Record<string, ReviewDraft>>;

export type ReviewDraft = Readonly<z.infer<typeof draftSchema>>;

/** Of one proposal. */
export interface KeptDraft {
  readonly found: ReviewDraft | undefined;
  /** Soon; undefined = nothing is decided. */
  keep(draft: () => ReviewDraft | undefined): void;
  forget(): void;
}

export interface ReviewDrafts {
  of(proposal: EditProposal): KeptDraft;
}

export function reviewDrafts(memory: vscode.Memento, log: Log): ReviewDrafts {
  const all = (): Kept => kept.safeParse(memory.get(KEY)).data ?? {};
  const store = (id: string, draft: ReviewDraft | undefined): void => {
    const others = Object.entries(all()).filter(([key]) => key !== id);
    if (draft === undefined && others.length === Object.keys(all()).length) return;
    const next = draft === undefined ? others : [...others, [id, draft] as const].slice(-MOST);
    background(
      log,
      'Keeping what was decided',
      Promise.resolve(memory.update(KEY, Object.fromEntries(next))),
    );
  };
  return {
    of(proposal) {
      const id = idOf(proposal);
      let timer: NodeJS.Timeout | undefined;
      return {
        found: all()[id],
        keep(draft) {
          clearTimeout(timer);
          timer = setTimeout(() => {
            const now = draft();
            store(id, now === undefined || now.text.length > MOST_CHARS ? undefined : now);
          }, SETTLE_MS);
        },
        forget() {
          clearTimeout(timer);
          store(id, undefined);
        },
      };
    },
  };
}

function idOf({ path, before, after }: EditProposal): string {
  const hash = createHash('sha256');
  for (const part of [path, before === null ? '' : `=${before.text}`, after])
    hash.update(`${part.length}\n`).update(part);
  return hash.digest('hex');
}
