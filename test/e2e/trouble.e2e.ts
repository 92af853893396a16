/**
 * What can go wrong on the way to a model and on the disk: each gives a card that says what failed and offers the next step as a button
 * that works, and nothing is lost.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type { ScenarioContext, ScenarioOptions } from '../harness/scenario.mjs';
import { startModelServer } from '../fakes/model-server/server';
import type { Reply } from '../fakes/model-server/scenario';
import { approvalCard } from './pages/approvals';
import { openChat } from './pages/chat';
import type { Chat } from './pages/chat';
import { chooseRoute, newSession, setApiKey, setBaseUrl, typeKey } from './pages/commands';
import { watchHealth } from './support/health';
import { KEY, modelOf, serveModel } from './support/model-server';
import { panelPicture } from './support/pictures';
import { legalPairs, resultText, transcript } from './support/transcript';
import { files } from './support/workspace';

const SILENCE_S = 2;

export const options: ScenarioOptions = {
  workspace: 'failing-test',
  settings: { 'sluice.silenceLimit': SILENCE_S },
  before: () => serveModel({ responses: [] }, { apiKey: KEY }),
  timeout: 600_000,
};

const say = (said: string): Reply => ({ blocks: [{ type: 'text', text: said }] });
/** Longer than all waits between the tries of one request. */
const GIVES_UP_MS = 60_000;

export default async function trouble(t: ScenarioContext): Promise<void> {
  const health = watchHealth(t);
  const model = modelOf(t);
  const original = files(t.workspace);
  const chat = await openChat(t);

  await t.step('a wrong key: the card asks for another, and the prompt is answered with it', async () => {
    model.play({ responses: [say('Pleased to meet you.')] });
    await setApiKey(t, 'sk-ant-wrong-0000');
    await chat.send('Hello?');
    const card = chat.errorCard('The key was not accepted');
    await card.waitFor();
    await chat.idle();
    assert.match(await chat.outcome().innerText(), /Route failed/);
    assert.ok(!(await card.innerText()).includes('sk-ant-wrong'), 'the card does not show the key');
    await card.getByRole('button', { name: 'Set API key' }).click();
    await typeKey(t, KEY, t.page);
    await chat.said('Pleased to meet you.').waitFor();
    await chat.idle();
  });

  await t.step(
    'a server that is down: tries again by itself, then says so; the button asks once more',
    async () => {
      const down = await startModelServer({ responses: [] });
      const port = Number(new URL(down.url).port);
      await down.close();
      await setBaseUrl(t, down.url);
      await typeKey(t, KEY, t.page);
      await chat.send('Anybody home?');
      const countdown = chat.frame.locator('.sticky', { hasText: /again in|trying again/ });
      await countdown.waitFor();
      await countdown.getByRole('button', { name: 'Cancel' }).waitFor();
      const card = chat.errorCard('The server cannot be reached');
      await card.waitFor({ timeout: GIVES_UP_MS });
      assert.match(await card.innerText(), new RegExp(`127\\.0\\.0\\.1:${String(port)}`));
      const up = await startModelServer({ responses: [say('Back again.')] }, { port });
      await card.getByRole('button', { name: 'Try again' }).click();
      await chat.said('Back again.').waitFor();
      await chat.idle();
      await up.close();
      await setBaseUrl(t, model.url);
      await typeKey(t, KEY, t.page);
    },
  );

  await t.step(
    'a server that falls silent in the middle: said after the limit, nothing of the half answer runs',
    async () => {
      model.play({ responses: [halfAnswer({ type: 'hang', afterEvents: 12 })], afterLast: 'repeat' });
      await failsAndRecovers(t, chat, 'The answer stopped half-way');
      assert.deepEqual(files(t.workspace), original, 'the half command has not run');
    },
  );

  await t.step('rubbish in the stream: said as that, and the next try is answered', async () => {
    const broken: Reply = {
      blocks: [{ type: 'text', text: 'one two three four' }],
      fault: {
        type: 'malformed',
        afterEvents: 4,
        bytes: 'event: content_block_delta\ndata: {"type": oops\n\n',
      },
    };
    model.play({ responses: [broken], afterLast: 'repeat' });
    await failsAndRecovers(t, chat, 'The server sent something unreadable');
  });

  await t.step('a model that does not exist: another route can be chosen', async () => {
    const body = { type: 'error', error: { type: 'not_found_error', message: 'model: claude-sonnet-4-6' } };
    model.play({ responses: [{ error: { status: 404, body } }], afterLast: 'repeat' });
    await chat.send('Which model are you?');
    const card = chat.errorCard('The model or the address does not exist');
    await card.waitFor({ timeout: GIVES_UP_MS });
    await card.getByRole('button').first().click();
    await t.ui.quickInput(t.page).waitFor();
    await t.page.keyboard.press('Escape');
    await chat.idle();
  });

  await t.step(
    'a model that takes no tools: said plainly, and another route answers the prompt',
    async () => {
      await newSession(t, chat);
      const message = 'claude-sonnet-4-6 does not support tools';
      const body = { type: 'error', error: { type: 'invalid_request_error', message } };
      model.play({ responses: [{ error: { status: 400, body } }], afterLast: 'repeat' });
      const sent = model.requests.length;
      await chat.send('Find the failing test.');
      const card = chat.errorCard('This model does not take tools');
      await card.waitFor();
      await chat.idle();
      assert.equal(model.requests.length, sent + 1, 'it was not tried again without tools');
      await panelPicture(t, 'no-tools');
      await card.getByRole('button', { name: 'Choose another route' }).click();
      await t.ui.pick(t.page, 'Practice');
      await chat.frame.getByRole('button', { name: /^Route: Practice/ }).waitFor();
      await approvalCard(chat).then((approval) => approval.deny());
      await chat.idle();
      assert.equal(model.requests.length, sent + 1);
      await chooseRoute(t, t.page, 'Anthropic');
    },
  );

  await t.step(
    'a file that cannot be read, and one that cannot be written: the rows say why, the model too',
    async () => {
      await newSession(t, chat);
      fs.symlinkSync('loop.txt', path.join(t.workspace, 'loop.txt'));
      const read = { type: 'tool_use', name: 'Read', input: { file_path: 'loop.txt' } } as const;
      const write = {
        type: 'tool_use',
        name: 'Write',
        input: { file_path: 'README.md/notes.md', content: 'x\n' },
      } as const;
      model.play({ responses: [{ blocks: [read] }, { blocks: [write] }, say('Both failed, I see.')] });
      await chat.send('Read the loop and write below a file.');
      await chat.said('Both failed, I see.').or(chat.frame.locator('.ask[data-approval]')).first().waitFor();
      if (await chat.frame.locator('.ask[data-approval]').isVisible())
        await (await approvalCard(chat)).allow();
      await chat.said('Both failed, I see.').waitFor();
      await chat.idle();
      await chat
        .row(/^Read loop\.txt.*failed/)
        .getByText(/link/i)
        .last()
        .waitFor();
      await chat
        .row(/^Write .*notes\.md.*failed/)
        .getByText(/not a folder/)
        .last()
        .waitFor();
      await panelPicture(t, 'failed-calls');
      const results = legalPairs(transcript(t.home)).map(({ result }) => result);
      assert.deepEqual(
        results.map(({ is_error }) => is_error),
        [true, true],
      );
      for (const result of results) assert.ok(resultText(result).length > 20, resultText(result));
      fs.unlinkSync(path.join(t.workspace, 'loop.txt'));
      assert.deepEqual(files(t.workspace), original);
    },
  );

  await t.step('a home that takes no session: said at once, and works again when it does', async () => {
    const kept = path.join(t.home, '.sluice');
    fs.renameSync(kept, `${kept}.away`);
    fs.writeFileSync(kept, 'a file in the way');
    await t.ui.command(t.page, 'Sluice: New Session');
    model.play({ responses: [say('Here.')], afterLast: 'repeat' });
    const card = chat.errorCard('A session could not be made');
    await card.first().waitFor();
    await chat.send('Can you hear me?');
    await card.nth(1).waitFor();
    await t.ui.poll(async () => (await chat.box.inputValue()) === 'Can you hear me?', {
      message: 'the prompt is back in the box',
    });
    await card.first().getByRole('button', { name: 'Show log' }).click();
    await t.page.locator('.part.panel .view-line', { hasText: 'engine.js' }).first().waitFor();
    fs.unlinkSync(kept);
    fs.renameSync(`${kept}.away`, kept);
    assert.equal(await chat.box.inputValue(), 'Can you hear me?');
    await chat.box.press('Enter');
    await chat.said('Here.').waitFor();
    await chat.idle();
  });

  await t.step('no folder: Practice says what it needs, keeps the prompt, and opens one', async () => {
    const page = await t.open({ workspace: '' });
    health.watch(page);
    const empty = await openChat(t, page);
    await empty.frame.getByText('No folder open').waitFor();
    await chooseRoute(t, page, 'Practice');
    await empty.frame.getByRole('button', { name: /^Route: Practice/ }).waitFor();
    await panelPicture(t, 'no-folder', page);
    await empty.send('Find the failing test.');
    const card = empty.errorCard('No folder is open');
    await card.waitFor();
    assert.equal(await empty.box.inputValue(), 'Find the failing test.');
    await card.getByRole('button', { name: 'Open folder' }).click();
    await t.ui.quickInput(page).waitFor();
    await page.close();
  });
  assert.ok(!t.hostLog().includes(KEY), 'the key is in no log');
  health.check();
}

/** An answer with a command in it whose stream breaks before it is whole. */
function halfAnswer(fault: NonNullable<Reply['fault']>): Reply {
  const input = { command: 'touch half-an-answer', description: 'Must not run' };
  return {
    blocks: [
      { type: 'text', text: 'I begin' },
      { type: 'tool_use', name: 'Bash', input, deltas: 20 },
    ],
    fault,
  };
}

/** Sends a prompt that fails in this way however often it is tried, then lets the button try against a server that is well again. */
async function failsAndRecovers(t: ScenarioContext, chat: Chat, title: string): Promise<void> {
  const model = modelOf(t);
  await newSession(t, chat);
  await chat.send('Say it.');
  const card = chat.errorCard(title);
  await card.waitFor({ timeout: GIVES_UP_MS });
  await chat.idle();
  assert.match(await chat.outcome().innerText(), /Route failed/);
  model.play({ responses: [say('Well again.')] });
  await card.getByRole('button', { name: 'Try again' }).click();
  await chat.said('Well again.').waitFor();
  await chat.idle();
  legalPairs(transcript(t.home));
}
