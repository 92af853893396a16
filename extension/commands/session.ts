/** Palette tasks about the open session. */
import * as vscode from 'vscode';
import { FIX_FAILING_TEST } from '../panel/chat/suggestions';
import type { CommandDeps } from './register';

export async function focusChat({ open, view }: CommandDeps): Promise<void> {
  await view.show();
  (await open()).chat.focusBox();
}

export async function newSession({ open, view }: CommandDeps): Promise<void> {
  const { chat } = await open();
  await chat.newSession();
  await view.show();
  chat.focusBox();
}

/** The main job in one command: shows the chat and sends the prompt there, for the person to watch. */
export async function fixFailingTest({ open, view }: CommandDeps): Promise<void> {
  await view.show();
  const { chat } = await open();
  await chat.submit({ text: FIX_FAILING_TEST, source: 'task' });
}

/** Asks what to look after; nothing is an answer too, closing the box is not. */
export async function compactConversation({ open, view }: CommandDeps, focus?: unknown): Promise<void> {
  const said =
    typeof focus === 'string'
      ? focus
      : await vscode.window.showInputBox({
          title: vscode.l10n.t('Compact Conversation'),
          prompt: vscode.l10n.t(
            'What should the summary look after? Leave it empty if nothing in particular.',
          ),
        });
  if (said === undefined) return;
  const { chat } = await open();
  await view.show();
  await chat.compact(said);
}
