/**
 * Edits that a person sees, changes, takes in part, goes on typing beside, and takes back: to exact bytes on disk, with the model told.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type { ScenarioContext, ScenarioOptions } from '../harness/scenario.mjs';
import type { RecordedRequest } from '../fakes/model-server/server';
import type { Reply } from '../fakes/model-server/scenario';
import { approvalCard } from './pages/approvals';
import { openChat } from './pages/chat';
import { newSession, setApiKey } from './pages/commands';
import { proposalOf } from './pages/proposal';
import { watchHealth } from './support/health';
import { KEY, modelOf, serveModel } from './support/model-server';
import { picture } from './support/pictures';

export const options: ScenarioOptions = {
  workspace: 'failing-test',
  before: () => serveModel({ responses: [] }, { apiKey: KEY }),
};

const BEFORE = 'one\r\ntwo\nthree\r\nfour\nfive\n';
const text = (said: string): Reply => ({ blocks: [{ type: 'text', text: said }] });
const call = (name: string, input: unknown): Reply => ({ blocks: [{ type: 'tool_use', name, input }] });
const edits = ['one', 'three', 'five'].map((word) => ({ old_string: word, new_string: word.toUpperCase() }));

export default async function review(t: ScenarioContext): Promise<void> {
  const health = watchHealth(t);
  const model = modelOf(t);
  const file = path.join(t.workspace, 'numbers.txt');
  const disk = (name = 'numbers.txt'): string => fs.readFileSync(path.join(t.workspace, name), 'utf8');
  fs.writeFileSync(file, BEFORE);
  const threeEdits = {
    responses: [
      call('Read', { file_path: file }),
      call('MultiEdit', { file_path: file, edits }),
      text('As you like.'),
    ],
  };
  const chat = await openChat(t);
  await setApiKey(t, KEY);

  await t.step(
    'accept change 1, reject change 3 with a comment: exact bytes, and the model hears the comment',
    async () => {
      model.play(threeEdits);
      await chat.send('Shout the odd numbers.');
      const proposal = await proposalOf(t, 'numbers.txt');
      const { card } = await approvalCard(chat, 'numbers.txt');
      await t.page.locator('.codelens-decoration', { hasText: 'Accept Change' }).first().waitFor();
      await picture(t, 'review-hunks');
      await card.getByRole('button', { name: 'Accept Change 1 of 3' }).click();
      await card.getByRole('group', { name: 'Change 1 of 3, Accepted' }).waitFor();
      await card.getByRole('button', { name: 'Reject Change 3 of 3 and say why' }).click();
      await card.getByLabel('Why not this change, or what to do instead').fill('Five is quiet.');
      await t.page.keyboard.press('Enter');
      await card.getByRole('group', { name: 'Change 3 of 3, Rejected' }).waitFor();
      await picture(t, 'review-partly');
      await proposal.accept();
      await proposal.gone();
      await chat.idle();
      assert.equal(disk(), 'ONE\r\ntwo\nTHREE\r\nfour\nfive\n');
      const told = lastResult(model.requests);
      assert.match(told, /took 2 of your 3 changes/);
      assert.match(told, /Five is quiet\./);
    },
  );

  await t.step(
    'the prompt has a rewind: files and conversation are as before, and the prompt is back',
    async () => {
      await chat.row(/^You: Shout/).hover();
      await chat
        .row(/^You: Shout/)
        .getByRole('button', { name: 'Rewind to before this prompt' })
        .click();
      await t.ui.quickRow(t.page, 'Files and conversation').waitFor();
      await picture(t, 'review-rewind');
      await t.ui.pick(t.page, 'Files and conversation');
      await t.page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
      await chat.frame.locator('.row.notice', { hasText: 'Rewind to before' }).waitFor();
      assert.equal(disk(), BEFORE);
      await t.ui.poll(async () => (await chat.box.inputValue()) === 'Shout the odd numbers.', {
        message: 'the prompt did not come back',
      });
      assert.equal((await chat.rows()).filter(({ label }) => label.startsWith('You: ')).length, 0);
    },
  );

  await t.step('and the rewind can be undone', async () => {
    await chat.frame.getByRole('button', { name: 'Undo', exact: true }).click();
    await chat.row(/^You: Shout/).waitFor();
    assert.equal(disk(), 'ONE\r\ntwo\nTHREE\r\nfour\nfive\n');
    fs.writeFileSync(file, BEFORE);
  });

  await t.step('what is typed on the right side is what is saved, and the model is told', async () => {
    await chat.type('');
    await newSession(t, chat);
    model.play(threeEdits);
    await chat.send('Again.');
    const proposal = await proposalOf(t, 'numbers.txt');
    await t.page.locator('.monaco-diff-editor .modified .view-line', { hasText: 'four' }).click();
    await t.page.keyboard.press('End');
    await t.page.keyboard.type(' and a half');
    await approvalCard(chat, 'numbers.txt');
    await proposal.accept();
    await proposal.gone();
    await chat.idle();
    assert.equal(disk(), 'ONE\r\ntwo\nTHREE\r\nfour and a half\nFIVE\n');
    assert.match(lastResult(model.requests), /user changed your proposal[\s\S]*four and a half/);
  });

  await t.step('closing the tab is a no', async () => {
    await newSession(t, chat);
    fs.writeFileSync(file, BEFORE);
    model.play(threeEdits);
    await chat.send('Once more.');
    const proposal = await proposalOf(t, 'numbers.txt');
    await proposal.close();
    await chat.idle();
    assert.equal(disk(), BEFORE);
    assert.match(lastResult(model.requests), /declined/);
  });

  await t.step(
    'ten files are edited while a person types in another: no key is lost, nothing comes in front',
    async () => {
      await newSession(t, chat);
      await t.ui.command(t.page, 'Sluice: Choose Mode…');
      await t.ui.pick(t.page, 'Accept edits');
      const names = Array.from({ length: 10 }, (_, i) => `made-${i}.txt`);
      model.play({
        responses: [
          ...names.map((name) =>
            call('Write', { file_path: path.join(t.workspace, name), content: `${name}\n` }),
          ),
          text('Ten files.'),
        ],
      });
      fs.writeFileSync(path.join(t.workspace, 'mine.txt'), '');
      await t.ui.openFile(t.page, 'mine.txt');
      await chat.send('Make ten files.');
      await t.page.locator('.editor-group-container.active .monaco-editor .view-lines').first().click();
      const words = 'The quick brown fox jumps over the lazy dog. '.repeat(6);
      await t.page.keyboard.type(words, { delay: 20 });
      await chat.idle();
      assert.equal(await t.page.locator('.tab.active').getAttribute('data-resource-name'), 'mine.txt');
      await t.ui.save(t.page);
      assert.equal(disk('mine.txt'), words);
      for (const name of names) assert.equal(disk(name), `${name}\n`);
    },
  );

  await t.step('what was changed is listed, and can be looked at in one editor', async () => {
    const list = t.page
      .locator('.pane', { hasText: 'Changes' })
      .locator('.monaco-list-row', { hasText: 'made-3.txt' });
    await list.first().waitFor();
    await t.ui.command(t.page, 'Sluice: Review Changes');
    await t.page.locator('.tab.active', { hasText: 'Changes by Sluice' }).waitFor();
    await picture(t, 'review-changes');
  });

  assert.deepEqual(
    model.requests.flatMap(({ refused }) => refused),
    [],
  );
  health.check();
}

function lastResult(requests: readonly RecordedRequest[]): string {
  return requests.at(-1)?.results.at(-1)?.text ?? '';
}
