/** Sluice's commands as a person uses them: by their title in the palette, with the picks and boxes that follow. */
import type { Page } from 'playwright-core';
import type { ScenarioContext } from '../../harness/scenario.mjs';
import type { Chat } from './chat';

/** Types a key into the password box of *Set API Key* and, unless the route is in use already, takes the offer to use it. */
export async function setApiKey(
  t: ScenarioContext,
  key: string,
  { route = 'Anthropic', use = true, page = t.page }: { route?: string; use?: boolean; page?: Page } = {},
): Promise<void> {
  await t.ui.command(page, 'Sluice: Set API Key…');
  await t.ui.pick(page, route);
  await typeKey(t, key, page);
  if (use)
    await t.ui
      .toast(page, `The key for ${route} is saved.`)
      .getByRole('button', { name: 'Use It Now' })
      .click();
}

/** Names another server for the Anthropic route; the box for its key is open afterwards. */
export async function setBaseUrl(t: ScenarioContext, url: string, page: Page = t.page): Promise<void> {
  await t.ui.command(page, 'Sluice: Set API Key…');
  await t.ui.pick(page, 'Anthropic-compatible base URL…');
  await page.locator('.quick-input-widget').getByText('Base URL of an Anthropic-compatible server').waitFor();
  await t.ui.answer(page, url);
}

/** Answers the password box that is open. */
export async function typeKey({ ui }: ScenarioContext, key: string, page: Page): Promise<void> {
  await page.locator('.quick-input-widget input[type="password"]').waitFor();
  await ui.answer(page, key);
}

export async function chooseRoute({ ui }: ScenarioContext, page: Page, route: string): Promise<void> {
  await ui.command(page, 'Sluice: Choose Route…');
  await ui.pick(page, route);
}

/** Until the new session is shown, what is typed belongs to the old one; until the box has the keyboard, to nobody. */
export async function newSession({ ui }: ScenarioContext, chat: Chat): Promise<void> {
  await ui.command(chat.page, 'Sluice: New Session');
  await chat.frame.locator('.empty').waitFor();
  const hasKeyboard = (box: HTMLElement | SVGElement): boolean =>
    document.hasFocus() && document.activeElement === box;
  await ui.poll(() => chat.box.evaluate(hasKeyboard), { message: 'the box never got the keyboard' });
}
