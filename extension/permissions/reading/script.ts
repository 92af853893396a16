/**
 * What a command line is, whichever shell it was written for: simple commands, how they are joined, and words in pieces.
 * Types and small readers of words only; nothing here parses and nothing here judges.
 */

/** A part of a word. `quoted` text is never a glob, never splits and is never an operator. */
export type Piece =
  | { readonly type: 'text'; readonly text: string; readonly quoted: boolean }
  /** `$'…'`, decoded. */
  | { readonly type: 'ansi'; readonly text: string }
  /** An unquoted `~` at the start: the home folder. */
  | { readonly type: 'home' }
  | { readonly type: 'glob'; readonly text: string }
  | { readonly type: 'variable'; readonly name: string; readonly quoted: boolean }
  /** `$( )`, backticks, `<( )`, `>( )`: runs its body. */
  | { readonly type: 'code'; readonly body: Script; readonly substitution: 'command' | 'process' }
  /** Any other expansion. `evaluates`: it can run code, assign or read a variable by a computed name. */
  | { readonly type: 'expansion'; readonly evaluates: boolean; readonly nested: readonly Script[] };

export interface Word {
  readonly start: number;
  readonly end: number;
  readonly source: string;
  readonly pieces: readonly Piece[];
  /** Holds an unquoted `{a,b}` or `{1..3}`: becomes several words. */
  readonly brace: boolean;
}

export interface Assignment {
  readonly name: string;
  readonly value: Word;
}

export type Redirect =
  | { readonly type: 'write' | 'read'; readonly target: Word }
  /** `2>&1`, `>&-`: no file is touched. */
  | { readonly type: 'copy' }
  /** Here-document or here-string: text for the command's input. */
  | { readonly type: 'data'; readonly content: Word };

export interface SimpleCommand {
  readonly type: 'command';
  readonly start: number;
  readonly end: number;
  readonly source: string;
  readonly words: readonly Word[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly Redirect[];
}

/** How an item of a list depends on what stands before it. */
export type Join = 'first' | 'and' | 'or' | 'then';

export type Script =
  | SimpleCommand
  | { readonly type: 'list'; readonly items: readonly { readonly join: Join; readonly body: Script }[] }
  | { readonly type: 'pipeline'; readonly stages: readonly Script[] }
  /** Runs in a shell of its own: what it changes (folder, variables) ends with it. */
  | { readonly type: 'isolated'; readonly body: Script; readonly redirects: readonly Redirect[] }
  | { readonly type: 'group'; readonly body: Script; readonly redirects: readonly Redirect[] }
  /** Conditions and loops: each body may run, not run, or run often. */
  | {
      readonly type: 'branches';
      readonly bodies: readonly Script[];
      readonly words: readonly Word[];
      readonly variable?: string;
      readonly redirects: readonly Redirect[];
    }
  /** `[[ … ]]`. */
  | { readonly type: 'test'; readonly words: readonly Word[]; readonly source: string }
  /** Changes what later text means, or is code that cannot be read word by word. */
  | {
      readonly type: 'surprise';
      readonly why: string;
      readonly source: string;
      readonly bodies: readonly Script[];
    };

/** What a shell parser made of a text. `problems` are reasons to ask whatever the rest says. */
export interface Reading {
  readonly script: Script;
  readonly problems: readonly string[];
  readonly commands: number;
}

/** Thrown by parsers where a text stops making sense. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

export const EMPTY: Script = { type: 'list', items: [] };

/** A value that is certain before anything runs. `glob` when the shell will replace it by names of files. */
export interface StaticValue {
  readonly value: string;
  readonly glob: boolean;
  /** The home folder was written as `~`. */
  readonly home: boolean;
}

/** Undefined for every dynamic word (policy S6), a glob at the start included. */
export function staticValue(word: Word, home: string): StaticValue | undefined {
  if (word.brace) return undefined;
  let value = '';
  let glob = false;
  let fromHome = false;
  for (const [index, piece] of word.pieces.entries()) {
    switch (piece.type) {
      case 'text':
        value += piece.text;
        break;
      case 'home':
        value += home;
        fromHome = true;
        break;
      case 'glob':
        if (index === 0) return undefined;
        value += piece.text;
        glob = true;
        break;
      case 'ansi':
      case 'variable':
      case 'code':
      case 'expansion':
        return undefined;
    }
  }
  return { value, glob, home: fromHome };
}

/** Stands in a value for what cannot be known; no rule and no path matches it. */
export const UNKNOWN = '\u{FFFFE}';

/** What a protective check needs to know to see through a word. */
export interface Scope {
  readonly home: string;
  readonly variables: ReadonlyMap<string, string>;
}

/**
 * Best effort at what a word may become, for checks that only ever add caution: escapes, known variables and braces are
 * resolved; what stays unknown is {@link UNKNOWN}.
 */
export function possibleValues(word: Word, scope: Scope): readonly string[] {
  let value = '';
  for (const piece of word.pieces) value += possibleText(piece, scope);
  return word.brace ? [value, ...expandBraces(value, 64)] : [value];
}

function possibleText(piece: Piece, scope: Scope): string {
  switch (piece.type) {
    case 'text':
    case 'ansi':
    case 'glob':
      return piece.text;
    case 'home':
      return scope.home;
    case 'variable':
      return scope.variables.get(piece.name) ?? UNKNOWN;
    case 'code':
    case 'expansion':
      return UNKNOWN;
  }
}

function expandBraces(text: string, limit: number): readonly string[] {
  const open = text.indexOf('{');
  const close = matchingBrace(text, open);
  if (open < 0 || close < 0) return [text];
  const parts = splitTop(text.slice(open + 1, close));
  if (parts.length < 2) return [text];
  const results: string[] = [];
  for (const part of parts) {
    for (const rest of expandBraces(text.slice(close + 1), limit)) {
      for (const middle of expandBraces(part, limit)) results.push(text.slice(0, open) + middle + rest);
      if (results.length > limit) return results;
    }
  }
  return results;
}

function matchingBrace(text: string, open: number): number {
  let depth = 0;
  for (let at = Math.max(open, 0); at < text.length; at++) {
    if (text[at] === '{') depth++;
    if (text[at] === '}' && --depth === 0) return at;
  }
  return -1;
}

function splitTop(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}') depth--;
    else if (text[at] === ',' && depth === 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
}

/** True when a word is written exactly as its value: no quotes, no escapes, nothing dynamic. */
export function isPlain(word: Word): boolean {
  const [piece, more] = word.pieces;
  return (
    more === undefined && piece?.type === 'text' && !piece.quoted && !word.brace && piece.text === word.source
  );
}

export function nestedScripts(word: Word): readonly Script[] {
  return word.pieces.flatMap((piece) =>
    piece.type === 'code' ? [piece.body] : piece.type === 'expansion' ? piece.nested : [],
  );
}
