/**
 * Models that print what they should send: `<think>` tags, and tool calls as text. Reasoning is taken out of the answer; a call is
 * recovered only when it is one whole JSON object that names a tool that exists. Everything else stays the text that it is.
 */
import { isRecord, parseJson } from '../errors/answer';
import type { ResponseState } from './response-state';

const OPENERS = ['<think>', '<tool_call>'] as const;
const CLOSERS: Readonly<Record<(typeof OPENERS)[number], string>> = {
  '<think>': '</think>',
  '<tool_call>': '</tool_call>',
};

/** Length of the longest end of `text` that may be the beginning of one of the tags. */
function heldBack(text: string, tags: readonly string[]): number {
  const longest = Math.max(...tags.map((tag) => tag.length)) - 1;
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const tail = text.slice(-length);
    if (tags.some((tag) => tag.startsWith(tail))) return length;
  }
  return 0;
}

interface CallText {
  readonly name: string;
  readonly args: string;
}

function callIn(text: string, tools: ReadonlySet<string>): CallText | undefined {
  const value = parseJson(text.trim());
  if (!isRecord(value) || typeof value['name'] !== 'string' || !tools.has(value['name'])) return undefined;
  const args = value['arguments'] ?? value['parameters'];
  if (isRecord(args)) return { name: value['name'], args: JSON.stringify(args) };
  return typeof args === 'string' ? { name: value['name'], args } : undefined;
}

/** One per response. A class, because it is the state of a text that comes in pieces. Without tools text passes as it is. */
export class TextRecovery {
  private readonly tools: ReadonlySet<string>;
  private pending = '';
  private inside: (typeof OPENERS)[number] | undefined;
  /** Reasoning stands at the beginning of an answer; a tag in the middle is about tags. */
  private atStart = true;
  /** True when a call was found in text: the model does not call tools natively. */
  recovered = false;

  constructor(
    private readonly response: ResponseState,
    toolNames: readonly string[],
  ) {
    this.tools = new Set(toolNames);
  }

  feed(text: string): void {
    if (this.tools.size === 0) {
      this.response.say('text', text);
      return;
    }
    // All tags begin with it: nearly every piece goes this way.
    if (this.inside === undefined && this.pending === '' && !text.includes('<')) {
      if (text !== '') this.sayText(text);
      return;
    }
    this.pending += text;
    while (this.inside === undefined ? this.readOutside() : this.readInside(this.inside));
  }

  /** Says what is still held back. Some models never close the tag of their last call. */
  end(): void {
    const rest = this.pending;
    this.pending = '';
    if (this.inside === '<tool_call>') this.takeCall(rest, '');
    else this.response.say(this.inside === '<think>' ? 'thinking' : 'text', rest);
    this.inside = undefined;
  }

  private sayText(text: string): void {
    if (this.atStart && /\S/.test(text)) this.atStart = false;
    this.response.say('text', text);
  }

  private takeCall(content: string, closer: string): void {
    const call = callIn(content, this.tools);
    if (call === undefined) {
      this.sayText(`<tool_call>${content}${closer}`);
      return;
    }
    this.recovered = true;
    const draft = this.response.begin(call.name, '');
    this.response.args(draft, call.args);
    this.response.endCall(draft, false);
  }

  /** Says text up to the next tag. True when there is more to look at. */
  private readOutside(): boolean {
    const tags = OPENERS.filter((tag) => tag !== '<think>' || this.atStart);
    const places = tags.map((tag) => ({ tag, at: this.pending.indexOf(tag) })).filter(({ at }) => at >= 0);
    places.sort((a, b) => a.at - b.at);
    const [first] = places;
    const before = first === undefined ? this.pending.length - heldBack(this.pending, tags) : first.at;
    const head = this.pending.slice(0, before);
    this.pending = this.pending.slice(before);
    const textFirst = first?.tag === '<think>' && /\S/.test(head);
    if (head !== '') this.sayText(head);
    if (first === undefined || textFirst) return textFirst;
    this.pending = this.pending.slice(first.tag.length);
    this.inside = first.tag;
    return true;
  }

  private readInside(opener: (typeof OPENERS)[number]): boolean {
    const closer = CLOSERS[opener];
    const at = this.pending.indexOf(closer);
    if (at < 0) {
      if (opener === '<tool_call>') return false;
      const length = this.pending.length - heldBack(this.pending, [closer]);
      this.response.say('thinking', this.pending.slice(0, length));
      this.pending = this.pending.slice(length);
      return false;
    }
    const content = this.pending.slice(0, at);
    this.pending = this.pending.slice(at + closer.length);
    this.inside = undefined;
    if (opener === '<think>') this.response.say('thinking', content);
    else this.takeCall(content, closer);
    return true;
  }
}

export const NOT_NATIVE =
  'This model writes its tool calls as text instead of calling tools. They were recovered where that was certain; for long work choose a model with tool support.';
