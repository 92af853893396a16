/**
 * Reads one word of bash (or zsh) at a position: quotes, escapes, expansions, substitutions. Strict: what the shell itself would
 * not accept is {@link Unreadable}. It knows nothing of commands; bodies of substitutions are read by the parser it is given.
 */
import { Unreadable } from './script';
import type { Piece, Script, Word } from './script';

/** Where reading is, and what was noticed on the way. One object for a whole text, nested bodies included. */
export interface Scan {
  readonly text: string;
  readonly zsh: boolean;
  at: number;
  /** Reasons to ask whatever else is found. */
  readonly problems: string[];
  /** Reads commands up to the closer, which it consumes. */
  readonly readBody: (closer: ')' | '`') => Script;
  /** The closers around this place, innermost last. */
  readonly closers: string[];
}

const META = new Set([' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')']);
const SPECIAL_VARIABLE = /[@*#?\-$!0-9]/;

/** Collects pieces; neighbouring texts of one kind become one. */
interface Collector {
  readonly pieces: Piece[];
  braceDepth: number;
  braceAt: number;
  brace: boolean;
}

/** Reads a word; the position must be at its first character. `test`: inside `[[ ]]`, where fewer characters are special. */
export function readWord(scan: Scan): Word {
  const start = scan.at;
  const collector: Collector = { pieces: [], braceDepth: 0, braceAt: -1, brace: false };
  while (scan.at < scan.text.length && !endsWord(scan)) readPiece(scan, collector, start);
  if (scan.at === start) throw new Unreadable('a word was expected');
  const source = scan.text.slice(start, scan.at);
  if (scan.zsh) noteZsh(scan, source, collector.pieces);
  return { start, end: scan.at, source, pieces: collector.pieces, brace: collector.brace };
}

function endsWord(scan: Scan): boolean {
  const here = scan.text.charAt(scan.at);
  if (here === '\\' && /^\\\n(?:\s|$)/.test(scan.text.slice(scan.at, scan.at + 3))) return true;
  if (here === '`') return scan.closers.at(-1) === '`';
  if ((here === '<' || here === '>') && scan.text[scan.at + 1] === '(') return false;
  return META.has(here);
}

function readPiece(scan: Scan, into: Collector, start: number): void {
  const here = scan.text.charAt(scan.at);
  switch (here) {
    case '\\':
      return readEscape(scan, into);
    case "'":
      return pushText(into, readSingleQuoted(scan), true);
    case '"':
      return readDoubleQuoted(scan, into);
    case '$':
      return readDollar(scan, into, false);
    case '`':
      return readBackticks(scan, into);
    case '<':
    case '>':
      scan.at += 2;
      into.pieces.push({ type: 'code', body: nested(scan, ')'), substitution: 'process' });
      return;
    case '*':
    case '?':
      into.pieces.push({ type: 'glob', text: here });
      scan.at++;
      return;
    case '[':
      return readBracket(scan, into, start);
    case '~':
      if (beginsTilde(scan.text.slice(start, scan.at))) return readTilde(scan, into, scan.at > start);
      break;
    case '{':
    case '}':
      noteBrace(scan, into);
      break;
  }
  pushText(into, here, false);
  scan.at++;
}

function pushText(into: Collector, text: string, quoted: boolean): void {
  const last = into.pieces.at(-1);
  if (last?.type === 'text' && last.quoted === quoted) {
    into.pieces[into.pieces.length - 1] = { type: 'text', text: last.text + text, quoted };
  } else {
    into.pieces.push({ type: 'text', text, quoted });
  }
}

function readEscape(scan: Scan, into: Collector): void {
  const next = scan.text[scan.at + 1];
  if (next === undefined) throw new Unreadable('the text ends in a backslash');
  // A joined line can join two halves of an operator or of an expansion.
  if (next === '\n') throw new Unreadable('a line is joined inside a word');
  scan.at += 2;
  pushText(into, next, true);
}

function readSingleQuoted(scan: Scan): string {
  const close = scan.text.indexOf("'", scan.at + 1);
  if (close < 0) throw new Unreadable('a single quote is not closed');
  const inner = scan.text.slice(scan.at + 1, close);
  scan.at = close + 1;
  return inner;
}

function readDoubleQuoted(scan: Scan, into: Collector): void {
  scan.at++;
  scan.closers.push('"');
  pushText(into, '', true);
  for (;;) {
    const here = scan.text[scan.at];
    if (here === undefined) throw new Unreadable('a double quote is not closed');
    if (here === '"') break;
    readQuotedPiece(scan, into, here);
  }
  scan.closers.pop();
  scan.at++;
}

/** One piece inside double quotes or an unquoted here-document. */
function readQuotedPiece(scan: Scan, into: Collector, here: string): void {
  const next = scan.text[scan.at + 1];
  if (here === '\\' && next !== undefined && '$`"\\\n'.includes(next)) {
    if (next !== '\n') pushText(into, next, true);
    scan.at += 2;
  } else if (here === '$') {
    readDollar(scan, into, true);
  } else if (here === '`') {
    readBackticks(scan, into);
  } else {
    pushText(into, here, true);
    scan.at++;
  }
}

function readDollar(scan: Scan, into: Collector, quoted: boolean): void {
  const { text } = scan;
  const next = text[scan.at + 1] ?? '';
  if (text.startsWith('\\\n', scan.at + 1)) throw new Unreadable('a line is joined inside an expansion');
  if (next === '(') return readParenthesis(scan, into);
  if (next === '{') return readBraced(scan, into, quoted);
  if (next === '[') throw new Unreadable('old arithmetic');
  if (next === "'" && !quoted) return readAnsi(scan, into);
  if (next === '"' && !quoted) {
    into.pieces.push({ type: 'expansion', evaluates: false, nested: [] });
    scan.at++;
    return readDoubleQuoted(scan, into);
  }
  const name = /^[A-Za-z_]\w*/.exec(text.slice(scan.at + 1, scan.at + 200))?.[0];
  if (name !== undefined) {
    into.pieces.push({ type: 'variable', name, quoted });
    scan.at += 1 + name.length;
  } else if (SPECIAL_VARIABLE.test(next)) {
    into.pieces.push({ type: 'variable', name: next, quoted });
    scan.at += 2;
  } else {
    pushText(into, '$', quoted);
    scan.at++;
  }
}

function readParenthesis(scan: Scan, into: Collector): void {
  if (scan.text[scan.at + 2] === '(') {
    const numeric = /^[\d\s+\-*/%<>=!&|^~?:,]*/.exec(scan.text.slice(scan.at + 3, scan.at + 300))?.[0] ?? '';
    if (scan.text.startsWith('))', scan.at + 3 + numeric.length)) {
      scan.at += 3 + numeric.length + 2;
      into.pieces.push({ type: 'expansion', evaluates: false, nested: [] });
      return;
    }
    scan.problems.push('arithmetic with more than numbers can run code');
    if (skipArithmetic(scan, into)) return;
  }
  scan.at += 2;
  into.pieces.push({ type: 'code', body: nested(scan, ')'), substitution: 'command' });
}

/** Skips `$(( … ))`, reading the substitutions in it. False when it is a substitution that starts with a subshell. */
function skipArithmetic(scan: Scan, into: Collector): boolean {
  const from = scan.at;
  const bodies: Script[] = [];
  scan.at += 3;
  for (let depth = 0; scan.at < scan.text.length; scan.at++) {
    const here = scan.text.charAt(scan.at);
    if (here === '$' && scan.text[scan.at + 1] === '(') {
      scan.at += 2;
      bodies.push(nested(scan, ')'));
      scan.at--;
    } else if (here === '(') depth++;
    else if (here === ')' && depth > 0) depth--;
    else if (here === ')') {
      if (scan.text[scan.at + 1] !== ')') break;
      scan.at += 2;
      into.pieces.push({ type: 'expansion', evaluates: true, nested: bodies });
      return true;
    }
  }
  scan.at = from;
  return false;
}

function nested(scan: Scan, closer: ')' | '`'): Script {
  scan.closers.push(closer);
  if (scan.closers.length > 40) throw new Unreadable('too deeply nested');
  const body = scan.readBody(closer);
  scan.closers.pop();
  return body;
}

function readBackticks(scan: Scan, into: Collector): void {
  const close = scan.text.indexOf('`', scan.at + 1);
  if (close < 0) throw new Unreadable('a backtick is not closed');
  if (scan.text.slice(scan.at, close).includes('\\')) throw new Unreadable('escapes inside backticks');
  scan.at++;
  into.pieces.push({ type: 'code', body: nested(scan, '`'), substitution: 'command' });
}

/** `${…}`: a plain variable, or an expansion whose nested bodies are read too. */
function readBraced(scan: Scan, into: Collector, quoted: boolean): void {
  const plain = /^\$\{([A-Za-z_]\w*|[@*#?\-$!]|\d+)\}/.exec(scan.text.slice(scan.at, scan.at + 200));
  if (plain) {
    into.pieces.push({ type: 'variable', name: plain[1] ?? '', quoted });
    scan.at += plain[0].length;
    return;
  }
  const from = scan.at;
  const bodies: Script[] = [];
  scan.at += 2;
  scan.closers.push('}');
  while (scan.text[scan.at] !== '}') {
    const inner: Collector = { pieces: [], braceDepth: 0, braceAt: -1, brace: false };
    const here = scan.text[scan.at];
    if (here === undefined) throw new Unreadable('an expansion is not closed');
    if (here === "'" && !quoted) readSingleQuoted(scan);
    else if (here === '"') readDoubleQuoted(scan, inner);
    else readQuotedPiece(scan, inner, here);
    for (const piece of inner.pieces) {
      if (piece.type === 'code') bodies.push(piece.body);
      if (piece.type === 'expansion') bodies.push(...piece.nested);
    }
  }
  scan.closers.pop();
  scan.at++;
  const evaluates = bodies.length > 0 || expansionEvaluates(scan.text.slice(from + 2, scan.at - 1), scan.zsh);
  into.pieces.push({ type: 'expansion', evaluates, nested: bodies });
}

/** Forms that assign, read a variable by a computed name, run a prompt string or compute: `${x:=y}`, `${!x}`, `${x@P}`, `${x:n}`. */
function expansionEvaluates(inner: string, zsh: boolean): boolean {
  if (/[$`]/.test(inner) || (zsh && !/^[A-Za-z_]\w*$/.test(inner))) return true;
  const parsed = /^#?[A-Za-z_]\w*(\[(?:[@*]|\d+)\])?(.*)$/s.exec(inner);
  if (!parsed) return true;
  const operation = parsed[2] ?? '';
  if (operation === '' || /^:?[-+?]/.test(operation) || /^[#%/^,]/.test(operation)) return false;
  return !/^:\s*\d+(:\d+)?$/.test(operation);
}

function readAnsi(scan: Scan, into: Collector): void {
  let text = '';
  scan.at += 2;
  while (scan.text[scan.at] !== "'") {
    const here = scan.text[scan.at];
    if (here === undefined) throw new Unreadable('a quote is not closed');
    if (here !== '\\') {
      text += here;
      scan.at++;
      continue;
    }
    const [decoded, length] = ansiEscape(scan.text.slice(scan.at, scan.at + 12));
    text += decoded;
    scan.at += length;
  }
  scan.at++;
  into.pieces.push({ type: 'ansi', text });
}

const ANSI_SIMPLE: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\x1b',
  E: '\x1b',
};

function ansiEscape(text: string): readonly [string, number] {
  const code =
    /^\\x([0-9a-fA-F]{1,2})/.exec(text) ??
    /^\\u([0-9a-fA-F]{1,4})/.exec(text) ??
    /^\\U([0-9a-fA-F]{1,8})/.exec(text);
  if (code) {
    const point = Number.parseInt(code[1] ?? '0', 16);
    return [point <= 0x10ffff ? String.fromCodePoint(point) : '', code[0].length];
  }
  const octal = /^\\([0-7]{1,3})/.exec(text);
  if (octal) return [String.fromCharCode(Number.parseInt(octal[1] ?? '0', 8) & 0xff), octal[0].length];
  if (/^\\c./s.test(text)) return [String.fromCharCode(text.charCodeAt(2) & 0x1f), 3];
  const next = text.charAt(1);
  return [ANSI_SIMPLE[next] ?? next, next === '' ? 1 : 2];
}

/** `[` alone is a command or text; with a `]` later in the word it is a glob. */
function readBracket(scan: Scan, into: Collector, start: number): void {
  const rest = /^\[[!^]?\]?[^\s;&|<>()'"`$]*?\]/.exec(scan.text.slice(scan.at, scan.at + 200));
  if (rest && !(scan.at === start && /^\[\]/.test(rest[0]))) into.pieces.push({ type: 'glob', text: '[' });
  else pushText(into, '[', false);
  scan.at++;
}

/** At the start of a word, and in `name=~` and `name=a:~`, which bash expands in arguments too. */
function beginsTilde(before: string): boolean {
  return before === '' || /^[A-Za-z_]\w*\+?=(?:[^'"\\$`]*:)?$/.test(before);
}

/** `~` and `~/…` are the home folder; `~name` and `~'…'` are only known to the shell. */
function readTilde(scan: Scan, into: Collector, assigned: boolean): void {
  const name = /^~([A-Za-z0-9_.+-]*)([/\s;&|<>():]|$)/.exec(scan.text.slice(scan.at, scan.at + 100));
  const ends = name !== null && (name[2] !== ':' || assigned);
  if (ends && name[1] === '') into.pieces.push({ type: 'home' });
  else into.pieces.push({ type: 'expansion', evaluates: false, nested: [] });
  scan.at += 1 + (name?.[1]?.length ?? 0);
}

function noteBrace(scan: Scan, into: Collector): void {
  if (scan.text[scan.at] === '{') {
    if (into.braceDepth++ === 0) into.braceAt = scan.at;
    return;
  }
  if (into.braceDepth === 0 || --into.braceDepth > 0) return;
  if (/,|\.\./.test(scan.text.slice(into.braceAt, scan.at))) into.brace = true;
}

/** zsh expands words in ways of its own. What is not plainly the same as in bash is a reason to ask. */
function noteZsh(scan: Scan, source: string, pieces: readonly Piece[]): void {
  const first = pieces[0];
  const bare = pieces.map((piece) => (piece.type === 'text' && !piece.quoted ? piece.text : '\0')).join('');
  if (first?.type === 'text' && !first.quoted && /^=./.test(first.text)) {
    scan.problems.push('zsh replaces a word that starts with = by a program');
  }
  if (/[{}]/.test(bare) && !/^(?:\{\}|[^{}]*@\{[^{},]*\})$/.test(bare)) {
    scan.problems.push('zsh reads braces in its own way');
  }
  if (/^\^|.#|~(?!\d*(?:[:.^]|$))/.test(bare.replace(/^~/, ''))) {
    scan.problems.push('zsh may read this as a pattern');
  }
  if (/\$[=~^]|\$\{[^}]*[(^=~]/.test(source)) scan.problems.push('zsh expansion flags can evaluate text');
}

/** Reads the body of an unquoted here-document as one word. */
export function readHereText(scan: Scan, end: number): Word {
  const start = scan.at;
  const collector: Collector = { pieces: [], braceDepth: 0, braceAt: -1, brace: false };
  pushText(collector, '', true);
  while (scan.at < end) readQuotedPiece(scan, collector, scan.text.charAt(scan.at));
  if (scan.at !== end) throw new Unreadable('an expansion leaves its here-document');
  return { start, end, source: scan.text.slice(start, end), pieces: collector.pieces, brace: false };
}
