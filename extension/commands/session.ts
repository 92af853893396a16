/** Palette tasks about the open session. */
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
