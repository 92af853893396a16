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
  /** Brings the blocks up to date with `text`, normally the earlier text with something added. `open` = more may come. */
  read(text: string, open: boolean): BlockList;
}

type Links = Record<string, Pick<Tokens.Link | Tokens.Image, 'href' | 'title'>>;

/** A list longer than this is cut at its items, so that a tail cannot grow with the message. */
const LONG_LIST = 4_000;

export function createBlockReader(): BlockReader {
  let done: Block[] = [];
  let seen = '';
  /** How much of the text the finished blocks cover. */
  let covered = 0;
  let last: { readonly text: string; readonly open: boolean; readonly list: BlockList } | undefined;
  const links: Links = {};

  const finish = (tokens: readonly Token[]): void => {
    for (const token of tokens) {
      covered += token.raw.length;
      const shown = known(token);
      if (shown !== undefined) done.push({ key: done.length, token: shown });
    }
  };
  const keyed = (tokens: readonly (Token | OpenCode)[]): readonly Block[] =>
    tokens
      .map((token) => (token.type === 'open_code' ? (token as OpenCode) : known(token)))
      .filter((token) => token !== undefined)
      .map((token, i) => ({ key: done.length + i, token }));

  return {
    read(text, open) {
      if (last?.text === text && last.open === open) return last.list;
      if (text.length < covered || text.slice(0, covered) !== seen.slice(0, covered)) {
        done = [];
        covered = 0;
      }
      seen = text;
      const rest = text.slice(covered);
      const fence = open ? openFence(rest) : undefined;
      if (fence !== undefined) {
        // What stands before an open fence cannot change any more.
        finish(lex(rest.slice(0, fence.start), links));
        last = { text, open, list: { done, tail: keyed([{ type: 'open_code', ...fence.code }]) } };
        return last.list;
      }
      const tokens = lex(rest, links);
      const count = open ? finishedCount(tokens) : tokens.length;
      finish(tokens.slice(0, count));
      let tail: readonly Token[] = tokens.slice(count);
      const [first] = tail;
      if (first?.type === 'list' && first.raw.length > LONG_LIST) {
        const [head, remainder] = splitList(first as Tokens.List);
        finish(head);
        tail = [...remainder, ...tail.slice(1)];
      }
      last = { text, open, list: { done, tail: keyed(tail) } };
      return last.list;
    },
  };
}

function lex(source: string, links: Links): readonly Token[] {
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
