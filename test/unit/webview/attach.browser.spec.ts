/** Mentions, chips, pastes, the queue and the editing of earlier prompts, in a real Chromium, with a host that the test plays. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Attachment, Suggestion } from '../../../extension/protocol/attachments';
import type { HostMessage, WebviewMessage } from '../../../extension/protocol/messages';
import type { Header } from '../../../extension/protocol/view-state';
import { openStage } from '../../webview/stage.mjs';
import { HEADER, PROMPT, snapshotOf } from '../../webview/states';

type Stage = Awaited<ReturnType<typeof openStage>>;
declare const stage: {
  posted: WebviewMessage[];
  violations: string[];
  deliver(message: HostMessage): void;
  saved(): unknown;
};

let theStage: Stage;
beforeAll(async () => {
  theStage = await openStage();
}, 60_000);
afterAll(() => theStage.close());

async function open(header: Partial<Header> = {}, saved?: unknown): Promise<Page> {
  const page = await theStage.show({
    messages: [snapshotOf({ header: { ...HEADER, ...header }, rows: [PROMPT] })],
    saved,
  });
  await page.waitForSelector('.composer');
  return page;
}
const boxOf = (page: Page) => page.getByRole('textbox', { name: 'Message to Sluice' });
const posted = async (page: Page): Promise<readonly WebviewMessage[]> =>
  (await page.evaluate(() => stage.posted)).filter(
    ({ type }) => type !== 'ready' && type !== 'complete' && type !== 'ack',
  );
const deliver = (page: Page, message: HostMessage) => page.evaluate((one) => stage.deliver(one), message);

/** Waits until the panel asks about these words, and answers. */
async function answer(page: Page, query: string, suggestions: readonly Suggestion[]): Promise<void> {
  const handle = await page.waitForFunction(
    (wanted) => stage.posted.findLast((message) => message.type === 'complete' && message.query === wanted),
    query,
  );
  const asked = await handle.jsonValue();
  if (asked?.type !== 'complete') throw new Error('not asked');
  await deliver(page, { type: 'suggestions', n: asked.n, suggestions });
}

const file = (path: string, lines?: { from: number; to: number }): Attachment => ({
  id: `file ${path}`,
  label: path.replace(/^.*\//, ''),
  detail: path.replace(/\/[^/]*$/, ''),
  mention: `@${path}`,
  source: { type: 'file', path: `/w/${path}`, ...(lines === undefined ? {} : { lines }) },
});
const suggestion = (attachment: Attachment): Suggestion => ({
  key: attachment.id,
  icon: 'file',
  label: attachment.label,
  detail: attachment.detail ?? '',
  does: { type: 'attach', attachments: [attachment] },
});
const MAIN = file('src/main.ts');
const OTHER = file('src/mail.ts');
const chips = (page: Page) => page.locator('.chip .chip-name').allTextContents();

describe('a mention', () => {
  it('is completed by keyboard, is a word and a chip, goes with the message, and is read out', async () => {
    const page = await open();
    await boxOf(page).focus();
    await page.keyboard.type('Explain @ma');
    await answer(page, 'ma', [suggestion(MAIN), suggestion(OTHER)]);
    const options = page.getByRole('listbox', { name: 'Things to attach' }).getByRole('option');
    await options.nth(1).waitFor();
    expect(await page.getByRole('status').filter({ hasText: '2 suggestions' }).count()).toBe(1);
    await page.keyboard.press('ArrowDown');
    const active = await boxOf(page).getAttribute('aria-activedescendant');
    expect(await options.nth(1).getAttribute('id')).toBe(active);
    expect(await options.nth(1).getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Tab');
    expect(await boxOf(page).inputValue()).toBe('Explain @src/mail.ts ');
    expect(await chips(page)).toEqual(['mail.ts']);
    await page.keyboard.type('please');
    await page.keyboard.press('Enter');
    expect(await posted(page)).toEqual([
      { type: 'submit', text: 'Explain @src/mail.ts please', delivery: 'queue', attachments: [OTHER] },
    ]);
    expect(await chips(page)).toEqual([]);
    await page.context().close();
  });

  it('that is typed faster than it is answered takes the first answer, and sends nothing early', async () => {
    const page = await open();
    await boxOf(page).focus();
    await page.keyboard.type('@main');
    await page.keyboard.press('Enter');
    expect(await posted(page)).toEqual([]);
    await answer(page, 'main', [suggestion(MAIN)]);
    await page.locator('.chip').waitFor();
    expect(await boxOf(page).inputValue()).toBe('@src/main.ts ');
    await page.context().close();
  });

  it('takes an answer to an earlier question for none, and asks once for letters in a row', async () => {
    const page = await open();
    await boxOf(page).focus();
    await page.keyboard.type('@m');
    await answer(page, 'm', [suggestion(MAIN)]);
    await page.getByRole('option').first().waitFor();
    await page.keyboard.type('x');
    await deliver(page, { type: 'suggestions', n: 1, suggestions: [suggestion(OTHER)] });
    await answer(page, 'mx', []);
    await page.getByRole('option').first().waitFor({ state: 'detached' });
    const asked = (await page.evaluate(() => stage.posted)).filter(({ type }) => type === 'complete');
    expect(asked.length).toBeLessThanOrEqual(3);
    await page.context().close();
  });

  it('is closed with Escape, which stops nothing', async () => {
    const page = await open({ activity: 'streaming' });
    await boxOf(page).focus();
    await page.keyboard.type('@');
    await answer(page, '', [suggestion(MAIN)]);
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('option').first().waitFor({ state: 'detached' });
    expect(await posted(page)).toEqual([]);
    await page.context().close();
  });

  it('is taken with the mouse; taken out of the text it takes its chip with it; both can be undone', async () => {
    const page = await open();
    await boxOf(page).focus();
    await page.keyboard.type('@main');
    await answer(page, 'main', [suggestion(MAIN)]);
    await page.getByRole('option').first().click();
    expect(await chips(page)).toEqual(['main.ts']);
    for (let n = 0; n < 3; n++) await page.keyboard.press('Backspace');
    expect(await chips(page)).toEqual([]);
    await page.context().close();
  });

  it('can go on asking: a kind narrows what is looked for', async () => {
    const page = await open();
    await boxOf(page).focus();
    await page.keyboard.type('@sym');
    const does = { type: 'narrow', text: 'symbol:' } as const;
    await answer(page, 'sym', [{ key: 's', icon: 'symbol-method', label: 'symbol:', detail: '', does }]);
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    expect(await boxOf(page).inputValue()).toBe('@symbol:');
    await answer(page, 'symbol:', [suggestion(MAIN)]);
    await page.getByRole('option', { name: /main\.ts/ }).waitFor();
    await page.context().close();
  });

  it('shows hostile names as text', async () => {
    const page = await open();
    const hostile = '<img src=x onerror=alert(1)>\u202Egpj.exe';
    const bad: Attachment = { ...MAIN, label: hostile, mention: '@bad', detail: hostile };
    await boxOf(page).focus();
    await page.keyboard.type('@b');
    await answer(page, 'b', [suggestion(bad)]);
    await page.getByRole('option').first().click();
    expect(await page.locator('.composer img').count()).toBe(0);
    expect(await page.locator('.chip').textContent()).not.toContain('\u202E');
    const refused = [{ kind: 'file', label: hostile, path: hostile, refused: hostile }];
    const row = { type: 'attached', id: 'p1:attached', items: refused } as const;
    await deliver(page, { type: 'deltas', seq: 1, deltas: [{ type: 'row', row }] });
    await page.locator('.attached-item').waitFor();
    expect(await page.locator('.attached img').count()).toBe(0);
    expect(await page.evaluate(() => stage.violations)).toEqual([]);
    await page.context().close();
  });
});

describe('chips', () => {
  it('are kept with the draft over a reload', async () => {
    const page = await open(
      {},
      { drafts: { s1: 'see @src/main.ts' }, opened: {}, outbox: [], chips: { s1: [MAIN] } },
    );
    await page.locator('.chip').waitFor();
    expect(await chips(page)).toEqual(['main.ts']);
    await page.context().close();
  });

  it('of the selection go with the message unless the eye is closed, which is remembered', async () => {
    const selection = { path: '/w/src/a.ts', label: 'a.ts:3-9', lines: { from: 3, to: 9 } };
    const page = await open({ selection });
    const eye = page.getByRole('switch', { name: 'Send the selection a.ts:3-9' });
    await boxOf(page).fill('one');
    await boxOf(page).press('Enter');
    await eye.click();
    expect(await eye.getAttribute('aria-checked')).toBe('false');
    await boxOf(page).fill('two');
    await boxOf(page).press('Enter');
    const [one, two] = await posted(page);
    const source = { type: 'file', path: '/w/src/a.ts', lines: { from: 3, to: 9 } };
    expect(one).toMatchObject({ text: 'one', attachments: [{ label: 'a.ts:3-9', source }] });
    expect(two).toEqual({ type: 'submit', text: 'two', delivery: 'queue' });
    await page.waitForFunction(() => JSON.stringify(stage.saved()).includes('"eye":false'));
    await page.context().close();
  });

  it('are taken away by keyboard without losing one’s place', async () => {
    const page = await open();
    await deliver(page, { type: 'attach', attachments: [MAIN, OTHER] });
    await page.getByRole('button', { name: 'Remove main.ts' }).focus();
    await page.keyboard.press('Delete');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'Remove mail.ts',
    );
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'Message to Sluice',
    );
    expect(await chips(page)).toEqual([]);
    await page.context().close();
  });
});

const paste = (page: Page, data: { text?: string; image?: string; type?: string }) =>
  boxOf(page).evaluate((box, { text, image, type }) => {
    const transfer = new DataTransfer();
    if (text !== undefined) transfer.setData('text/plain', text);
    if (image !== undefined) {
      const bytes = Uint8Array.from(atob(image), (char) => char.charCodeAt(0));
      transfer.items.add(new File([bytes], 'image.png', { type: type ?? 'image/png' }));
    }
    box.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true }),
    );
  }, data);
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('a paste', () => {
  it('of a picture is a chip with the picture, and can be sent by itself', async () => {
    const page = await open();
    await paste(page, { image: PNG });
    await page.locator('.chip-picture').waitFor();
    await boxOf(page).press('Enter');
    const [sent] = await posted(page);
    expect(sent).toMatchObject({
      type: 'submit',
      text: 'See what is attached.',
      attachments: [{ label: 'Pasted image', source: { type: 'image', mediaType: 'image/png', data: PNG } }],
    });
    expect(await page.evaluate(() => stage.violations)).toEqual([]);
    await page.context().close();
  });

  it('of a long text is a chip, and comes into the box when one clicks on it', async () => {
    const page = await open();
    const text = Array.from({ length: 120 }, (_, n) => `line ${n}`).join('\n');
    await paste(page, { text });
    await page.getByRole('button', { name: 'Put Pasted text into the message' }).click();
    expect(await boxOf(page).inputValue()).toBe(text);
    expect(await chips(page)).toEqual([]);
    await page.context().close();
  });

  it('of anything else says that it cannot be taken', async () => {
    const page = await open();
    await paste(page, { image: btoa('\u0000\u0001\u0002'), type: 'application/zip' });
    await page.getByRole('alert').filter({ hasText: 'neither a picture' }).waitFor();
    expect(await chips(page)).toEqual([]);
    await page.context().close();
  });
});

describe('the queue', () => {
  const queued = [
    { id: 'q1', text: 'first' },
    { id: 'q2', text: 'second', attached: ['a.ts'] },
  ];

  it('is edited, moved and hurried; the keyboard stays with what it moves', async () => {
    const page = await open({ activity: 'streaming', queued });
    await page.getByRole('button', { name: 'Edit queued message: first' }).focus();
    await page.keyboard.press('Alt+ArrowDown');
    await deliver(page, {
      type: 'deltas',
      seq: 1,
      deltas: [{ type: 'header', patch: { queued: queued.toReversed() } }],
    });
    await page.waitForFunction(
      () => document.querySelector('[data-queued]')?.getAttribute('data-queued') === 'q2',
    );
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'Edit queued message: first',
    );
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send now: second' }).click();
    expect(await posted(page)).toEqual([
      { type: 'move_queued', id: 'q1', to: 1 },
      { type: 'edit_queued', id: 'q1' },
      { type: 'send_queued', id: 'q2' },
    ]);
    await page.context().close();
  });

  it('is put into another order with the mouse', async () => {
    const page = await open({ activity: 'streaming', queued });
    await page.locator('[data-queued="q2"] .queue-grip').dragTo(page.locator('[data-queued="q1"]'));
    expect(await posted(page)).toEqual([{ type: 'move_queued', id: 'q2', to: 0 }]);
    await page.context().close();
  });
});

describe('an earlier prompt', () => {
  it('is edited in the box and sent in its own place, with or without the files; the draft is there again after', async () => {
    const page = await open();
    await boxOf(page).fill('my draft');
    await page.locator('.prompt').hover();
    await page.getByRole('button', { name: 'Edit and send again' }).click();
    expect(await posted(page)).toEqual([{ type: 'edit_prompt', promptId: 'p1' }]);
    const edit = { promptId: 'p1', files: 2 };
    await deliver(page, { type: 'prefill', text: 'the old words', attachments: [MAIN], edit });
    await page.getByRole('group', { name: 'An earlier message is edited' }).waitFor();
    expect(await boxOf(page).inputValue()).toBe('the old words');
    await page.getByRole('checkbox', { name: 'Put 2 files back as before' }).uncheck();
    await boxOf(page).press('End');
    await page.keyboard.type(', better');
    await page.keyboard.press('Enter');
    expect((await posted(page)).at(-1)).toEqual({
      type: 'resend_prompt',
      promptId: 'p1',
      text: 'the old words, better',
      files: false,
      attachments: [MAIN],
    });
    expect(await boxOf(page).inputValue()).toBe('my draft');
    await page.context().close();
  });

  it('is left as it is with Escape', async () => {
    const page = await open();
    await boxOf(page).fill('my draft');
    await deliver(page, { type: 'prefill', text: 'old', edit: { promptId: 'p1', files: 0 } });
    await page.getByRole('group', { name: 'An earlier message is edited' }).waitFor();
    await boxOf(page).press('Escape');
    expect(await boxOf(page).inputValue()).toBe('my draft');
    expect(await page.locator('.edit-banner').count()).toBe(0);
    await page.context().close();
  });
});
