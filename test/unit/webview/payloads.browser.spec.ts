/** Whatever models, tools, files and errors say is text: it runs nothing, loads nothing, goes nowhere, and links show where they lead. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROTOCOL } from '../../../extension/protocol/messages';
import type { Header, Row } from '../../../extension/protocol/view-state';
import { openStage } from '../../webview/stage.mjs';
import { HEADER } from '../../webview/states';
import { PAYLOADS } from './payloads';

type Stage = Awaited<ReturnType<typeof openStage>>;
declare const stage: { violations: string[] };

let theStage: Stage;
beforeAll(async () => {
  theStage = await openStage();
}, 60_000);
afterAll(() => theStage.close());

const call = (id: string, patch: object): Row => ({
  ...({ type: 'call', id, tool: 'Bash', kind: 'command', title: 'Bash', state: 'yielded' } as const),
  ...patch,
});
const hunk = (line: string) => ({ oldStart: 1, oldLines: 0, newStart: 1, newLines: 1, lines: [`+${line}`] });

/** Every place in which words of somebody else are shown. */
const CHANNELS: Readonly<Record<string, (text: string, id: string) => Row | Partial<Header>>> = {
  'the text of a model': (text, id) => ({ type: 'text', id, text, open: false }),
  'the text of a model that is still written': (text, id) => ({ type: 'text', id, text, open: true }),
  'a thought': (text, id) => ({ type: 'thinking', id, text, open: false, startedAt: 0 }),
  'a prompt': (text, id) => ({ type: 'prompt', id, text, at: 0 }),
  'the output of a tool': (output, id) => call(id, { end: 'failed', output, exitCode: 1 }),
  'a command': (text, id) => call(id, { end: 'ok', target: { text } }),
  'a file name': (text, id) =>
    call(id, { kind: 'edit', end: 'ok', target: { text, path: text }, hunks: [hunk(text)] }),
  'a tool of a server': (text, id) =>
    call(id, { kind: 'mcp', tool: text, title: text, end: 'failed', summary: text }),
  'an address to fetch': (text, id) => call(id, { kind: 'fetch', end: 'ok', target: { text } }),
  'why something was allowed': (text, id) => call(id, { end: 'ok', whyAllowed: text, answeredBy: text }),
  'a question': (text, id) =>
    call(id, {
      state: 'waiting',
      target: { text },
      approval: { id, title: text, reason: text, detail: { type: 'command', command: text, cwd: text } },
    }),
  'an error': (text, id) => ({ type: 'error', id, title: text, detail: text }),
  'a notice': (text, id) => ({ type: 'notice', id, level: 'warning', text }),
  'a summary': (summary, id) => ({ type: 'boundary', id, state: 'done', trigger: summary, summary }),
  'the end of a turn': (reason, id) => ({
    ...({
      type: 'outcome',
      id,
      kind: 'route_error',
      steps: 1,
      durationMs: 1,
      usage: {},
      denials: 0,
    } as const),
    reason,
    next: { type: 'none' },
  }),
  titles: (text) => ({
    title: text,
    route: { id: text, title: text, detail: text },
    todos: [{ text, state: 'doing' }],
    suggestions: [text],
    queued: [{ id: text, text }],
    workspace: { state: 'ready', name: text },
  }),
};

/** Rows that a person would open. */
const openAll = (page: Page) =>
  page.evaluate(() => {
    for (const button of document.querySelectorAll<HTMLElement>('[aria-expanded="false"]')) button.click();
  });

describe('texts of somebody else', () => {
  it('are enough of them', () => expect(new Set(PAYLOADS).size).toBeGreaterThanOrEqual(150));

  it.each(Object.keys(CHANNELS))('stay text as %s', { timeout: 120_000 }, async (name) => {
    const make = CHANNELS[name];
    if (make === undefined) throw new Error(name);
    const requests: string[] = [];
    const page = await theStage.show({});
    page.on('request', (request) => requests.push(request.url()));
    const before = page.url();
    await page.waitForSelector('#root');
    // A part of them at a time, so that all of it is on the page and not above what can be seen.
    for (let at = 0; at < PAYLOADS.length; at += 8) {
      const made = PAYLOADS.slice(at, at + 8).map((text, i) => make(text, `p${at + i}`));
      const rows = made.filter((one): one is Row => 'type' in one);
      const header = made.reduce<Header>((all, one) => ('type' in one ? all : { ...all, ...one }), HEADER);
      await page.evaluate((message) => window.dispatchEvent(new MessageEvent('message', { data: message })), {
        type: 'snapshot',
        protocol: PROTOCOL,
        seq: at,
        state: { header, rows },
      });
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
      await openAll(page);
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
      const found = await page.evaluate(() => ({
        shown: document.querySelectorAll('[data-row]').length,
        hit: 'hit' in window,
        foreign: [...document.querySelectorAll('#root *')]
          .filter(
            (element) =>
              /^(script|iframe|object|embed|link|style|meta|base|form|video|audio|portal|dialog|template|math|marquee|frame)$/i.test(
                element.tagName,
              ) || [...element.attributes].some(({ name }) => /^on/i.test(name)),
          )
          .map((element) => element.outerHTML.slice(0, 200)),
        leaks: [
          ...document.querySelectorAll('#root [src], #root [href], #root [action], #root [srcset]'),
        ].map((element) => element.outerHTML.slice(0, 200)),
      }));
      expect(found).toEqual({ shown: rows.length, hit: false, foreign: [], leaks: [] });
    }
    expect(await page.evaluate(() => stage.violations)).toEqual([]);
    expect(requests.filter((url) => !url.startsWith(theStage.origin))).toEqual([]);
    expect(page.url()).toBe(before);
    await page.context().close();
  });
});
