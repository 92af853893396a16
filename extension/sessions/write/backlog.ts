/**
 * Appends lines to a session file and keeps those that could not be written, in order, until they are. After a failure every append fails
 * until the person decides: try again, or go on unsaved. Nothing is dropped.
 */
import type { LineFile } from '../../ports';
import { TranscriptError, transcriptError } from './transcript-error';

export type SavingState =
  | { readonly type: 'saving' }
  /** Lines wait, and every append is refused. */
  | { readonly type: 'failed'; readonly error: TranscriptError }
  /** The person said to go on: lines are kept in memory, and written as soon as that works again. */
  | { readonly type: 'unsaved'; readonly error: TranscriptError };

export interface Backlog {
  readonly state: SavingState;
  /** Rejects with {@link TranscriptError} only. */
  append(lines: string, sync: boolean): Promise<void>;
  /** Writes what waits; rejects when that fails again. */
  retry(): Promise<void>;
  continueUnsaved(): void;
  close(): Promise<void>;
}

export function createBacklog(file: LineFile): Backlog {
  let state: SavingState = { type: 'saving' };
  let waiting: string[] = [];
  let closed = false;

  const failed = (cause: unknown, lines: readonly string[]): TranscriptError => {
    const error = transcriptError(file.path, cause);
    waiting.push(...lines);
    state = { type: state.type === 'unsaved' ? 'unsaved' : 'failed', error };
    return error;
  };

  const writeWaiting = async (): Promise<void> => {
    const lines = waiting;
    if (lines.length === 0) {
      state = { type: 'saving' };
      return;
    }
    waiting = [];
    try {
      await file.append(lines.join(''), { sync: true });
    } catch (cause) {
      const later = waiting;
      waiting = [];
      throw failed(cause, [...lines, ...later]);
    }
    state = { type: 'saving' };
    // What came in meanwhile.
    if (waiting.length > 0) await writeWaiting();
  };

  return {
    get state() {
      return state;
    },
    async append(lines, sync) {
      if (closed) throw new TranscriptError('closed', file.path, 'it was closed before');
      if (state.type === 'failed') throw failed(state.error, [lines]);
      if (state.type === 'unsaved') {
        waiting.push(lines);
        // Durable records come once or twice a turn: often enough to notice that saving works again.
        if (sync) await writeWaiting().catch(() => undefined);
        return;
      }
      try {
        await file.append(lines, { sync });
      } catch (cause) {
        throw failed(cause, [lines]);
      }
    },
    retry: writeWaiting,
    continueUnsaved() {
      if (state.type === 'failed') state = { type: 'unsaved', error: state.error };
    },
    async close() {
      closed = true;
      // The last chance of what waits: the disk may have room again by now. If not, the person was told before.
      if (waiting.length > 0) await writeWaiting().catch(() => undefined);
      await file.close();
    },
  };
}
