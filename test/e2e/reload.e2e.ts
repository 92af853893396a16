/**
 * Reloading the window while a question waits: it is shown again, still works, and nothing that was done is done twice. What was typed
 * and not sent is still there.
 */
import assert from 'node:assert/strict';
import type { ScenarioContext, ScenarioOptions } from '../harness/scenario.mjs';
import { approvalCard } from './pages/approvals';
import { openChat, shownChat } from './pages/chat';
import type { Chat } from './pages/chat';
import { setApiKey } from './pages/commands';
import { proposalOf } from './pages/proposal';
import { watchHealth } from './support/health';
import { KEY, modelOf, serveModel } from './support/model-server';
import { legalPairs, sessionFiles, transcript } from './support/transcript';
import { stored } from './support/stored';
import { files, repaired, testsPass } from './support/workspace';

export const options: ScenarioOptions = {
  workspace: 'failing-test',
  before: () => serveModel({ responses: [] }, { apiKey: KEY }),
};

const PROMPT = 'Find the failing test, make the smallest safe fix, and run the test again.';
const EARLY = 'Before anything was said';
const DRAFT = 'And then explain';

export default async function reload(t: ScenarioContext): Promise<void> {
  const health = watchHealth(t);
  const model = modelOf(t);
  const original = files(t.workspace);

  await t.step('what was typed into a new session is there after a reload', async () => {
    const chat = await openChat(t);
    await chat.type(EARLY);
    await stored(t, EARLY);
    const again = await reloadWindow(t);
    await t.ui.poll(async () => (await again.box.inputValue()) === EARLY, { message: 'the box is empty' });
    await again.type('');
  });

  const reloaded = await t.step(
    'a command waits; after a reload the question is there again, and the draft',
    async () => {
      const chat = await openChat(t);
      await chat.send(PROMPT);
      const before = await approvalCard(chat, 'npm test');
      assert.equal((await before.bytes()).trim(), 'npm test');
      await chat.type(DRAFT);
      await stored(t, DRAFT);
      const again = await reloadWindow(t);
      const card = await approvalCard(again, 'npm test');
      assert.equal((await card.bytes()).trim(), 'npm test');
      assert.equal(await again.box.inputValue(), DRAFT);
      assert.equal((await again.rows()).filter(({ label }) => label.startsWith('You: ')).length, 1);
      await card.allow();
      await card.gone();
      return again;
    },
  );

  const last = await t.step(
    'an edit waits; after a reload its diff and its card are there again, once',
    async () => {
      await proposalOf(t, 'shipping.js');
      const asked = await (await approvalCard(reloaded, 'shipping.js')).bytes();
      const chat = await reloadWindow(t);
      assert.equal(await (await approvalCard(chat, 'shipping.js')).bytes(), asked, 'it is the same edit');
      const proposal = await proposalOf(t, 'shipping.js');
      assert.equal(
        await t.ui.tab(t.page, 'Sluice proposal').count(),
        1,
        'the diff of before the reload is gone',
      );
      assert.deepEqual(files(t.workspace), original, 'nothing is written before it is accepted');
      await proposal.accept();
      await proposal.gone();
      return chat;
    },
  );

  await t.step('the turn goes on to its end, with every call made once', async () => {
    const card = await approvalCard(last, 'npm test');
    await card.allow();
    await last.idle();
    await last.said('The tests pass now').waitFor();
    assert.deepEqual(files(t.workspace), repaired(original));
    assert.equal(testsPass(t.workspace), true);
    const names = legalPairs(transcript(t.home)).map(({ call }) => call.name);
    assert.equal(names.filter((name) => name === 'Bash').length, 2, names.join(', '));
    assert.equal(names.filter((name) => name === 'Edit').length, 1, names.join(', '));
    assert.equal(sessionFiles(t.home).length, 1, 'it is one session');
  });

  await t.step('a finished session is still there after a reload, and goes on', async () => {
    const shown = (await last.rows()).map(({ label }) => label);
    const chat = await reloadWindow(t);
    await chat.said('The tests pass now').waitFor();
    const again = (await chat.rows()).map(({ label }) => label);
    assert.deepEqual(again.map(lasting), shown.map(lasting));
    assert.ok(await chat.isIdle());
  });

  await t.step('an answer cut off by a reload says so, and Continue goes on', async () => {
    await setApiKey(t, KEY);
    const blocks = [
      { type: 'text', text: 'First of all, and slowly', deltas: 5, hold: { beforeDelta: 4, gate: 'never' } },
    ] as const;
    const more = [{ type: 'text', text: 'Now I am done.' }] as const;
    model.play({ responses: [{ blocks }, { blocks: more }] });
    const chat = await shownChat(t, t.page);
    await chat.send('Tell me something.');
    await model.waitedFor('never');
    await chat.said('First of all').waitFor();
    const again = await reloadWindow(t);
    await again.row(/^You: Tell me something/).waitFor();
    await again
      .row(/cut off/)
      .getByRole('button', { name: 'Continue' })
      .click();
    await again.said('Now I am done.').waitFor();
    await again.idle();
    assert.deepEqual(
      model.requests.flatMap(({ refused }) => refused),
      [],
    );
    legalPairs(transcript(t.home));
  });
  health.check();
}

async function reloadWindow(t: ScenarioContext): Promise<Chat> {
  await t.ui.reload(t.page);
  return shownChat(t, t.page);
}

/** Times differ by how they are rounded. */
const lasting = (label: string): string => label.replace(/\b[\d.]+ (ms|s|min)\b/g, '_');
