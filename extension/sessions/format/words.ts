/**
 * Texts that the transcript puts into the conversation: what the format's readers look for, and what the model is told of calls whose result
 * is not in the file. The turn loop has the same words for the same facts; a test compares them.
 */

export const INTERRUPTED = '[Request interrupted by user]';
export const INTERRUPTED_TOOLS = '[Request interrupted by user for tool use]';

/** Ours, and it had begun. */
export const FATE_UNKNOWN =
  'Interrupted; outcome unknown: the program restarted while this call was running. Check what it did before you repeat it.';
/** Ours, and nothing with side effects had begun. */
export const NEVER_RAN =
  'Not run: the program restarted before this call started. Call it again if it is still needed.';
/** Written by another program, which does not say whether the call began. */
export const NO_RESULT =
  'Interrupted; outcome unknown: the session ended before a result of this call was recorded. Check what it did before you repeat it.';

export const NO_CONTENT = '(no content)';
export const NO_OUTPUT = '(no output)';
export const BEGINNING_LOST = '[The beginning of this conversation is not in its file.]';

export const MESSAGE_LOST = '[What was said here is not in the file of this conversation.]';

export function resultOfUnknownCall(id: string): string {
  return `[Result of a call that is not in the file of this session (${id}):]`;
}
