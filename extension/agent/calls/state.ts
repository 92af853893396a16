/** The executor's state and the few moves between phases. No I/O; nothing here decides what may start (`schedule.ts` does). */
import type { CancelCause } from '../../protocol/vocabulary';
import type { Clock } from '../../ports';
import type { ToolUseBlock } from '../../models/message';
import type { Call, CallResult, Classified, Clearance } from './call';
import { textResult } from './call';
import type { TurnEvent } from '../events';
import { cancelledText } from './words';

/** A call after judging: it may run, or it already has its result. */
export type Prepared =
  ({ readonly type: 'cleared' } & Clearance) | { readonly type: 'immediate'; readonly result: CallResult };

export interface ExecutorDeps {
  /** Parses and classifies; never throws. A result instead of a class = the call cannot run. */
  classify(block: ToolUseBlock): Classified | CallResult;
  /** Judges and, if need be, asks. `earlier` resolves when every earlier call with side effects has settled. */
  prepare(call: Call, classified: Classified, earlier: () => Promise<void>): Promise<Prepared>;
  /** Runs; never throws. Called at most once per call. */
  execute(call: Call, cleared: Extract<Call['phase'], { type: 'cleared' }>): Promise<CallResult>;
  /**
   * Writes a settled call's result when that can be done now; undefined when its response is not recorded yet. What can be written is written
   * before it is announced as completed, so that a crash loses nothing that was shown as done (I7).
   */
  record(call: Call, result: CallResult): Promise<void> | undefined;
  readonly emit: (event: TurnEvent) => void;
  readonly clock: Clock;
  newCallId(): string;
  /** How many concurrency-safe calls may run at once. */
  readonly limit: number;
  /** When calls with side effects may start. Default: when the response has ended well. */
  readonly sideEffects: 'response_end' | 'block_close';
}

export interface ExecutorState {
  readonly deps: ExecutorDeps;
  readonly calls: Call[];
  readonly byKey: Map<number, Call>;
  released: boolean;
  /** Set once a command failed: later calls that are not read-only do not run. */
  failedCommand: { readonly index: number; readonly detail: string } | undefined;
  /** Set once the step is being wound up: whatever becomes ready later is cancelled at once. */
  closing: { readonly cause: CancelCause; readonly detail?: string } | undefined;
  wake: (() => void)[];
  /** A result could not be written: the step cannot go on. */
  failure?: { readonly error: unknown };
}

export function isResult(value: Classified | CallResult): value is CallResult {
  return 'isError' in value;
}

export function setState(
  state: ExecutorState,
  call: Call,
  name: 'queued' | 'waiting' | 'executing' | 'completed' | 'yielded',
): void {
  state.deps.emit({ type: 'call_state', callId: call.id, state: name, at: state.deps.clock.now() });
}

/** Moves a call to its end; does nothing when it already has one, so that late answers cannot overwrite it. */
export function settle(state: ExecutorState, call: Call, result: CallResult): void {
  if (call.phase.type === 'settled') return;
  const classified = 'call' in call.phase ? call.phase.call : undefined;
  call.phase = classified ? { type: 'settled', call: classified, result } : { type: 'settled', result };
  wakeAll(state);
  const recording = state.deps.record(call, result);
  if (!recording) return announce(state, call, result);
  recording.then(
    () => announce(state, call, result),
    (error: unknown) => {
      state.failure = { error };
      wakeAll(state);
    },
  );
}

function announce(state: ExecutorState, call: Call, result: CallResult): void {
  state.deps.emit({
    type: 'call_completed',
    callId: call.id,
    end: result.end,
    ...(result.cause ? { cause: result.cause } : {}),
    summary: result.summary,
    durationMs: result.durationMs,
  });
  setState(state, call, 'completed');
  call.announced = true;
  wakeAll(state);
}

export function wakeAll(state: ExecutorState): void {
  const waiting = state.wake;
  state.wake = [];
  for (const wake of waiting) wake();
}

export function nextChange(state: ExecutorState): Promise<void> {
  return new Promise((resolve) => state.wake.push(resolve));
}

export function syntheticResult(cause: CancelCause, started: boolean, detail?: string): CallResult {
  return {
    content: textResult(cancelledText(cause, started, detail)),
    isError: true,
    end: started ? 'unknown' : 'cancelled',
    cause,
    summary: { text: 'cancelled' },
    durationMs: 0,
    ...(cause === 'user_interrupt' ? { denial: { by: 'user' as const, beforeRun: !started } } : {}),
  };
}
