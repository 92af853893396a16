/** What a person typed after an @: a place with its lines, or a kind and words for it. Pure. */
import type { LineRange } from '../../protocol/attachments';

export type MentionQuery =
  | { readonly type: 'any'; readonly words: string; readonly lines?: LineRange }
  | { readonly type: 'symbol' | 'commit' | 'session'; readonly words: string }
  | { readonly type: 'url'; readonly url: string };

export function mentionQuery(text: string): MentionQuery {
  if (/^https?:\/\/\S+$/i.test(text)) return { type: 'url', url: text };
  const kind = /^(symbol|sym|commit|session):(.*)$/i.exec(text);
  if (kind !== null) {
    const [, name = '', words = ''] = kind;
    const type =
      name.toLowerCase() === 'commit' ? 'commit' : name.toLowerCase() === 'session' ? 'session' : 'symbol';
    return { type, words };
  }
  const lines = /^(.+?)(?:#L?|:)(\d{1,7})(?:-L?(\d{1,7}))?$/i.exec(text);
  if (lines === null) return { type: 'any', words: text };
  const [, words = '', from = '1', to = from] = lines;
  const [a, b] = [Math.max(1, Number(from)), Math.max(1, Number(to))];
  return { type: 'any', words, lines: { from: Math.min(a, b), to: Math.max(a, b) } };
}

/** `main.ts:5–10`, as a chip says it. */
export function lineWords({ from, to }: LineRange): string {
  return from === to ? String(from) : `${from}-${to}`;
}
