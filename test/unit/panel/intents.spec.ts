import { expect, it } from 'vitest';
import type { Chat } from '../../../extension/panel/chat/chat';
import { intentsOf } from '../../../extension/panel/intents';
import type { IntentDeps } from '../../../extension/panel/intents';
import { actionTitle } from '../../../extension/protocol/action-title';
import { editor } from '../../fakes/vscode';

it('offers a new session for a conversation that is too long, and starts one', () => {
  expect(actionTitle({ type: 'compact' })).toBe('New session');
  editor.commands.length = 0;
  const deps = { log: { write: () => undefined } } as unknown as IntentDeps;
  intentsOf({} as Chat, deps).act({ type: 'compact' });
  expect(editor.commands).toEqual([['sluice.newSession']]);
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
