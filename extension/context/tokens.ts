/**
 * How many tokens something costs, guessed from its characters: no tokenizer is shipped, because every provider has its own. Weights were
 * fitted to four public tokenizers (test/fixtures/tokens) and lean to the high side; what providers report corrects the rest (counter.ts).
 */
import type { AssistantBlock, Message, ResultContent, ToolUseBlock, UserBlock } from '../models/message';
import type { ToolSpec } from '../models/transport';

/** Tokens a piece of each kind costs, on average. */
const WORD = 1.18;
/** For each letter of a word beyond its fourth: long words fall into several tokens. */
const LONG_WORD_LETTER = 0.15;
/** For each beyond its ninth, on top. */
const COMPOUND_LETTER = 0.12;
const DIGITS = 1.2;
const SIGNS = 0.47;
const SIGN_MORE = 0.17;
const NEWLINE = 0.15;
const INDENT = 1.4;
const IDEOGRAPH = 1.1;
const HANGUL = 1.35;
const OTHER_LETTER = 0.55;
const SYMBOL = 2.35;

/** What the wire adds around a message, a call and a result. Claude spells a call out, with a tag of its own for each parameter. */
const PER_MESSAGE = 4;
const PER_CALL = 14;
const PER_CLAUDE_CALL = 32;
const PER_CLAUDE_PARAMETER = 9;
const PER_RESULT = 8;
const PER_TOOL = 12;
/** Providers count at most about this much for a picture; most of them less. */
const IMAGE = 1_600;
const DOCUMENT_MIN = 1_500;
/** Characters of base64 per token of a document: pages of text and pictures. */
const DOCUMENT_CHARS = 30;

const enum Kind {
  None,
  Lower,
  Upper,
  Digit,
  Space,
  Newline,
  Sign,
}

function kindOf(code: number): Kind {
  if (code >= 97 && code <= 122) return Kind.Lower;
  if (code >= 65 && code <= 90) return Kind.Upper;
  if (code >= 48 && code <= 57) return Kind.Digit;
  if (code === 10) return Kind.Newline;
  if (code <= 32) return Kind.Space;
  return Kind.Sign;
}

/** One pass, no allocation: a megabyte takes some milliseconds. */
export function textTokens(text: string): number {
  let tokens = 0;
  let kind = Kind.None;
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 128) {
      tokens += runTokens(kind, run) + wideTokens(code);
      kind = Kind.None;
      run = 0;
      continue;
    }
    const next = kindOf(code);
    // A capital begins a hump (`camelCase`) and belongs to the small letters after it.
    if (next === kind || (kind === Kind.Upper && run === 1 && next === Kind.Lower)) run += 1;
    else {
      tokens += runTokens(kind, run);
      run = 1;
    }
    kind = next;
  }
  return tokens + runTokens(kind, run);
}

function runTokens(kind: Kind, run: number): number {
  switch (kind) {
    case Kind.None:
      return 0;
    case Kind.Lower:
    case Kind.Upper:
      return WORD + Math.max(0, run - 4) * LONG_WORD_LETTER + Math.max(0, run - 9) * COMPOUND_LETTER;
    case Kind.Digit:
      return Math.ceil(run / 3) * DIGITS;
    case Kind.Space:
      return run > 1 ? INDENT : 0;
    case Kind.Newline:
      return run * NEWLINE;
    case Kind.Sign:
      return SIGNS + (run - 1) * SIGN_MORE;
  }
}

function wideTokens(code: number): number {
  if (code >= 0xac00 && code <= 0xd7af) return HANGUL;
  // Half of a pair: pictures and rare letters.
  if (code >= 0xd800 && code <= 0xdfff) return SYMBOL / 2;
  if ((code >= 0x2600 && code < 0x2800) || code === 0x200d || code === 0xfe0f) return SYMBOL;
  return code >= 0x2e80 ? IDEOGRAPH : OTHER_LETTER;
}

const known = new WeakMap<object, number>();

function once<T extends object>(value: T, count: (value: T) => number): number {
  const before = known.get(value);
  if (before !== undefined) return before;
  const tokens = count(value);
  known.set(value, tokens);
  return tokens;
}

/** Messages are immutable, so each is counted once. */
export function messageTokens(message: Message): number {
  return once(message, (counted) => {
    const transport = counted.role === 'assistant' ? counted.origin.transport : '';
    const blocks: readonly (UserBlock | AssistantBlock)[] = counted.content;
    return Math.ceil(blocks.reduce((sum, block) => sum + blockTokens(block, transport), PER_MESSAGE));
  });
}

export function messagesTokens(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}

/** `transport`: of the route that made the block. */
export function blockTokens(block: UserBlock | AssistantBlock, transport = ''): number {
  switch (block.type) {
    case 'text':
      return textTokens(block.text);
    case 'thinking':
      return textTokens(block.thinking);
    case 'redacted_thinking':
      // What it holds is not known, only how long it is.
      return block.data.length / 6;
    case 'tool_use':
      return callTokens(block, transport);
    case 'tool_result':
      return PER_RESULT + contentTokens(block.content);
    case 'native':
      return textTokens(JSON.stringify(block.data));
    case 'image':
    case 'document':
      return mediaTokens(block);
  }
}

function callTokens({ name, input, unparsed }: ToolUseBlock, transport: string): number {
  const around = transport.startsWith('anthropic')
    ? PER_CLAUDE_CALL + Object.keys(input).length * PER_CLAUDE_PARAMETER
    : PER_CALL;
  return around + textTokens(name) + textTokens(unparsed?.raw ?? JSON.stringify(input));
}

export function contentTokens(content: readonly ResultContent[]): number {
  return content.reduce(
    (sum, part) => sum + (part.type === 'text' ? textTokens(part.text) : mediaTokens(part)),
    0,
  );
}

function mediaTokens(block: Exclude<ResultContent, { readonly type: 'text' }>): number {
  return block.type === 'image' ? IMAGE : Math.max(DOCUMENT_MIN, block.data.length / DOCUMENT_CHARS);
}

export function toolTokens(spec: ToolSpec): number {
  return once(spec, ({ name, description, inputSchema }) =>
    Math.ceil(
      PER_TOOL + textTokens(name) + textTokens(description) + textTokens(JSON.stringify(inputSchema)),
    ),
  );
}

export function toolsTokens(specs: readonly ToolSpec[]): number {
  return once(specs, (all) => all.reduce((sum, spec) => sum + toolTokens(spec), 0));
}
