/**
 * The conversation as it is kept: provider-neutral messages made of content blocks. Transports project these to their wire and
 * never change them; once made, a message is immutable.
 */

/** Which route made an assistant message. Reasoning may be replayed only where origin and route agree. */
export interface Origin {
  readonly transport: string;
  readonly baseUrl: string;
  readonly model: string;
}

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}
export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  /** Anthropic signature. Without one the block cannot be replayed to Anthropic. */
  readonly signature?: string;
}
export interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking';
  readonly data: string;
}
/** Input that the wire sent but that is not a JSON object even after unambiguous repair. */
export interface UnparsedInput {
  readonly raw: string;
  readonly problem: string;
}
export interface ToolUseBlock {
  readonly type: 'tool_use';
  /** Our own id, unique in the conversation; given when the call is first seen. */
  readonly id: string;
  /** Id as the wire had it: may be missing, empty or repeated. Used only to answer that wire. */
  readonly wireId?: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly unparsed?: UnparsedInput;
}
export interface ImageBlock {
  readonly type: 'image';
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}
export interface DocumentBlock {
  readonly type: 'document';
  readonly mediaType: string;
  readonly data: string;
  readonly title?: string;
}
export type ResultContent = TextBlock | ImageBlock | DocumentBlock;
export interface ToolResultBlock {
  readonly type: 'tool_result';
  /** The `id` (ours) of the call that it answers. */
  readonly callId: string;
  readonly content: readonly ResultContent[];
  readonly isError: boolean;
}
/** A block that only one provider knows; kept verbatim, replayed only to its origin. */
export interface NativeBlock {
  readonly type: 'native';
  readonly data: Readonly<Record<string, unknown>>;
}

export type AssistantBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock | NativeBlock;
export type UserBlock = TextBlock | ImageBlock | DocumentBlock | ToolResultBlock;

export interface UserMessage {
  readonly role: 'user';
  readonly content: readonly UserBlock[];
}
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: readonly AssistantBlock[];
  readonly origin: Origin;
  /** What the provider needs verbatim on replay beside the blocks (Responses items, reasoning_details …). */
  readonly native?: Readonly<Record<string, unknown>>;
}
export type Message = UserMessage | AssistantMessage;
