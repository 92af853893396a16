import { describe, expect, it } from 'vitest';
import type { HookReport, Hooks } from '../../../extension/agent/hooks';
import { askWrites, collect, outcomeOf, rig } from '../../fakes/conversation';
import { longTask } from '../../fakes/long-task';
import { respond } from '../../fakes/scripted-transport';
import { windowServer } from '../../fakes/window-server';

const done = respond([{ text: 'Done.' }]);
const change = (tag: string) => respond([{ tool: 'Change', input: { tag, ms: 0 } }]);
const textsOf = (messages: readonly { readonly content: readonly object[] }[]): string[] =>
  messages.flatMap(({ content }) =>
    content.flatMap((block) => ('text' in block ? [String(block.text)] : [])),
  );

describe('hooks of a conversation', () => {
  it('run at its beginning once, and what they say is told with the first prompt', async () => {
    const sources: string[] = [];
    const hooks: Hooks = {
      sessionStart: async (source) => (sources.push(source), { context: 'Branch x.' }),
    };
    const on = rig({ script: [done, done], deps: { hooks } });
    await collect(on.conversation.submit({ text: 'one' }));
    await collect(on.conversation.submit({ text: 'two' }));
    expect(sources).toEqual(['startup']);
    expect(textsOf(on.transport.requests[1]?.messages ?? [])).toEqual([
      'one',
      '<system-reminder>\nBranch x.\n</system-reminder>',
      'Done.',
      'two',
    ]);
  });

  it('say no in the place of the person, who is not asked then', async () => {
    const asked: string[] = [];
    const on = rig({
      script: [change('a'), done],
      gate: askWrites,
      approver: { ask: async ({ tool }) => (asked.push(tool), { type: 'allow', scope: 'once', by: 'test' }) },
      deps: { hooks: { permissionRequest: async ({ tool }) => ({ deny: `never ${tool}` }) } },
    });
    const events = await collect(on.conversation.submit({ text: 'go' }));
    expect(asked).toEqual([]);
    expect(on.ledger).toEqual([]);
    expect(outcomeOf(events).denials).toHaveLength(1);
    const results = on.recorder.entries.flatMap((entry) => (entry.type === 'result' ? [entry.record] : []));
    expect(results[0]).toMatchObject({
      end: 'denied',
      denial: { by: 'hook' },
      summary: { body: 'never Change' },
    });
  });

  it('that fail before a question leave it to the person', async () => {
    const on = rig({
      script: [change('a'), done],
      gate: askWrites,
      deps: { hooks: { permissionRequest: () => Promise.reject(new Error('broken')) } },
    });
    await collect(on.conversation.submit({ text: 'go' }));
    expect(on.ledger.map(({ what }) => what)).toEqual(['start', 'end']);
  });

  it('are told that somebody is waited for, and nobody waits for them', async () => {
    const notes: string[] = [];
    const never = new Promise<void>(() => undefined);
    const on = rig({
      script: [change('a'), done],
      gate: askWrites,
      deps: { hooks: { notification: ({ message }) => (notes.push(message), never) } },
    });
    expect(outcomeOf(await collect(on.conversation.submit({ text: 'go' }))).kind).toBe('completed');
    expect(notes).toEqual(['Change: It changes something.']);
  });

  it('tell the model something with the result of a call', async () => {
    const hooks: Hooks = {
      preTool: async () => ({ context: 'before' }),
      postTool: async () => ({ context: 'after' }),
    };
    const on = rig({ script: [change('a'), done], deps: { hooks } });
    await collect(on.conversation.submit({ text: 'go' }));
    const [result] = on.recorder.entries.flatMap((entry) => (entry.type === 'result' ? [entry.record] : []));
    expect(result?.content.map((part) => ('text' in part ? part.text : ''))).toEqual([
      'did a',
      'before',
      'after',
    ]);
  });

  it('are shown and recorded', async () => {
    const report: HookReport = {
      event: 'PreToolUse',
      subject: 'Change',
      callId: 'c',
      command: 'x',
      where: '/h.json:1',
      outcome: 'failed',
      reason: 'oops',
      notice: { level: 'warning', text: 'Hook failed' },
      stdout: '',
      stderr: 'oops',
      durationMs: 1,
    };
    let tell: (report: HookReport) => void = () => undefined;
    const on = rig({
      script: [change('a'), done],
      deps: {
        hooks: {
          listen: (listener) => void (tell = listener),
          preTool: async () => (tell(report), {}),
        },
      },
    });
    const events = await collect(on.conversation.submit({ text: 'go' }));
    expect(events).toContainEqual({ type: 'hook', report });
    expect(on.recorder.entries).toContainEqual({ type: 'note', record: { type: 'hook', report } });
  });

  it('say what a summary must look after, and are asked again after it', async () => {
    const asked: unknown[] = [];
    const summaries: string[] = [];
    const transport = windowServer({
      window: 32_768,
      summary: (text) => (summaries.push(text), 'FILE: /work/a.ts is half done.'),
      play: (step) =>
        step === 20
          ? respond([{ text: 'FILE: /work/a.ts is done.' }])
          : respond([{ tool: 'Bash', input: { command: `make ${step}`, words: 60 } }]),
    });
    const hooks: Hooks = {
      preCompact: async (trigger, focus) => (asked.push([trigger, focus]), { context: 'Keep the plan.' }),
      sessionStart: async (source) => ({ context: `Now: ${source}.` }),
    };
    const { conversation } = longTask({ transport, deps: { hooks } });
    await collect(conversation.submit({ text: 'Build it.' }));
    await collect(conversation.compact('the tests'));
    expect(asked).toEqual([['manual', 'the tests']]);
    expect(summaries.some((text) => text.includes('the tests\n\nKeep the plan.'))).toBe(true);
    const told = JSON.stringify(conversation.messages());
    expect(told.includes('Now: compact.')).toBe(true);
  });
});
