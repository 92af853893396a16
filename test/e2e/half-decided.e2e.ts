/** Reloading the window while a proposal is half decided: every decision, comment and text of the person is there again. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type { ScenarioContext, ScenarioOptions } from '../harness/scenario.mjs';
import type { Reply } from '../fakes/model-server/scenario';
import { approvalCard } from './pages/approvals';
import { openChat, shownChat } from './pages/chat';
import { setApiKey } from './pages/commands';
import { proposalOf } from './pages/proposal';
import { watchHealth } from './support/health';
import { KEY, modelOf, serveModel } from './support/model-server';
import { stored } from './support/stored';

export const options: ScenarioOptions = {
  workspace: 'failing-test',
  before: () => serveModel({ responses: [] }, { apiKey: KEY }),
};

const BEFORE = 'one\ntwo\nthree\nfour\nfive\n';
const AFTER = 'ONE\ntwo\nTHREE\nfour\nfive\n';
const PROMPT = 'Shout the odd numbers.';
const WHY = 'Five is quiet.';
const text = (said: string): Reply => ({ blocks: [{ type: 'text', text: said }] });
const call = (name: string, input: unknown): Reply => ({ blocks: [{ type: 'tool_use', name, input }] });

export default async function halfDecided(t: ScenarioContext): Promise<void> {
  const health = watchHealth(t);
  const model = modelOf(t);
  const file = path.join(t.workspace, 'numbers.txt');
  const disk = (): string => fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, BEFORE);
  let chat = await openChat(t);
  await setApiKey(t, KEY);
  const edits = ['one', 'three', 'five'].map((word) => ({
    old_string: word,
    new_string: word.toUpperCase(),
  }));

  await t.step('what was decided about single changes is there after a reload', async () => {
    model.play({
      responses: [
        call('Read', { file_path: file }),
        call('MultiEdit', { file_path: file, edits }),
        text('As you like.'),
      ],
    });
    await chat.send(PROMPT);
    await proposalOf(t, 'numbers.txt');
    const { card } = await approvalCard(chat, 'numbers.txt');
    await card.getByRole('button', { name: 'Accept Change 1 of 3' }).click();
    await card.getByRole('group', { name: 'Change 1 of 3, Accepted' }).waitFor();
    await card.getByRole('button', { name: 'Reject Change 3 of 3 and say why' }).click();
    await card.getByLabel('Why not this change, or what to do instead').fill(WHY);
    await t.page.keyboard.press('Enter');
    await card.getByRole('group', { name: 'Change 3 of 3, Rejected' }).waitFor();
    await stored(t, WHY);
    await t.ui.reload(t.page);
    chat = await shownChat(t, t.page);
    const proposal = await proposalOf(t, 'numbers.txt');
    const again = (await approvalCard(chat, 'numbers.txt')).card;
    await again.getByRole('group', { name: 'Change 1 of 3, Accepted' }).waitFor();
    await again.getByRole('group', { name: 'Change 2 of 3, not decided' }).waitFor();
    await again.getByRole('group', { name: 'Change 3 of 3, Rejected' }).waitFor();
    assert.equal((await proposal.sides()).modified.trimEnd(), AFTER.trimEnd());
    await again.getByRole('button', { name: 'Accept Change 2 of 3' }).click();
    await proposal.gone();
    await chat.idle();
    assert.equal(disk(), AFTER);
    assert.match(model.requests.at(-1)?.results.at(-1)?.text ?? '', new RegExp(WHY));
  });

  health.check();
}
