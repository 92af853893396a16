/**
 * One turn: steps until the model ends it or something stops it, then exactly one outcome. The loop is all that is here; what a step does is
 * `step.ts`, what a limit is `limits/`, and what the person sees is somebody else's.
 */
import { unreachable, type RouteErrorKind } from '../protocol/vocabulary';
import type { RouteError } from '../models/transport';
import { usedUp } from './limits/budget';
import { attemptsFor, lowerOutputCap, retryDecision } from './limits/retry';
import type { Outcome } from './outcome';
import { errorOutcome, type Ending } from './ending';
import { markInterrupted } from './calls/records';
import { runPending, runStep, type StepEnd, type StepOptions } from './step';
import type { TurnContext } from './turn-context';
import type { ToolUseBlock } from '../models/message';

export interface TurnStart {
  /** Calls of an earlier process that never ran; run before the first request. */
  readonly pending: readonly ToolUseBlock[];
  /** What the session has used before this turn, for session budgets. */
  readonly sessionTokens: number;
  readonly sessionUsd: number;
}

/** One-shot repairs of a turn; each is spent once, so that no two can chase each other. */
interface Repairs {
  cap: number | undefined;
  capUsed: boolean;
  /** Since the last step that went through. */
  compactions: number;
  /** Why the conversation could not be made smaller. */
  advice: string | undefined;
  lengthContinuations: number;
  stopHookUsed: boolean;
  finalWord: string | undefined;
}

export async function runTurn(turn: TurnContext, start: TurnStart): Promise<Outcome> {
  const startedAt = turn.clock.now();
  const ending = await loop(turn, start);
  return {
    ...ending,
    steps: turn.totals.steps,
    durationMs: turn.clock.now() - startedAt,
    apiDurationMs: turn.totals.apiMs,
    usage: turn.totals.usage,
    ...(turn.totals.usd === undefined ? {} : { costUsd: turn.totals.usd }),
    denials: [...turn.denials],
    pending: turn.pendingWork(),
  };
}

async function loop(turn: TurnContext, start: TurnStart): Promise<Ending> {
  const repairs: Repairs = {
    cap: undefined,
    capUsed: false,
    compactions: 0,
    advice: undefined,
    lengthContinuations: 0,
    stopHookUsed: false,
    finalWord: undefined,
  };
  if (start.pending.length > 0) {
    const end = await runPending(turn, start.pending);
    if (end.type === 'interrupted') return interrupted(end.place);
  }
  for (;;) {
    const limit = overLimit(turn, start);
    if (limit) return limit;
    turn.totals.steps += 1;
    turn.totals.stepUsage = {};
    checkIn(turn);
    const end = await attempts(turn, repairs);
    const ending = await follow(turn, repairs, end);
    if (ending) return ending;
  }
}

/** One step with its attempts: waits visibly, uses each repair once, and goes on from what a dead attempt left done. */
async function attempts(turn: TurnContext, repairs: Repairs): Promise<StepEnd> {
  for (let attempt = 1; ; attempt++) {
    const route = turn.route();
    turn.emit({
      type: 'step_started',
      step: turn.totals.steps,
      route: route.title,
      model: route.transport.info.id,
    });
    const fit = await turn.compact('before_step');
    if (fit.type === 'stopped') {
      await markInterrupted(turn, 'streaming');
      return { type: 'interrupted', place: 'streaming' };
    }
    const end = await runStep(turn, stepOptions(repairs));
    if (end.type !== 'failed') return end;
    if (await repaired(turn, repairs, end.error)) continue;
    const decision = retryDecision(end.error, attempt, turn.random(), turn.settings.retry);
    // A wait that is too long to sit through is the person's to decide: the outcome offers to try again.
    if (decision.type !== 'wait') {
      if (!MOVES.has(end.error.kind) || !(await turn.moveToFallback(end.error))) return end;
      attempt = 0;
      continue;
    }
    const untilMs = turn.clock.now() + decision.ms;
    const of = attemptsFor(end.error, turn.settings.retry) - 1;
    turn.emit({ type: 'retry_waiting', attempt, of, untilMs, error: end.error });
    if (!(await waited(turn, decision.ms))) {
      await markInterrupted(turn, 'streaming');
      return { type: 'interrupted', place: 'streaming' };
    }
    // Finished side effects are progress: what follows is the next step, under all limits, not another try of this one.
    if (end.kept) return { type: 'continue', guard: { type: 'ok' } };
  }
}

/** Kinds of failure that another route may not have. */
const MOVES = new Set<RouteErrorKind>([
  'quota',
  'rate_limit',
  'overloaded',
  'network',
  'timeout',
  'stalled',
  'server',
  'bad_response',
  'not_found',
  'auth',
]);

/** Repairs that change the request instead of waiting; each is spent once per turn. */
async function repaired(turn: TurnContext, repairs: Repairs, error: RouteError): Promise<boolean> {
  const cap = repairs.capUsed ? undefined : lowerOutputCap(error, repairs.cap);
  if (cap !== undefined) {
    repairs.capUsed = true;
    repairs.cap = cap;
    turn.emit({
      type: 'notice',
      level: 'info',
      text: `The route allows ${cap} output tokens; asking again with that.`,
    });
    return true;
  }
  return error.kind === 'context_overflow' && compacted(turn, repairs);
}

/** Each time the request was refused, or an answer filled the window: smaller than the time before, but not for ever. */
async function compacted(turn: TurnContext, repairs: Repairs): Promise<boolean> {
  if (repairs.compactions >= COMPACTIONS) return false;
  repairs.compactions += 1;
  const fit = await turn.compact('context_overflow');
  if (fit.type === 'failed') repairs.advice = fit.reason;
  return fit.type === 'smaller';
}

/** Of one step. */
const COMPACTIONS = 3;

/** False when the turn was stopped while waiting. */
async function waited(turn: TurnContext, ms: number): Promise<boolean> {
  const local = new AbortController();
  const stop = AbortSignal.any([turn.signal, local.signal]);
  await Promise.race([turn.clock.sleep(ms, stop).catch(() => undefined), turn.retryNow()]);
  local.abort();
  return !turn.signal.aborted;
}

function stepOptions(repairs: Repairs): StepOptions {
  return {
    toolChoice: repairs.finalWord === undefined ? 'auto' : 'none',
    ...(repairs.cap === undefined ? {} : { maxOutputTokens: repairs.cap }),
  };
}

/** What a step's end means for the turn; undefined = the next step. */
async function follow(turn: TurnContext, repairs: Repairs, end: StepEnd): Promise<Ending | undefined> {
  turn.emit({
    type: 'step_ended',
    step: turn.totals.steps,
    stop: turn.totals.stop,
    usage: turn.totals.stepUsage,
  });
  if (repairs.finalWord !== undefined && end.type !== 'failed' && end.type !== 'interrupted') {
    return { kind: 'repeated_failure', reason: repairs.finalWord, next: { type: 'continue' } };
  }
  switch (end.type) {
    case 'continue':
      repairs.stopHookUsed = false;
      repairs.compactions = 0;
      return afterResults(turn, repairs, end);
    case 'ended':
      return ended(turn, repairs, end.text);
    case 'cut':
      return cut(turn, repairs, end.reason);
    case 'refused':
      return {
        kind: 'refused',
        reason: `The model declined to answer (${end.raw}).`,
        next: { type: 'none' },
      };
    case 'failed':
      return exhausted(errorOutcome(end.error, turn.route().id), repairs);
    case 'interrupted':
      return interrupted(end.place);
    default:
      return unreachable(end);
  }
}

function exhausted(ending: Ending, { advice }: Repairs): Ending {
  return ending.kind === 'context_exhausted' && advice !== undefined
    ? { ...ending, reason: `${ending.reason} ${advice}` }
    : ending;
}

async function afterResults(
  turn: TurnContext,
  repairs: Repairs,
  end: Extract<StepEnd, { type: 'continue' }>,
): Promise<Ending | undefined> {
  if (turn.stopRequest.reason !== undefined)
    return { kind: 'hook_stopped', reason: turn.stopRequest.reason, next: { type: 'continue' } };
  if (end.guard.type !== 'tripped') return undefined;
  repairs.finalWord = end.guard.reason;
  await turn.inject(
    `Stop here: ${end.guard.reason} You may not call tools any more in this turn. Say in a few sentences what you tried, what blocked you, and what the user could do.`,
    'repeated_failure',
  );
  return undefined;
}

async function ended(turn: TurnContext, repairs: Repairs, text: string): Promise<Ending | undefined> {
  if (turn.hooks.stop) {
    try {
      const answer = await turn.hooks.stop({ active: repairs.stopHookUsed, lastText: text }, turn.signal);
      if (answer.type === 'continue' && !repairs.stopHookUsed) {
        repairs.stopHookUsed = true;
        await turn.inject(answer.text, 'stop_hook');
        return undefined;
      }
    } catch (error) {
      turn.log.write('warning', 'A stop hook failed', error);
    }
  }
  return { kind: 'completed', reason: 'Done.', next: { type: 'none' } };
}

async function cut(
  turn: TurnContext,
  repairs: Repairs,
  reason: Extract<StepEnd, { type: 'cut' }>['reason'],
): Promise<Ending | undefined> {
  if (reason === 'context_window') {
    if (await compacted(turn, repairs)) {
      await turn.inject(
        'The answer filled the context window, and the conversation was made smaller. Go on exactly where the answer stopped.',
        'length',
      );
      return undefined;
    }
    return {
      kind: 'context_exhausted',
      reason: 'The conversation fills the context window of this route.',
      next: { type: 'compact' },
    };
  }
  if (repairs.lengthContinuations >= turn.settings.lengthContinuations) {
    return {
      kind: 'output_limit',
      reason: `The answer hit the output limit ${repairs.lengthContinuations + 1} times.`,
      next: { type: 'continue' },
    };
  }
  repairs.lengthContinuations += 1;
  const why = reason === 'pause_turn' ? 'The route paused the answer' : 'The answer hit the output limit';
  turn.emit({
    type: 'notice',
    level: 'info',
    text: `${why}; going on (${repairs.lengthContinuations} of ${turn.settings.lengthContinuations}).`,
  });
  await turn.inject(`${why}. Go on exactly where it stopped; do not repeat what is there.`, 'length');
  return undefined;
}

function overLimit(turn: TurnContext, start: TurnStart): Ending | undefined {
  const { settings, totals } = turn;
  if (settings.maxSteps !== undefined && totals.steps >= settings.maxSteps) {
    return {
      kind: 'max_steps',
      reason: `The turn reached its limit of ${settings.maxSteps} steps.`,
      next: { type: 'continue' },
    };
  }
  const before = { tokens: start.sessionTokens, usd: start.sessionUsd };
  // A limit of whoever started the conversation ends it too.
  return usedUp(settings, totals, before) ?? turn.parentLimit();
}

function checkIn(turn: TurnContext): void {
  const { checkInAfter } = turn.settings;
  if (checkInAfter <= 0 || turn.totals.steps <= checkInAfter || (turn.totals.steps - 1) % checkInAfter !== 0)
    return;
  turn.emit({
    type: 'notice',
    level: 'info',
    text: `${turn.totals.steps - 1} steps so far. The turn goes on; stop it if it has lost its way.`,
  });
}

function interrupted(place: Extract<StepEnd, { type: 'interrupted' }>['place']): Ending {
  const where = {
    streaming: 'while the model was answering',
    tools: 'while tools were running',
    approval: 'while waiting for approval',
  }[place];
  return { kind: 'interrupted', reason: `You stopped it ${where}.`, place, next: { type: 'continue' } };
}
