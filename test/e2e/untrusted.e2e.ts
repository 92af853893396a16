/** Restricted Mode: reading works, nothing is run or written, the panel says so and leads to the place where the person can change it. */
import assert from 'node:assert/strict';
import type { ScenarioContext, ScenarioOptions } from '../harness/scenario.mjs';
import { approvalCard } from './pages/approvals';
import { openChat, shownChat } from './pages/chat';
import { newSession } from './pages/commands';
import { proposalOf } from './pages/proposal';
import { watchHealth } from './support/health';
import { panelPicture } from './support/pictures';
import { legalPairs, resultText, transcript } from './support/transcript';
import { files, repaired } from './support/workspace';

export const options: ScenarioOptions = { workspace: 'failing-test', untrusted: true };

const PROMPT = 'Find the failing test, make the smallest safe fix, and run the test again.';

export default async function untrusted(t: ScenarioContext): Promise<void> {
  const health = watchHealth(t);
  const original = files(t.workspace);
  const chat = await openChat(t);

  await t.step('the panel says that it only reads', async () => {
    await chat.frame.getByText('Restricted Mode: reading only').waitFor();
    assert.equal(await t.ui.offersCommand(t.page, 'Sluice: Fix Failing Test'), false);
  });

  await t.step('a read is done, a command is refused with its reason, and nobody is asked', async () => {
    await chat.send(PROMPT);
    await chat.idle();
    await chat.row(/^Read package\.json.*done/).waitFor();
    await chat
      .row(/^Command npm test.*denied/)
      .getByText(/trust/i)
      .last()
      .waitFor();
    assert.equal(await chat.frame.locator('.ask').count(), 0);
    assert.deepEqual(files(t.workspace), original);
    const run = legalPairs(transcript(t.home)).find(({ call }) => call.name === 'Bash');
    assert.match(resultText(run?.result ?? { type: 'none' }), /denied[\s\S]*trust/i);
    await panelPicture(t, 'untrusted');
  });

  await t.step('Manage opens the place to trust the folder; trusted, the job is done', async () => {
    await chat.frame.getByRole('button', { name: 'Manage' }).click();
    await t.page
      .locator('.workspace-trust-editor')
      .getByRole('button', { name: 'Trust', exact: true })
      .click();
    const trusted = await shownChat(t, t.page);
    await trusted.frame.getByText('Restricted Mode: reading only').waitFor({ state: 'detached' });
    // The place to trust a folder lies over the window.
    await t.page.locator('.monaco-modal-editor-block [aria-label^="Close"]').first().click();
    await t.page.locator('.workspace-trust-editor').waitFor({ state: 'hidden' });
    await newSession(t, trusted);
    await trusted.send(PROMPT);
    await (await approvalCard(trusted, 'npm test')).allow();
    const proposal = await proposalOf(t, 'shipping.js');
    await proposal.accept();
    await (await approvalCard(trusted, 'npm test')).allow();
    await trusted.said('The tests pass now').waitFor({ timeout: 60_000 });
    assert.deepEqual(files(t.workspace), repaired(original));
  });
  health.check();
}
