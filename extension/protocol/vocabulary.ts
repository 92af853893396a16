/**
 * The words that every room shares: literal unions and small readonly shapes, nothing else.
 * It imports nothing, so that the pure rooms, the host and the webview can all use it.
 */

/** How the gate treats what no rule decides. A mode never widens by itself. */
export type PermissionMode = 'ask' | 'acceptEdits' | 'plan' | 'autoRun';
export const PERMISSION_MODES: readonly PermissionMode[] = ['ask', 'acceptEdits', 'plan', 'autoRun'];

const WIDTH: Readonly<Record<PermissionMode, number>> = { plan: 0, ask: 1, acceptEdits: 2, autoRun: 3 };

/** What a file remembers never gives more than what the person's settings give, nor the other way round. */
export function narrowerMode(a: PermissionMode, b: PermissionMode): PermissionMode {
  return WIDTH[a] <= WIDTH[b] ? a : b;
}

/** Life of a tool call. `yielded` means that its result has been handed to the conversation, in received order. */
export type CallState = 'queued' | 'waiting' | 'executing' | 'completed' | 'yielded';

/** How a completed call ended. Everything but `ok` and `failed` means that the tool did not end by itself. */
export type CallEnd = 'ok' | 'failed' | 'denied' | 'cancelled' | 'unknown';

/** Why a call was ended by somebody other than its tool; each has its own words for the model. */
export type CancelCause =
  | 'sibling_failed'
  | 'user_interrupt'
  | 'attempt_abandoned'
  | 'limit_reached'
  | 'host_restarted'
  | 'response_cut';

/**
 * Tokens as the provider counted them. Absent means unknown, never zero. `inputTokens` leaves out what was read from or written to a
 * cache; the whole prompt is the sum of all three.
 */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

/** How hard a model is to think. */
export type Effort = 'low' | 'medium' | 'high';
export const EFFORTS: readonly Effort[] = ['low', 'medium', 'high'];

/** Why the model stopped. Open at the wire; what is not known arrives as `other` with its raw word kept beside it. */
export type StopReason =
  | 'end_turn'
  | 'tool_use'
  | 'max_tokens'
  | 'stop_sequence'
  | 'refusal'
  | 'content_filter'
  | 'context_window'
  | 'pause_turn'
  | 'other';

/** One classification of everything a route can do wrong. */
export type RouteErrorKind =
  | 'auth'
  | 'quota'
  | 'rate_limit'
  | 'overloaded'
  | 'context_overflow'
  | 'output_cap'
  | 'bad_request'
  | 'content_filter'
  | 'network'
  | 'timeout'
  | 'stalled'
  | 'bad_response'
  | 'server'
  | 'not_found';

/** Where an interrupt caught the turn. */
export type InterruptPlace = 'streaming' | 'tools' | 'approval';

/** Every way in which a turn can end (design §6). An error is never `completed`. */
export type OutcomeKind =
  | 'completed'
  | 'refused'
  | 'interrupted'
  | 'hook_stopped'
  | 'max_steps'
  | 'budget'
  | 'repeated_failure'
  | 'context_exhausted'
  | 'output_limit'
  /** No turn: a person had the conversation made smaller. */
  | 'compacted'
  | 'route_error'
  /** The program itself failed: the transcript could not be written, or a bug. */
  | 'internal_error';

/** The one thing the panel offers at the end of a turn; the panel maps it to a button and a command. */
export type NextAction =
  | { readonly type: 'none' }
  | { readonly type: 'continue' }
  | { readonly type: 'retry' }
  | { readonly type: 'compact' }
  | { readonly type: 'undo_compaction' }
  | { readonly type: 'set_key'; readonly routeId: string }
  | { readonly type: 'choose_route' }
  /** The model is not on its server yet; its own command line fetches it. */
  | { readonly type: 'pull_model'; readonly model: string }
  | { readonly type: 'open_settings'; readonly setting: string }
  | { readonly type: 'open_folder' }
  | { readonly type: 'trust' }
  | { readonly type: 'show_log' }
  /** Takes a rewind back; `id` names it. */
  | { readonly type: 'undo_rewind'; readonly id: string }
  | { readonly type: 'review_changes' };

/** A number line of the tool card: what the collapsed row says on its right-hand side. */
export interface DiffStat {
  readonly added: number;
  readonly removed: number;
}

/** One hunk of a unified diff; lines begin with ' ', '+', '-' or '\'. Line numbers are 1-based. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

/** What kind of work a tool does; decides icon and grouping in the panel. */
export type ToolKind =
  'read' | 'search' | 'edit' | 'command' | 'fetch' | 'agent' | 'todo' | 'question' | 'plan' | 'mcp' | 'other';

/** A call of a subagent, as the row of the call that started it shows it. */
export interface NestedCall {
  readonly id: string;
  readonly kind: ToolKind;
  readonly title: string;
  readonly target: string;
  /** Absent while it is not done. */
  readonly end?: CallEnd;
}

/** An instructions file that the model was told of, or that did not fit. */
export interface InstructionPart {
  readonly name: string;
  /** About; nobody has counted them. */
  readonly tokens: number;
  readonly used: boolean;
}

/** What went with a prompt, as the transcript shows it. */
export interface AttachedItem {
  /** A word of protocol/attachments.ts; open, because files of other versions are read. */
  readonly kind: string;
  readonly label: string;
  readonly path?: string;
  readonly line?: number;
  /** How much of it the model got: `120 lines`. */
  readonly note?: string;
  /** Why the model did not get it. */
  readonly refused?: string;
}

/** Severity of a notice row. */
export type NoticeLevel = 'info' | 'warning' | 'error';

/** Thrown (or returned as `never`) where a switch must be exhaustive. */
export function unreachable(value: never): never {
  throw new Error(`Unreachable case: ${JSON.stringify(value)}`);
}
