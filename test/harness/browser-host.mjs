// The browser host: a VS Code server with Chromium as its window. It runs a suite inside the extension host.
import path from 'node:path';
import { format } from 'node:util';
import { startServer } from './browser/server.mjs';
import { openWindow, startBrowser } from './browser/window.mjs';
import { LM_PROVIDER } from './lib/extensions.mjs';
import { FOR_TESTS } from './lib/settings.mjs';
import { NO_RESULT, SUITE_ENTRY, SuiteChannel } from './lib/suite.mjs';
import { copyWorkspace } from './lib/workspaces.mjs';

const SUITE_LIMIT_MS = 900_000;

/**
 * Runs compiled Mocha files in the extension host of one window.
 * @param {import('./lib/suite.mjs').SuiteRun & { chromium: string }} run
 * @returns {Promise<number>} 0 passed, 1 failed, 2 no result, 3 nothing matched
 */
export async function runSuite(run) {
  const channel = new SuiteChannel(run.out);
  const server = await startServer({
    settings: { ...FOR_TESTS, ...run.settings },
    suites: true,
    extensions: [LM_PROVIDER],
    untrusted: run.untrusted,
    env: { ...channel.env(run), ...run.env },
  });
  const workspace = copyWorkspace(run.workspace, server.root);
  const browser = await startBrowser(run.chromium);
  channel.follow();
  const problem = await suiteEnd(browser, server, run, workspace);
  const code = channel.finish();
  if (code === NO_RESULT) {
    console.error(
      `No result: ${problem ?? 'the extension host ended before the suite did'}. Logs: ${run.out}`,
    );
    await picture(browser, path.join(run.out, 'failure.png'));
  } else {
    await hostEnd(server); // lets it write NODE_V8_COVERAGE
  }
  await browser.close().catch(() => {});
  await server.stop({ logsTo: run.out });
  return code;
}

/**
 * Opens the window and waits until VS Code says that the extension host is done. The exit code that it gives is no
 * proof, since it is 0 after a crash too; the suite's own result file is.
 * @param {import('playwright-core').Browser} browser
 * @param {import('./browser/server.mjs').Server} server
 * @param {import('./lib/suite.mjs').SuiteRun} run
 * @param {string} workspace
 * @returns {Promise<string | undefined>} what went wrong
 */
async function suiteEnd(browser, server, run, workspace) {
  const limit = run.timeout ?? SUITE_LIMIT_MS;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const end = new Promise((resolve) => {
    timer = setTimeout(() => resolve(`still running after ${limit / 1000} s`), limit);
    browser.once('disconnected', () => resolve('the browser ended'));
    void server.ended.then(() => resolve('the VS Code server ended'));
    openWindow(browser, server, {
      workspace,
      extension: run.extension,
      suite: SUITE_ENTRY,
      onExit: () => resolve(undefined),
      onLog: (kind, args) => run.verbose && console.log(`[${kind}]`, format(...args)),
    }).then(
      (page) => page.once('crash', () => resolve('the page crashed')),
      (/** @type {Error} */ error) => resolve(error.message),
    );
  });
  const problem = await end;
  clearTimeout(timer);
  return problem;
}

/** @param {import('./browser/server.mjs').Server} server */
async function hostEnd(server) {
  for (let i = 0; i < 50 && !/Extension Host Process exited/.test(server.log); i++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/**
 * @param {import('playwright-core').Browser} browser
 * @param {string} file
 */
async function picture(browser, file) {
  const page = browser.contexts()[0]?.pages()[0];
  await page?.screenshot({ path: file, timeout: 5000 }).catch(() => {});
}
