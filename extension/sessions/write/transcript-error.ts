/** Why a transcript cannot be written, in words that say what to do. What was to be written is kept by the transcript. */

export type TranscriptProblem = 'no_space' | 'no_permission' | 'closed' | 'io';

export class TranscriptError extends Error {
  override readonly name = 'TranscriptError';
  constructor(
    readonly problem: TranscriptProblem,
    readonly path: string,
    detail: string,
  ) {
    super(`${SENTENCES[problem]} (${detail})`);
  }
}

const SENTENCES: Readonly<Record<TranscriptProblem, string>> = {
  no_space:
    'The conversation could not be saved: the disk is full. Free some space and try again, or go on without saving.',
  no_permission:
    'The conversation could not be saved: its folder cannot be written. Make it writable and try again, or go on without saving.',
  closed: 'The conversation could not be saved: its file is closed. Open the session again.',
  io: 'The conversation could not be saved. Look at the reason and try again, or go on without saving.',
};

/** By the reason that the file port gives, never by words. */
export function transcriptError(path: string, cause: unknown): TranscriptError {
  if (cause instanceof TranscriptError) return cause;
  const reason =
    typeof cause === 'object' && cause !== null && 'reason' in cause ? String(cause.reason) : undefined;
  const detail = cause instanceof Error ? cause.message : String(cause);
  if (reason === 'no_space' || reason === 'no_permission') return new TranscriptError(reason, path, detail);
  return new TranscriptError('io', path, detail);
}
