/**
 * One call: parse → judge → ask → run → result. Every way in which that can go wrong becomes a result for the model; nothing here throws,
 * and a judge, an approver or a hook that fails counts as *no* (I5).
 */
import type { PermissionMode } from '../../protocol/vocabulary';
import type { Approver, Clock, EditProposal, Log } from '../../ports';
import { FileError } from '../../ports';
import type { ToolUseBlock } from '../../models/message';
import {
  ToolError,
  type ApprovedProposal,
  type Tool,
  type ToolContext,
  type Workspace,
} from '../../tools/tool';
import type { Because, Gate } from '../../permissions/verdict';
import { ask, type Asked } from './ask';
import { judge, permitAtUse } from './permit';
import { textResult, type Call, type CallResult, type Classified } from './call';
import type { TurnEvent } from '../events';
import type { Hooks } from '../hooks';
import { watchedReads } from './reads';
import { settleWithin } from './settle';
import { syntheticResult, type Prepared } from './state';
import { deniedByGateText, deniedByUserText, unknownToolText } from './words';

export interface CallDeps {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly gate: Gate;
  readonly approver: Approver;
  readonly hooks: Hooks;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: () => string;
  readonly emit: (event: TurnEvent) => void;
  mode(): PermissionMode;
  workspace(): Workspace;
  /** All of a tool's context but what belongs to the single call. */
  readonly toolContext: Omit<ToolContext, 'signal' | 'callId' | 'progress' | 'proposal' | 'workspace'>;
  /** Calls back when a mode, a rule or the trust has changed while a question waits. */
  onReconsider(listener: () => void): () => void;
  /** Durable note that a call with side effects begins; awaited before it does. */
  started(call: Call): Promise<void>;
  /** A hook asked for the turn to end after this step. */
  stopAfterStep(reason: string): void;
}

export function classify(deps: CallDeps, block: ToolUseBlock, callId: string): Classified | CallResult {
  const tool = deps.tools.get(block.name);
  if (!tool) return failed('no_such_tool', unknownToolText(block.name, [...deps.tools.keys()]));
  if (block.unparsed) {
    return failed(
      'invalid_input',
      `The input of ${tool.name} is not valid JSON (${block.unparsed.problem}). Nothing was run. Send the call again with one complete JSON object.`,
    );
  }
  const parsed = tool.input.safeParse(block.input);
  if (!parsed.success) return failed('invalid_input', invalidInput(tool, parsed.error.issues));
  const workspace = deps.workspace();
  const input = parsed.data;
  const target = attempt(() => tool.target(input, workspace)) ?? { text: tool.name };
  deps.emit({ type: 'call_ready', callId, target, input: block.input });
  return {
    tool,
    input,
    // A classifier that throws makes the call unsafe, not allowed.
    readOnly: attempt(() => tool.isReadOnly(input)) ?? false,
    safe: attempt(() => tool.isConcurrencySafe(input)) ?? false,
    target: target.text,
    ...(target.path === undefined ? {} : { path: target.path }),
  };
}

/** Judges, computes an edit's proposal, asks. Total. */
export async function prepare(
  deps: CallDeps,
  call: Call,
  classified: Classified,
  earlier: () => Promise<void>,
): Promise<Prepared> {
  try {
    return await judgeAndAsk(deps, call, classified, earlier);
  } catch (error) {
    if (call.controller.signal.aborted)
      return immediate(syntheticResult(call.cancel?.cause ?? 'user_interrupt', false, call.cancel?.detail));
    if (error instanceof ToolError || error instanceof FileError) return immediate(toolFailure(error, 0));
    deps.log.write('error', `Preparing ${classified.tool.name} failed`, error);
    return immediate(denied(classified, { source: 'error', text: 'The permission check itself failed.' }));
  }
}

async function judgeAndAsk(
  deps: CallDeps,
  call: Call,
  classified: Classified,
  earlier: () => Promise<void>,
): Promise<Prepared> {
  const { tool, input } = classified;
  const signal = call.controller.signal;
  const hook = await deps.hooks.preTool?.({ id: call.id, tool: tool.name, input }, signal);
  if (hook?.stop !== undefined) deps.stopAfterStep(hook.stop);
  if (hook?.context !== undefined) call.told = hook.context;
  if (hook?.decision === 'deny')
    return immediate(
      denied(classified, { source: 'rule', text: hook.reason ?? 'A hook declined it.' }, 'hook'),
    );

  let verdict = await judge(deps, call, classified);
  if (verdict.type === 'deny') return immediate(denied(classified, verdict.because));

  let proposal: EditProposal | undefined;
  if (tool.propose) {
    await earlier();
    signal.throwIfAborted();
    proposal = await tool.propose(input, contextFor(deps, call));
    // How much an edit takes away is known only now.
    verdict = await judge(deps, call, classified, proposal);
    if (verdict.type === 'deny') return immediate(denied(classified, verdict.because));
  }
  if (verdict.type === 'allow' && hook?.decision !== 'ask') {
    call.allowed = verdict.because.text;
    deps.emit({ type: 'call_allowed', callId: call.id, because: verdict.because });
    return {
      type: 'cleared',
      ...(proposal ? { proposal: { ...proposal, userModified: false } } : {}),
      ...(verdict.environment ? { environment: verdict.environment } : {}),
    };
  }
  const because: Because =
    hook?.decision === 'ask' ? { source: 'rule', text: hook.reason ?? 'A hook asks.' } : verdict.because;
  return afterAnswer(call, classified, await ask(deps, call, classified, because, proposal));
}

function afterAnswer(call: Call, classified: Classified, asked: Asked): Prepared {
  switch (asked.type) {
    case 'withdrawn':
      return immediate(syntheticResult(call.cancel?.cause ?? 'user_interrupt', false, call.cancel?.detail));
    case 'refused':
      return immediate(denied(classified, asked.because, asked.by));
    case 'denied':
      return immediate({
        ...refusal(deniedByUserText(`${classified.tool.name} ${classified.target}`, asked.words), 'denied'),
        denial: { by: 'user', beforeRun: true, ...(asked.words ? { words: asked.words } : {}) },
      });
    case 'cleared':
      return { type: 'cleared', ...asked.clearance };
  }
}

/** Runs a cleared call. Total. What has side effects is noted on disk first. */
export async function execute(
  deps: CallDeps,
  call: Call,
  cleared: Extract<Call['phase'], { type: 'cleared' }>,
): Promise<CallResult> {
  const { tool, input, readOnly } = cleared.call;
  const startedAt = deps.clock.now();
  const took = (): number => deps.clock.now() - startedAt;
  try {
    let environment = cleared.environment;
    // What only reads and was not asked about starts the moment it is judged.
    if (!readOnly || call.answer) {
      const now = await permitAtUse(deps, call, cleared.call, cleared);
      if (now.type === 'refused') return denied(cleared.call, now.because);
      environment = now.environment;
    }
    if (!readOnly && !(await noted(deps, call)))
      return syntheticResult('limit_reached', false, 'the conversation could not be saved');
    const context = contextFor(deps, call, cleared.proposal, environment);
    const output = await settleWithin(
      tool.run(input, context),
      call.controller.signal,
      readOnly ? 0 : 2_000,
      deps.clock,
    );
    const content = tool.forModel(output);
    const result: CallResult = {
      content: content.length > 0 ? content : textResult('(no output)'),
      isError: false,
      end: 'ok',
      envelope: tool.forTranscript(output),
      summary: tool.summary(output),
      durationMs: took(),
    };
    return await afterRun(deps, call, cleared.call, result);
  } catch (error) {
    const cancelled = call.cancel && call.controller.signal.aborted ? call.cancel : undefined;
    if (cancelled)
      return {
        ...syntheticResult(cancelled.cause, true, cancelled.detail),
        end: 'cancelled',
        durationMs: took(),
      };
    return afterRun(deps, call, cleared.call, failure(deps, tool, error, took()));
  }
}

/** Nothing with side effects runs unless it is on disk that it does. */
async function noted(deps: CallDeps, call: Call): Promise<boolean> {
  try {
    await deps.started(call);
    return true;
  } catch (error) {
    deps.log.write('error', 'The start of a call could not be recorded', error);
    return false;
  }
}

async function afterRun(
  deps: CallDeps,
  call: Call,
  { tool, input }: Classified,
  bare: CallResult,
): Promise<CallResult> {
  const result = withWords(bare, call.told);
  if (!deps.hooks.postTool) return result;
  try {
    const answer = await deps.hooks.postTool(
      { id: call.id, tool: tool.name, input, result },
      call.controller.signal,
    );
    if (answer.stop !== undefined) deps.stopAfterStep(answer.stop);
    return withWords(result, answer.context);
  } catch (error) {
    deps.log.write('warning', `A hook failed after ${tool.name}`, error);
    return result;
  }
}

function withWords(result: CallResult, words: string | undefined): CallResult {
  return words === undefined || words === ''
    ? result
    : { ...result, content: [...result.content, ...textResult(words)] };
}

function contextFor(
  deps: CallDeps,
  call: Call,
  proposal?: ApprovedProposal,
  environment?: Readonly<Record<string, string>>,
): ToolContext {
  return {
    ...deps.toolContext,
    reads: watchedReads(deps.toolContext.reads, (text) => void (call.seen ??= []).push(text)),
    workspace: deps.workspace(),
    signal: call.controller.signal,
    callId: call.id,
    progress: (chunk) => {
      if (call.phase.type !== 'settled') deps.emit({ type: 'call_progress', callId: call.id, chunk });
    },
    nested: nestedReports(deps, call),
    ...(proposal ? { proposal } : {}),
    ...(environment ? { environment } : {}),
  };
}

/** A subagent's news in the row of the call that started it. */
function nestedReports({ emit }: CallDeps, { id: callId }: Call): NonNullable<ToolContext['nested']> {
  return {
    calls: (calls, total) => emit({ type: 'call_nested', callId, calls, total }),
    asked(request) {
      emit({ type: 'approval_requested', request: { ...request, callId } });
      return { callId };
    },
    answered: (approvalId, answer) => emit({ type: 'approval_answered', approvalId, callId, answer }),
  };
}

function failure(deps: CallDeps, tool: Tool, error: unknown, durationMs: number): CallResult {
  if (error instanceof ToolError || error instanceof FileError) return toolFailure(error, durationMs);
  deps.log.write('error', `${tool.name} failed unexpectedly`, error);
  const text = `${tool.name} failed unexpectedly: ${error instanceof Error ? error.message : String(error)}. Its effect is unknown; check before you repeat it.`;
  return { ...failed('bug', text), durationMs };
}

function toolFailure(error: ToolError | FileError, durationMs: number): CallResult {
  const base = {
    ...failed(error instanceof ToolError ? error.kind : error.reason, error.message),
    durationMs,
  };
  if (!(error instanceof ToolError)) return base;
  return {
    ...base,
    ...(error.data.transcript === undefined ? {} : { envelope: error.data.transcript }),
    ...(error.data.summary === undefined ? {} : { summary: error.data.summary }),
  };
}

/** Of an error's text, for the person; the model gets all of it. */
const SHOWN_CHARS = 2_000;

function failed(kind: string, text: string): CallResult {
  return {
    content: textResult(text),
    isError: true,
    end: 'failed',
    failure: kind,
    summary: { text: firstLine(text), body: text.slice(0, SHOWN_CHARS) },
    durationMs: 0,
  };
}

function refusal(text: string, summary: string): CallResult {
  return {
    content: textResult(text),
    isError: true,
    end: 'denied',
    summary: { text: summary },
    durationMs: 0,
  };
}

function denied({ tool }: Classified, because: Because, by?: 'hook'): CallResult {
  return {
    ...refusal(deniedByGateText(tool.name, because.text), 'denied'),
    summary: { text: 'denied', body: because.text },
    denial: { by: by ?? (because.source === 'rule' ? 'rule' : 'mode'), beforeRun: true },
  };
}

function immediate(result: CallResult): Prepared {
  return { type: 'immediate', result };
}

function invalidInput(
  tool: Tool,
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): string {
  const problems = issues.map(
    (issue) => `- ${issue.path.length > 0 ? issue.path.map(String).join('.') : '(input)'}: ${issue.message}`,
  );
  return `The input of ${tool.name} is not valid; nothing was run.\n${problems.join('\n')}\nSend the call again in the shape of the tool's schema.`;
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? '';
  return line.length > 120 ? `${line.slice(0, 117)}…` : line;
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
