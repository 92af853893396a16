/** What a running turn carries: the conversation's parts it uses, its totals, and nothing global. */
import type { Effort, StopReason, Usage } from '../protocol/vocabulary';
import type { Clock, Log, NewId } from '../ports';
import type { Message } from '../models/message';
import type { Route, RouteError, ToolSpec } from '../models/transport';
import type { Tool } from '../tools/tool';
import type { CallDeps } from './calls/run-call';
import type { CompactionWhy, Fit } from './compaction/compactor';
import type { Ending } from './ending';
import type { TurnEvent } from './events';
import type { History } from './history';
import type { Hooks } from './hooks';
import type { FailureGuard } from './limits/failure-guard';
import type { AgentSettings } from './limits/settings';
import type { Denial } from './outcome';
import type { Recorder } from './recorder';

export interface Totals {
  steps: number;
  apiMs: number;
  usage: Usage;
  /** Of the responses of the running step, dead attempts included. */
  stepUsage: Usage;
  /** How the last response ended; `other` when it did not. */
  stop: StopReason;
  /** US dollars so far, each response at the price of its route; undefined once a price was unknown. */
  usd: number | undefined;
}

export interface TurnContext {
  readonly conversationId: string;
  readonly turnId: string;
  readonly signal: AbortSignal;
  route(): Route;
  /** What the person asked for. */
  effort(): Effort | undefined;
  readonly system: string;
  readonly specs: readonly ToolSpec[];
  readonly tools: ReadonlyMap<string, Tool>;
  readonly history: History;
  readonly recorder: Recorder;
  readonly settings: AgentSettings;
  readonly hooks: Hooks;
  readonly guard: FailureGuard;
  readonly calls: CallDeps;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: NewId;
  readonly totals: Totals;
  readonly denials: Denial[];
  /** Set by a hook that wants the turn to end after this step. */
  readonly stopRequest: { reason?: string };
  readonly emit: (event: TurnEvent) => void;
  /** The budget of the turn that started this conversation, once it is used up. */
  readonly parentLimit: () => Ending | undefined;
  /** Tells the model something beside the conversation; recorded, and part of the next request. */
  inject(text: string, why: string): Promise<void>;
  /** Prompts that were queued while the step ran, delivered now. */
  deliverQueued(): Promise<void>;
  /** Resolves when the person wants the next attempt now instead of after the wait. */
  retryNow(): Promise<void>;
  readonly pendingWork: () => readonly string[];
  readonly random: () => number;
  /** Moves the conversation to the fallback route; false when there is none that was not tried in this turn. */
  moveToFallback(error: RouteError): Promise<boolean>;
  /** Makes the history smaller where that is needed. */
  compact(why: CompactionWhy, focus?: string): Promise<Fit>;
  /** What a provider counted for the request of these messages. */
  counted(messages: readonly Message[], usage: Usage): void;
}
