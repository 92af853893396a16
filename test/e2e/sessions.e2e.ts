/** Several sessions: one works out of sight while another is shown, both come to their own ends, and the list leads from one to the other. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type { ScenarioContext, ScenarioOptions } from '../harness/scenario.mjs';
import { openChat } from './pages/chat';
import { newSession, setApiKey } from './pages/commands';
import { watchHealth } from './support/health';
import { KEY, modelOf, serveModel } from './support/model-server';
import { sessionFiles } from './support/transcript';

export const options: ScenarioOptions = {
  workspace: 'failing-test',
  before: () => serveModel({ responses: [] }, { apiKey: KEY }),
};

export default async function sessions(t: ScenarioContext): Promise<void> {
  const health = watchHealth(t);
  const model = modelOf(t);
  const chat = await openChat(t);
  await setApiKey(t, KEY);
  const list = t.page.locator('.quick-input-widget');

  await t.step('a session goes on while another one is shown', async () => {
    const held = [
      {
        type: 'text',
        text: 'The first answer, to its end.',
        deltas: 5,
        hold: { beforeDelta: 3, gate: 'go' },
      },
    ] as const;
    model.play({ responses: [{ blocks: held }, { blocks: [{ type: 'text', text: 'The second answer.' }] }] });
    await chat.send('First question');
    await model.waitedFor('go');
    await newSession(t, chat);
    await chat.send('Second question');
    await chat.said('The second answer.').waitFor();
    await chat.idle();
    assert.equal(await chat.row(/^You: First question/).count(), 0);
  });

  await t.step('the list shows both with what they do, and leads back', async () => {
    await t.ui.command(t.page, 'Sluice: Sessions…');
    await list.getByText('First question').waitFor();
    const row = list.getByRole('option', { name: /First question/ });
    assert.match((await row.getAttribute('aria-label')) ?? '', /working/);
    await row.click();
    await chat.row(/^You: First question/).waitFor();
    model.open('go');
    await chat.said('The first answer, to its end.').waitFor();
    await chat.idle();
    assert.equal(await chat.row(/^You: Second question/).count(), 0);
  });

  await t.step('a session gets a name of its own', async () => {
    await t.ui.command(t.page, 'Sluice: Rename Session…');
    await t.ui.answer(t.page, 'About the first');
    await t.ui.command(t.page, 'Sluice: Sessions…');
    await list.getByText('About the first').waitFor();
    await list.getByRole('option', { name: /Second question/ }).click();
    await chat.row(/^You: Second question/).waitFor();
    assert.equal(sessionFiles(t.home).length, 2);
  });
  await t.step(
    'a question of a session out of sight is asked in a notification, and Allow Once runs it',
    async () => {
      const call = { type: 'tool_use', name: 'Bash', input: { command: 'touch unseen.txt' } } as const;
      const held = {
        type: 'text',
        text: 'I make a file.',
        deltas: 4,
        hold: { beforeDelta: 2, gate: 'ask' },
      } as const;
      const more = [{ type: 'text', text: 'It is there.' }] as const;
      model.play({ responses: [{ blocks: [held, call] }, { blocks: more }] });
      await newSession(t, chat);
      await chat.send('Make a file');
      await model.waitedFor('ask');
      await newSession(t, chat);
      model.open('ask');
      const toast = t.ui.toast(t.page, 'touch unseen.txt');
      await toast.getByRole('button', { name: 'Allow Once' }).click();
      await t.ui.poll(() => fs.existsSync(path.join(t.workspace, 'unseen.txt')), { message: 'nothing ran' });
      assert.equal(await chat.row(/^You: Make a file/).count(), 0);
    },
  );
  health.check();
}
