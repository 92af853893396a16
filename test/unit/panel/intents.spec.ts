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
