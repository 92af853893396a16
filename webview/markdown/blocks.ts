/**
 * Streamed markdown as a list of blocks. Finished blocks are lexed once and never again; only the open tail is lexed anew when text
 * is added, so that the work per frame depends on the tail and not on the message. Pure: text in, tokens out, no elements.
 */
import { Lexer } from 'marked';
import type { MarkedToken, Token, Tokens } from 'marked';
import { openFence } from './fence';

export type { MarkedToken };

export interface Block {
  /** Index among the blocks of this message: stable, because finished blocks never move. */
  readonly key: number;
  readonly token: MarkedToken | OpenCode;
  /** Of a heading: its level within the message, without gaps whatever the model wrote. 1 = outermost. */
  readonly level?: number;
}
/** A fenced block that is still being written: its lines are not lexed at all. */
export interface OpenCode {
  readonly type: 'open_code';
  readonly lang: string;
  readonly text: string;
  readonly raw: string;
}

export interface BlockList {
  /** Finished blocks in order; only ever added to. */
  readonly done: readonly Block[];
  /** What may still change. */
  readonly tail: readonly Block[];
}

export interface BlockReader {
  /**
   * Brings the blocks up to date with `text`. `open` = more may come. `grown`, when known, is what was added since the last call:
   * with it the text itself is not touched, which would cost as much as it is long.
   */
  read(text: string, open: boolean, grown?: string): BlockList;
}

type Links = Record<string, Pick<Tokens.Link | Tokens.Image, 'href' | 'title'>>;

/** A list longer than this is cut at its items, so that a tail cannot grow with the message. */
const LONG_LIST = 4_000;

interface Reading {
  done: Block[];
  tail: readonly Block[];
  /** Source of what is not finished. */
  rest: string;
  /** Length of the text that was read; `text` itself is kept only to see whether another one came. */
  length: number;
  text: string;
  open: boolean;
  readonly links: Links;
  /** Depths of the headings that the next one may be under. */
  headings: readonly number[];
}

export function createBlockReader(): BlockReader {
  const reading: Reading = {
    done: [],
    tail: [],
    rest: '',
    length: 0,
    text: '',
    open: true,
    links: {},
    headings: [],
  };
  return {
    read(text, open, grown) {
      const known = grown !== undefined && reading.open && reading.length + grown.length === text.length;
      if (known) reading.rest += grown;
      else if (!restart(reading, text) && open === reading.open) return reading;
      const nothingNew = known && grown === '' && open === reading.open;
      reading.length = text.length;
      reading.text = text;
      reading.open = open;
      if (!nothingNew) advance(reading);
      return reading;
    },
  };
}

/** Compares with what was read; returns false when the text is the same. */
function restart(reading: Reading, text: string): boolean {
  if (text === reading.text) return false;
  const goesOn = reading.open && text.startsWith(reading.text);
  if (!goesOn) {
    reading.done = [];
    reading.headings = [];
  }
  reading.rest = goesOn ? reading.rest + text.slice(reading.text.length) : text;
  return true;
}

/** Finishes what cannot change any more and lexes the remainder. */
function advance(reading: Reading): void {
  const fence = reading.open ? openFence(reading.rest) : undefined;
  if (fence !== undefined) {
    // What stands before an open fence cannot change any more.
    finish(reading, lex(reading.rest.slice(0, fence.start), reading.links));
    reading.tail = keyed(reading, [{ type: 'open_code', ...fence.code }]);
    return;
  }
  const tokens = lex(reading.rest, reading.links);
  const count = reading.open ? finishedCount(tokens) : tokens.length;
  finish(reading, tokens.slice(0, count));
  let tail: readonly Token[] = tokens.slice(count);
  const [first] = tail;
  if (first?.type === 'list' && first.raw.length > LONG_LIST) {
    const [head, remainder] = splitList(first as Tokens.List);
    finish(reading, head);
    tail = [...remainder, ...tail.slice(1)];
  }
  reading.tail = keyed(reading, tail);
}

function finish(reading: Reading, tokens: readonly Token[]): void {
  let length = 0;
  for (const token of tokens) {
    length += token.raw.length;
    const shown = known(token);
    if (shown === undefined) continue;
    reading.headings = headingsAt(reading.headings, shown);
    reading.done.push(block(reading.done.length, shown, reading.headings));
  }
  reading.rest = reading.rest.slice(length);
}

function keyed(reading: Reading, tokens: readonly (Token | OpenCode)[]): readonly Block[] {
  return tokens
    .map((token) => (token.type === 'open_code' ? (token as OpenCode) : known(token)))
    .filter((token) => token !== undefined)
    .map((token, i) => block(reading.done.length + i, token, headingsAt(reading.headings, token)));
}

function headingsAt(above: readonly number[], token: MarkedToken | OpenCode): readonly number[] {
  return token.type === 'heading' ? [...above.filter((depth) => depth < token.depth), token.depth] : above;
}

function block(key: number, token: MarkedToken | OpenCode, headings: readonly number[]): Block {
  return token.type === 'heading' ? { key, token, level: headings.length } : { key, token };
}

function lex(source: string, links: Links): readonly Token[] {
  if (source === '') return [];
  const lexer = new Lexer({ gfm: true });
  Object.assign(lexer.tokens.links, links);
  const tokens = lexer.lex(source);
  Object.assign(links, tokens.links);
  return tokens;
}

/** Tokens that make nothing visible are left out; their length still counts. */
function known(token: Token): MarkedToken | undefined {
  return token.type === 'space' || token.type === 'def' ? undefined : (token as MarkedToken);
}

/**
 * A block is finished when another one follows whose first line is whole: until then a line may still turn out to continue it
 * (a list item, a table row, the underline of a heading).
 */
function finishedCount(tokens: readonly Token[]): number {
  let after = '';
  for (let i = tokens.length - 1; i > 0; i--) {
    const token = tokens[i];
    if (token === undefined) continue;
    after = token.raw + after;
    if (token.type !== 'space' && after.includes('\n')) return i;
  }
  return 0;
}

/** All items but the last as a finished list of their own, and the last one as the tail; numbering goes on. */
function splitList(list: Tokens.List): readonly [readonly Token[], readonly Token[]] {
  const items = list.items.slice(0, -1);
  const final = list.items.at(-1);
  if (items.length === 0 || final === undefined) return [[], [list]];
  const raw = items.map((item) => item.raw).join('');
  const start = list.ordered ? (list.start === '' ? 1 : list.start) + items.length : list.start;
  return [[{ ...list, items, raw }], [{ ...list, items: [final], raw: list.raw.slice(raw.length), start }]];
}
