/**
 * Asks the person about one call and waits for whatever comes first: the answer, the end of the call, or a mode, a rule or a trust that
 * settles the question by itself. A question that fails counts as *no*.
 */
import type { ApprovalAnswer, ApprovalRequest, EditProposal } from '../../ports';
import type { ApprovedProposal } from '../../tools/tool';
import type { Because, Verdict } from '../../permissions/verdict';
import type { Call, Classified, Clearance } from './call';
import { bind, judge, suggestions } from './permit';
import type { CallDeps } from './run-call';

export type Asked =
  | { readonly type: 'cleared'; readonly clearance: Clearance }
  | { readonly type: 'denied'; readonly words?: string }
  /** What changed while it waited forbids it. */
  | { readonly type: 'refused'; readonly because: Because; readonly by?: 'hook' }
  /** The call was cancelled. */
  | { readonly type: 'withdrawn' };

type Answer =
  | ApprovalAnswer
  | { readonly type: 'withdrawn' }
  | { readonly type: 'settled'; readonly verdict: Exclude<Verdict, { readonly type: 'ask' }> };

export async function ask(
  deps: CallDeps,
  call: Call,
  classified: Classified,
  because: Because,
  proposal: EditProposal | undefined,
): Promise<Asked> {
  const hooked = await askHooks(deps, call, classified);
  if (hooked !== undefined) return hooked;
  const request = await requestOf(deps, call, classified, because, proposal);
  const binding = await bind(deps, call, classified);
  if (call.controller.signal.aborted) return { type: 'withdrawn' };
  deps.emit({ type: 'approval_requested', request });
  deps.emit({ type: 'call_state', callId: call.id, state: 'waiting', at: deps.clock.now() });
  notify(deps, call, request);
  let answer = await answerOf(deps, call, classified, request, proposal);
  // A yes that comes after the call was cancelled is too late.
  if (call.controller.signal.aborted) answer = { type: 'withdrawn' };
  if (answer.type === 'allow' || answer.type === 'deny') call.answer = { type: answer.type, by: answer.by };
  deps.emit({
    type: 'approval_answered',
    approvalId: request.id,
    callId: call.id,
    answer: answer.type === 'settled' ? { type: 'withdrawn', because: answer.verdict.because } : answer,
  });
  switch (answer.type) {
    case 'withdrawn':
      return answer;
    case 'deny':
      return { type: 'denied', ...(answer.words ? { words: answer.words } : {}) };
    case 'settled':
      return settledBy(deps, call, answer.verdict);
    case 'allow': {
      const text = allowedText(answer);
      const bound = binding ? { binding } : {};
      allowed(deps, call, { source: 'default', text });
      return {
        type: 'cleared',
        clearance: proposal ? { ...bound, proposal: approved(proposal, answer) } : bound,
      };
    }
  }
}

/** A hook may say no before anybody is bothered. One that fails has no opinion: the person is asked. */
async function askHooks(deps: CallDeps, call: Call, { tool, input }: Classified): Promise<Asked | undefined> {
  try {
    const about = { id: call.id, tool: tool.name, input };
    const answer = await deps.hooks.permissionRequest?.(about, call.controller.signal);
    if (answer?.stop !== undefined) deps.stopAfterStep(answer.stop);
    if (answer?.deny === undefined) return undefined;
    return { type: 'refused', because: { source: 'rule', text: answer.deny }, by: 'hook' };
  } catch (error) {
    deps.log.write('warning', `A hook failed before ${tool.name} was asked about`, error);
    return undefined;
  }
}

/** The question does not wait for it. */
function notify(deps: CallDeps, call: Call, { title, reason }: ApprovalRequest): void {
  const message = `${title}: ${reason}`;
  deps.hooks
    .notification?.({ type: 'permission_prompt', message }, call.controller.signal)
    .catch((error: unknown) => deps.log.write('warning', 'A notification hook failed', error));
}

/** At once with the answer: what comes between could end the call. */
function allowed(deps: CallDeps, call: Call, because: Because): void {
  call.allowed = because.text;
  deps.emit({ type: 'call_state', callId: call.id, state: 'queued', at: deps.clock.now() });
  deps.emit({ type: 'call_allowed', callId: call.id, because });
}

const KEPT = { session: 'for this session', workspace: 'for this workspace', always: 'for good' } as const;

function allowedText({ scope, rules = [], by }: Extract<ApprovalAnswer, { readonly type: 'allow' }>): string {
  if (scope === 'once') return `You allowed it (${by}).`;
  return `You allowed it (${by}) and kept ${rules.join(' and ')} ${KEPT[scope]}.`;
}

function settledBy(deps: CallDeps, call: Call, verdict: Exclude<Verdict, { readonly type: 'ask' }>): Asked {
  if (verdict.type === 'deny') return { type: 'refused', because: verdict.because };
  const { because, environment } = verdict;
  allowed(deps, call, because);
  return { type: 'cleared', clearance: environment ? { environment } : {} };
}

function approved(
  proposal: EditProposal,
  { editedText, partly }: Extract<ApprovalAnswer, { readonly type: 'allow' }>,
): ApprovedProposal {
  const after = editedText ?? proposal.after;
  const userModified = after !== proposal.after;
  return { ...proposal, after, userModified, ...(userModified && partly ? { partly } : {}) };
}

async function answerOf(
  deps: CallDeps,
  call: Call,
  classified: Classified,
  request: ApprovalRequest,
  proposal: EditProposal | undefined,
): Promise<Answer> {
  const withdraw = new AbortController();
  let settled: Extract<Answer, { readonly type: 'settled' }> | undefined;
  const stopWatching = deps.onReconsider(() => {
    void judge(deps, call, classified, proposal).then((verdict) => {
      // An edit that is on screen is the person's to accept: it may hold changes of their own.
      if (verdict.type === 'ask' || (verdict.type === 'allow' && proposal)) return;
      settled ??= { type: 'settled', verdict };
      withdraw.abort(new Error(verdict.because.text));
    });
  });
  try {
    const signal = AbortSignal.any([call.controller.signal, withdraw.signal]);
    const answer = await deps.approver.ask(request, signal);
    return settled?.verdict.type === 'deny' ? settled : answer;
  } catch (error) {
    if (settled) return settled;
    if (call.controller.signal.aborted) return { type: 'withdrawn' };
    deps.log.write('error', 'Asking for approval failed', error);
    return { type: 'deny', by: 'a failed question' };
  } finally {
    stopWatching();
  }
}

async function requestOf(
  deps: CallDeps,
  call: Call,
  classified: Classified,
  because: Because,
  proposal: EditProposal | undefined,
): Promise<ApprovalRequest> {
  const { tool } = classified;
  const remember = await suggestions(deps, call, classified, proposal);
  const parts = partsOf(because);
  return {
    id: deps.newId(),
    callId: call.id,
    tool: tool.name,
    title: tool.title,
    reason: because.text,
    detail: approvalDetail(deps, classified, proposal),
    ...(parts.length === 0 ? {} : { parts }),
    ...(remember.length === 0 ? {} : { remember }),
    ...(because.source === 'floor' ? { everyTime: true } : {}),
  };
}

/** A part that is the whole says nothing more than the question itself. */
function partsOf({ parts = [], reasons, text }: Because): NonNullable<ApprovalRequest['parts']> {
  return reasons ?? parts.map((part) => ({ part, text }));
}

function approvalDetail(
  deps: CallDeps,
  { tool, input, target }: Classified,
  proposal: EditProposal | undefined,
): ApprovalRequest['detail'] {
  if (proposal) return { type: 'edit', proposal };
  for (const effect of tool.effects(input, deps.workspace())) {
    if (effect.type === 'command') return { type: 'command', command: effect.command, cwd: effect.cwd };
    // What a server is sent is all that anybody can know of what it will do.
    if (effect.type === 'mcp')
      return {
        type: 'other',
        text: `${effect.server}: ${tool.title}\n${JSON.stringify(input, null, 2)}\n\n${tool.description}`,
      };
  }
  return { type: 'other', text: target };
}
