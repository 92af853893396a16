/**
 * What the model is told about calls that did not end by themselves. Each cause has its own words, says truthfully what happened to the
 * call, and what to do next. Never localised, never shown to people as is.
 */
import { unreachable, type CancelCause } from '../../protocol/vocabulary';

/** `started`: the call had begun, so its effect may be there in part. */
export function cancelledText(cause: CancelCause, started: boolean, detail?: string): string {
  switch (cause) {
    case 'sibling_failed':
      return `Not run: an earlier command of the same step failed${detail ? ` (${detail})` : ''}. Look at that failure first; call this again if it is still needed.`;
    case 'user_interrupt':
      return started
        ? 'Stopped by the user while it was running; it may have taken effect in part. Check before you repeat it.'
        : 'Not run: the user stopped the turn before this call started.';
    case 'attempt_abandoned':
      return 'Not run: the response that asked for this call was abandoned.';
    case 'limit_reached':
      return `Not run: ${detail ?? 'a limit was reached before this call could start'}.`;
    case 'host_restarted':
      return started
        ? 'Interrupted; outcome unknown: the program restarted while this call was running. Check what it did before you repeat it.'
        : 'Not run: the program restarted before this call started. Call it again if it is still needed.';
    case 'response_cut':
      return `Not run: the response that asked for it did not end well (${detail ?? 'it was cut'}). Nothing with side effects was started. Ask again, in smaller pieces if it was long.`;
    default:
      return unreachable(cause);
  }
}

export function deniedByUserText(what: string, words: string | undefined): string {
  const base = `The user declined this: ${what} was not carried out, nothing was changed.`;
  return words
    ? `${base} The user said:\n${words}`
    : `${base} Do not try the same again by other means; go on without it, ask, or explain what it would have been for.`;
}

export function deniedByGateText(tool: string, because: string): string {
  return `Permission for ${tool} was denied: ${because} It was not carried out. Choose another way or explain what is blocked.`;
}

export function unknownToolText(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return `No such tool: ${name}.${near ? ` Did you mean ${near}?` : ''} Available: ${known.join(', ')}.`;
}

export const INTERRUPTED = '[Request interrupted by user]';
export const INTERRUPTED_TOOLS = '[Request interrupted by user for tool use]';

/** The known name with the smallest edit distance, if it is close enough to be meant. */
function nearest(name: string, known: readonly string[]): string | undefined {
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (!best || distance < best.distance) best = { name: candidate, distance };
  }
  return best && best.distance <= Math.max(2, Math.floor(name.length / 2)) ? best.name : undefined;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
