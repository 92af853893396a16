/** Where the lines of a text are. A line ends at LF, CRLF or a lone CR, as in the editor. */

export interface LineTable {
  readonly text: string;
  /** Index of the first character of each line; a text that ends with a line end has an empty last entry. */
  readonly starts: readonly number[];
  /** Lines as a person counts them: the empty piece after a final line end is none. An empty text has no lines. */
  readonly count: number;
}

export function lineTable(text: string): LineTable {
  const starts = [0];
  if (!text.includes('\r')) {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  } else {
    for (const end of text.matchAll(/\r\n|\n|\r/g)) starts.push(end.index + end[0].length);
  }
  const endsWithLineEnd = starts[starts.length - 1] === text.length;
  return { text, starts, count: endsWithLineEnd ? starts.length - 1 : starts.length };
}

/** 1-based number of the line that holds the character at `index`. */
export function lineOf(table: LineTable, index: number): number {
  let low = 0;
  let high = table.starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((table.starts[middle] ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

/** A line without its end. `line` is 1-based; a line that does not exist is empty. */
export function lineBody(table: LineTable, line: number): string {
  const start = table.starts[line - 1];
  if (start === undefined) return '';
  const next = table.starts[line] ?? table.text.length;
  return table.text.slice(start, next).replace(/(\r\n|\n|\r)$/, '');
}
