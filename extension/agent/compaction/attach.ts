/** Files that were changed before a compaction, shown again as they are on disk now, so that the work goes on without reading them anew. */
import type { Files } from '../../ports';
import type { ReadLedger } from '../../tools/tool';
import { textTokens } from '../../context/tokens';

/** Newest first, whole files only, at most this many. */
const MOST_FILES = 8;

export async function changedFiles(
  files: Files,
  reads: ReadLedger,
  changed: readonly string[],
  tokens: number,
): Promise<readonly string[]> {
  const notes: string[] = [];
  let left = tokens;
  for (const path of changed.toReversed().slice(0, MOST_FILES)) {
    // A file that is gone or cannot be read is told of when the model looks at it.
    const snapshot = await files.readText(path).catch(() => undefined);
    if (snapshot === undefined) continue;
    const lines = snapshot.text.split('\n');
    const shown = lines.map((line, at) => `${String(at + 1).padStart(6)}\t${line}`).join('\n');
    const note = `You changed ${path} before; this is the file now:\n${shown}`;
    const cost = textTokens(note);
    if (cost > left) continue;
    left -= cost;
    notes.push(note);
    reads.record(path, snapshot.hash, [1, lines.length]);
  }
  return notes;
}
