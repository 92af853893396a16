/**
 * The main job on the Practice route, from an empty chat to a green test: the approvals are answered where a person would, in the card
 * and in the diff editor's title. Also makes the pictures of the README.
 */
import assert from 'node:assert/strict';
import type { ScenarioContext, ScenarioOptions } from '../harness/scenario.mjs';
import { approvalCard } from './pages/approvals';
import { openChat } from './pages/chat';
import type { Chat } from './pages/chat';
import { proposalOf } from './pages/proposal';
import { watchHealth } from './support/health';
import { panelPicture, picture, setPanelWidth, useTheme, wantsPictures } from './support/pictures';
import type { Theme } from './support/pictures';
import { legalPairs, resultText, transcript } from './support/transcript';
import { AFTER, BEFORE, files, repaired, testsPass } from './support/workspace';

export const options: ScenarioOptions = {
  workspace: 'failing-test',
  // So that a picture shows the whole change and nothing of the machine.
  settings: {
    'workbench.colorTheme': 'Dark Modern',
    'diffEditor.wordWrap': 'on',
    'breadcrumbs.enabled': false,
  },
  window: { context: { viewport: { width: 1440, height: 900 } } },
};

const PROMPT = 'Find the failing test, make the smallest safe fix, and run the test again.';

export default async function mainJob(t: ScenarioContext): Promise<void> {
  const health = watchHealth(t);
  const original = files(t.workspace);
  assert.equal(testsPass(t.workspace), false, 'the fixture has a failing test');

  const chat = await t.step('the chat opens and says what it can do', async () => {
    const opened = await openChat(t);
    await t.ui.command(t.page, 'View: Toggle Primary Side Bar Visibility');
    await setPanelWidth(t, 420);
    await opened.frame.getByRole('button', { name: PROMPT }).waitFor();
    await opened.frame.getByText('Practice', { exact: true }).first().waitFor();
    await picture(t, 'empty');
    return opened;
  });

  await t.step('the prompt is answered, and the command waits for an approval', async () => {
    await chat.send(PROMPT);
    const ask = await approvalCard(chat);
    assert.equal((await ask.bytes()).trim(), 'npm test');
    await everyLook(t, chat, 'approval-command');
    await ask.allow();
    await ask.gone();
  });

  await t.step('the tests are seen to fail, and the edit is proposed in a diff editor', async () => {
    const proposal = await proposalOf(t, 'shipping.js');
    const sides = await proposal.sides();
    const [left, right] = [sides.original, sides.modified].map((side) => side.replace(/\s+/g, ' ')) as [
      string,
      string,
    ];
    assert.ok(left.includes(BEFORE) && !left.includes(AFTER), `left side: ${left}`);
    assert.ok(right.includes(AFTER) && !right.includes(BEFORE), `right side: ${right}`);
    assert.deepEqual(files(t.workspace), original, 'nothing is written before it is accepted');
    await everyLook(t, chat, 'approval-edit');
    await proposal.accept();
    await proposal.gone();
  });

  await t.step('the second run is allowed, and the turn ends with what was done', async () => {
    const ask = await approvalCard(chat);
    assert.equal((await ask.bytes()).trim(), 'npm test');
    await ask.allow();
    await chat.idle();
    assert.match(await chat.outcome().innerText(), /Done[\s\S]*steps[\s\S]*s[\s\S]*tokens/);
    await chat.said('The tests pass now').waitFor();
    await everyLook(t, chat, 'done');
  });

  await t.step('the cards tell the story: red, two reads at once, one line changed, green', async () => {
    const rows = await chat.rows();
    const labels = rows.map(({ label }) => label);
    const at = (pattern: RegExp, from = 0): number => {
      const found = labels.findIndex((label, i) => i >= from && pattern.test(label));
      assert.notEqual(found, -1, `a row like ${String(pattern)} in\n${labels.join('\n')}`);
      return found;
    };
    const red = at(/^Command npm test.*exit 1/);
    const reads = at(/^Read .*shipping\.test\.js.*; Read .*shipping\.js/, red);
    assert.match(rows[reads]?.text ?? '', /2 at once/);
    const edit = at(/^Edited .*shipping\.js.*\+1.*−1/, reads);
    const green = at(/^Command npm test.*exit 0/, edit);
    assert.ok(green > edit);
  });

  await t.step('the file on disk has exactly the accepted change, and the tests pass', () => {
    assert.deepEqual(files(t.workspace), repaired(original));
    assert.equal(testsPass(t.workspace), true);
  });

  await t.step('the transcript has one legal pair per call, and both runs as they were', () => {
    const pairs = legalPairs(transcript(t.home));
    const runs = pairs.filter(({ call }) => call.name === 'Bash');
    assert.equal(runs.length, 2);
    const [red, green] = runs.map(({ result }) => resultText(result));
    assert.match(red ?? '', /not ok|✖|fail 1/);
    assert.match(green ?? '', /fail 0/);
    assert.equal(pairs.filter(({ call }) => call.name === 'Edit').length, 1);
    assert.ok(pairs.filter(({ call }) => call.name === 'Read').length >= 2);
  });
  health.check();
}

/** The same moment in each theme, narrow and wide. It takes a while, so that only a run for pictures looks at all of them. */
async function everyLook(t: ScenarioContext, chat: Chat, name: string): Promise<void> {
  if (!wantsPictures) return picture(t, name);
  for (const theme of ['light', 'contrast', 'dark'] satisfies Theme[]) {
    await useTheme(t, theme);
    for (const width of [300, 600]) {
      await setPanelWidth(t, width);
      await chat.toEnd();
      await panelPicture(t, `${name}-${theme}-${String(width)}`);
    }
    await setPanelWidth(t, 420);
    await chat.toEnd();
    await picture(t, `${name}-${theme}`);
  }
}
