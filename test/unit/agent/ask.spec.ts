import { describe, expect, it } from 'vitest';
import type { ApprovalRequest, Approver } from '../../../extension/ports';
import type { Gate, GateState } from '../../../extension/permissions/verdict';
import type { TurnEvent } from '../../../extension/agent/events';
import { rig } from '../../fakes/conversation';
import { respond } from '../../fakes/scripted-transport';
import type { Tool } from '../../../extension/tools/tool';
import { standardTools } from '../../fakes/scripted-tools';

const change = respond([{ tool: 'Change', input: { tag: 'edit' } }]);
const done = respond([{ text: 'ok' }]);
const because = { source: 'rule' as const, text: 'As it is now.' };

/** Asks in *ask*, refuses in *plan*, allows once `settled.rule` is there. */
function gateOf(settled: { rule: boolean }, seen: GateState[] = []): Gate {
  return {
    judge: async (_, state) => {
      seen.push(state);
      if (state.mode === 'plan') return { type: 'deny', because };
      return settled.rule ? { type: 'allow', because } : { type: 'ask', because };
    },
    suggest: async () => [{ scope: 'session', rules: ['Change'] }],
  };
}

/** Never answers; says when it was asked. */
function patient(): Approver & { readonly asked: Promise<ApprovalRequest> } {
  let tell: (request: ApprovalRequest) => void = () => undefined;
  const asked = new Promise<ApprovalRequest>((resolve) => (tell = resolve));
  return {
    asked,
    ask: (request, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('withdrawn')), { once: true });
        tell(request);
      }),
  };
}

async function waiting(tools?: (all: readonly Tool[]) => readonly Tool[]) {
  const settled = { rule: false };
  const approver = patient();
  const { conversation, ledger } = rig({
    gate: gateOf(settled),
    approver,
    script: [change, done],
    ...(tools ? { tools: (entries, clock) => tools(standardTools(entries, clock)) } : {}),
  });
  const events: TurnEvent[] = [];
  const turn = (async () => {
    for await (const event of conversation.submit({ text: 'go' })) events.push(event);
  })();
  const request = await approver.asked;
  return { conversation, ledger, events, turn, settled, request };
}

describe('a question that waits', () => {
  it('says what could be remembered', async () => {
    const { conversation, request, turn } = await waiting();
    expect(request.remember).toEqual([{ scope: 'session', rules: ['Change'] }]);
    conversation.stop();
    await turn;
  });

  it('is withdrawn with the reason when the mode forbids it now, and the turn goes on', async () => {
    const { conversation, ledger, events, turn } = await waiting();
    conversation.setMode('plan');
    await turn;
    expect(ledger).toEqual([]);
    const answered = events.find((event) => event.type === 'approval_answered');
    expect(answered).toMatchObject({ answer: { type: 'withdrawn', because } });
    expect(events.find((event) => event.type === 'call_completed')).toMatchObject({
      end: 'denied',
      summary: { body: because.text },
    });
    expect(events.at(-1)).toMatchObject({ type: 'turn_ended', outcome: { kind: 'completed' } });
  });

  it('needs no answer once a rule allows it', async () => {
    const { conversation, ledger, settled, turn, events } = await waiting();
    settled.rule = true;
    conversation.reconsider();
    await turn;
    expect(ledger.length).toBeGreaterThan(0);
    expect(events.find((event) => event.type === 'call_allowed')).toMatchObject({ because });
  });

  it('goes on waiting when nothing has changed for it', async () => {
    const { conversation, ledger, turn, events } = await waiting();
    conversation.reconsider();
    conversation.setMode('acceptEdits');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(events.some((event) => event.type === 'approval_answered')).toBe(false);
    conversation.stop();
    await turn;
    expect(ledger).toEqual([]);
  });
});
