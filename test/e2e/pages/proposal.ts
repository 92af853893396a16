/** The diff editor that shows a proposed edit, with Accept and Reject in its title. */
import type { Page } from 'playwright-core';
import type { ScenarioContext } from '../../harness/scenario.mjs';

const ACCEPT = 'Accept Proposed Edit';
const REJECT = 'Reject Proposed Edit';

export interface Proposal {
  sides(): Promise<{ readonly original: string; readonly modified: string }>;
  accept(): Promise<void>;
  reject(): Promise<void>;
  /** With the cross of its tab. */
  close(): Promise<void>;
  gone(): Promise<void>;
}

/** Waits for the proposal of this file to be the editor in front, with both buttons in its title. */
export async function proposalOf(t: ScenarioContext, file: string, page: Page = t.page): Promise<Proposal> {
  const { ui } = t;
  const title = `${file} (Sluice proposal)`;
  const tab = ui.tab(page, title);
  await tab.waitFor({ timeout: 30_000 });
  await page.locator('.tab.active', { hasText: title }).waitFor();
  await ui.titleButton(page, ACCEPT).waitFor();
  await ui.titleButton(page, REJECT).waitFor();
  // Until both sides are drawn there is nothing to decide about.
  await page
    .locator('.editor-group-container.active .monaco-diff-editor .modified .view-line')
    .first()
    .waitFor();
  return {
    sides: () => ui.diffText(page),
    accept: () => ui.titleButton(page, ACCEPT).click(),
    reject: () => ui.titleButton(page, REJECT).click(),
    close: () => ui.closeTab(page, title),
    gone: () => tab.waitFor({ state: 'detached' }),
  };
}
