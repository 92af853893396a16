/** axe-core over every card state in the four themes. One page a theme; the states follow one another in it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HostMessage } from '../../../extension/protocol/messages';
import { openStage, THEME_NAMES } from '../../webview/stage.mjs';
import { snapshotOf, STATES } from '../../webview/states';

declare const stage: { deliver(message: HostMessage): void };

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let theStage: Awaited<ReturnType<typeof openStage>>;
beforeAll(async () => {
  theStage = await openStage();
}, 60_000);
afterAll(() => theStage.close());

describe('accessibility', () => {
  it.each(THEME_NAMES)(
    'axe finds nothing in any state in %s',
    async (theme) => {
      const page = await theStage.show({ theme, width: 400, height: 900 });
      await page.evaluate(AXE);
      const found: string[] = [];
      for (const [name, state] of Object.entries(STATES)) {
        await page.evaluate((message) => stage.deliver(message), snapshotOf(state));
        await page.evaluate(
          () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
        );
        const { violations } = await page.evaluate<AxeResults>(
          "axe.run(document, { resultTypes: ['violations'] })",
        );
        for (const { id, nodes } of violations)
          for (const node of nodes)
            found.push(`${name}: ${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`);
      }
      expect(found).toEqual([]);
      await page.context().close();
    },
    120_000,
  );
});
