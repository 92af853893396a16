/** Hunks for the panel: a card is read, not scrolled for minutes, and megabytes must not go to the webview. What is left out is said. */
import type { Hunk } from '../../protocol/vocabulary';

const MOST_LINES = 2_000;
const MOST_CHARS = 200_000;

/** The beginning of them; the last one ends with a note when there is more. */
export function boundedHunks(hunks: readonly Hunk[]): readonly Hunk[] {
  let [lines, chars] = [0, 0];
  const kept: Hunk[] = [];
  for (const hunk of hunks) {
    let at = 0;
    while (at < hunk.lines.length && lines < MOST_LINES && chars < MOST_CHARS) {
      chars += hunk.lines[at]?.length ?? 0;
      lines++;
      at++;
    }
    if (at === hunk.lines.length) {
      kept.push(hunk);
      continue;
    }
    const left = hunks.reduce((sum, each) => sum + each.lines.length, 0) - lines;
    kept.push({ ...hunk, lines: [...hunk.lines.slice(0, at), moreLines(left)] });
    return kept;
  }
  return hunks;
}

/** Each of several with its own share, so that every one can be decided about. */
export function boundedHunk(hunk: Hunk, of: number): Hunk {
  const most = Math.max(20, Math.floor(MOST_LINES / of));
  const left = hunk.lines.length - most;
  return left <= 0 ? hunk : { ...hunk, lines: [...hunk.lines.slice(0, most), moreLines(left)] };
}

/** In the form of the one note that a unified diff knows. */
function moreLines(count: number): string {
  return `\\ ${count.toLocaleString('en')} more ${count === 1 ? 'line is' : 'lines are'} not shown here`;
}
