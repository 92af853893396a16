/** A webview that holds the newest part of a conversation: the rest comes when it is looked for. In a real Chromium, with a host that the test plays. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROTOCOL } from '../../../extension/protocol/messages';
import type { HostMessage, WebviewMessage } from '../../../extension/protocol/messages';
import type { CallRow, Row } from '../../../extension/protocol/view-state';
import { openStage } from '../../webview/stage.mjs';
import { HEADER } from '../../webview/states';

type Stage = Awaited<ReturnType<typeof openStage>>;
declare const stage: { posted: WebviewMessage[]; deliver(message: HostMessage): void };

let theStage: Stage;
beforeAll(async () => {
  theStage = await openStage();
}, 60_000);
afterAll(() => theStage.close());

async function open(scene: Parameters<Stage['show']>[0]): Promise<Page> {
  const page = await theStage.show(scene);
  await page.waitForSelector('.composer');
  return page;
}
const posted = async (page: Page): Promise<readonly WebviewMessage[]> =>
  (await page.evaluate(() => stage.posted)).filter(({ type }) => type !== 'ready' && type !== 'ack');
const deliver = (page: Page, message: HostMessage) => page.evaluate((one) => stage.deliver(one), message);
const frame = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

describe('a long conversation', () => {
  const rowsOf = (from: number, to: number): Row[] =>
    Array.from({ length: to - from }, (_, i) => ({
      type: 'text' as const,
      id: `t${from + i}`,
      text: `Paragraph ${from + i}, of some words.\n\nAnd another one.`,
      open: false,
    }));
  const newest = (saved?: unknown) =>
    open({
      messages: [
        {
          type: 'snapshot',
          protocol: PROTOCOL,
          seq: 0,
          state: { header: HEADER, rows: rowsOf(200, 250) },
          earlier: 200,
        },
      ],
      ...(saved === undefined ? {} : { saved }),
    });
  /** Plays the host: answers what was asked since the last call. */
  const answerOlder = async (page: Page, first: number): Promise<void> => {
    await page.waitForFunction(
      (id) => stage.posted.some((message) => message.type === 'older' && message.before === id),
      `t${first}`,
    );
    const from = Math.max(0, first - 100);
    await deliver(page, { type: 'rows', seq: 0, rows: rowsOf(from, first), earlier: from });
    await frame(page);
  };
  const topRow = (page: Page) =>
    page.locator('.log').evaluate((log) => {
      const top = log.getBoundingClientRect().top;
      const row = [...log.querySelectorAll('[data-row]')].find(
        (each) => each.getBoundingClientRect().bottom > top,
      );
      return [row?.getAttribute('data-row'), Math.round((row?.getBoundingClientRect().top ?? 0) - top)];
    });

  it('asks for what stands above when it is scrolled to, and what is looked at stays where it is', async () => {
    const page = await newest();
    expect(await posted(page)).toEqual([]);
    await page.locator('.log').evaluate((log) => log.scrollTo(0, 0));
    await frame(page);
    const top = async (): Promise<number> =>
      (await page.locator('[data-row="t200"]').boundingBox())?.y ?? NaN;
    const before = await top();
    await answerOlder(page, 200);
    await page.locator('[data-row="t199"]').waitFor();
    await frame(page);
    expect(Math.abs((await top()) - before)).toBeLessThan(2);
    await page.context().close();
  });

  it('is shown where it was being read, however far up that is', async () => {
    const place = { row: 't30', offset: -10 };
    const page = await newest({ places: { [HEADER.sessionId]: place } });
    await answerOlder(page, 200);
    await answerOlder(page, 100);
    await page.waitForFunction(() => document.querySelector('[data-row="t30"]') !== null);
    await frame(page);
    const [row, offset] = await topRow(page);
    expect(row).toBe('t30');
    expect(Math.abs(Number(offset) + 10)).toBeLessThan(4);
    await page.context().close();
  });

  it('fetches a long diff when its row is opened', async () => {
    const hunk = { oldStart: 1, oldLines: 0, newStart: 1, newLines: 1, lines: ['+the long diff'] };
    const call: CallRow = {
      type: 'call',
      id: 'c',
      tool: 'Edit',
      kind: 'edit',
      title: 'Edit',
      state: 'yielded',
      end: 'ok',
      target: { text: 'a.js', path: 'a.js' },
      hunks: [],
      more: 90_000,
    };
    const page = await open({
      messages: [{ type: 'snapshot', protocol: PROTOCOL, seq: 0, state: { header: HEADER, rows: [call] } }],
    });
    await page.waitForFunction(() =>
      stage.posted.some((message) => message.type === 'body' && message.id === 'c'),
    );
    const { more: _, ...whole } = call;
    await deliver(page, { type: 'whole_row', seq: 0, row: { ...whole, hunks: [hunk] } });
    await page.getByText('the long diff').waitFor();
    await page.context().close();
  });
});
