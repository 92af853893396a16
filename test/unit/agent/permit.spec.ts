import { describe, expect, it } from 'vitest';
import type { Gate, Verdict } from '../../../extension/permissions/verdict';
import { approveAll, collect, outcomeOf, rig } from '../../fakes/conversation';
import { respond } from '../../fakes/scripted-transport';
import { standardTools, type LedgerEntry } from '../../fakes/scripted-tools';
import type { Clock } from '../../../extension/ports';
import type { Tool } from '../../../extension/tools/tool';

const change = respond([{ tool: 'Change', input: { tag: 'edit' } }]);
const done = respond([{ text: 'ok' }]);
const because = { source: 'default' as const, text: 'Test.' };

/** A gate whose verdicts follow the list; the last one stays. */
function gateOf(verdicts: readonly Verdict[], bindings: readonly string[] = []): Gate {
  let judged = 0;
  let bound = 0;
  return {
    judge: async () => verdicts[Math.min(judged++, verdicts.length - 1)] ?? { type: 'deny', because },
    ...(bindings.length > 0
      ? { binding: async () => bindings[Math.min(bound++, bindings.length - 1)] ?? '' }
      : {}),
  };
}

function toolNamed(name: string, ledger: LedgerEntry[], clock: Clock): Tool {
  const tool = standardTools(ledger, clock).find((each) => each.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool;
}

async function ran(gate: Gate): Promise<boolean> {
  const { conversation, ledger } = rig({ gate, approver: approveAll, script: [change, done] });
  expect(outcomeOf(await collect(conversation.submit({ text: 'go' }))).kind).toBe('completed');
  return ledger.length > 0;
}

describe('the second look of the gate, right before the run', () => {
  it('lets run what is still allowed', async () => {
    expect(await ran(gateOf([{ type: 'allow', because }]))).toBe(true);
  });
  it('refuses what has become a question or a no', async () => {
    expect(
      await ran(
        gateOf([
          { type: 'allow', because },
          { type: 'ask', because },
        ]),
      ),
    ).toBe(false);
    expect(
      await ran(
        gateOf([
          { type: 'allow', because },
          { type: 'deny', because },
        ]),
      ),
    ).toBe(false);
    expect(
      await ran(
        gateOf([
          { type: 'ask', because },
          { type: 'deny', because },
        ]),
      ),
    ).toBe(false);
  });
  it('holds a yes to what was asked', async () => {
    expect(await ran(gateOf([{ type: 'ask', because }], ['same']))).toBe(true);
    expect(await ran(gateOf([{ type: 'ask', because }], ['as asked', 'as it is now']))).toBe(false);
  });
  it('gives the command the variables that its permission relies on', async () => {
    const seen: unknown[] = [];
    const { conversation } = rig({
      gate: gateOf([{ type: 'allow', because, environment: { GIT_OPTIONAL_LOCKS: '0' } }]),
      script: [change, respond([{ tool: 'Look', input: { tag: 'read' } }]), done],
      tools: (ledger, clock) => [
        {
          ...toolNamed('Change', ledger, clock),
          run: async (_input, context) => `run ${seen.push(context.environment)}`,
        },
        {
          ...toolNamed('Look', ledger, clock),
          run: async (_input, context) => `run ${seen.push(context.environment)}`,
        },
      ],
    });
    await collect(conversation.submit({ text: 'go' }));
    expect(seen).toEqual([{ GIT_OPTIONAL_LOCKS: '0' }, { GIT_OPTIONAL_LOCKS: '0' }]);
  });
});

describe('a disk that does not take the transcript', () => {
  it('ends the turn, keeps the prompt, and goes on from it', async () => {
    const { conversation, recorder, transport } = rig({ script: [done] });
    const write = recorder.prompt;
    recorder.prompt = () => Promise.reject(new Error('disk full'));
    expect(outcomeOf(await collect(conversation.submit({ text: 'remember me' }))).kind).toBe(
      'internal_error',
    );
    recorder.prompt = write;
    expect(outcomeOf(await collect(conversation.continueTurn())).kind).toBe('completed');
    expect(JSON.stringify(transport.requests[0]?.messages)).toContain('remember me');
    expect(JSON.stringify(transport.requests[0]?.messages)).not.toContain('Continue.');
  });

  it('runs nothing of the step on beside the next turn, and every call has its result', async () => {
    const { conversation, recorder, ledger, transport } = rig({
      script: [
        respond([
          { tool: 'Change', input: { tag: 'first' } },
          { tool: 'Change', input: { tag: 'second' } },
        ]),
        done,
      ],
    });
    const write = recorder.result;
    const note = recorder.note;
    recorder.result = () => Promise.reject(new Error('disk full'));
    recorder.note = (record) =>
      record.type === 'call_started' && ledger.length > 0
        ? Promise.reject(new Error('disk full'))
        : note(record);
    expect(outcomeOf(await collect(conversation.submit({ text: 'go' }))).kind).toBe('internal_error');
    recorder.result = write;
    recorder.note = note;
    await collect(conversation.continueTurn());
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(ledger.filter((entry) => entry.what === 'start').map((entry) => entry.tag)).toEqual(['first']);
    const told = transport.requests[1]?.messages
      .at(-1)
      ?.content.map((block) => block.type === 'tool_result' && block.content[0]);
    expect(told).toMatchObject([
      { text: 'did first' },
      { text: expect.stringContaining('Not run') as string },
    ]);
  });
});
