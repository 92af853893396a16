/**
 * The gentle rungs: old results are shortened to their ends, readings of a file that was read again later and old pictures give way to a
 * line that says so. Calls keep their results, so what was legal stays legal. Pure; it says which results it changed.
 */
import type { Message, ResultContent, ToolResultBlock, ToolUseBlock } from '../models/message';
import { ends } from './shorten';
import { blockTokens, contentTokens } from './tokens';

export interface TrimOptions {
  /** Results in messages from here on are what the model works with now. */
  readonly freshFrom: number;
  /** Tokens that an old result may keep. */
  readonly keep: number;
  /** Absolute path where the whole text of a call's result lies, or will. */
  readonly wholeAt: (callId: string) => string;
  /** Readings that were repeated and old pictures go too. */
  readonly superseded: boolean;
}

export interface Replacement {
  readonly callId: string;
  /** What the model is shown from now on. */
  readonly text: string;
  /** The text as it was, when it must be kept where the model can read it. */
  readonly whole?: string;
}

export interface Trimmed {
  readonly messages: readonly Message[];
  readonly replaced: readonly Replacement[];
}

export function trim(messages: readonly Message[], options: TrimOptions): Trimmed {
  const calls = callsOf(messages);
  const repeated = options.superseded ? repeatedReads(messages, calls) : new Set<string>();
  const replaced: Replacement[] = [];
  const next = messages.map((message, at): Message => {
    if (message.role === 'assistant' || at >= options.freshFrom) return message;
    let changed = false;
    const content = message.content.map((block) => {
      if (block.type !== 'tool_result') return block;
      const made = replacementOf(block, calls.get(block.callId), repeated, options);
      if (made === undefined) return block;
      changed = true;
      replaced.push(made);
      return { ...block, content: [{ type: 'text' as const, text: made.text }] };
    });
    return changed ? { role: 'user', content } : message;
  });
  return { messages: next, replaced };
}

export function callsOf(messages: readonly Message[]): ReadonlyMap<string, ToolUseBlock> {
  const calls = new Map<string, ToolUseBlock>();
  for (const { role, content } of messages) {
    if (role !== 'assistant') continue;
    for (const block of content) if (block.type === 'tool_use') calls.set(block.id, block);
  }
  return calls;
}

function replacementOf(
  block: ToolResultBlock,
  call: ToolUseBlock | undefined,
  repeated: ReadonlySet<string>,
  { keep, wholeAt, superseded }: TrimOptions,
): Replacement | undefined {
  const { callId, content } = block;
  const path = call === undefined ? undefined : readPath(call);
  if (repeated.has(callId) && path !== undefined && contentTokens(content) > 60)
    return { callId, text: `[An earlier reading of ${path}. The file was read again later, see there.]` };
  const pictures = content.filter(({ type }) => type !== 'text').length;
  if (superseded && pictures > 0) {
    const where = path === undefined ? '' : ` Read ${path} again to see it.`;
    return { callId, text: `${textOf(content)}\n[A picture or document was here.${where}]`.trim() };
  }
  if (pictures > 0 || blockTokens(block) <= keep * 1.25) return undefined;
  const whole = textOf(content);
  if (path !== undefined) {
    const note = (left: number): string =>
      `[… ${left} characters left out to save room: Read ${path} again for them …]`;
    return { callId, text: ends(whole, keep, note) };
  }
  const note = (left: number): string =>
    `[… ${left} characters left out to save room; the whole is in ${wholeAt(callId)}: Read it with offset and limit …]`;
  return { callId, text: ends(whole, keep, note), whole };
}

export function textOf(content: readonly ResultContent[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function readPath({ name, input }: ToolUseBlock): string | undefined {
  const path = input['file_path'];
  return name === 'Read' && typeof path === 'string' ? path : undefined;
}

/** Readings of a file of which a later, successful one shows at least as much. */
function repeatedReads(
  messages: readonly Message[],
  calls: ReadonlyMap<string, ToolUseBlock>,
): ReadonlySet<string> {
  const repeated = new Set<string>();
  const later = new Map<string, { readonly from: number; readonly to: number }[]>();
  for (const message of messages.toReversed()) {
    if (message.role === 'assistant') continue;
    for (const block of message.content.toReversed()) {
      if (block.type !== 'tool_result' || block.isError) continue;
      const call = calls.get(block.callId);
      const path = call === undefined ? undefined : readPath(call);
      if (call === undefined || path === undefined) continue;
      const range = rangeOf(call);
      const ranges = later.get(path) ?? [];
      if (ranges.some(({ from, to }) => from <= range.from && to >= range.to)) repeated.add(block.callId);
      else later.set(path, [...ranges, range]);
    }
  }
  return repeated;
}

function rangeOf({ input }: ToolUseBlock): { readonly from: number; readonly to: number } {
  const from = typeof input['offset'] === 'number' ? input['offset'] : 1;
  const to = typeof input['limit'] === 'number' ? from + input['limit'] : Infinity;
  return { from, to };
}
