import { expect, it } from 'vitest';
import type { Chat } from '../../../extension/panel/chat/chat';
import { intentsOf } from '../../../extension/panel/intents';
import type { IntentDeps } from '../../../extension/panel/intents';
import { actionTitle } from '../../../extension/protocol/action-title';

it('compacts a conversation that is too long, and takes that back', () => {
  expect(actionTitle({ type: 'compact' })).toBe('Compact conversation');
  const asked: string[] = [];
  const chat = {
    compact: async () => void asked.push('compact'),
    undoCompaction: async () => void asked.push('undo'),
  } as unknown as Chat;
  const deps = { log: { write: () => undefined } } as unknown as IntentDeps;
  intentsOf(chat, deps).act({ type: 'compact' });
  intentsOf(chat, deps).act({ type: 'undo_compaction' });
  expect(asked).toEqual(['compact', 'undo']);
});

it('answers the ticked questions, and none that must be asked on its own', () => {
  const answered: unknown[] = [];
  const approvals = {
    waiting: [{ id: 'a' }, { id: 'b' }, { id: 'floor', everyTime: true }],
    answer: (id: string, given: unknown) => answered.push([id, given]),
  };
  const deps = { log: { write: () => undefined }, approvals } as unknown as IntentDeps;
  intentsOf({} as Chat, deps).approveMany(['a', 'floor', 'unknown'], 'allow_once');
  expect(answered).toEqual([['a', { type: 'allow', by: 'in the chat' }]]);
});
