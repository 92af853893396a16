/** How a turn ended, with its numbers and the one thing to do next. Plain data; written to the transcript and shown by the panel. */
import type { InterruptPlace, NextAction, OutcomeKind, RouteErrorKind, Usage } from '../protocol/vocabulary';

export interface Denial {
  readonly callId: string;
  readonly tool: string;
  readonly target: string;
  readonly reason: string;
  readonly words?: string;
}

export interface Outcome {
  readonly kind: OutcomeKind;
  /** A sentence for the person. */
  readonly reason: string;
  /** Set for `interrupted`. */
  readonly place?: InterruptPlace;
  /** Set for `route_error`. */
  readonly error?: { readonly kind: RouteErrorKind; readonly message: string };
  readonly steps: number;
  readonly durationMs: number;
  readonly apiDurationMs: number;
  readonly usage: Usage;
  /** US dollars; absent when a price is unknown. */
  readonly costUsd?: number;
  readonly denials: readonly Denial[];
  /** Background commands or agents that go on. */
  readonly pending: readonly string[];
  readonly next: NextAction;
}
