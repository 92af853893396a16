/** Writes a computed change, checks what is on disk afterwards, and says it truthfully. Shared by all tools that edit text. */
import { FileError } from '../../ports';
import type { EditProposal, TextSnapshot, WriteReceipt } from '../../ports';
import { diffStat, hunkText, hunksOf } from '../text/hunks';
import type { Hunk } from '../../protocol/vocabulary';
import { ToolError } from '../tool';
import type { CallSummary, ToolContext } from '../tool';
import { watchProblems } from './new-problems';
import { partlyNotes } from './partly';

/** What the approved text is. `userModified`: the person changed the proposal before accepting it. */
export interface Applied {
  readonly path: string;
  readonly before: TextSnapshot | null;
  /** What is in the file now: read back. */
  readonly text: string;
  /** From what there was to what is there now. */
  readonly hunks: readonly Hunk[];
  readonly userModified: boolean;
  /** Sentences for the model. */
  readonly notes: readonly string[];
}

const MOST_DELTA_CHARS = 4_000;

export async function applyEdit(
  proposal: EditProposal,
  proposed: string,
  userModified: boolean,
  context: ToolContext,
  known: readonly (readonly [number, number])[] | 'all',
): Promise<Applied> {
  const { path, before, after } = proposal;
  const newProblems = watchProblems(path, context);
  const receipt = await write(path, before, after, context);
  const notes: string[] = [];
  const partly = context.proposal?.partly;
  if (userModified && partly) notes.push(...partlyNotes(partly));
  if (userModified && (!partly || partly.typed))
    notes.push(
      `The user changed your proposal before accepting it. What differs from it in the file:\n${delta(proposed, after)}`,
    );
  if (before?.dirty === true)
    notes.push('The file had unsaved changes of the user in the editor; they were saved together with this.');
  if (receipt.text !== after)
    notes.push(
      `Saving changed the file further (a formatter or another save action). What differs from what was written:\n${delta(after, receipt.text)}`,
    );
  remember(path, receipt, after, known, userModified, context);
  const problems = await newProblems();
  if (problems !== undefined) notes.push(problems);
  return {
    path,
    before,
    text: receipt.text,
    hunks:
      receipt.text === after && !userModified ? proposal.hunks : hunksOf(before?.text ?? '', receipt.text),
    userModified,
    notes,
  };
}

async function write(
  path: string,
  before: TextSnapshot | null,
  text: string,
  context: ToolContext,
): Promise<WriteReceipt> {
  try {
    return await context.files.write({
      path,
      text,
      encoding: before?.encoding ?? 'utf8',
      expectHash: before?.hash ?? null,
    });
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const advice =
      error.reason === 'stale' || error.reason === 'exists'
        ? ' Nothing was written. Read the file again, then make the change from what it shows now.'
        : ' Nothing was written.';
    throw new ToolError(error.reason, error.message.replace(/\.?$/, '.') + advice);
  }
}

/** What the model knows of the file from now on. Deltas that were shown to it are part of that; long ones were not shown whole. */
function remember(
  path: string,
  receipt: WriteReceipt,
  written: string,
  known: readonly (readonly [number, number])[] | 'all',
  userModified: boolean,
  { reads }: ToolContext,
): void {
  if (known === 'all' && !userModified && receipt.text === written) {
    reads.replaced(path, receipt.hash);
    return;
  }
  // Lines that moved under somebody else's hands cannot be told from those that were seen; then only a whole view counts.
  if (userModified || receipt.text !== written) {
    if (known === 'all' || (known.length === 1 && isWhole(known[0]))) reads.replaced(path, receipt.hash);
    return;
  }
  if (known !== 'all') for (const range of known) reads.record(path, receipt.hash, range);
}

function isWhole(range: readonly [number, number] | undefined): boolean {
  return range !== undefined && range[0] === 1 && range[1] >= Number.MAX_SAFE_INTEGER;
}

function delta(from: string, to: string): string {
  const text = hunkText(hunksOf(from, to));
  return text.length <= MOST_DELTA_CHARS
    ? text
    : `${text.slice(0, MOST_DELTA_CHARS)}\n… (more changes; read the file again)`;
}

/** Transcripts keep the old text of files up to this length. */
const MOST_ORIGINAL_CHARS = 1_000_000;

export function originalFor(before: TextSnapshot | null): string | null {
  return before === null || before.text.length > MOST_ORIGINAL_CHARS ? null : before.text;
}

export function editSummary(applied: Applied): CallSummary {
  const diff = diffStat(applied.hunks);
  return {
    text: applied.before === null ? `new, ${diff.added} lines` : `+${diff.added} −${diff.removed}`,
    diff,
    hunks: applied.hunks,
  };
}
