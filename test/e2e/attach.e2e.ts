/**
 * What a person puts beside a message: a file by its name, a picture and a long text from the clipboard. What reaches the model and the session's
 * file, what a rule keeps from it, the queue put into another order, and an earlier message that is sent again with its files put back.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type { ScenarioContext, ScenarioOptions } from '../harness/scenario.mjs';
import { openChat, shownChat } from './pages/chat';
import type { Chat } from './pages/chat';
import { setApiKey } from './pages/commands';
import { watchHealth } from './support/health';
import { KEY, modelOf, serveModel } from './support/model-server';
import { panelPicture, setPanelWidth, useTheme } from './support/pictures';
import { transcript } from './support/transcript';

export const options: ScenarioOptions = {
  workspace: 'failing-test',
  before: () => serveModel({ responses: [] }, { apiKey: KEY }),
};

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const said = (text: string) => ({ responses: [{ blocks: [{ type: 'text', text }] as const }] });

export default async function attach(t: ScenarioContext): Promise<void> {
  const health = watchHealth(t);
  const model = modelOf(t);
  fs.writeFileSync(path.join(t.workspace, '.env'), 'TOKEN=do-not-tell\n');
  const chat = await openChat(t);
  await setApiKey(t, KEY);
  const options = chat.frame.getByRole('option');

  await t.step('a file is found by a few letters of its name, and goes with the message', async () => {
    model.play(said('It adds what an order costs to send.'));
    await chat.box.click();
    await t.page.keyboard.type('Explain @shipp');
    await options.filter({ hasText: 'shipping.js' }).first().waitFor();
    await looks(t, chat, 'attach-list');
    await t.page.keyboard.press('Enter');
    assert.match(await chat.box.inputValue(), /^Explain @src\/shipping\.js $/);
    await t.page.keyboard.press('Enter');
    await chat.said('It adds what an order costs to send.').waitFor();
    await chat.idle();
    await chat.row(/^Attached: shipping\.js/).waitFor();
    assert.match(lastRequest(t), /The user attached the file src\/shipping\.js.*FREE_SHIPPING_FROM/s);
  });

  await t.step('a file with secrets is not offered', async () => {
    await chat.type('@e');
    await options.filter({ hasText: 'README.md' }).first().waitFor();
    assert.equal(await options.filter({ hasText: '.env' }).count(), 0);
    await t.page.keyboard.press('Escape');
    await chat.type('');
  });

  await t.step('a picture and a long text from the clipboard go as they are', async () => {
    model.play(said('A dot, and a long list.'));
    await paste(chat, { image: PNG });
    await paste(chat, { text: Array.from({ length: 90 }, (_, n) => `entry ${n}`).join('\n') });
    await chat.frame.locator('.chip').nth(1).waitFor();
    await looks(t, chat, 'attach-chips');
    await chat.send('What is this?');
    await chat.said('A dot, and a long list.').waitFor();
    await chat.idle();
    const request = lastRequest(t);
    assert.ok(request.includes(PNG), 'the picture is in the request');
    assert.match(request, /"type":"image"/);
    assert.match(request, /entry 0\\nentry 1.*entry 89/s);
    const attached = transcript(t.home).filter((line) => JSON.stringify(line).includes('sluice_attached'));
    assert.equal(attached.length, 3);
  });

  await t.step('it is all there after a reload', async () => {
    await t.ui.reload(t.page);
    const again = await shownChat(t, t.page);
    await again.row(/^Attached: Pasted image; Pasted text, 90 lines/).waitFor();
    await again.row(/^Attached: shipping\.js/).waitFor();
  });

  await t.step('what waits is put into another order, and edited', async () => {
    const again = await shownChat(t, t.page);
    const held = {
      type: 'text',
      text: 'One moment, please.',
      deltas: 4,
      hold: { beforeDelta: 2, gate: 'go' },
    } as const;
    const answers = ['To the second.', 'To the first.'].map((text) => ({
      blocks: [{ type: 'text', text }] as const,
    }));
    model.play({ responses: [{ blocks: [held] }, ...answers] });
    await again.send('Begin');
    await model.waitedFor('go');
    await again.send('first');
    await again.send('second');
    await again.frame.getByRole('button', { name: 'Edit queued message: second' }).focus();
    await t.page.keyboard.press('Alt+ArrowUp');
    await t.ui.poll(
      async () => (await again.frame.locator('.queue-text').first().textContent()) === 'second',
      {
        message: 'it has not moved',
      },
    );
    await looks(t, again, 'attach-queue');
    await again.frame.getByRole('button', { name: 'Edit queued message: first' }).click();
    await t.ui.poll(async () => (await again.box.inputValue()) === 'first', { message: 'not in the box' });
    await again.type('');
    model.open('go');
    await again.said('To the second.').waitFor();
    await again.idle();
  });

  await t.step('an earlier message is sent again in its own place', async () => {
    const again = await shownChat(t, t.page);
    model.play(said('Once more.'));
    await again.toEnd();
    const prompt = again.row(/^You: second/);
    await prompt.hover();
    await prompt.getByRole('button', { name: 'Edit and send again' }).click();
    await again.frame.getByRole('group', { name: 'An earlier message is edited' }).waitFor();
    await again.send('second, in other words');
    await again.said('Once more.').waitFor();
    await again.idle();
    assert.equal(await again.row(/^You: second$/).count(), 0);
    assert.ok(!lastRequest(t).includes('To the second.'), 'what came after it is not sent');
  });
  health.check();
}

function lastRequest(t: ScenarioContext): string {
  return modelOf(t).requests.at(-1)?.raw ?? '';
}

/** What the clipboard would give; the harness has none. */
async function paste(chat: Chat, data: { readonly text?: string; readonly image?: string }): Promise<void> {
  await chat.box.evaluate((box, { text, image }) => {
    const transfer = new DataTransfer();
    if (text !== undefined) transfer.setData('text/plain', text);
    if (image !== undefined) {
      const bytes = Uint8Array.from(atob(image), (char) => char.charCodeAt(0));
      transfer.items.add(new File([bytes], 'image.png', { type: 'image/png' }));
    }
    box.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true }),
    );
  }, data);
}

/** Pictures for whoever looks at them: both widths in the theme that is set, and the other themes narrow. */
async function looks(t: ScenarioContext, chat: Chat, name: string): Promise<void> {
  if (process.env['SLUICE_LOOKS'] === undefined) return;
  for (const theme of ['light', 'contrast', 'dark'] as const) {
    await useTheme(t, theme);
    for (const width of [260, 600]) {
      await setPanelWidth(t, width);
      await chat.box.focus();
      await panelPicture(t, `${name}-${theme}-${width}`);
    }
  }
}
