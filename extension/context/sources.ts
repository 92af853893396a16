/** What of a conversation takes the most room, one result each, and the conversation without one of them. Pure. */
import type { Message } from '../models/message';
import { callsOf, type Trimmed } from './trim';
import { blockTokens } from './tokens';

export interface Source {
  readonly callId: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** About. */
  readonly tokens: number;
}

/** Smaller ones are not worth a click. */
const LEAST_TOKENS = 200;

/** The largest results, the largest first. */
export function sourcesOf(messages: readonly Message[], limit: number): readonly Source[] {
  const calls = callsOf(messages);
  return messages
    .flatMap(({ role, content }) => (role === 'user' ? content : []))
    .flatMap((block): readonly Source[] => {
      if (block.type !== 'tool_result') return [];
      const { name = '', input = {} } = calls.get(block.callId) ?? {};
      return [{ callId: block.callId, tool: name, input, tokens: blockTokens(block) }];
    })
    .filter(({ tokens }) => tokens >= LEAST_TOKENS)
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, limit);
}

const TAKEN_OUT =
  '[The user took this result out of the context to save room. Make the call again if you need it.]';

/** The call keeps a result, so what was legal stays legal. Undefined when there is no such result. */
export function withoutResult(messages: readonly Message[], callId: string): Trimmed | undefined {
  let found = false;
  const next = messages.map((message): Message => {
    if (message.role === 'assistant') return message;
    if (!message.content.some((block) => block.type === 'tool_result' && block.callId === callId))
      return message;
    found = true;
    const content = message.content.map((block) =>
      block.type === 'tool_result' && block.callId === callId
        ? { ...block, content: [{ type: 'text' as const, text: TAKEN_OUT }] }
        : block,
    );
    return { role: 'user', content };
  });
  return found ? { messages: next, replaced: [{ callId, text: TAKEN_OUT }] } : undefined;
}
