/**
 * Pictures for the README and the docs, made by the same run that proves what they show. They go to docs/screenshots only when
 * SLUICE_SCREENSHOTS is set; any other run keeps them in its own folder under out/.
 */
import path from 'node:path';
import fs from 'node:fs';
import type { Page } from 'playwright-core';
import type { ScenarioContext } from '../../harness/scenario.mjs';

export const THEMES = {
  dark: 'Dark Modern',
  light: 'Light Modern',
  contrast: 'Dark High Contrast',
} as const;
export type Theme = keyof typeof THEMES;

export const wantsPictures = process.env['SLUICE_SCREENSHOTS'] !== undefined;

/** The whole window. */
export async function picture(t: ScenarioContext, name: string, page: Page = t.page): Promise<void> {
  await page.screenshot({ path: fileFor(t, name), animations: 'disabled' });
}

/** Only the panel. */
export async function panelPicture(t: ScenarioContext, name: string, page: Page = t.page): Promise<void> {
  await t.ui.secondarySideBar(page).screenshot({ path: fileFor(t, name), animations: 'disabled' });
}

function fileFor(t: ScenarioContext, name: string): string {
  const folder = wantsPictures ? path.join(t.repository, 'docs/screenshots') : t.out;
  fs.mkdirSync(folder, { recursive: true });
  return path.join(folder, `${name}.png`);
}

export async function useTheme(t: ScenarioContext, theme: Theme, page: Page = t.page): Promise<void> {
  await t.ui.setTheme(page, THEMES[theme]);
  const mark = { dark: 'vscode-dark', light: 'vscode-light', contrast: 'vscode-high-contrast' }[theme];
  const frame = await t.ui.webview(page, { extension: 'sluice.sluice' });
  await frame.locator(`body.${mark}`).waitFor();
}

/** Drags the edge of the side bar until the panel is so wide, as a person does. */
export async function setPanelWidth(t: ScenarioContext, width: number, page: Page = t.page): Promise<void> {
  await t.ui.retry(async () => {
    const edge = await leftSash(t, page);
    const missing = width - (await panelWidth(t, page));
    await page.mouse.move(edge.x, edge.y);
    await page.mouse.down();
    await page.mouse.move(edge.x - missing / 2, edge.y, { steps: 4 });
    await page.mouse.move(edge.x - missing, edge.y, { steps: 4 });
    await page.mouse.up();
    await page.mouse.move(edge.x - missing - 200, edge.y); // an edge under the mouse glows
    const now = await panelWidth(t, page);
    if (Math.abs(now - width) > 4)
      throw new Error(`The panel is ${String(now)} px wide instead of ${String(width)}`);
  });
}

async function panelWidth({ ui }: ScenarioContext, page: Page): Promise<number> {
  const box = await ui.secondarySideBar(page).boundingBox();
  if (box === null) throw new Error('The secondary side bar is not visible');
  return box.width;
}

/** The middle of the handle between the editors and the panel: the one that is nearest to the panel's left side. */
async function leftSash(
  { ui }: ScenarioContext,
  page: Page,
): Promise<{ readonly x: number; readonly y: number }> {
  const panel = await ui.secondarySideBar(page).boundingBox();
  const handles = await page.locator('.monaco-sash.vertical:not(.disabled)').evaluateAll((elements) =>
    elements.map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    }),
  );
  const left = panel?.x ?? 0;
  const [nearest] = handles.sort((a, b) => Math.abs(a.x - left) - Math.abs(b.x - left));
  if (nearest === undefined) throw new Error('There is no handle to drag');
  return nearest;
}
