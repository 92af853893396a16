// Playwright helpers for the VS Code workbench, whatever extension runs in it. `page` is what openWindow() returned.

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').Locator} Locator */
/** @typedef {import('playwright-core').Frame} Frame */
/** @typedef {import('playwright-core').FrameLocator} FrameLocator */

const QUICK_INPUT = '.quick-input-widget';
const QUICK_BOX = `${QUICK_INPUT} .quick-input-box input`;
const ACTIVE_GROUP = '.editor-group-container.active';

/**
 * Resolves when the workbench is usable. Before that, the restored layout steals the focus and keys land anywhere.
 * @param {Page} page
 */
export async function ready(page) {
  const restored = () => performance.getEntriesByName('code/didCreateWorkbenchContributions/3').length > 0;
  await page.waitForFunction(restored, undefined, { timeout: 90_000 });
}

/**
 * Repeats an action that may meet the workbench at a bad moment.
 * @template T
 * @param {() => Promise<T>} action
 */
export async function retry(action, times = 3) {
  for (let left = times; ;) {
    try {
      return await action();
    } catch (error) {
      left -= 1;
      if (left === 0) throw error;
    }
  }
}

/**
 * Waits until the check is true (or gives something), and returns what it gave.
 * @template T
 * @param {() => T | Promise<T>} check
 * @param {{ timeout?: number, message?: string }} options
 * @returns {Promise<NonNullable<T>>}
 */
export async function poll(check, { timeout = 20_000, message } = {}) {
  for (const end = Date.now() + timeout; ;) {
    const value = await check();
    if (value) return /** @type {NonNullable<T>} */ (value);
    if (Date.now() > end) throw new Error(message ?? `Not true after ${timeout} ms: ${check}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

// ── Palette, picks and dialogs

/** @param {string} text */
const exactly = (text) => new RegExp(`^\\s*${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*$`);

/**
 * Runs a command by its title in the palette ("Sluice: New Session"). The text is filled into the box itself, so a
 * stolen focus cannot misplace it, and the row must match exactly, since the first row is often another command.
 * @param {Page} page
 * @param {string} title
 */
export async function command(page, title) {
  await retry(async () => {
    if (await page.locator(QUICK_INPUT).isVisible()) await page.keyboard.press('Escape');
    await page.keyboard.press('F1');
    await page.locator(QUICK_BOX).waitFor({ timeout: 5000 });
    await page.locator(QUICK_BOX).fill(`>${title}`, { timeout: 10_000 });
    await quickRow(page, title).click({ timeout: 10_000 });
  });
}

/**
 * Whether the palette offers the command now.
 * @param {Page} page
 * @param {string} title
 */
export async function offersCommand(page, title) {
  await retry(async () => {
    await page.keyboard.press('F1');
    await page.locator(QUICK_BOX).fill(`>${title}`, { timeout: 3000 });
  });
  const found = await quickRow(page, title)
    .waitFor({ timeout: 2000 })
    .then(
      () => true,
      () => false,
    );
  await page.keyboard.press('Escape');
  return found;
}

/**
 * A row of the open quick pick by its exact label.
 * @param {Page} page
 * @param {string} label
 */
export const quickRow = (page, label) =>
  page
    .locator(`${QUICK_INPUT} .monaco-list-row .label-name`)
    .filter({ hasText: exactly(label) })
    .first();

/** @param {Page} page */
export const quickInput = (page) => page.locator(QUICK_INPUT);

/**
 * Chooses from the open quick pick.
 * @param {Page} page
 * @param {string} label
 */
export async function pick(page, label) {
  await page.locator(QUICK_INPUT).waitFor();
  await page.locator(QUICK_BOX).fill(label);
  await quickRow(page, label).click();
}

/**
 * Answers the open input box.
 * @param {Page} page
 * @param {string} text
 */
export async function answer(page, text) {
  await page.locator(QUICK_INPUT).waitFor();
  await page.locator(QUICK_BOX).fill(text);
  await page.locator(QUICK_BOX).press('Enter');
}

/**
 * Answers a file dialog, which in the browser is a quick pick that first writes its own folder into the box.
 * @param {Page} page
 * @param {string} file
 */
export async function fileDialog(page, file) {
  const widget = page.locator(QUICK_INPUT);
  const box = page.locator(QUICK_BOX);
  const ok = widget.getByRole('button', { name: 'OK' });
  await ok.waitFor();
  await poll(
    async () =>
      (await box.inputValue()).endsWith('/') && (await widget.locator('.monaco-list-row').count()) > 0,
  );
  await retry(async () => {
    await box.fill(file.slice(0, -1), { timeout: 3000 }); // so that the next fill is a change on a retry too
    await box.fill(file, { timeout: 3000 });
    const focused = widget.locator('.monaco-list-row.focused .label-name');
    await focused
      .filter({ hasText: exactly(file.split('/').pop() ?? file) })
      .first()
      .waitFor({ timeout: 3000 });
    await ok.click({ timeout: 3000 });
    await widget.waitFor({ state: 'hidden', timeout: 3000 });
  });
}

/**
 * A notification that is showing.
 * @param {Page} page
 * @param {string | RegExp} text
 */
export const toast = (page, text) =>
  page.locator('.notifications-toasts .notification-list-item', { hasText: text });

/**
 * A modal dialog.
 * @param {Page} page
 * @param {string | RegExp} text
 */
export const dialog = (page, text) => page.locator('.monaco-dialog-box', { hasText: text });

/** @param {Page} page */
export const statusBar = (page) => page.locator('.part.statusbar');

/** @param {Page} page */
export const secondarySideBar = (page) => page.locator('.part.auxiliarybar');

// ── Editors

/**
 * @param {Page} page
 * @param {string | RegExp} name
 */
export const tab = (page, name) => page.locator('.tabs-container .tab', { hasText: name });

/**
 * Closes a tab as a person does, with its cross.
 * @param {Page} page
 * @param {string | RegExp} name
 */
export async function closeTab(page, name) {
  await tab(page, name).first().hover();
  await tab(page, name).first().locator('.tab-actions [aria-label^="Close"]').first().click();
}

/**
 * A button in the title of the active editor.
 * @param {Page} page
 * @param {string} label
 */
export const titleButton = (page, label) =>
  page.locator(`${ACTIVE_GROUP} .editor-actions .action-label[aria-label^="${label}"]`);

/**
 * Opens a file of the workspace with quick open.
 * @param {Page} page
 * @param {string} name
 */
export async function openFile(page, name) {
  const base = name.split('/').pop() ?? name;
  await retry(async () => {
    await page.keyboard.press('Control+P');
    await page.locator(QUICK_BOX).fill(name, { timeout: 3000 });
    await page
      .locator(`${QUICK_INPUT} .monaco-list-row.focused`, { hasText: base })
      .waitFor({ timeout: 5000 });
    await page.locator(QUICK_BOX).press('Enter');
    await tab(page, base).first().waitFor({ timeout: 5000 });
  });
}

/**
 * The drawn lines of an editor (long files are drawn in part; save and read the file instead).
 * @param {Page} page
 */
export async function editorText(page, selector = `${ACTIVE_GROUP} .monaco-editor`) {
  const rows = await page.locator(`${selector} .view-lines .view-line`).evaluateAll((lines) =>
    lines.map((line) => ({
      top: parseFloat(/** @type {HTMLElement} */ (line).style.top),
      text: line.textContent ?? '',
    })),
  );
  return rows
    .sort((a, b) => a.top - b.top)
    .map(({ text }) => text.replace(/\u00a0/g, ' ')) // editors draw spaces as no-break spaces
    .join('\n');
}

/**
 * Both sides of the diff editor in front.
 * @param {Page} page
 */
export async function diffText(page) {
  const diff = `${ACTIVE_GROUP} .monaco-diff-editor .editor`;
  return {
    original: await editorText(page, `${diff}.original`),
    modified: await editorText(page, `${diff}.modified`),
  };
}

/**
 * Types at the end of the active editor.
 * @param {Page} page
 * @param {string} text
 */
export async function typeAtEnd(page, text) {
  await page.locator(`${ACTIVE_GROUP} .monaco-editor .view-lines`).first().click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(text);
}

/** @param {Page} page */
export async function save(page) {
  await page.keyboard.press('Control+S');
  await page.locator('.tab.active.dirty').waitFor({ state: 'detached' });
}

/**
 * The text of the active terminal, which is drawn on a canvas and so is not in the DOM.
 * @param {Page} page
 */
export const terminalText = (page) =>
  page.evaluate(() => {
    const wrapper = document.querySelector('.terminal-wrapper.active');
    const buffer = /** @type {any} */ (wrapper)?.xterm.buffer.active;
    const lines = Array.from({ length: buffer?.length ?? 0 }, (_, i) =>
      buffer.getLine(i).translateToString(true),
    );
    return lines.join('\n').trimEnd();
  });

/**
 * Chooses a colour theme by its label, as a person does.
 * @param {Page} page
 * @param {string} label
 */
export async function setTheme(page, label) {
  await command(page, 'Preferences: Color Theme');
  await pick(page, label);
}

/**
 * Reloads the window, as *Developer: Reload Window* does.
 * @param {Page} page
 */
export async function reload(page) {
  await page.reload({ waitUntil: 'commit' });
  await ready(page);
}

// ── Webviews

/**
 * The document of a visible webview. It goes stale when VS Code rebuilds the webview (a reload, a hidden view): ask again.
 * @param {Page} page
 * @param {{ extension?: string, purpose?: string, body?: string, timeout?: number }} which `body`: a selector on <body>
 */
export async function webview(page, { extension = '', purpose = '', body = '', timeout = 30_000 } = {}) {
  const outer = ['iframe.webview.ready'];
  if (extension) outer.push(`[src*="extensionId=${extension}"]`);
  if (purpose) outer.push(`[src*="purpose=${purpose}"]`);
  const find = async () => {
    for (const shell of await page.locator(outer.join('')).all()) {
      const inner = shell.contentFrame().locator('iframe#active-frame').contentFrame();
      const count = await inner
        .locator(`body${body}`)
        .count()
        .catch(() => 0);
      if (count > 0 && (await shell.isVisible().catch(() => false))) return inner;
    }
    return undefined;
  };
  return poll(find, { timeout, message: `No webview ${outer.join('')} with body${body}` });
}

/**
 * The Playwright frame of a webview, for evaluate().
 * @param {FrameLocator} view
 */
export async function frameOf(view) {
  const frame = await (await view.locator('body').elementHandle())?.ownerFrame();
  if (!frame) throw new Error('The webview is gone');
  return frame;
}

/**
 * A DevTools session with the process that draws the webview.
 * @param {Page} page
 * @param {Frame} frame
 */
export async function devtools(page, frame) {
  const shell = frame.parentFrame();
  if (!shell) throw new Error('The webview is gone');
  return page.context().newCDPSession(shell);
}
