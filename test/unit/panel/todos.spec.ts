import { describe, expect, it } from 'vitest';
import type { TurnEvent } from '../../../extension/agent/events';
import { createTranslator } from '../../../extension/panel/state/translate';
import type { Header } from '../../../extension/protocol/view-state';

const HEADER = { activity: 'tools', usage: {}, queued: [], suggestions: [] } as unknown as Header;
const step = (content: string, status: string) => ({ content, status, activeForm: `${content}, now` });

function after(end: 'ok' | 'failed', todos: readonly unknown[], kind: 'todo' | 'mcp' = 'todo') {
  const { translate } = createTranslator(() => 0);
  const call = { callId: 'c', messageId: 'm', name: 'TodoWrite', title: 'Update steps' };
  const events = [
    { type: 'call_received', ...call, kind },
    { type: 'call_ready', callId: 'c', target: { text: '' }, input: { todos } },
    { type: 'call_completed', callId: 'c', end, summary: { text: '' }, durationMs: 1 },
  ] as unknown as readonly TurnEvent[];
  return events
    .flatMap((event) => [...translate(event, HEADER)])
    .flatMap((delta) => (delta.type === 'header' && 'todos' in delta.patch ? [delta.patch.todos] : []));
}

describe('the list of things to do', () => {
  it('is shown as the agent keeps it', () => {
    expect(after('ok', [step('a', 'completed'), step('b', 'in_progress'), step('c', 'pending')])).toEqual([
      [
        { text: 'a', state: 'done' },
        { text: 'b, now', state: 'doing' },
        { text: 'c', state: 'todo' },
      ],
    ]);
  });

  it('is put away when all of it is done', () => {
    expect(after('ok', [step('a', 'completed')])).toEqual([[]]);
  });

  it('stays as it was when the call failed, or was of another tool', () => {
    expect(after('failed', [step('a', 'pending')])).toEqual([]);
    expect(after('ok', [step('a', 'pending')], 'mcp')).toEqual([]);
  });
});
