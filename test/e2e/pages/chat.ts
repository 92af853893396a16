/**
 * The chat as a person has it before them: the box they type in, the rows they read, the buttons they press. It types keys and clicks
 * what is drawn; it never calls a command of the extension or looks into its state.
 */
import assert from 'node:assert/strict';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import type { ScenarioContext } from '../../harness/scenario.mjs';

export interface ShownRow {
  /** The sentence that a screen reader hears for the row. */
  readonly label: string;
  readonly text: string;
  readonly classes: string;
}

export interface Chat {
  readonly page: Page;
  /** The webview's document. Stale after a reload of the window: open the chat again. */
  readonly frame: FrameLocator;
  readonly box: Locator;
  /** Puts the text into the box by typing, and leaves it there. */
  type(text: string): Promise<void>;
  /** Types a prompt and presses Enter. */
  send(text: string): Promise<void>;
  /** Presses the square button. */
  stop(): Promise<void>;
  /** Resolves when a turn runs. */
  running(): Promise<void>;
  /** Resolves when nothing runs. */
  idle(timeout?: number): Promise<void>;
  isIdle(): Promise<boolean>;
  /** The row of a call, a notice or an error by what a screen reader hears. */
  row(label: string | RegExp): Locator;
  /** A paragraph of the model. */
  said(words: string | RegExp): Locator;
  /** The newest line that tells how a turn ended. */
  outcome(): Locator;
  errorCard(title: string | RegExp): Locator;
  /** Every row of the session, read from the top to the end; only the visible part exists in the document. */
  rows(): Promise<readonly ShownRow[]>;
  /** Scrolls to the newest line. */
  toEnd(): Promise<void>;
}

/** Opens the chat with its command and waits until it can be typed in. */
export async function openChat(t: ScenarioContext, page: Page = t.page): Promise<Chat> {
  await t.ui.command(page, 'Sluice: Focus Chat');
  return shownChat(t, page);
}

/** The chat that is already on the screen, after a reload for example. */
export async function shownChat({ ui }: ScenarioContext, page: Page): Promise<Chat> {
  const frame = await ui.webview(page, { extension: 'sluice.sluice', body: '[data-view="sluice.chat"]' });
  const box = frame.getByLabel('Message to Sluice');
  await box.waitFor();
  return chatIn(page, frame, box);
}

function chatIn(page: Page, frame: FrameLocator, box: Locator): Chat {
  const send = frame.locator('[data-send]');
  const stop = frame.locator('[data-stop]');
  const log = frame.locator('.log');
  const type = async (text: string): Promise<void> => {
    await box.click();
    // Not with Control+A: VS Code takes that key and selects in its own time, also what was typed meanwhile.
    if ((await box.inputValue()) !== '') await box.fill('');
    await page.keyboard.type(text);
    assert.equal(await box.inputValue(), text, 'the box holds what was typed');
  };
  return {
    page,
    frame,
    box,
    type,
    async send(text) {
      await type(text);
      await page.keyboard.press('Enter');
    },
    stop: () => stop.click(),
    running: () => stop.waitFor(),
    idle: (timeout = 60_000) => send.waitFor({ timeout }),
    isIdle: () => send.isVisible(),
    row: (label) => frame.getByRole('group', { name: label }),
    said: (words) => frame.locator('.row.text', { hasText: words }).last(),
    outcome: () => frame.locator('.outcome').last(),
    errorCard: (title) => frame.locator('.error-card', { hasText: title }),
    rows: () => readRows(log),
    toEnd: () => log.evaluate((element) => void element.scrollTo(0, element.scrollHeight)),
  };
}

/** Reads one screen after the other, as somebody who scrolls through the conversation. */
async function readRows(log: Locator): Promise<readonly ShownRow[]> {
  const found = new Map<string, ShownRow>();
  const top: number = await log.evaluate((element) => element.scrollTop);
  await log.evaluate((element) => void element.scrollTo(0, 0));
  for (;;) {
    await settled(log);
    const screen: readonly (ShownRow & { readonly id: string })[] = await log
      .locator('[data-row]')
      .evaluateAll((elements) =>
        elements.map((element) => ({
          id: element.getAttribute('data-row') ?? '',
          label: element.getAttribute('aria-label') ?? '',
          text: 'innerText' in element ? String(element.innerText) : '',
          classes: element.getAttribute('class') ?? '',
        })),
      );
    for (const { id, ...row } of screen) found.set(id, row);
    const more: boolean = await log.evaluate((element) => {
      const before = element.scrollTop;
      element.scrollBy(0, element.clientHeight * 0.7);
      return element.scrollTop > before + 1;
    });
    if (!more) break;
  }
  await log.evaluate((element, to) => void element.scrollTo(0, to), top);
  return [...found.values()];
}

/** Two frames: one to draw the rows that scrolled into sight, one to correct their heights. */
const settled = (log: Locator): Promise<void> =>
  log.evaluate(
    () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
  );
