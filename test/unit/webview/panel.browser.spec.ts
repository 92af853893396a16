/** The webview's own bundle in a real Chromium, under the extension's content policy, with a host that the test plays. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Delta, HostMessage, WebviewMessage } from '../../../extension/protocol/messages';
import type { CallRow, Row } from '../../../extension/protocol/view-state';
import { openStage } from '../../webview/stage.mjs';
import { HEADER, PROMPT, snapshotOf, STATES } from '../../webview/states';

type Stage = Awaited<ReturnType<typeof openStage>>;
declare const stage: {
  posted: WebviewMessage[];
  violations: string[];
  deliver(message: HostMessage): void;
  saved(): unknown;
};

const RECORDED = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../fixtures/panel/main-job.json'), 'utf8'),
) as readonly HostMessage[];

let theStage: Stage;
beforeAll(async () => {
  theStage = await openStage();
}, 60_000);
afterAll(() => theStage.close());

async function open(scene: Parameters<Stage['show']>[0] = {}): Promise<Page> {
  const page = await theStage.show(scene);
  await page.waitForSelector('.composer');
  return page;
}
const openState = (name: string, scene: Parameters<Stage['show']>[0] = {}) => {
  const state = STATES[name];
  if (state === undefined) throw new Error(`no state ${name}`);
  return open({ messages: [snapshotOf(state)], ...scene });
};
const posted = async (page: Page): Promise<readonly WebviewMessage[]> =>
  (await page.evaluate(() => stage.posted)).filter(
    (message) => message.type !== 'ready' && message.type !== 'ack',
  );
const deliver = (page: Page, ...messages: readonly HostMessage[]) =>
  page.evaluate((all) => all.forEach((message) => stage.deliver(message)), messages as HostMessage[]);
const deltas = (seq: number, ...list: readonly Delta[]): HostMessage => ({
  type: 'deltas',
  seq,
  deltas: list,
});
const frame = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const atEnd = (page: Page) =>
  page.locator('.log').evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight < 16);

describe('a whole main job', () => {
  it('is shown to its end, without an error, a warning or a breach of the policy', async () => {
    const page = await open({ messages: RECORDED });
    await page.getByText('Done', { exact: true }).waitFor();
    expect(await page.locator('.dot-done').count()).toBeGreaterThan(3);
    expect(await page.locator('.diff-added').first().textContent()).toContain('>=');
    expect(await posted(page)).toEqual([]);
    expect(await page.evaluate(() => stage.violations)).toEqual([]);
    await page.context().close();
  });

  it('looks the same when its messages come one by one', async () => {
    const [first, ...rest] = RECORDED;
    const page = await open({ messages: first === undefined ? [] : [first] });
    for (const message of rest) {
      await deliver(page, message);
      await frame(page);
    }
    const steps = await page.locator('.log-in').innerHTML();
    await page.context().close();
    const whole = await open({ messages: RECORDED });
    await frame(whole);
    expect(steps).toBe(await whole.locator('.log-in').innerHTML());
    await whole.context().close();
  });
});

describe('an approval', () => {
  it('sends one answer, however often it is clicked', async () => {
    const page = await openState('main-asking');
    const allow = page.getByRole('button', { name: 'Allow once' });
    await allow.evaluate((button: HTMLButtonElement) => {
      button.click();
      button.click();
    });
    await frame(page);
    await allow.click({ force: true, timeout: 500 }).catch(() => undefined);
    expect(await posted(page)).toEqual([{ type: 'approve', approvalId: 'a1', choice: 'allow_once' }]);
    await page.context().close();
  });

  it('is denied with words, and Escape takes the field away again', async () => {
    const page = await openState('main-asking');
    await page.getByRole('button', { name: 'Deny and say why…' }).click();
    await page.keyboard.press('Escape');
    expect(await page.locator('.ask .field').count()).toBe(0);
    expect(await posted(page)).toEqual([]);
    await page.getByRole('button', { name: 'Deny and say why…' }).click();
    await page.keyboard.type('run only that file');
    await page.keyboard.press('Enter');
    expect(await posted(page)).toEqual([
      { type: 'approve', approvalId: 'a1', choice: 'deny_with_words', words: 'run only that file' },
    ]);
    await page.context().close();
  });

  it('of an edit opens the diff and can still be answered', async () => {
    const page = await openState('main-edit');
    await page.getByRole('button', { name: 'Open diff' }).click();
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    expect(await posted(page)).toEqual([
      { type: 'approve', approvalId: 'a2', choice: 'open_diff' },
      { type: 'approve', approvalId: 'a2', choice: 'deny' },
    ]);
    await page.context().close();
  });

  it('is announced at once, and its focus is not lost when it is answered', async () => {
    const page = await open({ messages: [snapshotOf({ header: HEADER, rows: [PROMPT] })] });
    const waiting = STATES['main-asking']?.rows.find(
      (row): row is CallRow => row.type === 'call' && row.state === 'waiting',
    );
    if (waiting === undefined) throw new Error('no question among the states');
    await deliver(page, deltas(1, { type: 'row', row: waiting }));
    await page.getByText('Approval needed. Run this command?').waitFor({ state: 'attached' });
    expect(await page.locator('[data-live=assertive]').textContent()).toContain('npm test');
    await page.getByRole('button', { name: 'Allow once' }).focus();
    await page.keyboard.press('Enter');
    await deliver(
      page,
      deltas(2, { type: 'call', id: waiting.id, patch: { state: 'executing' }, drop: ['approval'] }),
    );
    await frame(page);
    expect(await page.evaluate(() => document.activeElement?.getAttribute('data-row'))).toBe(waiting.id);
    await page.context().close();
  });
});

describe('the message box', () => {
  it('sends with Enter, breaks the line with Shift+Enter, and is empty afterwards', async () => {
    const page = await openState('main-done');
    const box = page.getByRole('textbox', { name: 'Message to Sluice' });
    await box.focus();
    await page.keyboard.type('one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('two');
    await page.keyboard.press('Enter');
    expect(await posted(page)).toEqual([{ type: 'submit', text: 'one\ntwo', delivery: 'queue' }]);
    expect(await box.inputValue()).toBe('');
    await page.keyboard.press('Enter');
    expect((await posted(page)).length).toBe(1);
    await page.context().close();
  });

  it('leaves Enter and Escape to an input method', async () => {
    const page = await openState('streaming');
    const box = page.getByRole('textbox', { name: 'Message to Sluice' });
    await box.fill('か');
    await box.evaluate((field) => {
      for (const key of ['Enter', 'Escape'])
        field.dispatchEvent(
          new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, isComposing: true }),
        );
    });
    expect(await posted(page)).toEqual([]);
    expect(await box.inputValue()).toBe('か');
    await page.context().close();
  });

  it('queues while a turn runs, stops it with Escape, and takes queued messages back', async () => {
    const page = await openState('streaming');
    const box = page.getByRole('textbox', { name: 'Message to Sluice' });
    await box.fill('later');
    await box.press('Enter');
    await page.getByRole('button', { name: /^Remove queued message: and commit/ }).click();
    await box.focus();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Stop' }).click();
    expect(await posted(page)).toEqual([
      { type: 'submit', text: 'later', delivery: 'queue' },
      { type: 'unqueue', id: 'q2' },
      { type: 'stop' },
      { type: 'stop' },
    ]);
    await page.context().close();
  });

  it('stops what runs and sends at once: what is in the box with Ctrl+Enter, what is queued with its button', async () => {
    const page = await openState('streaming');
    const box = page.getByRole('textbox', { name: 'Message to Sluice' });
    await box.fill('at once');
    await box.press('Control+Enter');
    await page.getByRole('button', { name: /^Send now: and commit/ }).click();
    expect(await posted(page)).toEqual([
      { type: 'submit', text: 'at once', delivery: 'now' },
      { type: 'send_queued', id: 'q2' },
    ]);
    await page.context().close();
  });

  it('cycles the mode with Shift+Tab and recalls prompts with the arrow keys', async () => {
    const page = await openState('main-done');
    const box = page.getByRole('textbox', { name: 'Message to Sluice' });
    await box.focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ArrowUp');
    expect(await box.inputValue()).toContain('Find the failing test');
    await page.keyboard.press('ArrowDown');
    expect(await box.inputValue()).toBe('');
    expect(await posted(page)).toEqual([{ type: 'set_mode', mode: 'acceptEdits' }]);
    await page.context().close();
  });

  it('keeps its draft over a reload and shows what the host puts in', async () => {
    const page = await openState('main-done', { saved: { drafts: { s1: 'half a thought' } } });
    const box = page.getByRole('textbox', { name: 'Message to Sluice' });
    expect(await box.inputValue()).toBe('half a thought');
    await deliver(page, { type: 'prefill', text: 'from outside' });
    await page.waitForTimeout(400);
    const both = 'from outside\n\nhalf a thought';
    expect(await box.inputValue()).toBe(both);
    expect(await page.evaluate(() => stage.saved())).toMatchObject({ drafts: { s1: both } });
    await page.context().close();
  });

  it('shows tokens beside their button, without claiming to be a dialog that has the focus', async () => {
    const page = await openState('main-done');
    const ring = page.getByRole('button', { name: /Show tokens/ });
    await ring.click();
    const tokens = page.getByRole('group', { name: 'Tokens', exact: true });
    await tokens.waitFor();
    expect(await ring.getAttribute('aria-controls')).toBe(await tokens.getAttribute('id'));
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.context().close();
  });

  it('takes a suggestion of the empty state without sending it', async () => {
    const page = await openState('empty');
    await page.getByRole('button', { name: /Explain what/ }).click();
    expect(await page.getByRole('textbox').inputValue()).toContain('Explain what');
    expect(await posted(page)).toEqual([]);
    await page.context().close();
  });
});

describe('the keyboard in the conversation', () => {
  it('walks row by row, opens and closes, and comes back to the box', async () => {
    const page = await openState('main-done');
    const focused = () =>
      page.evaluate(
        () => document.activeElement?.getAttribute('data-row') ?? document.activeElement?.className,
      );
    await page.locator('[data-row="c5"]').focus();
    await page.keyboard.press('ArrowUp');
    expect(await focused()).toBe('t2');
    await page.keyboard.press('Home');
    expect(await focused()).toBe('p1');
    await page.keyboard.press('End');
    expect(await focused()).toBe('o1');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await focused()).toBe('c9');
    await page.keyboard.press('Enter');
    expect(await page.locator('[data-row="c9"] .output').count()).toBe(1);
    await page.keyboard.press(' ');
    expect(await page.locator('[data-row="c9"] .output').count()).toBe(0);
    await page.keyboard.press('Escape');
    expect(await focused()).toBe('composer-text');
    await page.context().close();
  });

  it('gets from the box to an open question and back, and to the rows', async () => {
    const page = await openState('main-asking', { height: 400 });
    await page.locator('.log').evaluate((log) => log.scrollTo(0, 0));
    const box = page.getByRole('textbox', { name: 'Message to Sluice' });
    await box.focus();
    await page.keyboard.press('ArrowUp');
    await page.waitForFunction(() => document.activeElement?.textContent === 'Allow once');
    expect(await page.getByRole('button', { name: 'Allow once' }).isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await box.evaluate((field) => field === document.activeElement)).toBe(true);
    await page.keyboard.press('Alt+ArrowUp');
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-row') === 'c8');
    expect(await posted(page)).toEqual([]);
    await page.context().close();
  });

  it('has one Tab stop for the rows, and the focused row’s own controls after it', async () => {
    const page = await openState('main-done');
    const stops = await page.locator('.log [tabindex="0"]').count();
    expect(stops).toBe(1);
    await page.locator('[data-row="c5"]').focus();
    await page.keyboard.press('Tab');
    expect(
      await page.evaluate(() => document.activeElement?.closest('[data-row]')?.getAttribute('data-row')),
    ).toBe('c5');
    await page.context().close();
  });
});

describe('a long conversation', () => {
  const ROWS: readonly Row[] = Array.from({ length: 5_000 }, (_, i): Row =>
    i % 10 === 0
      ? { type: 'prompt', id: `r${i}`, text: `Prompt ${i}`, at: 0 }
      : { type: 'text', id: `r${i}`, text: `Answer ${i}. ${'Some words. '.repeat(i % 7)}`, open: false },
  );
  const long = () => open({ messages: [snapshotOf({ header: HEADER, rows: ROWS })] });

  it('opens at its end with only what can be seen', async () => {
    const page = await long();
    await frame(page);
    expect(await page.locator('[data-row]').count()).toBeLessThan(120);
    expect(await page.locator('[data-row="r4999"]').isVisible()).toBe(true);
    expect(await atEnd(page)).toBe(true);
    await page.context().close();
  });

  it('can be read from anywhere, and the page does not jump while it is', async () => {
    const page = await long();
    const log = page.locator('.log');
    for (const share of [0.5, 0.1, 0.9]) {
      await log.evaluate((box, part) => box.scrollTo(0, box.scrollHeight * part), share);
      await frame(page);
      await frame(page);
      const seen = await page.evaluate(
        () => document.elementFromPoint(200, 300)?.closest('[data-row]') !== null,
      );
      expect(seen).toBe(true);
    }
    const place = () =>
      page.evaluate(() => {
        const row = document.elementFromPoint(200, 300)?.closest('[data-row]');
        return [row?.getAttribute('data-row'), Math.round(row?.getBoundingClientRect().top ?? 0)];
      });
    const before = await place();
    await deliver(
      page,
      deltas(1, { type: 'row', row: { type: 'text', id: 'new', text: 'More.', open: true } }),
    );
    await frame(page);
    expect(await place()).toEqual(before);
    await page.getByRole('button', { name: 'Latest' }).click();
    await frame(page);
    expect(await atEnd(page)).toBe(true);
    expect(await page.locator('[data-row="new"]').isVisible()).toBe(true);
    await page.context().close();
  });

  it('is walked from end to start by keyboard', async () => {
    const page = await long();
    await page.locator('[data-row="r4999"]').focus();
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-row') === 'r0');
    await page.keyboard.press('End');
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-row') === 'r4999');
    await page.context().close();
  });

  it('follows what is streamed, touching no other row, until the person scrolls up', async () => {
    const page = await long();
    await deliver(page, deltas(1, { type: 'row', row: { type: 'text', id: 'new', text: '', open: true } }));
    await frame(page);
    await page.evaluate(() => {
      const touched = new Set<string>();
      Object.assign(window, { touched });
      new MutationObserver((records) => {
        for (const { target } of records) {
          const element = target instanceof Element ? target : target.parentElement;
          touched.add(element?.closest('[data-row]')?.getAttribute('data-row') ?? element?.className ?? '');
        }
      }).observe(document.querySelector('.log-in') ?? document.body, {
        childList: true,
        subtree: true,
        characterData: true,
      });
    });
    let at = 0;
    for (let i = 0; i < 60; i++) {
      const text = i % 6 === 5 ? 'end of it.\n\n' : 'a few words of text, ';
      await deliver(page, deltas(i + 2, { type: 'append', id: 'new', at, text }));
      at += text.length;
      if (i % 5 === 0) await frame(page);
    }
    await frame(page);
    expect(await atEnd(page)).toBe(true);
    expect(await page.evaluate(() => [...(window as unknown as { touched: Set<string> }).touched])).toEqual([
      'new',
    ]);
    await page.mouse.move(200, 300);
    await page.mouse.wheel(0, -600);
    await page.waitForTimeout(150);
    await deliver(page, deltas(62, { type: 'append', id: 'new', at, text: 'more\n\n'.repeat(40) }));
    await frame(page);
    expect(await atEnd(page)).toBe(false);
    await page.context().close();
  });
});

describe('what a row may not do', () => {
  it('does not take the others with it when it cannot be shown', async () => {
    const broken = {
      type: 'call',
      id: 'x',
      tool: 't',
      kind: 'edit',
      title: 't',
      state: 'yielded',
      end: 'ok',
      hunks: [{}],
    };
    const page = await open({
      messages: [
        snapshotOf({
          header: HEADER,
          rows: [
            PROMPT,
            broken as unknown as Row,
            { type: 'text', id: 't', text: 'still here', open: false },
          ],
        }),
      ],
    });
    await page.getByText('still here').waitFor();
    expect(await page.getByText('This part could not be shown').count()).toBe(1);
    expect((await posted(page)).map((message) => message.type)).toEqual(['log']);
    await page.context().close();
  });

  const PAYLOADS = [
    '<script>window.pwned=1</script>',
    '<img src=x onerror="window.pwned=1">',
    '<svg onload="window.pwned=1"><a href="javascript:window.pwned=1">x</a></svg>',
    '<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>',
    '[x](javascript:window.pwned=1)',
    '[x](data:text/html,<script>window.pwned=1</script>)',
    '[x](command:workbench.action.quit)',
    '![x](https://evil.example/pixel.png)',
    '![x](//evil.example/pixel.png)',
    '<style>*{display:none}</style>',
    '<a href="https://evil.example" style="position:fixed;inset:0">x</a>',
    '```html\n<img src=x onerror="window.pwned=1">\n```',
    '| <img src=x onerror=window.pwned=1> |\n| - |\n| [x](vbscript:x) |',
    '[ref]\n\n[ref]: javascript:window.pwned=1',
    '<https://user@evil.example>',
    '&lt;img src=x onerror=window.pwned=1&gt;',
    '\u001b]8;;javascript:window.pwned=1\u001b\\x\u001b]8;;\u001b\\',
    '"><img src=x onerror=window.pwned=1>',
  ];

  it('runs nothing, loads nothing and goes nowhere, whatever a model or a tool writes', async () => {
    const rows = PAYLOADS.flatMap((text, i): Row[] => [
      { type: 'text', id: `t${i}`, text, open: i % 2 === 0 },
      { type: 'thinking', id: `h${i}`, text, open: false, startedAt: 0 },
      {
        type: 'call',
        id: `c${i}`,
        tool: text,
        kind: 'command',
        title: text,
        state: 'yielded',
        end: 'failed',
        target: { text },
        summary: text,
        output: text,
        whyAllowed: text,
      },
      {
        type: 'call',
        id: `e${i}`,
        tool: text,
        kind: 'edit',
        title: text,
        state: 'waiting',
        target: { text, path: text },
        approval: {
          id: `a${i}`,
          title: text,
          reason: text,
          detail: {
            type: 'edit',
            path: text,
            label: text,
            creates: false,
            diff: { added: 1, removed: 0 },
            hunks: [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 1, lines: [`+${text}`] }],
          },
        },
      },
      { type: 'error', id: `r${i}`, title: text, detail: text },
      { type: 'notice', id: `n${i}`, level: 'info', text },
    ]);
    const page = await openState('empty', { height: 20_000 });
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    const title = PAYLOADS.join(' ');
    await deliver(
      page,
      snapshotOf({
        header: {
          ...HEADER,
          title,
          route: { id: 'x', title, detail: title },
          queued: [{ id: 'q', text: title }],
          suggestions: [title],
          todos: [{ text: title, state: 'doing' }],
        },
        rows,
      }),
    );
    await page.locator(`[data-row="n${PAYLOADS.length - 1}"]`).waitFor();
    await page.evaluate(() =>
      document.querySelectorAll<HTMLElement>('.thinking-line').forEach((line) => line.click()),
    );
    await frame(page);
    const found = await page.evaluate(() => ({
      pwned: 'pwned' in window,
      elements: document.querySelectorAll(
        '#root :is(script, style, iframe, img, object, embed, form, base, link, meta, [href], [src], [onerror], [onload])',
      ).length,
      violations: stage.violations,
      address: location.search,
    }));
    expect(found).toEqual({ pwned: false, elements: 0, violations: [], address: new URL(page.url()).search });
    expect(requests).toEqual([]);
    await page.context().close();
  });

  it('opens links only through the host, and shows where they go', async () => {
    const page = await openState('markdown');
    const guide = page.getByRole('link', { name: 'the guide' });
    expect(await guide.getAttribute('title')).toBe('https://nodejs.org/api/test.html');
    expect(await page.getByText('(nodejs.org)').count()).toBe(1);
    await guide.click();
    await page.getByRole('link', { name: 'src/shipping.js:7' }).click();
    expect(await posted(page)).toEqual([
      { type: 'open_link', url: 'https://nodejs.org/api/test.html' },
      { type: 'open_file', path: 'src/shipping.js', line: 7 },
    ]);
    await page.context().close();
  });
});

describe('at rest', () => {
  it.each(['main-asking', 'main-done', 'empty'])('%s sends nothing and moves nothing', async (name) => {
    const page = await openState(name, { still: false });
    await page.waitForTimeout(200);
    await page.evaluate(() => {
      const counts = { timers: 0, frames: 0 };
      const { setTimeout: timeout, requestAnimationFrame: raf } = window;
      Object.assign(window, {
        counts,
        setTimeout: (...all: Parameters<typeof timeout>) => (counts.timers++, timeout(...all)),
        requestAnimationFrame: (run: FrameRequestCallback) => (counts.frames++, raf(run)),
      });
    });
    await page.waitForTimeout(1_200);
    expect(await posted(page)).toEqual([]);
    expect(await page.evaluate(() => (window as unknown as { counts: unknown }).counts)).toEqual({
      timers: 0,
      frames: 0,
    });
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
    await page.context().close();
  });

  it('nothing moves where motion is not wanted', async () => {
    for (const name of ['streaming', 'working', 'calls']) {
      const page = await openState(name, { still: true });
      expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
      await page.context().close();
    }
  });
});
