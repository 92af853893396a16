// Runs one end-to-end scenario: the packaged extension in a window of its own, driven as a person would.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { startServer } from './browser/server.mjs';
import { openWindow, startBrowser } from './browser/window.mjs';
import { isolatedEnv, makeHome } from './lib/environment.mjs';
import { dropFolder, temporaryFolder } from './lib/processes.mjs';
import { FOR_TESTS } from './lib/settings.mjs';
import { copyWorkspace } from './lib/workspaces.mjs';
import * as ui from './ui.mjs';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const SCENARIO_LIMIT_MS = 300_000;

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('./browser/window.mjs').WindowOptions} WindowOptions */
/** @typedef {import('./lib/settings.mjs').Settings} Settings */

/**
 * What `before` may find out and give back, ahead of the first window.
 * @typedef {{ root: string, home: string, workspace: string }} Place
 * @typedef {{ settings?: Settings, env?: Record<string, string>, stop?: () => unknown }} Prepared
 */

/**
 * What a *.e2e.ts file exports as `options`; every field may be left out.
 * @typedef {object} ScenarioOptions
 * @property {string | false} [workspace] fixture name or folder to copy; false opens no folder (default: failing-test)
 * @property {boolean} [untrusted] Restricted Mode
 * @property {string[]} [extensions] folders of test/harness with extensions beside the one under test
 * @property {Settings} [settings] user settings on top of those for tests
 * @property {Record<string, string>} [env] for the extension host
 * @property {(place: Place) => Promise<Prepared> | Prepared} [before] starts what the scenario needs, a model server for example
 * @property {number} [timeout] ms for the whole scenario
 * @property {WindowOptions} [window] viewport and the like of the first window
 * @property {boolean} [trace] false while frame times are measured
 * @property {boolean} [mayCrash] the scenario ends the extension host on purpose
 */

/**
 * What the default export of a *.e2e.ts file gets.
 * @typedef {object} ScenarioContext
 * @property {Page} page the first window, ready
 * @property {typeof ui} ui
 * @property {import('playwright-core').Browser} browser
 * @property {import('./browser/server.mjs').Server} server
 * @property {string} workspace the copy that is open ('' when no folder is)
 * @property {string} home the HOME of the extension host: transcripts are in `<home>/.sluice`
 * @property {string} repository root of the checkout
 * @property {string} out folder for pictures and the like
 * @property {Prepared} prepared what `before` gave
 * @property {(name: string, page?: Page) => Promise<string>} shot takes a picture, gives its path
 * @property {<T>(name: string, action: () => Promise<T> | T) => Promise<T>} step names a part, for the report
 * @property {(options?: WindowOptions) => Promise<Page>} open another window on the same server
 * @property {() => string} hostLog everything in the window's log files so far, extension host and channels
 */

/** @typedef {(context: ScenarioContext) => Promise<void>} Scenario */

/**
 * @param {{ script: string, out: string, vsix?: string, extensions?: string[], chromium: string }} run `script`: the compiled file
 * @returns {Promise<boolean>} whether it passed
 */
export async function runScenario({ script, out, chromium, ...extension }) {
  fs.rmSync(out, { recursive: true, force: true });
  fs.mkdirSync(out, { recursive: true });
  const module = await import(script);
  /** @type {ScenarioOptions} */
  const options = module.options ?? {};
  const root = temporaryFolder();
  const home = makeHome(root);
  const workspace =
    options.workspace === false
      ? ''
      : copyWorkspace(options.workspace ?? 'failing-test', root, { env: isolatedEnv(home) });
  /** @type {Prepared} */
  let prepared = {};
  const windows = new Windows(out);
  let server, browser;
  try {
    prepared = (await options.before?.({ root, home, workspace })) ?? {};
    const settings = { ...FOR_TESTS, ...options.settings, ...prepared.settings };
    const env = { ...options.env, ...prepared.env };
    const beside = (options.extensions ?? []).map((name) => path.join(REPOSITORY, 'test/harness', name));
    const extensions = [...(extension.extensions ?? []), ...beside];
    const tested = { ...extension, extensions };
    server = await startServer({ ...tested, settings, env, untrusted: options.untrusted }, { root, home });
    browser = await startBrowser(chromium);
    const onContext = options.trace === false ? undefined : startTrace;
    windows.serve(browser, server, { workspace, onContext, ...options.window });
    const context = { browser, server, workspace, home, out, prepared, ui, repository: REPOSITORY };
    await play(module.default, context, windows, options);
    if (!options.mayCrash && server.crashes.length > 0)
      throw new Error(`The extension host died: ${server.crashes.join('; ')}`);
    return true;
  } catch (error) {
    console.error(stripVTControlCharacters(String(error instanceof Error ? error.stack : error)));
    await windows.keepEvidence();
    const sessions = path.join(home, '.sluice');
    if (fs.existsSync(sessions)) fs.cpSync(sessions, path.join(out, 'sessions'), { recursive: true });
    return false;
  } finally {
    await browser?.close().catch(() => {});
    await server?.stop({ logsTo: out });
    await prepared.stop?.();
    dropFolder(root);
  }
}

/**
 * @param {Scenario} scenario
 * @param {Omit<ScenarioContext, 'page' | 'shot' | 'step' | 'open' | 'hostLog'>} context
 * @param {Windows} windows
 * @param {ScenarioOptions} options
 */
async function play(scenario, context, windows, options) {
  const limit = options.timeout ?? SCENARIO_LIMIT_MS;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const tooLong = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No end after ${limit / 1000} s`)), limit);
  });
  const { server, out } = context;
  const work = async () => {
    const page = await windows.open();
    await ui.ready(page);
    const shot = async (/** @type {string} */ name, /** @type {Page} */ of = page) => {
      const file = path.join(out, `${name}.png`);
      await of.screenshot({ path: file });
      return file;
    };
    const open = async (/** @type {WindowOptions} */ more = {}) => {
      const other = await windows.open(more);
      await ui.ready(other);
      return other;
    };
    const hostLog = () =>
      server
        .logFiles()
        .map((file) => fs.readFileSync(file, 'utf8'))
        .join('\n');
    await scenario({ ...context, page, shot, step, open, hostLog });
  };
  try {
    await Promise.race([work(), tooLong]);
  } finally {
    clearTimeout(timer);
  }
}

/** @type {ScenarioContext['step']} */
async function step(name, action) {
  const start = Date.now();
  try {
    const result = await action();
    console.log(`    ✔ ${name} (${Date.now() - start} ms)`);
    return result;
  } catch (error) {
    console.log(`    ✖ ${name} (${Date.now() - start} ms)`);
    throw error;
  }
}

/** The windows of one scenario, each with a trace that is kept when the scenario fails. */
class Windows {
  /** @type {Page[]} */
  #pages = [];
  #out;
  /** @type {(options?: WindowOptions) => Promise<Page>} */
  #opener = () => Promise.reject(new Error('There is no browser yet'));

  /** @param {string} out */
  constructor(out) {
    this.#out = out;
  }

  /**
   * @param {import('playwright-core').Browser} browser
   * @param {import('./browser/server.mjs').Server} server
   * @param {WindowOptions} common
   */
  serve(browser, server, common) {
    this.#opener = (more) => openWindow(browser, server, { ...common, ...more });
  }

  /** @param {WindowOptions} [options] */
  async open(options) {
    const page = await this.#opener(options);
    this.#pages.push(page);
    return page;
  }

  /** Pictures and traces of all windows. */
  async keepEvidence() {
    const contexts = new Set();
    for (const [i, page] of this.#pages.entries()) {
      const suffix = i === 0 ? '' : `-${i + 1}`;
      await page
        .screenshot({ path: path.join(this.#out, `failure${suffix}.png`), timeout: 5000 })
        .catch(() => {});
      if (contexts.has(page.context())) continue;
      contexts.add(page.context());
      await page
        .context()
        .tracing.stop({ path: path.join(this.#out, `trace${suffix}.zip`) })
        .catch(() => {});
    }
  }
}

/**
 * Snapshots of the DOM, but no film: encoding every frame would cost more than the window itself.
 * @param {import('playwright-core').BrowserContext} context
 */
const startTrace = (context) => context.tracing.start({ snapshots: true });
