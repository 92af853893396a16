/** The card that asks before something runs. It is answered with the mouse, as a person would. */
import type { Locator } from 'playwright-core';
import type { Chat } from './chat';

export interface ApprovalCard {
  readonly card: Locator;
  title(): Promise<string>;
  /** The command or the changed lines, as shown. */
  bytes(): Promise<string>;
  /** Allow once, or Accept. */
  allow(): Promise<void>;
  /** Deny, or Reject. */
  deny(): Promise<void>;
  denySaying(words: string): Promise<void>;
  openDiff(): Promise<void>;
  gone(): Promise<void>;
}

/** The one card that waits; there must be exactly one. */
export async function approvalCard(chat: Chat, title?: string | RegExp): Promise<ApprovalCard> {
  const every = chat.frame.locator('.ask[data-approval]');
  const card = title === undefined ? every : every.filter({ hasText: title });
  await card.waitFor({ timeout: 30_000 });
  // The same question, even when another one follows at once.
  const id = await card.getAttribute('data-approval');
  const same = chat.frame.locator(`.ask[data-approval="${id ?? ''}"]`);
  const press = (name: string | RegExp): Promise<void> => same.getByRole('button', { name }).click();
  return {
    card: same,
    title: () => same.locator('.ask-title').innerText(),
    bytes: () => same.locator('.ask-bytes, .diff').innerText(),
    allow: () => press(/^(Allow once|Accept)$/),
    deny: () => press(/^(Deny|Reject)$/),
    async denySaying(words) {
      await press(/say why/);
      await same.getByLabel('Why not, or what to do instead').waitFor();
      await chat.page.keyboard.type(words);
      await chat.page.keyboard.press('Enter');
    },
    openDiff: () => press('Open diff'),
    gone: () => same.waitFor({ state: 'detached' }),
  };
}
