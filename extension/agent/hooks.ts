/**
 * The seam for user hooks. The hook runner (room `hooks/`) implements it; the loop honours the answers. A hook can narrow what the gate
 * allows, never widen it. Every member is optional; a hook that throws is a warning, never a permission.
 */
import type { HookReport } from './events';
import type { CallResult } from './calls/call';

export type { HookReport } from './events';

export interface PreToolAnswer {
  /** `deny` ends the call with the reason; `ask` forces a question; absent = no opinion. */
  readonly decision?: 'deny' | 'ask';
  readonly reason?: string;
  /** For the model, behind the call's result. */
  readonly context?: string;
  /** Ends the turn after this step. */
  readonly stop?: string;
}

export type StopAnswer =
  | { readonly type: 'end' }
  /** The turn goes on with this text as a user message. Honoured once per prompt unless tools ran in between. */
  | { readonly type: 'continue'; readonly text: string };

/** Of a subagent that is about to end. */
export interface EndingAgent {
  readonly agentId: string;
  readonly agentType: string;
  readonly transcript: string;
}

export interface StopState {
  /** This prompt was already continued by a stop hook. */
  readonly active: boolean;
  readonly lastText: string;
}

export interface HookedCall {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
}

/** Text for the model. */
export interface Told {
  readonly context?: string;
}

export interface Hooks {
  /** What hooks did that is worth telling goes there from now on. */
  listen?(listener: (report: HookReport) => void): void;
  /** Once a conversation, before its first turn in this process, and after each compaction. */
  sessionStart?(source: 'startup' | 'resume' | 'compact', signal: AbortSignal): Promise<Told>;
  userPrompt?(text: string, signal: AbortSignal): Promise<Told & { readonly block?: string }>;
  preTool?(call: HookedCall, signal: AbortSignal): Promise<PreToolAnswer>;
  /** Before the person is asked about a call. It can answer *no* in their place, never *yes*. */
  permissionRequest?(
    call: HookedCall,
    signal: AbortSignal,
  ): Promise<{ readonly deny?: string; readonly stop?: string }>;
  /** The person is wanted. Nothing waits for it. */
  notification?(
    note: { readonly type: 'permission_prompt'; readonly message: string },
    signal: AbortSignal,
  ): Promise<void>;
  postTool?(
    call: HookedCall & { readonly result: CallResult },
    signal: AbortSignal,
  ): Promise<Told & { readonly stop?: string }>;
  /** Before a summary takes the place of the conversation; the context says what to look after. */
  preCompact?(trigger: 'manual' | 'auto', focus: string | undefined, signal: AbortSignal): Promise<Told>;
  /** Asked when the model has ended its turn. */
  stop?(state: StopState, signal: AbortSignal): Promise<StopAnswer>;
  /** The same for a subagent. */
  subagentStop?(agent: EndingAgent, state: StopState, signal: AbortSignal): Promise<StopAnswer>;
  /** The session is closed. Does nothing for one that never began. */
  sessionEnd?(signal: AbortSignal): Promise<void>;
}
