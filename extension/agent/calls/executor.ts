/**
 * Runs the tool calls of one step while the model still streams. It keeps order, exclusion and cancellation; what a call is, whether it may
 * run and how it runs is given to it (`ExecutorDeps`). Results come out in received order, whatever order they finished in.
 */
import type { CancelCause, ToolKind } from '../../protocol/vocabulary';
import type { ToolUseBlock } from '../../models/message';
import type { Call, CallResult, Classified } from './call';
import { startable } from './schedule';
import {
  isResult,
  nextChange,
  setState,
  settle,
  syntheticResult,
  wakeAll,
  type ExecutorDeps,
  type ExecutorState,
} from './state';

export interface Executor {
  /** A call was seen; its input may still stream. `key` is its place in the response. A key seen before gives the same call. */
  receive(key: number, name: string, messageId: string, kind: ToolKind, title: string): Call;
  /** Its input is complete. `early`: it may be judged and, when read-only, start before the response has ended. */
  ready(key: number, block: ToolUseBlock): void;
  /** The response ended well: calls with side effects may start. */
  release(): void;
  /** Nothing more starts; what runs is cancelled where its tool allows it. Calls that become ready later are cancelled too. */
  cancelAll(cause: CancelCause, detail?: string): void;
  /** Cancels only what has side effects and has not started (a response that was cut, filtered or refused). */
  cancelUnstarted(cause: CancelCause, detail?: string): void;
  /**
   * The attempt died. What has not started is discarded and what only reads is stopped; a call with side effects that has started is left to
   * finish, so that the next attempt goes on from its result instead of running it twice (I3).
   */
  abandon(): void;
  /** Calls in received order, each once it has settled. Ends when every received call was handed out. */
  results(): AsyncIterable<{ readonly call: Call; readonly result: CallResult }>;
  /** Resolves when every received call has settled. */
  idle(): Promise<void>;
  readonly calls: readonly Call[];
}

export function createExecutor(deps: ExecutorDeps): Executor {
  const state: ExecutorState = {
    deps,
    calls: [],
    byKey: new Map(),
    released: false,
    failedCommand: undefined,
    closing: undefined,
    wake: [],
  };
  return {
    calls: state.calls,
    receive: (key, name, messageId, kind, title) => receive(state, key, name, messageId, kind, title),
    ready: (key, block) => ready(state, key, block),
    release() {
      state.released = true;
      pump(state);
    },
    cancelAll: (cause, detail) => cancelAll(state, cause, detail),
    cancelUnstarted: (cause, detail) => cancelUnstarted(state, cause, detail),
    abandon: () => abandon(state),
    results: () => results(state),
    async idle() {
      while (state.calls.some((call) => call.phase.type !== 'settled')) await nextChange(state);
    },
  };
}

function receive(
  state: ExecutorState,
  key: number,
  name: string,
  messageId: string,
  kind: ToolKind,
  title: string,
): Call {
  const known = state.byKey.get(key);
  if (known) return known;
  const call: Call = {
    id: state.deps.newCallId(),
    name,
    messageId,
    phase: { type: 'open' },
    controller: new AbortController(),
  };
  state.calls.push(call);
  state.byKey.set(key, call);
  state.deps.emit({ type: 'call_received', callId: call.id, messageId, name, kind, title });
  setState(state, call, 'queued');
  return call;
}

function ready(state: ExecutorState, key: number, block: ToolUseBlock): void {
  const call = state.byKey.get(key);
  if (!call || call.phase.type !== 'open') return;
  call.block = block;
  const classified = state.deps.classify(block);
  if (isResult(classified)) {
    settle(state, call, classified);
    pump(state);
    return;
  }
  call.phase = { type: 'preparing', call: classified };
  if (state.deps.sideEffects === 'block_close') state.released = true;
  if (state.closing && !(state.closing.cause === 'response_cut' && classified.readOnly)) {
    cancel(state, call, state.closing.cause, state.closing.detail);
  } else if (
    state.failedCommand &&
    state.failedCommand.index < state.calls.indexOf(call) &&
    !classified.readOnly
  ) {
    cancel(state, call, 'sibling_failed', state.failedCommand.detail);
  } else {
    void prepare(state, call, classified);
  }
  pump(state);
}

/** Never rejects: `deps.prepare` is total, and a defect in it becomes a refusal. */
async function prepare(state: ExecutorState, call: Call, classified: Classified): Promise<void> {
  const prepared = await state.deps.prepare(call, classified, () => earlierWrites(state, call));
  if (call.phase.type !== 'preparing') return;
  if (prepared.type === 'immediate') settle(state, call, prepared.result);
  else call.phase = { ...prepared, call: classified };
  pump(state);
}

/** An edit is proposed on what earlier calls of the step leave behind, so it waits for them. */
async function earlierWrites(state: ExecutorState, call: Call): Promise<void> {
  const index = state.calls.indexOf(call);
  const pending = (): boolean =>
    state.calls.some(
      (other, i) =>
        i < index && other.phase.type !== 'settled' && !(isClassified(other) && other.phase.call.readOnly),
    );
  while (pending() && !call.controller.signal.aborted) await nextChange(state);
}

function isClassified(call: Call): call is Call & { phase: { call: Classified } } {
  return 'call' in call.phase && call.phase.call !== undefined;
}

function pump(state: ExecutorState): void {
  for (const call of startable(state)) {
    const phase = call.phase;
    if (phase.type !== 'cleared') continue;
    call.phase = { type: 'executing', call: phase.call, startedAt: state.deps.clock.now() };
    call.started = true;
    setState(state, call, 'executing');
    void run(state, call, phase);
  }
}

async function run(
  state: ExecutorState,
  call: Call,
  cleared: Extract<Call['phase'], { type: 'cleared' }>,
): Promise<void> {
  const result = await state.deps.execute(call, cleared);
  settle(state, call, result);
  if (result.end === 'failed' && cleared.call.tool.kind === 'command')
    failSiblings(state, call, cleared.call.target);
  pump(state);
}

/** A failed command makes what was meant to follow it doubtful; reads still finish. */
function failSiblings(state: ExecutorState, failed: Call, target: string): void {
  const index = state.calls.indexOf(failed);
  const detail = target.length > 60 ? `${target.slice(0, 57)}…` : target;
  state.failedCommand ??= { index, detail };
  for (const call of state.calls.slice(index + 1)) {
    if (isClassified(call) && call.phase.type !== 'settled' && !call.phase.call.readOnly)
      cancel(state, call, 'sibling_failed', detail);
  }
}

function cancelAll(state: ExecutorState, cause: CancelCause, detail?: string): void {
  state.closing ??= detail === undefined ? { cause } : { cause, detail };
  for (const call of state.calls) cancel(state, call, cause, detail);
  pump(state);
}

function cancelUnstarted(state: ExecutorState, cause: CancelCause, detail?: string): void {
  state.closing ??= detail === undefined ? { cause } : { cause, detail };
  for (const call of state.calls) {
    if (call.phase.type === 'executing') continue;
    if (isClassified(call) && call.phase.type !== 'settled' && call.phase.call.readOnly) continue;
    cancel(state, call, cause, detail);
  }
  pump(state);
}

function abandon(state: ExecutorState): void {
  state.closing ??= { cause: 'attempt_abandoned' };
  for (const call of state.calls) {
    if (call.phase.type === 'executing' && !call.phase.call.readOnly) continue;
    cancel(state, call, 'attempt_abandoned');
  }
}

/** Ends one call: at once when it has not started; by its tool's own rule when it has. */
function cancel(state: ExecutorState, call: Call, cause: CancelCause, detail?: string): void {
  if (call.phase.type === 'settled' || call.cancel) return;
  call.cancel = detail === undefined ? { cause } : { cause, detail };
  if (call.phase.type === 'executing') {
    if (call.phase.call.tool.interrupt === 'cancel') call.controller.abort();
    return;
  }
  settle(state, call, syntheticResult(cause, false, detail));
  call.controller.abort();
}

async function* results(
  state: ExecutorState,
): AsyncGenerator<{ readonly call: Call; readonly result: CallResult }, void, undefined> {
  for (let i = 0; i < state.calls.length; i++) {
    const call = state.calls[i];
    if (!call) return;
    while (!call.announced || call.phase.type !== 'settled') {
      if (state.failure) throw state.failure.error;
      await nextChange(state);
    }
    yield { call, result: call.phase.result };
    setState(state, call, 'yielded');
  }
  wakeAll(state);
}
