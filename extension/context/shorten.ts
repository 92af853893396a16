/** Texts made to fit: by their ends, cut at lines where there are some. Pure. */
import { textTokens } from './tokens';

/** The head gets two fifths: output says what it is about at its head and how it ended at its tail. */
const HEAD = 0.4;

/** At most about `tokens` tokens of a text, with a note in the middle of what was left out. */
export function ends(text: string, tokens: number, note: (left: number) => string): string {
  const whole = textTokens(text);
  if (whole <= tokens) return text;
  const chars = Math.max(40, Math.floor((text.length * tokens) / whole));
  const headEnd = lineBefore(text, Math.floor(chars * HEAD));
  const tailStart = lineAfter(text, text.length - Math.floor(chars * (1 - HEAD)));
  const head = mended(text.slice(0, headEnd));
  const tail = mended(text.slice(Math.max(headEnd, tailStart)));
  return `${head}\n${note(Math.max(0, tailStart - headEnd))}\n${tail}`;
}

/** The beginning only. */
export function start(text: string, tokens: number): string {
  const whole = textTokens(text);
  if (whole <= tokens) return text;
  const chars = Math.max(20, Math.floor((text.length * tokens) / whole));
  return `${mended(text.slice(0, chars))}…`;
}

function lineBefore(text: string, at: number): number {
  const line = text.lastIndexOf('\n', at);
  return line > at / 2 ? line : at;
}

function lineAfter(text: string, at: number): number {
  const line = text.indexOf('\n', at);
  return line >= 0 && line < at + (text.length - at) / 2 ? line + 1 : at;
}

/** Half a surrogate pair at a cut is dropped. */
function mended(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
