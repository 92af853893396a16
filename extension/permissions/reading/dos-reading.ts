/** Reads cmd lines into the common form. Small on purpose: escapes, variables, groups and loops are reasons to ask. */
import { EMPTY, Unreadable } from './script';
import type { Join, Piece, Redirect, Script, SimpleCommand, Word } from './script';
import { looseCommands } from './loose-words';
import type { SafeReading } from './bash-reading';

interface Scan {
  readonly text: string;
  at: number;
}

export function readDos(text: string): SafeReading {
  const loose = looseCommands(text);
  try {
    const problems = [];
    if (text.includes('^')) problems.push('cmd drops the character ^');
    if (/[()@]/.test(text.replace(/"[^"]*"/g, ''))) problems.push('groups and @ are not read');
    if (/^\s*for\b|[&|]\s*for\b/i.test(text)) problems.push('a loop runs commands that it makes up');
    const script = readList({ text, at: 0 });
    return { script, problems, commands: count(script), fragments: [], loose };
  } catch (error) {
    const why = error instanceof Unreadable ? error.message : 'the parser failed';
    return { script: EMPTY, problems: [why], commands: 0, fragments: [], loose };
  }
}

function count(script: Script): number {
  if (script.type === 'list') return script.items.reduce((sum, item) => sum + count(item.body), 0);
  return script.type === 'pipeline' ? script.stages.length : 1;
}

function readList(scan: Scan): Script {
  const items: { join: Join; body: Script }[] = [];
  let join: Join = 'first';
  for (;;) {
    const stages = [readSimple(scan)];
    while (scan.text[scan.at] === '|' && scan.text[scan.at + 1] !== '|') {
      scan.at++;
      stages.push(readSimple(scan));
    }
    const [only, more] = stages;
    items.push({ join, body: only && !more ? only : { type: 'pipeline', stages } });
    const operator = /^(?:&&|\|\||&|\r?\n)/.exec(scan.text.slice(scan.at, scan.at + 2))?.[0];
    if (operator === undefined) break;
    scan.at += operator.length;
    if (/^\s*$/.test(scan.text.slice(scan.at)) && operator.length === 1) break;
    join = operator === '&&' ? 'and' : operator === '||' ? 'or' : 'then';
  }
  if (scan.at < scan.text.length) throw new Unreadable('the line is not understood');
  return { type: 'list', items };
}

function readSimple(scan: Scan): SimpleCommand {
  const words: Word[] = [];
  const redirects: Redirect[] = [];
  while (/[ \t,;=]/.test(scan.text.charAt(scan.at))) scan.at++;
  const start = scan.at;
  let end = start;
  for (;;) {
    while (/[ \t]/.test(scan.text.charAt(scan.at))) scan.at++;
    const rest = scan.text.slice(scan.at, scan.at + 4);
    if (rest === '' || /^[&|\r\n]/.test(rest)) break;
    const redirect = /^\d?(>>|>|<)(&\d)?/.exec(rest);
    if (redirect) {
      scan.at += redirect[0].length;
      while (/[ \t]/.test(scan.text.charAt(scan.at))) scan.at++;
      if (redirect[2] !== undefined) redirects.push({ type: 'copy' });
      else redirects.push({ type: redirect[1] === '<' ? 'read' : 'write', target: readWord(scan) });
    } else words.push(readWord(scan));
    end = scan.at;
  }
  if (words.length + redirects.length === 0) throw new Unreadable('a command was expected');
  const source = scan.text.slice(start, end);
  return { type: 'command', start, end, source, words, assignments: [], redirects };
}

function readWord(scan: Scan): Word {
  const start = scan.at;
  const pieces: Piece[] = [];
  while (scan.at < scan.text.length && !/[ \t&|<>\r\n]/.test(scan.text.charAt(scan.at))) {
    if (scan.text[scan.at] === '"') {
      const close = scan.text.indexOf('"', scan.at + 1);
      if (close < 0) throw new Unreadable('a quote is not closed');
      pieces.push(...plainOrDynamic(scan.text.slice(scan.at + 1, close), true));
      scan.at = close + 1;
    } else {
      const from = scan.at;
      while (scan.at < scan.text.length && !/[ \t&|<>\r\n"]/.test(scan.text.charAt(scan.at))) scan.at++;
      pieces.push(...plainOrDynamic(scan.text.slice(from, scan.at), false));
    }
  }
  if (scan.at === start) throw new Unreadable('a word was expected');
  return { start, end: scan.at, source: scan.text.slice(start, scan.at), pieces, brace: false };
}

function plainOrDynamic(text: string, quoted: boolean): readonly Piece[] {
  if (!/[%!^]/.test(text)) return [{ type: 'text', text, quoted }];
  const variable = /^%(\w+)%/.exec(text)?.[1];
  const rest = variable === undefined ? text : text.slice(variable.length + 2);
  const name = variable === undefined ? '' : variable;
  return [
    { type: 'variable', name, quoted },
    { type: 'ansi', text: rest.replaceAll('^', '') },
  ];
}
