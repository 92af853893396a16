/** One page of a text as the model sees it: numbered lines, and exact words for how to read what is not shown. */
import type { LineTable } from '../text/lines';
import { lineBody } from '../text/lines';

export const PAGE_LINES = 2_000;
export const PAGE_CHARS = 256 * 1024;
/** A longer line is cut in what is shown; minified files would fill the page with one line. */
export const LINE_CHARS = 20_000;

export interface Page {
  readonly firstLine: number;
  readonly lastLine: number;
  /** Numbered, one line each. */
  readonly numbered: string;
  /** Sentences for the model that follow the lines. */
  readonly notes: readonly string[];
}

/** `first` is 1-based and within the text. */
export function pageOf(table: LineTable, first: number, limit: number): Page {
  const shown: string[] = [];
  const cut: number[] = [];
  let size = 0;
  let line = first;
  for (; line <= table.count && shown.length < limit; line++) {
    const body = lineBody(table, line);
    const text = numberedLine(line, body);
    if (size + text.length > PAGE_CHARS && shown.length > 0) break;
    if (body.length > LINE_CHARS) cut.push(line);
    shown.push(text);
    size += text.length + 1;
  }
  const lastLine = line - 1;
  const notes = cut.map((number) => longLineNote(number, lineBody(table, number).length));
  if (first > 1 || lastLine < table.count) notes.push(rangeNote(first, lastLine, table.count));
  return { firstLine: first, lastLine, numbered: shown.join('\n'), notes };
}

export function numberedLine(number: number, body: string): string {
  const shown = body.length > LINE_CHARS ? `${body.slice(0, LINE_CHARS)}…` : body;
  return `${String(number).padStart(6)}\t${shown}`;
}

export function longLineNote(line: number, length: number): string {
  return `(Line ${line} has ${length} characters; the first ${LINE_CHARS} are shown. For the rest use Bash, e.g. sed -n ${line}p FILE | cut -c${LINE_CHARS + 1}-${LINE_CHARS * 2}.)`;
}

/** `total` is undefined when counting would have meant reading gigabytes. */
export function rangeNote(first: number, last: number, total: number | undefined): string {
  const shown = `(Lines ${first}–${last}${total === undefined ? '' : ` of ${total}`} are shown.`;
  return last === total ? `${shown})` : `${shown} To read on, call Read with offset ${last + 1}.)`;
}
