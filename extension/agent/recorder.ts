/**
 * Where the conversation writes what happened, in the order in which it happened. `sessions/` implements it as the JSONL transcript.
 * Every method resolves when the record is handed to the OS; those marked *durable* when it is on disk.
 */
import type {
  AttachedItem,
  CancelCause,
  CallEnd,
  PermissionMode,
  StopReason,
  Usage,
} from '../protocol/vocabulary';
import type { AssistantBlock, Origin, ResultContent, ToolUseBlock, UserBlock } from '../models/message';
import type { CallSummary } from '../tools/tool';
import type { HookReport } from './events';
import type { Outcome } from './outcome';

export interface PromptRecord {
  readonly promptId: string;
  readonly content: readonly UserBlock[];
  readonly mode: PermissionMode;
  /** `typed` by a person, `task` from the palette, `api` by another extension, `hook` by a stop hook that asks to go on. */
  readonly source: 'typed' | 'task' | 'api' | 'hook';
}

export interface AssistantRecord {
  readonly messageId: string;
  readonly requestId?: string;
  readonly origin: Origin;
  readonly blocks: readonly AssistantBlock[];
  readonly stop: StopReason | null;
  /** The provider's own stop word. */
  readonly stopRaw: string | null;
  readonly usage: Usage;
  readonly native?: Readonly<Record<string, unknown>>;
  /** The response was cut by an interrupt; partial text is kept. */
  readonly aborted?: boolean;
}

export interface ResultRecord {
  readonly callId: string;
  readonly tool: string;
  readonly content: readonly ResultContent[];
  readonly isError: boolean;
  /** `toolUseResult` as the tool made it; undefined for errors (the writer derives it). */
  readonly envelope?: unknown;
  readonly end: CallEnd;
  readonly cause?: CancelCause;
  readonly denial?: {
    readonly by: 'user' | 'rule' | 'mode' | 'hook';
    readonly words?: string;
    readonly beforeRun: boolean;
  };
  /** What the collapsed row said, so that a session opened again says the same. */
  readonly summary?: CallSummary;
  readonly durationMs?: number;
  /** What the model saw of files through this call, so that edits work after a resume without another read. */
  readonly seen?: readonly SeenText[];
  /** How the person answered the question about this call, when one was asked. */
  readonly answer?: { readonly type: 'allow' | 'deny'; readonly by: string };
  /** Why it was allowed to run, in words for the person. */
  readonly allowed?: string;
}

/** Lines `from` to `to` (1-based, inclusive) of the text with this hash were shown to the model. */
export interface SeenText {
  readonly path: string;
  readonly hash: string;
  readonly from: number;
  readonly to: number;
}

/** What the format has no word for: written as an attachment of our own, skipped by other readers. */
export type NoteRecord =
  /** Text that the model is shown beside the conversation (a reminder, a queued prompt, a warning). It is part of the next request. */
  | { readonly type: 'injected'; readonly text: string; readonly why: string }
  /** What went with the last prompt. `text` is part of the next request; without one, the picture is in the prompt itself. */
  | {
      readonly type: 'attached';
      readonly item: AttachedItem;
      readonly text?: string;
      readonly seen?: readonly SeenText[];
    }
  | { readonly type: 'queued_prompt'; readonly promptId: string; readonly content: readonly UserBlock[] }
  /** Who limits the turn that began, and to what: it holds when the turn is taken up again. */
  | { readonly type: 'limits'; readonly label: string; readonly tools: readonly string[] }
  | { readonly type: 'hook'; readonly report: HookReport }
  | { readonly type: 'mode'; readonly mode: PermissionMode }
  | { readonly type: 'route'; readonly origin: Origin; readonly title: string }
  /** `block` is set when the call starts before its response has ended, hence before its own assistant line is written. */
  | { readonly type: 'call_started'; readonly callId: string; readonly block?: ToolUseBlock }
  | { readonly type: 'progress'; readonly callId: string; readonly text: string }
  | { readonly type: 'attempt_abandoned'; readonly reason: string };

/** Compaction: what stands before is out of the model's sight. */
export interface BoundaryRecord {
  readonly trigger: 'manual' | 'auto';
  readonly preTokens?: number;
  readonly postTokens?: number;
  readonly durationMs?: number;
  /** What the model is told instead of what went before. */
  readonly summary: string;
  /** Where the messages that stay word for word begin, as `prompt` or `assistant` named it; they reach to the end. Absent = none stay. */
  readonly keepFrom?: string;
  /** Told to the model after them. */
  readonly notes?: readonly { readonly text: string; readonly why: string }[];
}

export interface Recorder {
  /** Durable: on disk before the request leaves. Resolves to the line of it, where there are lines. */
  prompt(record: PromptRecord): Promise<string | undefined>;
  /** All blocks of one response; called once per response, before any of its results. Resolves to its first line. */
  assistant(record: AssistantRecord): Promise<string | undefined>;
  result(record: ResultRecord): Promise<void>;
  /** Durable for `call_started`, which precedes the run of every call with side effects. */
  note(record: NoteRecord): Promise<void>;
  interrupted(during: 'streaming' | 'tools'): Promise<void>;
  /** Durable, and whole or not at all. `undo` takes it back, as long as nothing was recorded since. */
  boundary(record: BoundaryRecord): Promise<{ undo(): Promise<void> }>;
  /** From now on the model is shown these texts instead of the results. */
  shortened(results: readonly { readonly callId: string; readonly text: string }[]): Promise<void>;
  /** Durable; appended before anyone is told that the turn ended. */
  outcome(record: Outcome, lastPrompt: string): Promise<void>;
}
