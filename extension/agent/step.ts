/**
 * One step: a request, its streamed response, and the calls it asked for, until their results are in the history. It reports how the step
 * ended; what follows from that is the turn's business.
 */
import type { InterruptPlace, StopReason } from '../protocol/vocabulary';
import type { AssistantBlock, ToolResultBlock } from '../models/message';
import type { ModelRequest, RouteError } from '../models/transport';
import type { Call, CallResult } from './calls/call';
import { createExecutor, type Executor } from './calls/executor';
import { classify, execute, prepare } from './calls/run-call';
import {
  giveResults,
  markInterrupted,
  recordResponse,
  recordResult,
  resultBlock,
  type StepCalls,
} from './calls/records';
import type { GuardVerdict } from './limits/failure-guard';
import { addUsage, costUsd } from './limits/usage';
import { readResponse, type Response } from './response';
import type { TurnContext } from './turn-context';

export type StepEnd =
  /** Results are in the history; the model is to go on. */
  | { readonly type: 'continue'; readonly guard: GuardVerdict }
  /** The model ended its turn. */
  | { readonly type: 'ended'; readonly text: string }
  /** The response hit a limit. */
  | { readonly type: 'cut'; readonly reason: 'max_tokens' | 'context_window' | 'pause_turn' }
  | { readonly type: 'refused'; readonly reason: StopReason; readonly raw: string }
  /** `kept`: the attempt left finished side effects behind, whose results are in the history. */
  | { readonly type: 'failed'; readonly error: RouteError; readonly kept: boolean }
  | { readonly type: 'interrupted'; readonly place: InterruptPlace };

export interface StepOptions {
  readonly toolChoice: 'auto' | 'none';
  readonly maxOutputTokens?: number;
}

export async function runStep(turn: TurnContext, options: StepOptions): Promise<StepEnd> {
  const step = stepCalls(turn);
  const { executor } = step;
  const onAbort = (): void => cancelAll(step);
  turn.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const startedAt = turn.clock.now();
    const route = turn.route();
    const request = requestFor(turn, options);
    const stream = route.transport.stream(request, turn.signal);
    const response = await readResponse(turn, stream, executor, turn.signal);
    if (response.end.type === 'stop') turn.counted(request.messages, response.usage);
    turn.totals.apiMs += turn.clock.now() - startedAt;
    turn.totals.usage = addUsage(turn.totals.usage, response.usage);
    turn.totals.stepUsage = addUsage(turn.totals.stepUsage, response.usage);
    turn.totals.stop = response.end.type === 'stop' ? response.end.reason : 'other';
    const usd = costUsd(response.usage, route.transport.info.price);
    turn.totals.usd = usd === undefined || turn.totals.usd === undefined ? undefined : turn.totals.usd + usd;
    switch (response.end.type) {
      case 'aborted':
        return await interruptedWhileStreaming(turn, step, response);
      case 'error':
        return await abandoned(turn, step, response, response.end.error);
      case 'stop':
        return await answered(turn, step, response, response.end.reason, response.end.raw);
    }
  } catch (error) {
    await windUp(turn, step);
    throw error;
  } finally {
    turn.signal.removeEventListener('abort', onAbort);
  }
}

/** Calls that an earlier process left unanswered and that never ran: judged, asked about and run now, as if just received. */
export async function runPending(
  turn: TurnContext,
  pending: readonly Extract<AssistantBlock, { type: 'tool_use' }>[],
): Promise<StepEnd> {
  const ids = pending.map((block) => block.id);
  const step = stepCalls(turn, () => ids.shift() ?? turn.newId());
  step.responseRecorded = true;
  step.inHistory = true;
  const { executor } = step;
  const onAbort = (): void => cancelAll(step);
  turn.signal.addEventListener('abort', onAbort, { once: true });
  try {
    pending.forEach((block, key) => {
      const tool = turn.tools.get(block.name);
      const call = executor.receive(
        key,
        block.name,
        'resumed',
        tool?.kind ?? 'other',
        tool?.title ?? block.name,
      );
      call.block = block;
      executor.ready(key, block);
    });
    executor.release();
    return await deliver(turn, step);
  } catch (error) {
    await windUp(turn, step);
    throw error;
  } finally {
    turn.signal.removeEventListener('abort', onAbort);
  }
}

/** Looks first: once the calls are cancelled, nobody can tell any more what they were doing. */
function cancelAll(step: StepCalls): void {
  const phases = step.executor.calls.map((call) => call.phase.type);
  step.stoppedAt ??= phases.includes('preparing') && !phases.includes('executing') ? 'approval' : 'tools';
  step.executor.cancelAll('user_interrupt');
}

function stepCalls(turn: TurnContext, newCallId?: () => string): StepCalls {
  const recorded = new Set<string>();
  const executor: Executor = createExecutor({
    record: (call, result) =>
      step.responseRecorded && call.block ? recordResult(turn, step, call, result) : undefined,
    classify: (block) => classify(turn.calls, block, block.id),
    prepare: (call, classified, earlier) => prepare(turn.calls, call, classified, earlier),
    execute: (call, cleared) => execute(turn.calls, call, cleared),
    emit: turn.emit,
    clock: turn.clock,
    newCallId: newCallId ?? (() => `toolu_${turn.newId().replaceAll('-', '')}`),
    limit: turn.settings.parallelCalls,
    sideEffects: turn.settings.sideEffects,
  });
  const step: StepCalls = {
    executor,
    responseRecorded: false,
    inHistory: false,
    delivered: false,
    recorded,
    stoppedAt: undefined,
  };
  return step;
}

/**
 * The step cannot go on (its records cannot be written, or a bug). Nothing of it may run on beside the next turn, and the history stays legal:
 * every call has its result there, as the transcript will have it once it can be written again.
 */
async function windUp(turn: TurnContext, step: StepCalls): Promise<void> {
  const { executor } = step;
  executor.cancelAll('limit_reached', 'the conversation could not be saved');
  await executor.idle();
  if (!step.inHistory || step.delivered) return;
  const results: ToolResultBlock[] = [];
  for (const call of executor.calls) {
    if (!call.block || call.phase.type !== 'settled') continue;
    const { result } = call.phase;
    await recordResult(turn, step, call, result).catch(() => undefined);
    results.push(resultBlock(call, result));
  }
  giveResults(turn, step, results);
}

function requestFor(turn: TurnContext, options: StepOptions): ModelRequest {
  return {
    system: turn.system,
    tools: turn.specs,
    toolChoice: options.toolChoice,
    messages: turn.history.all(),
    conversationId: turn.conversationId,
    ...effortOf(turn),
    ...(options.maxOutputTokens === undefined ? {} : { maxOutputTokens: options.maxOutputTokens }),
  };
}

function effortOf(turn: TurnContext): Pick<ModelRequest, 'effort'> {
  const effort = turn.effort();
  const { efforts = [] } = turn.route().transport.info;
  return effort !== undefined && efforts.includes(effort) ? { effort } : {};
}

async function answered(
  turn: TurnContext,
  step: StepCalls,
  response: Response,
  reason: StopReason,
  raw: string,
): Promise<StepEnd> {
  await recordResponse(turn, step, response, response.blocks, { stop: reason, raw });
  const { executor } = step;
  const calls = executor.calls.filter((call) => call.block);
  if (calls.length === 0) return endWithoutCalls(response, reason, raw);
  const bad = badEnd(reason);
  if (bad) executor.cancelUnstarted('response_cut', bad);
  else executor.release();
  const end = await deliver(turn, step);
  if (end.type !== 'continue') return end;
  return reason === 'refusal' || reason === 'content_filter' ? { type: 'refused', reason, raw } : end;
}

function endWithoutCalls(response: Response, reason: StopReason, raw: string): StepEnd {
  const text = response.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
  switch (reason) {
    case 'max_tokens':
    case 'context_window':
    case 'pause_turn':
      return { type: 'cut', reason };
    case 'refusal':
    case 'content_filter':
      return { type: 'refused', reason, raw };
    case 'end_turn':
    case 'tool_use':
    case 'stop_sequence':
    case 'other':
      return { type: 'ended', text };
  }
}

/** Why nothing with side effects of this response may run; undefined when it ended well. */
function badEnd(reason: StopReason): string | undefined {
  switch (reason) {
    case 'max_tokens':
      return 'it was cut at the output limit';
    case 'context_window':
      return 'it was cut at the context window';
    case 'refusal':
      return 'the model refused';
    case 'content_filter':
      return 'a content filter ended it';
    case 'end_turn':
    case 'tool_use':
    case 'stop_sequence':
    case 'pause_turn':
    case 'other':
      return undefined;
  }
}

/** Hands results to the transcript and the history in received order; then whatever else the model is to be told. */
async function deliver(turn: TurnContext, step: StepCalls): Promise<StepEnd> {
  const { executor } = step;
  const results: ToolResultBlock[] = [];
  const done: { readonly call: Call; readonly result: CallResult }[] = [];
  for await (const { call, result } of executor.results()) {
    if (!call.block) continue;
    await recordResult(turn, step, call, result);
    results.push(resultBlock(call, result));
    done.push({ call, result });
  }
  giveResults(turn, step, results);
  if (turn.signal.aborted) {
    await markInterrupted(turn, 'tools');
    return { type: 'interrupted', place: step.stoppedAt ?? 'tools' };
  }
  const guard = turn.guard.observe(done.map(({ call, result }) => guarded(call, result)));
  if (guard.type === 'warn') await turn.inject(guard.text, 'repeated_failure');
  await turn.deliverQueued();
  return { type: 'continue', guard };
}

function guarded(call: Call, result: CallResult): Parameters<TurnContext['guard']['observe']>[0][number] {
  const classified = 'call' in call.phase ? call.phase.call : undefined;
  return {
    tool: call.name,
    input: JSON.stringify(call.block?.input ?? {}),
    mutates: classified ? !classified.readOnly : false,
    result: result.content.map((part) => (part.type === 'text' ? part.text : part.type)).join('\n'),
    ...(classified?.path === undefined ? {} : { path: classified.path }),
    ...(result.failure === undefined ? {} : { failure: result.failure }),
  };
}

async function interruptedWhileStreaming(
  turn: TurnContext,
  step: StepCalls,
  response: Response,
): Promise<StepEnd> {
  const { executor } = step;
  executor.cancelAll('user_interrupt');
  const partial: AssistantBlock[] =
    response.partialText.trim() === '' ? [] : [{ type: 'text', text: response.partialText }];
  await recordResponse(turn, step, response, [...response.blocks, ...partial], undefined);
  const results: ToolResultBlock[] = [];
  for await (const { call, result } of executor.results()) {
    if (!call.block) continue;
    await recordResult(turn, step, call, result);
    results.push(resultBlock(call, result));
  }
  giveResults(turn, step, results);
  await markInterrupted(turn, results.length > 0 ? 'tools' : 'streaming');
  return { type: 'interrupted', place: 'streaming' };
}

/** The attempt is void, except for side effects that have happened: those calls and their results stay (I3). */
async function abandoned(
  turn: TurnContext,
  step: StepCalls,
  response: Response,
  error: RouteError,
): Promise<StepEnd> {
  const { executor } = step;
  executor.abandon();
  await executor.idle();
  const kept = executor.calls.filter(
    (call) => call.started && call.phase.type === 'settled' && call.phase.call && !call.phase.call.readOnly,
  );
  turn.emit({ type: 'attempt_abandoned', step: turn.totals.steps, error });
  if (kept.length === 0) {
    if (response.blocks.length > 0)
      await turn.recorder.note({ type: 'attempt_abandoned', reason: error.message });
    return turn.signal.aborted ? interruptedAfterAbandon(turn) : { type: 'failed', error, kept: false };
  }
  const ids = new Set(kept.map((call) => call.id));
  await recordResponse(
    turn,
    step,
    response,
    response.blocks.filter((block) =>
      block.type === 'tool_use' ? ids.has(block.id) : block.type === 'text',
    ),
    undefined,
  );
  const results: ToolResultBlock[] = [];
  for (const call of kept) {
    if (call.phase.type !== 'settled') continue;
    await recordResult(turn, step, call, call.phase.result);
    results.push(resultBlock(call, call.phase.result));
  }
  giveResults(turn, step, results);
  return turn.signal.aborted ? interruptedAfterAbandon(turn) : { type: 'failed', error, kept: true };
}

async function interruptedAfterAbandon(turn: TurnContext): Promise<StepEnd> {
  await markInterrupted(turn, 'streaming');
  return { type: 'interrupted', place: 'streaming' };
}
