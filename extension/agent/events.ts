/**
 * What a turn tells whoever listens: one union, in order, ending in exactly one `turn_ended`. It carries deltas, never text that
 * was sent before. The agent knows nothing of the panel; the panel translates.
 */
import type {
  AttachedItem,
  CallEnd,
  CallState,
  CancelCause,
  InstructionPart,
  NestedCall,
  NoticeLevel,
  StopReason,
  ToolKind,
  Usage,
} from '../protocol/vocabulary';
import type { ApprovalAnswer, ApprovalRequest, ShellChunk } from '../ports';
import type { RouteError } from '../models/transport';
import type { CallSummary } from '../tools/tool';
import type { Because } from '../permissions/verdict';
import type { Outcome } from './outcome';
import type { QueuedPrompt } from './prompts/queue';

/** What became of one hook that had something to say, or that failed. */
export interface HookReport {
  readonly event: string;
  /** What the event was about: a tool, a trigger; empty where there is nothing. */
  readonly subject: string;
  /** Our id of the call, for the events of one. */
  readonly callId?: string;
  readonly command: string;
  /** File and line. */
  readonly where: string;
  readonly outcome: 'said' | 'blocked' | 'asked' | 'stopped' | 'failed';
  /** Why, for all but `said`. */
  readonly reason: string;
  /** For the person; absent where nothing came of it that they would look for. */
  readonly notice?: { readonly level: NoticeLevel; readonly text: string };
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode?: number;
  readonly durationMs: number;
}

export type TurnEvent =
  // turn
  | {
      readonly type: 'turn_started';
      readonly turnId: string;
      readonly promptId: string;
      readonly prompt: string;
      readonly at: number;
    }
  | { readonly type: 'turn_ended'; readonly turnId: string; readonly outcome: Outcome }
  // step: one request and the calls it asked for
  | { readonly type: 'step_started'; readonly step: number; readonly route: string; readonly model: string }
  | { readonly type: 'step_ended'; readonly step: number; readonly stop: StopReason; readonly usage: Usage }
  /** A subagent has used this. */
  | { readonly type: 'spent'; readonly usage: Usage }
  /** The attempt's partial text is void; what was shown of it is to be dropped. */
  | { readonly type: 'attempt_abandoned'; readonly step: number; readonly error: RouteError }
  | {
      readonly type: 'retry_waiting';
      readonly attempt: number;
      readonly of: number;
      readonly untilMs: number;
      readonly error: RouteError;
    }
  /** The route could not go on; the conversation moved. */
  | {
      readonly type: 'route_changed';
      readonly from: string;
      readonly to: { readonly id: string; readonly title: string; readonly detail: string };
      readonly error: RouteError;
    }
  // model output; `messageId` + `key` name a block
  | { readonly type: 'text_delta'; readonly messageId: string; readonly key: number; readonly text: string }
  | {
      readonly type: 'thinking_delta';
      readonly messageId: string;
      readonly key: number;
      readonly text: string;
    }
  | {
      readonly type: 'block_ended';
      readonly messageId: string;
      readonly key: number;
      readonly kind: 'text' | 'thinking';
    }
  // calls; `callId` is our own
  | {
      readonly type: 'call_received';
      readonly callId: string;
      readonly messageId: string;
      readonly name: string;
      readonly kind: ToolKind;
      readonly title: string;
    }
  | {
      readonly type: 'call_ready';
      readonly callId: string;
      readonly target: { readonly text: string; readonly path?: string; readonly line?: number };
      readonly input: Readonly<Record<string, unknown>>;
    }
  | { readonly type: 'call_state'; readonly callId: string; readonly state: CallState; readonly at: number }
  | { readonly type: 'call_allowed'; readonly callId: string; readonly because: Because }
  | {
      readonly type: 'call_progress';
      readonly callId: string;
      readonly chunk: ShellChunk | { readonly stream: 'status'; readonly text: string };
    }
  | {
      readonly type: 'call_completed';
      readonly callId: string;
      readonly end: CallEnd;
      readonly cause?: CancelCause;
      readonly summary: CallSummary;
      readonly durationMs: number;
    }
  /** A subagent's calls; the last ones, and how many there were in all. */
  | {
      readonly type: 'call_nested';
      readonly callId: string;
      readonly calls: readonly NestedCall[];
      readonly total: number;
    }
  // approvals
  | { readonly type: 'approval_requested'; readonly request: ApprovalRequest }
  | {
      readonly type: 'approval_answered';
      readonly approvalId: string;
      readonly callId: string;
      /** `because`: what settled the question without an answer. */
      readonly answer: ApprovalAnswer | { readonly type: 'withdrawn'; readonly because?: Because };
    }
  /** The conversation is being made smaller by a summary; `id` names the compaction. */
  | {
      readonly type: 'compaction';
      readonly id: string;
      readonly state: 'running';
      readonly trigger: 'manual' | 'auto';
    }
  | {
      readonly type: 'compaction';
      readonly id: string;
      readonly state: 'done';
      readonly trigger: 'manual' | 'auto';
      /** Tokens of a request before and after. */
      readonly before: number;
      readonly after: number;
      /** What the model is told from now on. */
      readonly summary: string;
    }
  | { readonly type: 'compaction'; readonly id: string; readonly state: 'failed'; readonly reason: string }
  /** What the next request is made of. */
  | {
      readonly type: 'context';
      readonly parts: readonly { readonly name: string; readonly tokens: number }[];
      readonly used: number;
      readonly window?: number;
      /** What the window has no room for, in words. */
      readonly leftOut?: readonly string[];
    }
  // the rest
  | { readonly type: 'hook'; readonly report: HookReport }
  | { readonly type: 'notice'; readonly level: NoticeLevel; readonly text: string }
  /** A queued prompt was given to the model with the results of a step. */
  | {
      readonly type: 'prompt_delivered';
      readonly promptId: string;
      readonly prompt: string;
      readonly at: number;
    }
  | { readonly type: 'queued'; readonly prompts: readonly QueuedPrompt[] }
  /** What went with this prompt. */
  | { readonly type: 'attached'; readonly promptId: string; readonly items: readonly AttachedItem[] }
  /** Files whose instructions are part of the conversation from here on. */
  | { readonly type: 'instructions'; readonly parts: readonly InstructionPart[] }
  | { readonly type: 'title'; readonly text: string };
