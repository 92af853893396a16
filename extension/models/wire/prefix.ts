/**
 * Watches per conversation whether the prefix is still the one that earlier reasoning is bound to. It decides nothing else and keeps no
 * text of its own.
 */
import type { AssistantMessage, Message } from '../message';
import type { ModelRequest, ToolSpec } from '../transport';

const REMEMBERED_CONVERSATIONS = 32;

/** What the last request of a conversation was built from. */
interface Prefix {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly Message[];
  readonly era: object;
  /** How often something had been voided. */
  readonly voidings: number;
}

function continues(
  before: Prefix,
  system: string,
  tools: readonly ToolSpec[],
  messages: readonly Message[],
): boolean {
  if (before.system !== system || before.messages.length > messages.length) return false;
  if (before.tools !== tools && JSON.stringify(before.tools) !== JSON.stringify(tools)) return false;
  return before.messages.every((message, index) => message === messages[index]);
}

export interface PrefixKeeper {
  /**
   * Notes what the next request is built from. `era` is the same object for as long as the conversation only grows and nothing of it is
   * voided: what was made of earlier messages is still right.
   */
  readonly note: (request: ModelRequest) => {
    readonly earlierTools: readonly ToolSpec[];
    readonly era: object;
  };
  /** Voids the reasoning of all these messages; true when there was any that was not void yet. */
  readonly voidAll: (messages: readonly Message[]) => boolean;
  readonly isVoid: (message: AssistantMessage) => boolean;
}

/** Newer models bind reasoning to everything before it: whatever edits history voids all reasoning made until then. */
export function prefixKeeper(): PrefixKeeper {
  const conversations = new Map<string, Prefix>();
  const voided = new WeakSet<AssistantMessage>();
  let voidings = 0;
  const voidAll = (messages: readonly Message[]): boolean => {
    let any = false;
    voidings += 1;
    for (const message of messages) {
      if (message.role !== 'assistant' || voided.has(message)) continue;
      voided.add(message);
      any ||= message.content.some(
        (block) => block.type === 'thinking' || block.type === 'redacted_thinking',
      );
    }
    return any;
  };
  return {
    voidAll,
    isVoid: (message) => voided.has(message),
    note: (request) => {
      const before = conversations.get(request.conversationId);
      // A step that may call nothing keeps the tools of the steps before it: they are part of the prefix.
      const earlierTools = before?.tools ?? [];
      const tools = request.tools.length > 0 ? request.tools : earlierTools;
      if (before !== undefined && !continues(before, request.system, tools, request.messages))
        voidAll(request.messages);
      const era = before?.voidings === voidings ? before.era : {};
      conversations.delete(request.conversationId);
      conversations.set(request.conversationId, {
        system: request.system,
        tools,
        messages: [...request.messages],
        era,
        voidings,
      });
      const oldest = conversations.keys().next();
      if (conversations.size > REMEMBERED_CONVERSATIONS && oldest.done !== true)
        conversations.delete(oldest.value);
      return { earlierTools, era };
    },
  };
}
