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
