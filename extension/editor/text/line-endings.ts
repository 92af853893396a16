/** Line endings across VS Code's documents, which hold one kind each, and files, which may mix them. */

const BREAK = /\r\n|\n|\r/g;

export type Eol = '\n' | '\r\n';

/** Undefined when the text has no line break; `mixed` when it has several kinds, or a lone carriage return. */
export function eolOf(text: string): Eol | 'mixed' | undefined {
  let seen: string | undefined;
  for (const [found] of text.matchAll(BREAK)) {
    if (found === '\r' || (seen !== undefined && found !== seen)) return 'mixed';
    seen = found;
  }
  return seen === '\n' || seen === '\r\n' ? seen : undefined;
}

/** The text as a document with line feeds would hold it. */
export function withLineFeeds(text: string): string {
  return text.replace(BREAK, '\n');
}

/** Equal but for line endings. */
export function sameLines(a: string, b: string): boolean {
  return a === b || withLineFeeds(a) === withLineFeeds(b);
}

/**
 * Gives an edited text, which has one kind of line ending, the endings of the original: lines that were left alone at the start
 * and at the end keep theirs, and new lines between them take the most frequent kind.
 */
export function withEndingsOf(original: string, edited: string): string {
  const kind = eolOf(original);
  if (kind === undefined) return edited;
  if (kind !== 'mixed') return edited.replace(BREAK, kind);
  const before = splitLines(original);
  const after = splitLines(edited);
  const common = Math.min(before.length, after.length);
  let head = 0;
  while (head < common && before[head]?.text === after[head]?.text) head++;
  let tail = 0;
  while (tail < common - head && before.at(-1 - tail)?.text === after.at(-1 - tail)?.text) tail++;
  const usual = usualEnding(before);
  return after
    .map(({ text, end }, at) => {
      if (end === '') return text;
      const twin =
        at < head
          ? before[at]
          : at >= after.length - tail
            ? before[before.length - after.length + at]
            : undefined;
      return text + (twin === undefined || twin.end === '' ? usual : twin.end);
    })
    .join('');
}

interface Line {
  readonly text: string;
  readonly end: string;
}

function splitLines(text: string): readonly Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const found of text.matchAll(BREAK)) {
    lines.push({ text: text.slice(start, found.index), end: found[0] });
    start = found.index + found[0].length;
  }
  lines.push({ text: text.slice(start), end: '' });
  return lines;
}

function usualEnding(lines: readonly Line[]): string {
  const counts = new Map<string, number>();
  for (const { end } of lines) if (end !== '') counts.set(end, (counts.get(end) ?? 0) + 1);
  return [...counts].reduce((best, next) => (next[1] > best[1] ? next : best), ['\n', 0] as const)[0];
}
