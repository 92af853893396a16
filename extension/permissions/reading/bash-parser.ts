/**
 * A strict parser for the part of bash that can be judged word by word. What it does not know is {@link Unreadable}: the caller
 * asks. The grammar of tree-sitter reads the same text as a second opinion (bash-reading.ts).
 */
import { readHereText, readWord } from './bash-words';
import type { Scan } from './bash-words';
import { EMPTY, Unreadable } from './script';
import type { Assignment, Join, Reading, Redirect, Script, SimpleCommand, Word } from './script';

interface PendingHere {
  readonly delimiter: string;
  readonly stripTabs: boolean;
  readonly quoted: boolean;
  /** Gets its text when the lines after the command have been read. */
  readonly redirect: { content: Word };
}

interface Parser {
  readonly scan: Scan;
  readonly commands: SimpleCommand[];
  pending: PendingHere[];
  parts: number;
}

export interface BashReading extends Reading {
  /** Every simple command, for the comparison with the second grammar. */
  readonly simple: readonly SimpleCommand[];
}

export function parseBash(text: string, zsh = false): BashReading {
  const parser: Parser = {
    scan: { text, zsh, at: 0, problems: [], readBody: (closer) => readBody(parser, closer), closers: [] },
    commands: [],
    pending: [],
    parts: 0,
  };
  const script = parseList(parser, () => false);
  if (parser.scan.at < text.length)
    throw new Unreadable(`unexpected "${text.slice(parser.scan.at, parser.scan.at + 10)}"`);
  if (parser.pending.length > 0) throw new Unreadable('a here-document is not closed');
  return { script, problems: parser.scan.problems, commands: parser.parts, simple: parser.commands };
}

function readBody(parser: Parser, closer: ')' | '`'): Script {
  const outer = parser.pending;
  parser.pending = [];
  const body = parseList(parser, () => parser.scan.text[parser.scan.at] === closer);
  if (parser.scan.text[parser.scan.at] !== closer) throw new Unreadable(`a substitution is not closed`);
  if (parser.pending.length > 0) throw new Unreadable('a here-document is not closed');
  parser.scan.at++;
  parser.pending = outer;
  return body;
}

// ---- blanks, comments, newlines

function skipBlanks(scan: Scan): void {
  for (;;) {
    const here = scan.text[scan.at];
    if (here === ' ' || here === '\t') scan.at++;
    else if (here === '\\' && scan.text[scan.at + 1] === '\n') scan.at += 2;
    else break;
  }
  if (scan.text[scan.at] === '#') {
    const end = scan.text.indexOf('\n', scan.at);
    scan.at = end < 0 ? scan.text.length : end;
  }
}

function skipLines(parser: Parser): void {
  skipBlanks(parser.scan);
  while (parser.scan.text[parser.scan.at] === '\n') {
    parser.scan.at++;
    readHeres(parser);
    skipBlanks(parser.scan);
  }
}

function readHeres(parser: Parser): void {
  const { scan } = parser;
  for (const here of parser.pending) {
    const start = scan.at;
    for (;;) {
      if (scan.at >= scan.text.length) throw new Unreadable('a here-document is not closed');
      const lineEnd = scan.text.indexOf('\n', scan.at);
      const end = lineEnd < 0 ? scan.text.length : lineEnd;
      const line = scan.text.slice(scan.at, end);
      const after = Math.min(end + 1, scan.text.length);
      if ((here.stripTabs ? line.replace(/^\t+/, '') : line) === here.delimiter) {
        here.redirect.content = hereContent(scan, start, scan.at, here.quoted);
        scan.at = after;
        break;
      }
      if (lineEnd < 0) throw new Unreadable('a here-document is not closed');
      scan.at = after;
    }
  }
  parser.pending = [];
}

function hereContent(scan: Scan, start: number, end: number, quoted: boolean): Word {
  const source = scan.text.slice(start, end);
  if (quoted)
    return { start, end, source, pieces: [{ type: 'text', text: source, quoted: true }], brace: false };
  scan.at = start;
  return readHereText(scan, end);
}

// ---- lists and pipelines

type Stop = () => boolean;

function parseList(parser: Parser, stop: Stop): Script {
  const items: { join: Join; body: Script }[] = [];
  let join: Join = 'first';
  skipLines(parser);
  while (parser.scan.at < parser.scan.text.length && !stop()) {
    const body = parsePipeline(parser);
    const end = readSeparator(parser);
    items.push({ join, body: end === '&' ? { type: 'isolated', body, redirects: [] } : body });
    if (end === '') break;
    join = end === '&&' ? 'and' : end === '||' ? 'or' : 'then';
    skipLines(parser);
    if (join !== 'then' && (parser.scan.at >= parser.scan.text.length || stop())) {
      throw new Unreadable('the line is incomplete');
    }
  }
  const [only, more] = items;
  if (only === undefined) return EMPTY;
  return more === undefined ? only.body : { type: 'list', items };
}

/** Consumes what separates two items; empty when nothing does. */
function readSeparator(parser: Parser): '&&' | '||' | ';' | '&' | '\n' | '' {
  const { scan } = parser;
  skipBlanks(scan);
  const two = scan.text.slice(scan.at, scan.at + 2);
  if (two === '&&' || two === '||') {
    scan.at += 2;
    return two;
  }
  const one = scan.text[scan.at];
  if (one === ';' && two !== ';;' && two !== ';&') {
    scan.at++;
    return ';';
  }
  if (one === '&') {
    scan.at++;
    if (scan.zsh && /[!|]/.test(scan.text.charAt(scan.at))) throw new Unreadable('a zsh operator');
    return '&';
  }
  if (one === '\n') {
    scan.at++;
    readHeres(parser);
    return '\n';
  }
  return '';
}

function parsePipeline(parser: Parser): Script {
  const { scan } = parser;
  const stages: Script[] = [];
  for (;;) {
    skipBlanks(scan);
    if (stages.length === 0 && /^!(?=[\s(])/.test(scan.text.slice(scan.at, scan.at + 2))) {
      scan.at++;
      skipBlanks(scan);
      if (scan.text[scan.at] === '!') throw new Unreadable('a double negation');
    }
    stages.push(parseCommand(parser));
    skipBlanks(scan);
    if (scan.text[scan.at] !== '|' || scan.text[scan.at + 1] === '|') break;
    scan.at += scan.text[scan.at + 1] === '&' ? 2 : 1;
    skipLines(parser);
  }
  const [only, more] = stages;
  return only !== undefined && more === undefined ? only : { type: 'pipeline', stages };
}

// ---- commands

const RESERVED =
  /^(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|in|select|function|\{|\}|\[\[|\]\])(?=[\s;&|<>()]|$)/;

function reservedAt(scan: Scan): string | undefined {
  return RESERVED.exec(scan.text.slice(scan.at, scan.at + 10))?.[0];
}

function parseCommand(parser: Parser): Script {
  const { scan } = parser;
  const { at } = scan;
  if (scan.text[at] === '(') return parseParenthesis(parser);
  switch (reservedAt(scan)) {
    case undefined:
      return parseSimple(parser);
    case '{':
      scan.at++;
      return closing(parser, 'group', until(parser, '}'));
    case 'if':
      return parseIf(parser);
    case 'while':
    case 'until':
      scan.at += 5;
      return branches(parser, [until(parser, 'do'), until(parser, 'done')], []);
    case 'for':
      return parseFor(parser);
    case 'case':
      return parseCase(parser);
    case '[[':
      return parseTest(parser);
    case 'function':
      return parseFunction(parser);
    default:
      throw new Unreadable(`unexpected "${scan.text.slice(at, at + 6)}"`);
  }
}

/** The list up to a reserved word, which is consumed. */
function until(parser: Parser, word: string, ...others: string[]): Script {
  const body = parseList(parser, () => [word, ...others].includes(reservedAt(parser.scan) ?? ''));
  const found = reservedAt(parser.scan);
  if (found === undefined || ![word, ...others].includes(found)) throw new Unreadable(`"${word}" is missing`);
  if (body === EMPTY) throw new Unreadable(`nothing stands before "${found}"`);
  if (others.length === 0) parser.scan.at += word.length;
  return body;
}

function parseParenthesis(parser: Parser): Script {
  const { scan } = parser;
  if (scan.text[scan.at + 1] === '(') throw new Unreadable('an arithmetic command');
  scan.at++;
  scan.closers.push(')');
  if (scan.closers.length > 40) throw new Unreadable('too deeply nested');
  const body = parseList(parser, () => scan.text[scan.at] === ')');
  if (scan.text[scan.at] !== ')' || body === EMPTY) throw new Unreadable('a parenthesis is not closed');
  scan.closers.pop();
  scan.at++;
  return closing(parser, 'isolated', body);
}

function closing(parser: Parser, type: 'group' | 'isolated', body: Script): Script {
  return { type, body, redirects: readRedirects(parser) };
}

function branches(
  parser: Parser,
  bodies: readonly Script[],
  words: readonly Word[],
  variable?: string,
): Script {
  const redirects = readRedirects(parser);
  return variable === undefined
    ? { type: 'branches', bodies, words, redirects }
    : { type: 'branches', bodies, words, variable, redirects };
}

function parseIf(parser: Parser): Script {
  const { scan } = parser;
  const bodies: Script[] = [];
  scan.at += 2;
  for (;;) {
    bodies.push(until(parser, 'then'));
    bodies.push(until(parser, 'fi', 'elif', 'else'));
    const found = reservedAt(scan);
    scan.at += found?.length ?? 0;
    if (found === 'elif') continue;
    if (found === 'else') bodies.push(until(parser, 'fi'));
    return branches(parser, bodies, []);
  }
}

function parseFor(parser: Parser): Script {
  const { scan } = parser;
  scan.at += 3;
  skipBlanks(scan);
  const name = /^[A-Za-z_]\w*(?=[\s;])/.exec(scan.text.slice(scan.at, scan.at + 100))?.[0];
  if (name === undefined) throw new Unreadable('a loop of another form');
  scan.at += name.length;
  skipLines(parser);
  const words: Word[] = [];
  if (/^in(?=\s)/.test(scan.text.slice(scan.at, scan.at + 3))) {
    scan.at += 2;
    for (skipBlanks(scan); !/[;\n]/.test(scan.text.charAt(scan.at)); skipBlanks(scan))
      words.push(readWord(scan));
  }
  if (scan.text[scan.at] === ';') scan.at++;
  skipLines(parser);
  if (reservedAt(scan) !== 'do') throw new Unreadable('"do" is missing');
  scan.at += 2;
  return branches(parser, [until(parser, 'done')], words, name);
}

function parseCase(parser: Parser): Script {
  const { scan } = parser;
  scan.at += 4;
  skipBlanks(scan);
  const words = [readWord(scan)];
  const bodies: Script[] = [];
  skipLines(parser);
  if (!/^in\s/.test(scan.text.slice(scan.at, scan.at + 3))) throw new Unreadable('"in" is missing');
  scan.at += 2;
  for (skipLines(parser); reservedAt(scan) !== 'esac'; skipLines(parser)) {
    if (scan.text[scan.at] === '(') scan.at++;
    readPatterns(scan, words);
    bodies.push(parseList(parser, () => /^(?:;;|;&|esac\b)/.test(scan.text.slice(scan.at, scan.at + 5))));
    const end = /^(?:;;&|;;|;&)/.exec(scan.text.slice(scan.at, scan.at + 3))?.[0];
    scan.at += end?.length ?? 0;
    if (end === undefined && reservedAt(scan) !== 'esac') throw new Unreadable('"esac" is missing');
  }
  scan.at += 4;
  return branches(parser, bodies, words);
}

function readPatterns(scan: Scan, words: Word[]): void {
  for (;;) {
    skipBlanks(scan);
    words.push(readWord(scan));
    skipBlanks(scan);
    const next = scan.text[scan.at];
    scan.at++;
    if (next === ')') return;
    if (next !== '|') throw new Unreadable('a pattern is not closed');
  }
}

/** `[[ … ]]`: words between operators; nothing in it is a file that is opened, but substitutions run. */
function parseTest(parser: Parser): Script {
  const { scan } = parser;
  const start = scan.at;
  const words: Word[] = [];
  scan.at += 2;
  for (;;) {
    skipLines(parser);
    const rest = scan.text.slice(scan.at, scan.at + 3);
    if (/^\]\](?:[\s;&|<>)]|$)/.test(rest)) break;
    if (scan.at >= scan.text.length) throw new Unreadable('"]]" is missing');
    if (/^(?:&&|\|\||[()<>|])/.test(rest)) scan.at++;
    else if (/^[;&]/.test(rest)) throw new Unreadable('an operator inside [[ ]]');
    else words.push(readWord(scan));
  }
  scan.at += 2;
  parser.parts++;
  readRedirects(parser);
  return { type: 'test', words, source: scan.text.slice(start, scan.at) };
}

function parseFunction(parser: Parser): Script {
  const { scan } = parser;
  const start = scan.at;
  scan.at += 8;
  skipBlanks(scan);
  readWord(scan);
  skipBlanks(scan);
  if (scan.text.startsWith('()', scan.at)) scan.at += 2;
  return functionBody(parser, start);
}

function functionBody(parser: Parser, start: number): Script {
  skipLines(parser);
  const body = parseCommand(parser);
  const source = parser.scan.text.slice(start, parser.scan.at);
  return { type: 'surprise', why: 'a function changes what later commands mean', source, bodies: [body] };
}

// ---- simple commands and redirects

function parseSimple(parser: Parser): Script {
  const { scan } = parser;
  const start = scan.at;
  let end = start;
  const words: Word[] = [];
  const assignments: Assignment[] = [];
  const redirects: Redirect[] = [];
  for (; ; end = scan.at) {
    skipBlanks(scan);
    const here = scan.text[scan.at];
    if (here === undefined || /[;|\n)]/.test(here)) break;
    if (here === '`' && scan.closers.at(-1) === '`') break;
    if (readRedirect(parser, redirects)) continue;
    if (here === '&') break;
    if (here === '(') {
      if (words.length !== 1 || redirects.length + assignments.length > 0)
        throw new Unreadable('a parenthesis');
      if (!/^\(\s*\)/.test(scan.text.slice(scan.at, scan.at + 20))) throw new Unreadable('a parenthesis');
      scan.at = scan.text.indexOf(')', scan.at) + 1;
      return functionBody(parser, start);
    }
    const word = readWord(scan);
    const assigned = words.length === 0 ? assignmentOf(word) : undefined;
    if (assigned) assignments.push(assigned);
    else words.push(word);
  }
  if (end === start) throw new Unreadable('a command was expected');
  const source = scan.text.slice(start, end);
  const command: SimpleCommand = { type: 'command', start, end, source, words, assignments, redirects };
  parser.parts++;
  parser.commands.push(command);
  return command;
}

function assignmentOf(word: Word): Assignment | undefined {
  const first = word.pieces[0];
  if (first?.type !== 'text' || first.quoted) return undefined;
  const match = /^([A-Za-z_]\w*)(\[[^\]]*\])?\+?=/.exec(first.text);
  if (!match || !word.source.startsWith(match[0])) return undefined;
  const rest = first.text.slice(match[0].length);
  const pieces = [...(rest === '' ? [] : [{ ...first, text: rest }]), ...word.pieces.slice(1)];
  const value = {
    ...word,
    start: word.start + match[0].length,
    source: word.source.slice(match[0].length),
    pieces,
  };
  return { name: match[1] ?? '', value };
}

function readRedirects(parser: Parser): readonly Redirect[] {
  const redirects: Redirect[] = [];
  do skipBlanks(parser.scan);
  while (readRedirect(parser, redirects));
  return redirects;
}

const REDIRECT = /^(?:\{\w+\}|\d*)(<<<|<<-|<<|<&|<>|<(?!\()|>>|>&|>\||>(?!\())|^(&>>|&>)/;

function readRedirect(parser: Parser, into: Redirect[]): boolean {
  const { scan } = parser;
  const match = REDIRECT.exec(scan.text.slice(scan.at, scan.at + 40));
  if (!match) return false;
  if (match[0].startsWith('{')) throw new Unreadable('a redirect that sets a variable');
  scan.at += match[0].length;
  const operator = match[1] ?? match[2] ?? '';
  if (scan.zsh && /^[>]/.test(operator) && scan.text[scan.at] === '!') scan.at++;
  skipBlanks(scan);
  if (REDIRECT.test(scan.text.slice(scan.at, scan.at + 40)))
    throw new Unreadable('a redirect without a target');
  const word = readWord(scan);
  if (operator === '<<' || operator === '<<-') into.push(hereRedirect(parser, word, operator === '<<-'));
  else if (operator === '<<<') into.push({ type: 'data', content: word });
  else if (/^[<>]&$/.test(operator) && /^(?:\d+-?|-)$/.test(word.source)) into.push({ type: 'copy' });
  else into.push({ type: operator === '<' || operator === '<&' ? 'read' : 'write', target: word });
  return true;
}

function hereRedirect(parser: Parser, word: Word, stripTabs: boolean): Redirect {
  if (word.pieces.some((piece) => piece.type !== 'text'))
    throw new Unreadable('a computed end of a here-document');
  const delimiter = word.pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join('');
  const redirect = { type: 'data' as const, content: word };
  parser.pending.push({ delimiter, stripTabs, quoted: /['"\\]/.test(word.source), redirect });
  return redirect;
}
