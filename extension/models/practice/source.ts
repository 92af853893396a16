/**
 * A light reading of JavaScript and TypeScript: tokens, functions and what they are called with. Good enough to propose small edits at
 * known places; it is no parser and never needs to be right about everything.
 */

export interface Token {
  readonly type: 'name' | 'number' | 'string' | 'template' | 'regex' | 'punct';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface FunctionPart {
  readonly name: string;
  readonly params: readonly string[];
  readonly isAsync: boolean;
  /** Token indexes of the body, without its braces; for `=> value` the value. */
  readonly from: number;
  readonly to: number;
  readonly isBlock: boolean;
}

export interface Source {
  readonly path: string;
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly functions: readonly FunctionPart[];
  /** `const LIMIT = 50` at the top: name → literal text. */
  readonly constants: ReadonlyMap<string, string>;
}

const PUNCT =
  /^(?:>>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|<<|>>|\*\*|[{}()[\];,<>+\-*/%&|^!~?:=.@#])/;
const REGEX_BEFORE = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'delete',
  'void',
  'throw',
  'new',
  'else',
  'do',
  'await',
  'yield',
]);

function regexMayStart(previous: Token | undefined): boolean {
  if (previous === undefined) return true;
  if (previous.type === 'punct') return ![')', ']', '}', '++', '--'].includes(previous.text);
  return previous.type === 'name' && REGEX_BEFORE.has(previous.text);
}

/** End of a quoted text that begins at `start`. Template parts with `${}` are skipped over as a whole. */
function quotedEnd(text: string, start: number): number {
  const quote = text[start];
  for (let i = start + 1; i < text.length; i++) {
    const character = text[i];
    if (character === '\\') i += 1;
    else if (character === quote) return i + 1;
    else if (quote === '`' && character === '$' && text[i + 1] === '{') i = bracesEnd(text, i + 1) - 1;
    else if (quote !== '`' && character === '\n') return i;
  }
  return text.length;
}

function bracesEnd(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const character = text[i];
    if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return i + 1;
    } else if (character === '"' || character === "'" || character === '`') i = quotedEnd(text, i) - 1;
  }
  return text.length;
}

function regexEnd(text: string, start: number): number | undefined {
  let inClass = false;
  for (let i = start + 1; i < text.length; i++) {
    const character = text[i];
    if (character === '\n') return undefined;
    if (character === '\\') i += 1;
    else if (character === '[') inClass = true;
    else if (character === ']') inClass = false;
    else if (character === '/' && !inClass) {
      let end = i + 1;
      while (/[a-z]/.test(text[end] ?? '')) end += 1;
      return end;
    }
  }
  return undefined;
}

function blankEnd(text: string, start: number): number {
  const match = /^(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|#![^\n]*)/.exec(text.slice(start, start + 4000));
  return match === null ? start : start + match[0].length;
}

function tokenAt(text: string, start: number, previous: Token | undefined): Token {
  const rest = text.slice(start, start + 200);
  const make = (type: Token['type'], end: number): Token => ({
    type,
    text: text.slice(start, end),
    start,
    end,
  });
  const name = /^#?[\p{L}_$][\p{L}\p{N}_$]*/u.exec(rest);
  if (name !== null) return make('name', start + name[0].length);
  const number = /^(?:0[xob][\da-f_]+|(?:\d[\d_]*)?\.?\d[\d_]*(?:e[+-]?\d+)?)n?/i.exec(rest);
  if (number !== null) return make('number', start + number[0].length);
  const first = rest[0];
  if (first === '"' || first === "'") return make('string', quotedEnd(text, start));
  if (first === '/' && regexMayStart(previous)) {
    const end = regexEnd(text, start);
    if (end !== undefined) return make('regex', end);
  }
  return make('punct', start + (PUNCT.exec(rest)?.[0].length ?? 1));
}

/** Text parts of a template as `template` tokens, with the tokens of each `${…}` between them. Returns where it ends. */
function templateTokens(text: string, start: number, tokens: Token[]): number {
  let chunk = start;
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === '`') {
      tokens.push({ type: 'template', text: text.slice(chunk, i + 1), start: chunk, end: i + 1 });
      return i + 1;
    } else if (text[i] === '$' && text[i + 1] === '{') {
      const end = bracesEnd(text, i + 1) - 1;
      tokens.push({ type: 'template', text: text.slice(chunk, i + 2), start: chunk, end: i + 2 });
      readTokens(text, i + 2, end, tokens);
      chunk = end;
      i = end;
    }
  }
  return text.length;
}

function readTokens(text: string, from: number, to: number, tokens: Token[]): void {
  let at = from;
  while (at < to) {
    const end = blankEnd(text, at);
    if (end > at) at = end;
    else if (text[at] === '`') at = templateTokens(text, at, tokens);
    else {
      const token = tokenAt(text, at, tokens.at(-1));
      tokens.push(token);
      at = token.end;
    }
  }
}

export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  readTokens(text, 0, text.length, tokens);
  return tokens;
}

const OPEN: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Index of the token that closes the bracket at `index`; the last token when there is none. */
export function closing(tokens: readonly Token[], index: number): number {
  let depth = 0;
  for (let i = index; i < tokens.length; i++) {
    const token = tokens[i];
    if (token?.type !== 'punct') continue;
    if (token.text in OPEN) depth += 1;
    else if (token.text === ')' || token.text === ']' || token.text === '}') {
      depth -= 1;
      if (depth === 0) return i;
    }
  }
  return tokens.length - 1;
}

function opening(tokens: readonly Token[], index: number): number {
  let depth = 0;
  for (let i = index; i >= 0; i--) {
    const text = tokens[i]?.type === 'punct' ? tokens[i]?.text : undefined;
    if (text === ')' || text === ']' || text === '}') depth += 1;
    else if (text !== undefined && text in OPEN) {
      depth -= 1;
      if (depth === 0) return i;
    }
  }
  return 0;
}

/** Names bound by a parameter list, destructuring included; types and defaults are skipped roughly. */
function paramNames(tokens: readonly Token[], from: number, to: number): string[] {
  const names: string[] = [];
  let expecting = true;
  let depth = 0;
  for (let i = from; i < to; i++) {
    const token = tokens[i];
    if (token === undefined) continue;
    if (token.type === 'punct') {
      if (token.text === ',' || token.text === '{' || token.text === '[') expecting = true;
      if (token.text === '=' || (token.text === ':' && depth === 0)) expecting = false;
      if (token.text in OPEN) depth += 1;
      if (')]}'.includes(token.text)) depth -= 1;
    } else if (token.type === 'name' && expecting) {
      // `{ a: b }` binds b.
      if (tokens[i + 1]?.text === ':' && depth > 0) continue;
      names.push(token.text);
      expecting = false;
    }
  }
  return names;
}

/** End of an expression that begins at `from`: the first `,` `;` `)` outside brackets, or a new line that starts a statement. */
function expressionEnd(tokens: readonly Token[], from: number): number {
  for (let i = from; i < tokens.length; i++) {
    const text = tokens[i]?.type === 'punct' ? (tokens[i]?.text ?? '') : '';
    if (text in OPEN) i = closing(tokens, i);
    else if ([',', ';', ')', ']', '}'].includes(text)) return i;
  }
  return tokens.length;
}

const NOT_METHODS = new Set([
  'if',
  'for',
  'while',
  'switch',
  'catch',
  'function',
  'return',
  'with',
  'await',
  'super',
  'constructor',
]);

function nameBefore(tokens: readonly Token[], index: number): string {
  const before = tokens[index];
  if (before?.type === 'name' && before.text !== 'async') return before.text;
  // `name = async (`, `name: (`, `name = function (`
  for (let i = index; i >= Math.max(0, index - 2); i--) {
    const text = tokens[i]?.text;
    if (text === '=' || text === ':')
      return tokens[i - 1]?.type === 'name' ? (tokens[i - 1]?.text ?? '') : '';
    if (text !== 'async' && text !== 'function') break;
  }
  return '';
}

function arrowAt(tokens: readonly Token[], index: number): FunctionPart {
  const before = index - 1;
  const hasList = tokens[before]?.text === ')';
  const start = hasList ? opening(tokens, before) : before;
  const params = hasList ? paramNames(tokens, start + 1, before) : [tokens[before]?.text ?? ''];
  const isBlock = tokens[index + 1]?.text === '{';
  const from = isBlock ? index + 2 : index + 1;
  const to = isBlock ? closing(tokens, index + 1) : expressionEnd(tokens, index + 1);
  const isAsync = tokens[start - 1]?.text === 'async';
  return { name: nameBefore(tokens, start - (isAsync ? 2 : 1)), params, isAsync, from, to, isBlock };
}

/** `name(…) {` and `function (…) {`. A return type between `)` and `{` is skipped. */
function blockFunctionAt(tokens: readonly Token[], index: number): FunctionPart | undefined {
  const end = closing(tokens, index);
  let brace = end + 1;
  if (tokens[brace]?.text === ':') {
    while (
      brace < tokens.length &&
      tokens[brace]?.text !== '{' &&
      tokens[brace]?.text !== ';' &&
      brace < end + 24
    )
      brace += 1;
  }
  if (tokens[brace]?.text !== '{') return undefined;
  const before = tokens[index - 1];
  if (
    before?.type !== 'name' ||
    (NOT_METHODS.has(before.text) && before.text !== 'function' && before.text !== 'constructor')
  )
    return undefined;
  const isAnonymous = before.text === 'function';
  const name = isAnonymous ? nameBefore(tokens, index - 2) : before.text;
  const isAsync = [2, 3, 4].some((back) => tokens[index - back]?.text === 'async');
  return {
    name,
    params: paramNames(tokens, index + 1, end),
    isAsync,
    from: brace + 1,
    to: closing(tokens, brace),
    isBlock: true,
  };
}

function functionsOf(tokens: readonly Token[]): FunctionPart[] {
  return tokens.flatMap((token, index) => {
    if (token.type !== 'punct') return [];
    if (token.text === '=>') return [arrowAt(tokens, index)];
    if (token.text !== '(') return [];
    const found = blockFunctionAt(tokens, index);
    return found === undefined ? [] : [found];
  });
}

function constantsOf(tokens: readonly Token[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const [index, token] of tokens.entries()) {
    if (token.text !== '=' || tokens[index - 1]?.type !== 'name') continue;
    const value = tokens[index + 1];
    const after = tokens[index + 2];
    const ends = after === undefined || after.text === ';' || after.text === ',' || after.type === 'name';
    if ((value?.type === 'number' || value?.type === 'string') && ends)
      found.set(tokens[index - 1]?.text ?? '', value.text);
  }
  return found;
}

export function readSource(path: string, text: string): Source {
  const tokens = tokenize(text);
  return { path, text, tokens, functions: functionsOf(tokens), constants: constantsOf(tokens) };
}

/** The innermost named function around a token, and the innermost of any kind. */
export function enclosing(
  source: Source,
  index: number,
): { readonly named: FunctionPart | undefined; readonly inner: FunctionPart | undefined } {
  let named: FunctionPart | undefined;
  let inner: FunctionPart | undefined;
  for (const part of source.functions) {
    if (index < part.from || index >= part.to) continue;
    if (inner === undefined || part.from >= inner.from) inner = part;
    if (part.name !== '' && (named === undefined || part.from >= named.from)) named = part;
  }
  return { named, inner };
}

export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let i = text.indexOf('\n'); i >= 0 && i < offset; i = text.indexOf('\n', i + 1)) line += 1;
  return line;
}

/** Relative module paths that a file imports or requires. */
export function relativeImports(tokens: readonly Token[]): string[] {
  const found = new Set<string>();
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'string') continue;
    const path = token.text.slice(1, -1);
    const before = tokens[index - 1]?.text;
    const isCall = before === '(' && /^(require|import)$/.test(tokens[index - 2]?.text ?? '');
    if (/^\.{1,2}\//.test(path) && (before === 'from' || before === 'import' || isCall)) found.add(path);
  }
  return [...found];
}

/** True for a place inside the condition of an `if` that throws. */
export function guardsThrow(tokens: readonly Token[], index: number): boolean {
  for (let i = index; i >= Math.max(0, index - 40); i--) {
    const text = tokens[i]?.text;
    if (text === ';' || text === '{' || text === '}') return false;
    if (text !== 'if' || tokens[i + 1]?.text !== '(') continue;
    const end = closing(tokens, i + 1);
    if (end < index) return false;
    return (
      tokens[end + 1]?.text === 'throw' ||
      (tokens[end + 1]?.text === '{' && tokens[end + 2]?.text === 'throw')
    );
  }
  return false;
}

export function lineText(source: Source, offset: number): string {
  const from = source.text.lastIndexOf('\n', offset - 1) + 1;
  const to = source.text.indexOf('\n', offset);
  return source.text.slice(from, to < 0 ? undefined : to);
}
