/** Two texts to the hunks of a unified diff. Cheap for a small change in a large file: what is equal at both ends is never compared. */
import { structuredPatch } from 'diff';
import type { DiffStat, Hunk } from '../../protocol/vocabulary';

const CONTEXT = 3;
/** Beyond this many changed lines the change is shown as one replacement. */
const MOST_CHANGES = 2_000;
/** Longer lines are cut: hunks are for showing, the texts themselves are what is written. */
const SHOWN_CHARS = 2_000;

export function hunksOf(before: string, after: string): readonly Hunk[] {
  if (before === after) return [];
  const old = keepEnds(before);
  const now = keepEnds(after);
  const shared = Math.min(old.length, now.length);
  let head = 0;
  while (head < shared && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shared - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const from = Math.max(0, head - CONTEXT);
  const after3 = Math.max(0, tail - CONTEXT);
  const oldPart = old.slice(from, old.length - after3);
  const nowPart = now.slice(from, now.length - after3);
  const patch = structuredPatch('', '', oldPart.join(''), nowPart.join(''), '', '', {
    context: CONTEXT,
    maxEditLength: MOST_CHANGES,
  });
  const hunks = patch?.hunks ?? [oneReplacement(oldPart, nowPart)];
  return hunks.map((hunk) => ({
    // A side without lines is named by the line before it, which for an empty file is line 0.
    oldStart: hunk.oldStart + from - (hunk.oldLines === 0 ? 1 : 0),
    oldLines: hunk.oldLines,
    newStart: hunk.newStart + from - (hunk.newLines === 0 ? 1 : 0),
    newLines: hunk.newLines,
    lines: hunk.lines.map(cut),
  }));
}

export function diffStat(hunks: readonly Hunk[]): DiffStat {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}

/** As the model and people read them. */
export function hunkText(hunks: readonly Hunk[]): string {
  return hunks
    .map(
      (hunk) =>
        `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@\n${hunk.lines.join('\n')}`,
    )
    .join('\n');
}

function keepEnds(text: string): readonly string[] {
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  return [...lines.map((line) => `${line}\n`), ...(last === '' ? [] : [last])];
}

function oneReplacement(old: readonly string[], now: readonly string[]): Hunk {
  const marked = (sign: string, lines: readonly string[]): readonly string[] =>
    lines.flatMap((line) =>
      line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, '\\ No newline at end of file'],
    );
  return {
    oldStart: 1,
    oldLines: old.length,
    newStart: 1,
    newLines: now.length,
    lines: [...marked('-', old), ...marked('+', now)],
  };
}

function cut(line: string): string {
  return line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)}…` : line;
}
