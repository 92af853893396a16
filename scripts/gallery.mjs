// Pictures of every card state in four themes and three widths, to out/gallery: `npm run gallery -- [state…] [--theme name] [--width n]`.
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { importTypeScript, openStage, THEME_NAMES } from '../test/webview/stage.mjs';

const WIDTHS = [260, 400, 600];

/** Pictures of what a person does: the state it begins with, and the steps. */
const ACTS = {
  'act-say-why': ['main-asking', (page) => page.getByRole('button', { name: 'Deny and say why…' }).click()],
  'act-context': ['main-done', (page) => page.getByRole('button', { name: /^Context/ }).click()],
  'act-todos': ['main-asking', (page) => page.locator('.sticky-button').click()],
  'act-row-focus': [
    'main-done',
    async (page) => {
      await page.locator('[data-row="c2"]').focus();
      await page.keyboard.press('ArrowUp');
    },
  ],
  'act-open-fold': ['folds', (page) => page.locator('[data-row="f0"] [data-main]').click()],
  'act-thinking': ['streaming', (page) => page.locator('.thinking-line').click()],
  'act-typing': [
    'streaming',
    (page) =>
      page
        .locator('textarea')
        .fill('A longer message\nof three lines, of which the last is rather long indeed\nend'),
  ],
  'act-read-above': ['main-asking', (page) => page.locator('.log').evaluate((log) => log.scrollTo(0, 0))],
};

const { STATES, snapshotOf } = await importTypeScript('test/webview/states.ts');
/** A main job as the host really sent it: whole, and cut off where it first asks. */
const recorded = JSON.parse(await readFile('test/fixtures/panel/main-job.json', 'utf8'));
const firstQuestion = recorded.findIndex((message) =>
  message.deltas?.some((delta) => delta.type === 'call' && delta.patch.approval !== undefined),
);
const RECORDED = { recorded, 'recorded-asking': recorded.slice(0, firstQuestion + 1) };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    theme: { type: 'string', multiple: true },
    width: { type: 'string', multiple: true },
    out: { type: 'string', default: 'out/gallery' },
    scale: { type: 'string', default: '1' },
  },
});
const themes = values.theme ?? THEME_NAMES;
const widths = values.width?.map(Number) ?? WIDTHS;
const names =
  positionals.length > 0
    ? positionals
    : [...Object.keys(STATES), ...Object.keys(ACTS), ...Object.keys(RECORDED)];

const out = path.resolve(values.out);
await mkdir(out, { recursive: true });
const stage = await openStage();
let pictures = 0;
const complaints = [];
try {
  for (const name of names) {
    const [base, act] = ACTS[name] ?? [name];
    const messages = RECORDED[base] ?? (STATES[base] && [snapshotOf(STATES[base])]);
    if (messages === undefined)
      throw new Error(`There is no state ${name}. There are: ${Object.keys(STATES).join(', ')}`);
    for (const theme of themes) for (const width of widths) await picture(name, messages, theme, width, act);
  }
} finally {
  await stage.close();
}
console.log(`${pictures} pictures in ${path.relative(process.cwd(), out)}`);
if (complaints.length > 0) {
  console.error(complaints.join('\n'));
  process.exitCode = 1;
}

async function picture(name, messages, theme, width, act) {
  const page = await stage.show({
    theme,
    width,
    height: name === 'act-read-above' ? 500 : 900,
    scale: Number(values.scale),
    messages,
  });
  page.on('pageerror', (error) => complaints.push(`${name} ${theme} ${width}: ${error.message}`));
  await page.waitForSelector('.composer');
  await page.waitForTimeout(80);
  if (act !== undefined) {
    await act(page);
    await page.waitForTimeout(80);
  }
  const { wide, violations, logged } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    violations: window.stage.violations,
    logged: window.stage.posted.filter((message) => message.type === 'log').map((message) => message.text),
  }));
  if (wide > 0) complaints.push(`${name} ${theme} ${width}: ${wide} px wider than the panel`);
  for (const text of [...violations, ...logged]) complaints.push(`${name} ${theme} ${width}: ${text}`);
  await page.screenshot({ path: path.join(out, `${name}-${theme}-${width}.png`) });
  await page.context().close();
  pictures++;
}
