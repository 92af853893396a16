/**
 * What a protocol file of the fake model server provides, and the helpers that all of them share. One file a protocol implements it
 * (`anthropic-wire.ts` …); the server knows none of them by name.
 */
import type { Pace, Reply, SeenRequest } from './scenario.ts';

/** What the server does next: write an event, wait, or wait for a gate. */
export type Frame =
  | { readonly type: 'event'; readonly name: string; readonly block?: number; readonly bytes: string }
  | { readonly type: 'pause'; readonly ms: number }
  | { readonly type: 'gate'; readonly name: string };

export type Body = Readonly<Record<string, unknown>>;

export interface Wire {
  readonly name: string;
  readonly contentType: string;
  /** True for the path of a model request (POST). */
  handles(path: string): boolean;
  /** What the request says, without index and headers. */
  view(body: Body): Pick<SeenRequest, 'step' | 'model' | 'results' | 'userText' | 'toolNames'>;
  frames(reply: Reply, body: Body, ids: Ids): Iterable<Frame>;
  /** A whole answer for a request that did not ask for a stream; undefined = not supported. */
  whole?(reply: Reply, body: Body, ids: Ids): unknown;
  /** The bytes of an error inside a stream. */
  errorEvent(error: { readonly type: string; readonly message: string }): string;
  /** Headers that the real server sends with every answer. */
  headers(ids: Ids): Readonly<Record<string, string>>;
  /** Answers GETs beside the model request (model lists …); undefined = 404. */
  get?(path: string): unknown;
  /** Answers POSTs beside the model request. */
  post?(path: string): unknown;
}

/** Ids that look real, never repeat on one server and are the same in every run. */
export interface Ids {
  next(prefix: string): string;
}

export function countingIds(): Ids {
  let count = 0;
  return {
    next: (prefix) => {
      count += 1;
      return `${prefix}01Fake${count.toString(36).toUpperCase().padStart(18, '0')}`;
    },
  };
}

/** Cuts text in `count` pieces of about equal length, never inside a character. */
export function cut(text: string, count: number): string[] {
  const points = Array.from(text);
  const pieces: string[] = [];
  for (let i = 0; i < count; i++) {
    const from = Math.floor((points.length * i) / count);
    const to = Math.floor((points.length * (i + 1)) / count);
    if (to > from) pieces.push(points.slice(from, to).join(''));
  }
  return pieces;
}

/** Words with the blanks before them, as a model's tokens roughly fall. */
export function words(text: string): string[] {
  return text.match(/\s*\S+\s*$|\s*\S+/g) ?? (text === '' ? [] : [text]);
}

/** The deltas of a block with the waiting that its pace asks for around them. */
export function* paced(
  pieces: readonly string[],
  pace: Pace,
  toFrame: (piece: string) => Frame,
): Iterable<Frame> {
  for (const [index, piece] of pieces.entries()) {
    if (pace.hold?.beforeDelta === index) yield { type: 'gate', name: pace.hold.gate };
    if (pace.everyMs !== undefined && pace.everyMs > 0) yield { type: 'pause', ms: pace.everyMs };
    yield toFrame(piece);
  }
  if (pace.hold !== undefined && pace.hold.beforeDelta >= pieces.length) {
    yield { type: 'gate', name: pace.hold.gate };
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

export function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Text of a content value: a string, or the text parts of a list. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map((part) => text(part['text']))
    .filter((part) => part !== '')
    .join('\n');
}

/** Tokens as the fake counts them: four bytes each. */
export function tokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}
