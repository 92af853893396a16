/**
 * The seam for user hooks. The hook runner (room `hooks/`) implements it; the loop honours the answers. A hook can narrow what the gate
 * allows, never widen it. Every member is optional; a hook that throws is a warning, never a permission.
 */
import type { CallResult } from './calls/call';

export interface PreToolAnswer {
  /** `deny` ends the call with the reason; `ask` forces a question; absent = no opinion. */
  readonly decision?: 'deny' | 'ask';
  readonly reason?: string;
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  /** Ends the turn after this step. */
  readonly stop?: string;
}

export type StopAnswer =
  | { readonly type: 'end' }
  /** The turn goes on with this text as a user message. Honoured once per prompt unless tools ran in between. */
  | { readonly type: 'continue'; readonly text: string };

export interface Hooks {
  userPrompt?(
    text: string,
    signal: AbortSignal,
  ): Promise<{ readonly block?: string; readonly context?: string }>;
  preTool?(
    call: { readonly id: string; readonly tool: string; readonly input: unknown },
    signal: AbortSignal,
  ): Promise<PreToolAnswer>;
  postTool?(
    call: {
      readonly id: string;
      readonly tool: string;
      readonly input: unknown;
      readonly result: CallResult;
    },
    signal: AbortSignal,
  ): Promise<{ readonly context?: string; readonly stop?: string }>;
  /** Asked when the model has ended its turn. `active` = this prompt was already continued by a stop hook. */
  stop?(
    state: { readonly active: boolean; readonly lastText: string },
    signal: AbortSignal,
  ): Promise<StopAnswer>;
}
