/** What exactly changed in a line that was replaced by another: the middle that differs. Pure. */
import type { Hunk } from '../../../extension/protocol/vocabulary';

/** From and to, in the line without its sign; undefined = the line as a whole is new or gone. */
export type Changed = readonly [from: number, to: number] | undefined;

/** Less than this share of a line in common, and the line is better read as a new one. */
const ENOUGH_IN_COMMON = 0.3;

/** One entry a line of the hunk. Only runs of as many removed as added lines are compared, line by line. */
export function changedParts(lines: Hunk['lines']): readonly Changed[] {
  const out: Changed[] = lines.map(() => undefined);
  for (let i = 0; i < lines.length;) {
    const removed = run(lines, i, '-');
    const added = run(lines, i + removed, '+');
    if (removed > 0 && removed === added)
      for (let k = 0; k < removed; k++) {
        const pair = difference((lines[i + k] ?? '').slice(1), (lines[i + removed + k] ?? '').slice(1));
        out[i + k] = pair?.[0];
        out[i + removed + k] = pair?.[1];
      }
    i += Math.max(1, removed + added);
  }
  return out;
}

function run(lines: Hunk['lines'], from: number, sign: string): number {
  let end = from;
  while (lines[end]?.startsWith(sign) === true) end++;
  return end - from;
}

function difference(a: string, b: string): readonly [Changed, Changed] | undefined {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let end = 0;
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  // Half of a pair is not a character.
  if (isLowSurrogate(a[start]) || isLowSurrogate(b[start])) start--;
  if (isLowSurrogate(a[a.length - end]) || isLowSurrogate(b[b.length - end])) end--;
  if (start + end < most * ENOUGH_IN_COMMON) return undefined;
  return [
    [start, a.length - end],
    [start, b.length - end],
  ];
}

function isLowSurrogate(char: string | undefined): boolean {
  const code = char?.charCodeAt(0) ?? 0;
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Without the carriage returns of CRLF, which would stand on every line; with them where they are all that changed. */
export function withoutReturns(lines: Hunk['lines']): Hunk['lines'] {
  const bare = lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  const removed = bare.filter((line) => line.startsWith('-')).map((line) => line.slice(1));
  const added = bare.filter((line) => line.startsWith('+')).map((line) => line.slice(1));
  const onlyEnds = removed.length > 0 && removed.join('\n') === added.join('\n');
  return onlyEnds ? lines : bare;
}
