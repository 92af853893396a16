// Which VS Code `npm start` opens, and why. Loaded only when the packages are installed.
import { commandLineOf, downloadedVSCode, noDisplay } from '../../test/harness/desktop-host.mjs';
import { unsupported } from '../../test/harness/browser/install.mjs';
import { which } from './system.mjs';
import { messageOf } from './steps.mjs';

/** @typedef {{ name: 'browser', reason: string } | { name: 'desktop', cli: string, reason: string }} Choice */

/**
 * @param {string | undefined} wanted
 * @returns {Promise<Choice>}
 */
export async function chooseHost(wanted) {
  if (wanted === 'browser') {
    const problem = unsupported();
    if (problem) throw new Error(`--host browser is not possible: ${problem}.`);
    return { name: 'browser', reason: 'you asked for it' };
  }
  const desktop = await findDesktop();
  if ('cli' in desktop) return { name: 'desktop', cli: desktop.cli, reason: desktop.found };
  if (wanted === 'desktop') throw new Error(`--host desktop is not possible: ${desktop.problem}.`);
  const problem = unsupported();
  if (problem) throw new Error(`No VS Code can be opened: ${desktop.problem}, and ${problem}.`);
  return { name: 'browser', reason: desktop.problem };
}

/** @returns {Promise<{ cli: string, found: string } | { problem: string }>} */
async function findDesktop() {
  const problem = noDisplay();
  if (problem) return { problem };
  const code = process.env.VSCODE_IPC_HOOK_CLI ? undefined : which('code'); // in a remote terminal, `code` opens that remote
  if (code) return { cli: code, found: '`code` is on your PATH' };
  try {
    return { cli: commandLineOf(await downloadedVSCode()), found: 'VS Code was downloaded to .vscode-test' };
  } catch (error) {
    return {
      problem: `there is no \`code\` on your PATH and VS Code could not be downloaded (${messageOf(error)})`,
    };
  }
}
