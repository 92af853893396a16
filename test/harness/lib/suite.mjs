// What both hosts share when they run a Mocha suite inside VS Code: how it is handed in, and how its output and result come out.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The module that VS Code is told to run; it runs in the extension host. */
export const SUITE_ENTRY = fileURLToPath(new URL('../in-vscode/suite.mjs', import.meta.url));

/**
 * @typedef {object} SuiteRun
 * @property {string} extension folder of the extension under development
 * @property {string[]} files compiled test files (CommonJS)
 * @property {string} workspace fixture name or folder; the run gets a copy
 * @property {string} out folder for logs and the failure picture
 * @property {boolean} [untrusted] open the workspace in Restricted Mode
 * @property {import('./settings.mjs').Settings} [settings]
 * @property {Record<string, string>} [env]
 * @property {string} [grep] only tests whose title matches
 * @property {number} [timeout] ms for the whole run
 * @property {boolean} [verbose] also print the window's own log
 */

/** Exit codes of a suite run. No result (a crash, a hang, no start) is never taken for a pass. */
export const PASSED = 0;
export const FAILED = 1;
export const NO_RESULT = 2;
/** No title has what was searched for; nothing ran. */
export const NOTHING_MATCHED = 3;

const CODES = new Map([
  ['passed', PASSED],
  ['unmatched', NOTHING_MATCHED],
]);

/** The channel between a suite in the extension host and the launcher: one log file and one result file. */
export class SuiteChannel {
  #log;
  #result;
  #printed = 0;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {string} out */
  constructor(out) {
    fs.mkdirSync(out, { recursive: true });
    this.#log = path.join(out, 'tests.log');
    this.#result = path.join(out, 'tests.result');
    fs.writeFileSync(this.#log, '');
    fs.rmSync(this.#result, { force: true });
  }

  /**
   * Variables for the extension host.
   * @param {SuiteRun} run
   */
  env(run) {
    return {
      SLUICE_SUITE_FILES: JSON.stringify(run.files),
      SLUICE_SUITE_LOG: this.#log,
      SLUICE_SUITE_RESULT: this.#result,
      SLUICE_SUITE_GREP: run.grep ?? '',
    };
  }

  /** Prints what the suite says, as it comes. */
  follow() {
    this.#timer = setInterval(() => this.#flush(), 200);
  }

  /** Stops printing and returns the exit code; `undefined` text means that the suite never ended. */
  finish() {
    clearInterval(this.#timer);
    this.#flush();
    if (!fs.existsSync(this.#result)) return NO_RESULT;
    return CODES.get(fs.readFileSync(this.#result, 'utf8')) ?? FAILED;
  }

  #flush() {
    const text = fs.readFileSync(this.#log, 'utf8');
    process.stdout.write(text.slice(this.#printed));
    this.#printed = text.length;
  }
}
