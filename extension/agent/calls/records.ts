/**
 * How a step's facts reach the transcript and the history, in this order and once each: the response, its results, an interruption. What could not be
 * written is in the history all the same, as the transcript keeps it for the next try.
 */
import type { StopReason, Usage } from '../../protocol/vocabulary';
import type { AssistantBlock, ToolResultBlock } from '../../models/message';
import type { Response } from '../response';
import type { TurnContext } from '../turn-context';
import type { Call, CallResult } from './call';
import type { Executor } from './executor';
import { INTERRUPTED, INTERRUPTED_TOOLS } from './words';

/** A step's executor, and which of its results are in the transcript. */
export interface StepCalls {
  readonly executor: Executor;
  /** Set once the response's own lines are written: results may follow. */
  responseRecorded: boolean;
  /** The answer with the calls is in the history; their results are not, until `delivered`. */
  inHistory: boolean;
  delivered: boolean;
  readonly recorded: Set<string>;
  /** What the stop found the calls doing; undefined while nobody stopped. */
  stoppedAt: 'approval' | 'tools' | undefined;
}

export function resultBlock(call: Call, result: CallResult): ToolResultBlock {
  return { type: 'tool_result', callId: call.id, content: result.content, isError: result.isError };
}

export function giveResults(turn: TurnContext, step: StepCalls, results: readonly ToolResultBlock[]): void {
  step.delivered = true;
  if (results.length > 0) turn.history.push({ role: 'user', content: results });
}

/** Once per call: results are written as they come, in received order only where nothing is lost by waiting. */
export async function recordResult(
  turn: TurnContext,
  step: StepCalls,
  call: Call,
  result: CallResult,
): Promise<void> {
  if (step.recorded.has(call.id)) return;
  step.recorded.add(call.id);
  if (result.end === 'denied') {
    const target = 'call' in call.phase && call.phase.call ? call.phase.call.target : call.name;
    const words = result.denial?.words;
    turn.denials.push({
      callId: call.id,
      tool: call.name,
      target,
      reason: result.summary.text,
      ...(words ? { words } : {}),
    });
  }
  await turn.recorder.result({
    callId: call.id,
    tool: call.name,
    content: result.content,
    isError: result.isError,
    end: result.end,
    ...(result.envelope === undefined ? {} : { envelope: result.envelope }),
    ...(result.cause ? { cause: result.cause } : {}),
    ...(result.denial ? { denial: result.denial } : {}),
    summary: result.summary,
    durationMs: result.durationMs,
    ...(call.seen && !result.isError ? { seen: call.seen } : {}),
    ...(call.answer ? { answer: call.answer } : {}),
    ...(call.allowed === undefined ? {} : { allowed: call.allowed }),
  });
}

export async function recordResponse(
  turn: TurnContext,
  step: StepCalls,
  response: Response,
  blocks: readonly AssistantBlock[],
  stop: { readonly stop: StopReason; readonly raw: string } | undefined,
): Promise<void> {
  const usable = blocks.filter((block) => block.type !== 'text' || block.text !== '');
  if (usable.length === 0) return;
  const origin = turn.route().transport.origin;
  const native = response.end.type === 'stop' ? response.end.native : undefined;
  let line: string | undefined;
  try {
    line = await turn.recorder.assistant({
      messageId: response.messageId,
      ...(response.requestId === undefined ? {} : { requestId: response.requestId }),
      origin,
      blocks: usable,
      stop: stop?.stop ?? null,
      stopRaw: stop?.raw ?? null,
      usage: response.usage satisfies Usage,
      ...(native ? { native } : {}),
      ...(stop ? {} : { aborted: true }),
    });
    step.responseRecorded = true;
  } finally {
    // When it could not be written, the transcript keeps it for the next try, and so does the history.
    turn.history.push({ role: 'assistant', content: usable, origin, ...(native ? { native } : {}) }, line);
    step.inHistory = true;
  }
}

/** Puts the interruption where model and readers look for it. */
export async function markInterrupted(turn: TurnContext, during: 'streaming' | 'tools'): Promise<void> {
  await turn.recorder.interrupted(during);
  turn.history.push({
    role: 'user',
    content: [{ type: 'text', text: during === 'tools' ? INTERRUPTED_TOOLS : INTERRUPTED }],
  });
}
