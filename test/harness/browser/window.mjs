// Chromium and the workbench windows in it.
import path from 'node:path';
import { chromium } from 'playwright-core';

/** @typedef {import('playwright-core').Browser} Browser */
/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('./server.mjs').Server} Server */

const FLAGS = [
  '--no-sandbox', // root cannot use the sandbox
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  // Replaces Playwright's own list, which turns storage partitioning off; a webview could then have no service worker.
  '--disable-features=Translate,HttpsUpgrades,MediaRouter,PaintHolding',
  // Nothing leaves the machine: every name but our own server's fails at once.
  '--host-resolver-rules=MAP *.localhost 127.0.0.1 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost',
];

/** @param {string} executablePath */
export const startBrowser = (executablePath) =>
  chromium.launch({ executablePath, headless: !process.env.SLUICE_HEADED, args: FLAGS });

/**
 * @typedef {object} WindowOptions
 * @property {string} [workspace] folder or .code-workspace file; none opens an empty window
 * @property {string} [extension] folder of an extension under development (suites only)
 * @property {string} [suite] module that runs the suite (suites only)
 * @property {[string, string][]} [payload] more of what VS Code reads from a window's address
 * @property {import('playwright-core').BrowserContextOptions} [context]
 * @property {import('playwright-core').BrowserContext} [inContext] share state with another window
 * @property {(context: import('playwright-core').BrowserContext) => Promise<void>} [onContext] before the page exists
 * @property {(code: number) => void} [onExit] the extension host ended (suites only)
 * @property {(kind: string, args: unknown[]) => void} [onLog] the window's log (suites only)
 */

/**
 * Opens a workbench window, in a browser context of its own unless told otherwise: a reused profile would restore
 * the layout of the window before.
 * @param {Browser} browser
 * @param {Server} server
 * @param {WindowOptions} options
 */
export async function openWindow(browser, server, options = {}) {
  const context =
    options.inContext ??
    (await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options.context }));
  context.setDefaultTimeout(20_000);
  if (!options.inContext) await options.onContext?.(context);
  const page = await context.newPage();
  if (options.suite) {
    await page.exposeFunction(
      'codeAutomationLog',
      (/** @type {string} */ kind, /** @type {unknown[]} */ args) => options.onLog?.(kind, args),
    );
    await page.exposeFunction('codeAutomationExit', (/** @type {number} */ code) => options.onExit?.(code));
  }
  await page.goto(windowUrl(server, options), { waitUntil: 'commit' });
  return page;
}

/**
 * The address that opens a folder, with what VS Code should do in the new window.
 * @param {Server} server
 * @param {WindowOptions} options
 */
export function windowUrl(server, { workspace, extension, suite, payload = [] }) {
  const remote = (/** @type {string} */ file) => `vscode-remote://${server.authority}${path.resolve(file)}`;
  const wishes = [['skipWelcome', 'true'], ['skipReleaseNotes', 'true'], ...payload];
  if (extension) wishes.push(['extensionDevelopmentPath', remote(extension)]);
  if (suite) wishes.push(['extensionTestsPath', remote(suite)]);
  const url = new URL(server.url);
  if (workspace)
    url.searchParams.set(
      workspace.endsWith('.code-workspace') ? 'workspace' : 'folder',
      path.resolve(workspace),
    );
  else url.searchParams.set('ew', 'true');
  url.searchParams.set('payload', JSON.stringify(wishes));
  return url.href;
}
