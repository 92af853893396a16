/** Tells the model which of its changes the person took, which not, and what they said about them. */
import type { HunkDecision, Partly } from '../../ports';
import { hunkText } from '../text/hunks';

const MOST_CHARS = 4_000;

/** Nothing when every change was taken. */
export function partlyNotes({ decisions }: Partly): readonly string[] {
  const numbered = decisions.map((decision, index) => ({ decision, number: index + 1 }));
  const left = numbered.filter(({ decision }) => decision.type !== 'taken');
  if (left.length === 0) return [];
  const taken = numbered.filter(({ decision }) => decision.type === 'taken');
  const first =
    taken.length === 0
      ? `The user took none of your ${decisions.length} changes as they were.`
      : `The user took ${taken.length} of your ${decisions.length} changes: ${taken.map(({ decision, number }) => `${number} (${whereOf(decision)})`).join(', ')}. The others are not in the file:`;
  const rest = left.map(({ decision, number }) => describe(decision, number));
  return [cut([first, ...rest].join('\n'))];
}

function describe(decision: HunkDecision, number: number): string {
  const what = `Change ${number} (${whereOf(decision)})`;
  const said =
    decision.type === 'rejected' && decision.comment !== undefined
      ? ` The user said: ${JSON.stringify(decision.comment)}`
      : '';
  const fate =
    decision.type === 'changed'
      ? 'was replaced by text of the user.'
      : 'was rejected; those lines are as they were before.';
  return `${what} ${fate}${said}\n${hunkText([decision.hunk])}`;
}

/** Where it is in the file as it was. */
function whereOf({ hunk }: HunkDecision): string {
  const at = hunk.lines.findIndex((line) => !line.startsWith(' '));
  return `line ${hunk.oldStart + Math.max(0, at)}`;
}

function cut(text: string): string {
  return text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS)}\n… (read the file to see the rest)`;
}
