/**
 * A tool call from the moment it is seen until its result is handed over: one arm per state, with only the fields that exist then.
 * Data only; `executor.ts` moves calls between states.
 */
import type { CallEnd, CancelCause } from '../../protocol/vocabulary';
import type { ResultContent, ToolUseBlock } from '../../models/message';
import type { ApprovedProposal, CallSummary, Tool } from '../../tools/tool';
import type { ResultRecord, SeenText } from '../recorder';
import type { Binding } from './permit';

/** What a settled call leaves for the conversation, the transcript and the panel. */
export interface CallResult {
  readonly content: readonly ResultContent[];
  readonly isError: boolean;
  readonly end: CallEnd;
  readonly cause?: CancelCause;
  /** For the repeated-failure guard; undefined when the call succeeded or was ended by others. */
  readonly failure?: string;
  readonly envelope?: unknown;
  readonly summary: CallSummary;
  readonly denial?: ResultRecord['denial'];
  readonly durationMs: number;
}

/** A call that passed its schema, with what its tool says of this input. */
export interface Classified {
  readonly tool: Tool;
  readonly input: unknown;
  readonly readOnly: boolean;
  readonly safe: boolean;
  /** Absolute path the call names, for the guard and grouping. */
  readonly path?: string;
  readonly target: string;
}

/** What a call may run with. */
export interface Clearance {
  /** Edits only: what was approved. */
  readonly proposal?: ApprovedProposal;
  /** Variables that the permission relies on. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What the person's yes is tied to. */
  readonly binding?: Binding;
}

export type CallPhase =
  /** Seen; its input still streams. */
  | { readonly type: 'open' }
  /** Input complete; being judged, or asked about. */
  | { readonly type: 'preparing'; readonly call: Classified }
  /** Allowed; waits for its turn. */
  | ({ readonly type: 'cleared'; readonly call: Classified } & Clearance)
  | { readonly type: 'executing'; readonly call: Classified; readonly startedAt: number }
  | { readonly type: 'settled'; readonly call?: Classified; readonly result: CallResult };

export interface Call {
  /** Our own id. */
  readonly id: string;
  readonly name: string;
  readonly messageId: string;
  block?: ToolUseBlock;
  phase: CallPhase;
  /** Its tool has been run: it may have had its effect. */
  started?: boolean;
  /** Its end was told to whoever listens. */
  announced?: boolean;
  /** What the model saw of files through it. */
  seen?: SeenText[];
  /** The person's answer, when it was asked about. */
  answer?: NonNullable<ResultRecord['answer']>;
  /** Why it may run, for the person. */
  allowed?: string;
  /** What a hook wants the model told with the result. */
  told?: string;
  /** Ends the call's own work: judging, asking, running. */
  readonly controller: AbortController;
  /** Set before the abort so that the result can say why. */
  cancel?: { readonly cause: CancelCause; readonly detail?: string };
}

export function textResult(text: string): readonly ResultContent[] {
  return [{ type: 'text', text }];
}
