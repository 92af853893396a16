/**
 * The port that every model route stands behind: a request goes in, one vocabulary of stream events comes out.
 * One file per wire protocol implements it; nothing here may know a provider.
 */
import type { Effort, RouteErrorKind, StopReason, Usage } from '../protocol/vocabulary';
import type { AssistantBlock, Message, Origin, UnparsedInput } from './message';

/** A tool as the model sees it. `inputSchema` is JSON Schema (draft 2020-12 subset), an object at the top. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  /** Byte-stable for the life of a conversation. */
  readonly system: string;
  /** Sorted by name; byte-stable. */
  readonly tools: readonly ToolSpec[];
  /** `none`: the model may not call tools in this step; the tools are still sent, so that the prefix stays as it was. Default `auto`. */
  readonly toolChoice?: 'auto' | 'none';
  readonly messages: readonly Message[];
  /** Output cap in tokens; undefined = the transport's own default for the model. */
  readonly maxOutputTokens?: number;
  /** How hard the model should think. The loop sets it only where the route says that it takes it; every wire has words for it. */
  readonly effort?: Effort;
  /** Stable per conversation; for cache routing where the wire has a field for it. */
  readonly conversationId: string;
}

/** What can be done about a refusal beside waiting; the finer causes are in errors/causes.ts. */
export type RecoveryAction =
  | 'accept'
  | 'ask-key'
  | 'backoff'
  | 'choose-model'
  | 'choose-value'
  | 'compact'
  | 'drop-attachments'
  | 'drop-param'
  | 'drop-tool'
  | 'lower-max-tokens'
  | 'lower-max-tokens-or-compact'
  | 'rename-param'
  | 'rename-tool'
  | 'repair-history'
  | 'retry-once'
  | 'stop'
  | 'switch-role'
  | 'switch-thinking-mode'
  | 'thinking-off-for-this-turn'
  | 'tools-off-or-stop'
  | 'wait';

/** A failure of the route, classified. `message` never holds a secret. */
export interface RouteError {
  readonly kind: RouteErrorKind;
  /** Finer than `kind`: a word of errors/causes.ts, e.g. `rate_limit_size`, `history_orphan`, `tools_unsupported`. */
  readonly cause?: string;
  readonly action?: RecoveryAction;
  readonly message: string;
  readonly status?: number;
  readonly requestId?: string;
  /** What the server asked for, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Whether waiting and asking again can help. */
  readonly retryable: boolean;
  /** The model is missing on a server that fetches models by command; its name. */
  readonly pull?: string;
  /** Caps that the server named in its refusal, in tokens. */
  readonly limit?: {
    readonly contextTokens?: number;
    readonly outputTokens?: number;
    readonly requestedTokens?: number;
  };
}

/**
 * What a transport emits. Order: `start` once, then blocks; exactly one `stop` or `error` ends the stream, nothing follows it.
 * `key` names a block within the response (its position as received) and is never shown to anybody.
 */
export type ModelEvent =
  | {
      readonly type: 'start';
      readonly messageId?: string;
      readonly requestId?: string;
      readonly model?: string;
    }
  /** Bytes arrived that carry nothing to show (ping, comment): the route is alive. */
  | { readonly type: 'alive' }
  /** `pieces`: how many of the wire are in it, because they came at once. Default 1. */
  | { readonly type: 'text'; readonly key: number; readonly text: string; readonly pieces?: number }
  | { readonly type: 'thinking'; readonly key: number; readonly text: string; readonly pieces?: number }
  | { readonly type: 'call_started'; readonly key: number; readonly name: string }
  | { readonly type: 'call_delta'; readonly key: number; readonly json: string }
  /**
   * A call whose input is complete. `certain` = it is certainly whole on this wire, so a read-only call may start now;
   * otherwise wait for `stop`. The `tool_use` block itself comes with `block`.
   */
  | {
      readonly type: 'call_ready';
      readonly key: number;
      readonly certain: boolean;
      readonly unparsed?: UnparsedInput;
    }
  /** A finished block, verbatim; blocks come in response order. For a call it precedes its `call_ready`. `id` of tool_use = `newId()`. */
  | { readonly type: 'block'; readonly key: number; readonly block: AssistantBlock }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'notice'; readonly text: string }
  | {
      readonly type: 'stop';
      readonly reason: StopReason;
      /** The provider's own word. */
      readonly raw: string;
      readonly usage: Usage;
      readonly native?: Readonly<Record<string, unknown>>;
    }
  | { readonly type: 'error'; readonly error: RouteError };

/** What is known of a model. Undefined = unknown, and is shown as unknown. */
export interface ModelInfo {
  readonly id: string;
  readonly contextTokens?: number;
  readonly outputTokens?: number;
  readonly images?: boolean;
  readonly tools?: boolean;
  readonly reasoning?: boolean;
  /** Which efforts a request may ask for; absent = none. */
  readonly efforts?: readonly Effort[];
  /** Asks for several calls in one answer. */
  readonly parallelCalls?: boolean;
  /** US dollars per million tokens. */
  readonly price?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
  };
}

export interface Transport {
  readonly origin: Origin;
  readonly info: ModelInfo;
  /**
   * Streams one response. Must not throw: every failure, abort included, ends the stream with an `error` event or, after abort,
   * with its plain end. Retries nothing by itself.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** A route is what the user picks: a name for transport + model + limits. */
export interface Route {
  readonly id: string;
  readonly title: string;
  /** One line under the title: model, where it runs. */
  readonly detail: string;
  readonly transport: Transport;
}
