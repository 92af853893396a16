/**
 * Terminal output → lines of styled spans. Colours become class names (a CSP without inline styles allows nothing else);
 * every other control sequence is dropped. Pure, and safe on text that was cut in the middle of a sequence.
 */

export interface Span {
  readonly text: string;
  /** Space-separated class names, '' for plain text. */
  readonly className: string;
}
export type Line = readonly Span[];

interface Pen {
  fg: number | undefined;
  bg: number | undefined;
  flags: Set<Flag>;
}
type Flag = 'bold' | 'dim' | 'italic' | 'underline' | 'inverse' | 'strike';

const FLAG_ON: Readonly<Record<number, Flag>> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  7: 'inverse',
  9: 'strike',
};
const FLAG_OFF: Readonly<Record<number, readonly Flag[]>> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  27: ['inverse'],
  29: ['strike'],
};

// CSI … final byte | OSC … BEL or ST | DCS/PM/APC/SOS … ST | two-byte escapes | a lone or cut-off escape | other C0 controls
const CONTROL = new RegExp(
  [
    '(?:\\u001b\\[|\\u009b)([0-9;:<=>?]*)[ -/]*([@-~]|$)',
    '\\u001b\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\|$)',
    '\\u001b[PX^_][\\s\\S]*?(?:\\u001b\\\\|$)',
    '\\u001b[ -/]*[0-~]?',
    '[\\u0000-\\u0007\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]',
  ].join('|'),
  'g',
);

export function parseAnsi(text: string): readonly Line[] {
  const pen: Pen = { fg: undefined, bg: undefined, flags: new Set() };
  const lines: Span[][] = [[]];
  let from = 0;
  for (const match of text.matchAll(CONTROL)) {
    write(lines, text.slice(from, match.index), pen);
    if (match[2] === 'm') sgr(pen, match[1] ?? '');
    from = match.index + match[0].length;
  }
  write(lines, text.slice(from), pen);
  return lines.map(merge);
}

/** The text alone, for copying and for screen readers. */
export function plainText(text: string): string {
  return parseAnsi(text)
    .map((line) => line.map((span) => span.text).join(''))
    .join('\n');
}

function write(lines: Span[][], text: string, pen: Pen): void {
  if (text === '') return;
  const className = classOf(pen);
  const parts = text.replaceAll('\r\n', '\n').split('\n');
  parts.forEach((part, i) => {
    if (i > 0) lines.push([]);
    writeInLine(lines, part, className);
  });
}

/** A character and the backspace that takes it back. */
const ERASED = /[^\u0008]\u0008/;

function writeInLine(lines: Span[][], part: string, className: string): void {
  // A carriage return starts the line again (progress bars); a backspace takes one character back.
  const restart = part.lastIndexOf('\r', part.length - 2);
  if (restart >= 0 && part.slice(restart + 1).replace('\r', '') !== '') {
    lines[lines.length - 1] = [];
    part = part.slice(restart + 1);
  }
  part = part.replaceAll('\r', '');
  while (ERASED.test(part)) part = part.replace(ERASED, '');
  part = part.replaceAll('\u0008', '');
  if (part !== '') lines.at(-1)?.push({ text: part, className });
}

function merge(line: readonly Span[]): Line {
  const out: Span[] = [];
  for (const span of line) {
    const last = out.at(-1);
    if (last !== undefined && last.className === span.className)
      out[out.length - 1] = { text: last.text + span.text, className: span.className };
    else out.push(span);
  }
  return out;
}

function classOf(pen: Pen): string {
  const inverse = pen.flags.has('inverse');
  const fg = inverse ? pen.bg : pen.fg;
  const bg = inverse ? (pen.fg ?? -1) : pen.bg;
  const names: string[] = [];
  if (inverse && fg === undefined) names.push('ansi-fg-back');
  else if (fg !== undefined) names.push(`ansi-fg-${fg}`);
  if (bg === -1) names.push('ansi-bg-fore');
  else if (bg !== undefined) names.push(`ansi-bg-${bg}`);
  for (const flag of pen.flags) if (flag !== 'inverse') names.push(`ansi-${flag}`);
  return names.join(' ');
}

function sgr(pen: Pen, parameters: string): void {
  const codes = parameters.split(/[;:]/).map((code) => (code === '' ? 0 : Number(code)));
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? 0;
    const on = FLAG_ON[code];
    if (code === 0) {
      pen.fg = undefined;
      pen.bg = undefined;
      pen.flags.clear();
    } else if (on !== undefined) pen.flags.add(on);
    else if (FLAG_OFF[code] !== undefined) for (const flag of FLAG_OFF[code]) pen.flags.delete(flag);
    else if (code === 38 || code === 48 || code === 58) {
      const [colour, used] = extended(codes, i + 1);
      if (code === 38) pen.fg = colour;
      else if (code === 48) pen.bg = colour;
      i += used;
    } else basic(pen, code);
  }
}

function basic(pen: Pen, code: number): void {
  if (code >= 30 && code <= 37) pen.fg = code - 30;
  else if (code === 39) pen.fg = undefined;
  else if (code >= 40 && code <= 47) pen.bg = code - 40;
  else if (code === 49) pen.bg = undefined;
  else if (code >= 90 && code <= 97) pen.fg = code - 90 + 8;
  else if (code >= 100 && code <= 107) pen.bg = code - 100 + 8;
}

/** 256-colour and true-colour codes, brought down to the theme's sixteen; returns the colour and how many codes were used. */
function extended(codes: readonly number[], at: number): readonly [number | undefined, number] {
  if (codes[at] === 5) return [indexed(codes[at + 1] ?? 0), 2];
  if (codes[at] === 2) return [nearest(codes[at + 1] ?? 0, codes[at + 2] ?? 0, codes[at + 3] ?? 0), 4];
  return [undefined, 0];
}

function indexed(n: number): number {
  if (n < 16) return n;
  if (n >= 232) {
    const level = 8 + (n - 232) * 10;
    return nearest(level, level, level);
  }
  const step = (value: number): number => (value === 0 ? 0 : 55 + value * 40);
  const cube = n - 16;
  return nearest(step(Math.floor(cube / 36)), step(Math.floor(cube / 6) % 6), step(cube % 6));
}

function nearest(r: number, g: number, b: number): number {
  const max = Math.max(r, g, b);
  const min = Math.min(r, g, b);
  if (max - min < 48) {
    if (max < 64) return 0;
    if (max < 144) return 8;
    return max < 224 ? 7 : 15;
  }
  const middle = (max + min) / 2;
  const base = (r > middle ? 1 : 0) + (g > middle ? 2 : 0) + (b > middle ? 4 : 0);
  return max > 200 ? base + 8 : base;
}
