import { describe, expect, it } from 'vitest';
import { instructionHooks } from '../../../extension/assembly/instruction-hooks';
import { createSessionContext } from '../../../extension/context/session/session-context';
import { collect, outcomeOf, rig } from '../../fakes/conversation';
import { memoryFiles } from '../../fakes/files';
import { respond } from '../../fakes/scripted-transport';

const done = respond([{ text: 'Done.' }]);
const part = { name: 'AGENTS.md', tokens: 3, used: true };
const textsOf = (messages: readonly { readonly content: readonly object[] }[]): string[] =>
  messages.flatMap(({ content }) =>
    content.flatMap((block) => ('text' in block ? [String(block.text)] : [])),
  );

describe('the introduction', () => {
  it('is told once, with the first prompt, and recorded', async () => {
    let asked = 0;
    const introduction = async () => ({ text: `Use tabs (${++asked}).`, parts: [part] });
    const { conversation, transport, recorder } = rig({ script: [done, done], deps: { introduction } });
    const events = await collect(conversation.submit({ text: 'one' }));
    expect(events).toContainEqual({ type: 'instructions', parts: [part] });
    await collect(conversation.submit({ text: 'two' }));
    expect(textsOf(transport.requests[1]?.messages ?? [])).toEqual([
      'one',
      '<system-reminder>\nUse tabs (1).\n</system-reminder>',
      'Done.',
      'two',
    ]);
    expect(recorder.entries.filter(({ type }) => type === 'note')).toHaveLength(1);
  });

  it('that fails takes nothing away from the turn', async () => {
    const introduction = () => Promise.reject(new Error('no disk'));
    const { conversation } = rig({ script: [done], deps: { introduction } });
    expect(outcomeOf(await collect(conversation.submit({ text: 'one' }))).kind).toBe('completed');
  });
});

describe('a command', () => {
  it('reaches the model as typed and as what it stands for', async () => {
    const { conversation, transport, recorder } = rig({ script: [done] });
    const events = await collect(conversation.submit({ text: '/fix 12', command: 'Fix issue 12.' }));
    expect(events[0]).toMatchObject({ type: 'turn_started', prompt: '/fix 12' });
    expect(textsOf(transport.requests[0]?.messages ?? [])).toEqual(['/fix 12', 'Fix issue 12.']);
    expect(recorder.entries).toContainEqual({
      type: 'note',
      record: { type: 'injected', text: 'Fix issue 12.', why: 'command' },
    });
  });
});

describe('instructions of a folder', () => {
  const context = () =>
    createSessionContext({
      files: memoryFiles({ '/work/AGENTS.md': 'Root.', '/work/api/AGENTS.md': 'The API never throws.' }),
      mayRead: async () => true,
      workspace: () => ({ roots: ['/work'], cwd: '/work', home: '/home/me', trusted: true }),
      now: () => 0,
    });
  const result = { content: [], isError: false, end: 'ok', summary: { text: '' }, durationMs: 0 } as const;
  const call = (path: string) => ({ id: 'c', tool: 'Read', input: { file_path: path }, result });
  const signal = new AbortController().signal;

  it('stand behind the first result from there, once', async () => {
    const hooks = instructionHooks(context());
    expect((await hooks.postTool?.(call('/work/api/a.ts'), signal))?.context).toContain(
      'The API never throws.',
    );
    expect(await hooks.postTool?.(call('/work/api/b.ts'), signal)).toEqual({});
    expect(await hooks.postTool?.(call('/work/b.ts'), signal)).toEqual({});
  });

  it('do not come with a failure', async () => {
    const failed = {
      ...call('/work/api/a.ts'),
      result: { ...result, isError: true, end: 'failed' as const },
    };
    expect(await instructionHooks(context()).postTool?.(failed, signal)).toEqual({});
  });
});
