import { describe, expect, it } from 'vitest';
import type { TurnFrontMatter } from '../../../extension/context/definitions/commands';
import type { Gate } from '../../../extension/permissions/verdict';
import { allowAll, collect, outcomeOf, rig } from '../../fakes/conversation';
import { respond, scriptedTransport } from '../../fakes/scripted-transport';

const done = respond([{ text: 'Done.' }]);
const change = (tag: string) => respond([{ tool: 'Change', input: { tag, ms: 0 } }]);
const nothing: Gate = {
  judge: async () => ({ type: 'deny', because: { source: 'rule', text: 'Not by this file.' } }),
};
const file = (more: Partial<TurnFrontMatter>): TurnFrontMatter => ({ label: '/x', owned: false, ...more });

describe('what the file of a command says', () => {
  it('holds for its turn and for no other', async () => {
    const asked: TurnFrontMatter[] = [];
    const on = rig({
      script: [change('a'), done, change('b'), done],
      deps: { turnGate: (frontMatter) => (asked.push(frontMatter), nothing) },
    });
    const frontMatter = file({ allowedTools: ['Read'] });
    await collect(on.conversation.submit({ text: '/x', command: 'Do it.', frontMatter }));
    expect(on.ledger).toEqual([]);
    expect(on.conversation.gate).toBe(allowAll);
    await collect(on.conversation.submit({ text: 'and now' }));
    expect(on.ledger.map(({ tag }) => tag)).toEqual(['b', 'b']);
    expect(asked).toEqual([frontMatter]);
  });

  it('is kept with the turn, unless it gave rights', async () => {
    const on = rig({ script: [done, done], deps: { turnGate: () => nothing } });
    await collect(
      on.conversation.submit({ text: '/x', frontMatter: file({ allowedTools: ['Read'], owned: false }) }),
    );
    await collect(
      on.conversation.submit({ text: '/y', frontMatter: file({ allowedTools: ['Bash'], owned: true }) }),
    );
    const notes = on.recorder.entries.flatMap((entry) =>
      entry.type === 'note' && entry.record.type === 'limits' ? [entry.record] : [],
    );
    expect(notes).toEqual([{ type: 'limits', label: '/x', tools: ['Read'] }]);
  });

  it('holds again for calls that an earlier process left open', async () => {
    const on = rig({
      script: [done],
      deps: {
        turnGate: ({ allowedTools, owned }) => (allowedTools?.[0] === 'Read' && !owned ? nothing : allowAll),
        resumed: {
          messages: [
            { role: 'user', content: [{ type: 'text', text: '/x' }] },
            {
              role: 'assistant',
              content: [{ type: 'tool_use', id: 'toolu_1', name: 'Change', input: { tag: 'late' } }],
              origin: { transport: 'scripted', baseUrl: 'memory:', model: 'script-1' },
            },
          ],
          pending: [{ type: 'tool_use', id: 'toolu_1', name: 'Change', input: { tag: 'late' } }],
          tokens: 0,
          usd: 0,
          limits: { label: '/x', tools: ['Read'] },
        },
      },
    });
    expect(outcomeOf(await collect(on.conversation.continueTurn())).kind).toBe('completed');
    expect(on.ledger).toEqual([]);
  });

  it('chooses the model of its turn; the session keeps its own', async () => {
    const quick = scriptedTransport([done]);
    const on = rig({
      script: [done],
      deps: {
        routeFor: (model) =>
          model === 'quick' ? { id: 'scripted', title: 'Quick', detail: '', transport: quick } : undefined,
      },
    });
    const events = await collect(
      on.conversation.submit({ text: '/x', frontMatter: file({ model: 'quick' }) }),
    );
    expect(events).toContainEqual(expect.objectContaining({ type: 'step_started', route: 'Quick' }));
    expect(quick.requests).toHaveLength(1);
    await collect(on.conversation.submit({ text: 'again' }));
    expect(on.transport.requests).toHaveLength(1);
  });

  it('asks for a model that is not there: said, and the session goes on with its own', async () => {
    const on = rig({ script: [done], deps: { routeFor: () => undefined } });
    const events = await collect(
      on.conversation.submit({ text: '/x', frontMatter: file({ model: 'nowhere' }) }),
    );
    expect(events).toContainEqual({
      type: 'notice',
      level: 'info',
      text: '/x asks for the model nowhere, which no route of yours offers here; Scripted is used.',
    });
    expect(outcomeOf(events).kind).toBe('completed');
  });

  it('is not lost in the queue: such a command waits for a turn of its own', () => {
    const { queue } = rig({ script: [] }).conversation;
    queue.add('first');
    queue.add('/x', true);
    queue.add('last');
    expect(queue.takeJoining().map(({ text }) => text)).toEqual(['first']);
    expect(queue.list().map(({ text }) => text)).toEqual(['/x', 'last']);
    expect(queue.takeFirst()?.text).toBe('/x');
  });
});
