/** The whole main job without a mouse: from the shortcut that opens the chat to reading what was done, with a visible focus all the way. */
import assert from 'node:assert/strict';
import type { ScenarioContext, ScenarioOptions } from '../harness/scenario.mjs';
import { approvalCard } from './pages/approvals';
import { shownChat } from './pages/chat';
import type { Chat } from './pages/chat';
import { proposalOf } from './pages/proposal';
import { watchHealth } from './support/health';
import { files, repaired } from './support/workspace';

export const options: ScenarioOptions = { workspace: 'failing-test' };

const PROMPT = 'Find the failing test, make the smallest safe fix, and run the test again.';

export default async function keyboard(t: ScenarioContext): Promise<void> {
  const health = watchHealth(t);
  const { page } = t;
  const original = files(t.workspace);
  const press = (key: string): Promise<void> => page.keyboard.press(key);

  const chat = await t.step('a shortcut opens the chat, and the next key is already text', async () => {
    await t.ui.retry(async () => {
      await press('Control+Escape');
      await t.ui.secondarySideBar(page).waitFor({ timeout: 5000 });
    });
    const opened = await shownChat(t, page);
    await focusIs(t, opened, 'Message to Sluice');
    await page.keyboard.type(PROMPT);
    assert.equal(await opened.box.inputValue(), PROMPT);
    await press('Enter');
    return opened;
  });

  await t.step('Up goes to the question, Tab through its answers, Enter answers', async () => {
    const card = await approvalCard(chat, 'npm test');
    await focusIs(t, chat, 'Message to Sluice');
    await press('ArrowUp');
    await focusIs(t, chat, 'Allow once');
    await press('Tab');
    await focusIs(t, chat, 'Deny');
    await press('Tab');
    await focusIs(t, chat, 'Allow and remember…');
    await press('Tab');
    await focusIs(t, chat, 'Deny and say why…');
    await press('Shift+Tab');
    await press('Shift+Tab');
    await press('Shift+Tab');
    await focusIs(t, chat, 'Allow once');
    await press('Enter');
    await card.gone();
  });

  await t.step('the diff is accepted with its shortcut, from the editor', async () => {
    const proposal = await proposalOf(t, 'shipping.js');
    await press('Control+1');
    await page.locator('.monaco-diff-editor .monaco-editor.focused').first().waitFor();
    await press('Control+Enter');
    await proposal.gone();
  });

  await t.step('back in the chat, the second run is allowed and the answer is read', async () => {
    const card = await approvalCard(chat, 'npm test');
    await press('Control+Escape');
    await focusIs(t, chat, 'Message to Sluice');
    await press('ArrowUp');
    await focusIs(t, chat, 'Allow once');
    await press('Enter');
    await card.gone();
    await chat.idle();
    assert.deepEqual(files(t.workspace), repaired(original));
  });

  await t.step('rows are walked with the arrows, opened with Enter, and left with Escape', async () => {
    await press('Control+Escape');
    await t.ui.retry(async () => {
      if ((await focused(chat)).name !== 'Message to Sluice') await press('Control+Escape');
      await focusIs(t, chat, 'Message to Sluice');
    });
    await press('Alt+ArrowUp');
    await focusIs(t, chat, /^Done/);
    await press('ArrowUp');
    await focusIs(t, chat, 'Sluice');
    await press('ArrowUp');
    await focusIs(t, chat, /^Command npm test.*exit 0/);
    await press('Enter');
    await chat
      .row(/^Command npm test.*exit 0/)
      .getByLabel('Output')
      .waitFor();
    await press('Home');
    await focusIs(t, chat, /^You: Find the failing test/);
    await press('End');
    await focusIs(t, chat, /^Done/);
    await press('Escape');
    await focusIs(t, chat, 'Message to Sluice');
  });

  await t.step('mode and route are chosen from the bar', async () => {
    await press('Tab');
    await focusIs(t, chat, 'Attach something to the message');
    await press('Tab');
    await focusIs(t, chat, /^Mode: Ask/);
    await press('Enter');
    await t.ui.quickInput(page).waitFor();
    await page.keyboard.type('Plan');
    await press('Enter');
    await chat.frame.getByRole('button', { name: /^Mode: Plan/ }).waitFor();
  });

  await t.step('a prompt is brought back with Up, and Escape stops its turn', async () => {
    await press('Control+Escape');
    await t.ui.retry(async () => {
      if ((await focused(chat)).name !== 'Message to Sluice') await press('Control+Escape');
      await focusIs(t, chat, 'Message to Sluice');
    });
    await press('Shift+Tab');
    await chat.frame.getByRole('button', { name: /^Mode: (Ask|Auto)/ }).waitFor();
    await press('ArrowUp');
    assert.equal(await chat.box.inputValue(), PROMPT);
    await press('Enter');
    await chat.running();
    await press('Escape');
    await chat.idle(5000);
    assert.match(await chat.outcome().innerText(), /^Stopped/);
    await focusIs(t, chat, 'Message to Sluice');
  });
  health.check();
}

interface Focused {
  readonly name: string;
  readonly visible: boolean;
}

/** What has the focus in the panel, and whether a person can see that. */
async function focused(chat: Chat): Promise<Focused> {
  return chat.frame.locator('body').evaluate((body): Focused => {
    const element = body.ownerDocument.activeElement;
    if (element === null || element === body || !body.ownerDocument.hasFocus())
      return { name: '', visible: false };
    const name = element.getAttribute('aria-label') ?? element.textContent ?? '';
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    const ring = (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
    // The message box as a whole shows the focus of the text in it, with its border.
    const box = element.closest('.composer');
    const sample = body.appendChild(body.ownerDocument.createElement('span'));
    sample.style.color = 'var(--vscode-focusBorder)';
    const border = box !== null && getComputedStyle(box).borderTopColor === getComputedStyle(sample).color;
    sample.remove();
    const shown = ring || (border && element.matches('textarea'));
    return { name: name.trim(), visible: shown };
  });
}

async function focusIs(t: ScenarioContext, chat: Chat, name: string | RegExp): Promise<void> {
  let now: Focused = { name: '', visible: false };
  const fits = async (): Promise<boolean> => {
    now = await focused(chat);
    return typeof name === 'string' ? now.name === name : name.test(now.name);
  };
  await t.ui.poll(fits, { timeout: 5000 }).catch(() => {
    throw new Error(`The focus is on "${now.name}" instead of ${String(name)}`);
  });
  assert.ok(now.visible, `the focus on "${now.name}" can be seen`);
}
