// The desktop host: a real VS Code with a profile of its own. It runs a suite inside the extension host, or opens for a person.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {
  downloadAndUnzipVSCode,
  resolveCliPathFromVSCodeExecutablePath,
  SilentReporter,
} from '@vscode/test-electron';
import { isolatedEnv, makeHome } from './lib/environment.mjs';
import { linkExtension, LM_PROVIDER, OPENER } from './lib/extensions.mjs';
import { dropFolder, endGroup, spawnGroup, temporaryFolder } from './lib/processes.mjs';
import { FOR_TESTS } from './lib/settings.mjs';
import { NO_RESULT, SUITE_ENTRY, SuiteChannel } from './lib/suite.mjs';
import { copyWorkspace } from './lib/workspaces.mjs';

const SUITE_LIMIT_MS = 900_000;
const IS_WINDOWS = process.platform === 'win32';

/** Why no desktop window can open here, if none can. */
export function noDisplay() {
  if (process.platform !== 'linux' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY) return undefined;
  return 'there is no display here';
}

/** The program of a VS Code that is kept in .vscode-test; SLUICE_VSCODE names another. */
export async function downloadedVSCode() {
  if (process.env.SLUICE_VSCODE) return process.env.SLUICE_VSCODE;
  return downloadAndUnzipVSCode({ version: 'stable', reporter: new SilentReporter(), timeout: 15_000 });
}

/** The command line of the VS Code above. */
export const commandLineOf = (/** @type {string} */ program) =>
  resolveCliPathFromVSCodeExecutablePath(program);

/**
 * @param {string} root
 * @param {import('./lib/settings.mjs').Settings} settings
 */
function profile(root, settings) {
  const data = path.join(root, 'user-data');
  const extensions = path.join(root, 'extensions');
  fs.mkdirSync(path.join(data, 'User'), { recursive: true });
  fs.mkdirSync(extensions, { recursive: true });
  fs.writeFileSync(path.join(data, 'User/settings.json'), JSON.stringify(settings, null, 2));
  return ['--user-data-dir', data, '--extensions-dir', extensions];
}

/** A new home folder has no keyring, and asking the system's would show a dialog. */
const secretStorage = () =>
  process.platform === 'linux' ? '--password-store=basic' : '--use-inmemory-secretstorage';

/** Electron refuses to run as root with its sandbox. */
const sandbox = () => (process.getuid?.() === 0 ? ['--no-sandbox'] : []);

const QUIET_FLAGS = ['--skip-welcome', '--skip-release-notes', '--disable-updates', '--disable-telemetry'];

/**
 * Runs compiled Mocha files in the extension host of one window.
 * @param {import('./lib/suite.mjs').SuiteRun} run
 * @returns {Promise<number>} 0 passed, 1 failed, 2 no result, 3 nothing matched
 */
export async function runSuite(run) {
  const blocked = noDisplay();
  if (blocked) throw new Error(`The desktop host needs a display, and ${blocked}. Run it under: xvfb-run -a`);
  const program = await downloadedVSCode();
  const channel = new SuiteChannel(run.out);
  const root = temporaryFolder();
  const home = makeHome(root);
  const args = [
    copyWorkspace(run.workspace, root, { env: isolatedEnv(home) }),
    ...profile(root, { ...FOR_TESTS, ...run.settings }),
    ...[...QUIET_FLAGS, secretStorage(), '--disable-gpu', '--no-cached-data'],
    ...sandbox(),
    ...(run.untrusted ? [] : ['--disable-workspace-trust']),
    `--extensionDevelopmentPath=${run.extension}`,
    `--extensionTestsPath=${SUITE_ENTRY}`,
  ];
  linkExtension(LM_PROVIDER, path.join(root, 'extensions'));
  channel.follow();
  const problem = await untilClosed(
    program,
    args,
    isolatedEnv(home, { ...channel.env(run), ...run.env }),
    run,
  );
  const code = channel.finish();
  if (code === NO_RESULT)
    console.error(`No result: ${problem ?? 'VS Code ended before the suite did'}. Logs: ${run.out}`);
  const logs = path.join(root, 'user-data/logs');
  if (fs.existsSync(logs)) fs.cpSync(logs, path.join(run.out, 'logs'), { recursive: true });
  dropFolder(root);
  return code;
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {Record<string, string>} env
 * @param {import('./lib/suite.mjs').SuiteRun} run
 * @returns {Promise<string | undefined>} what went wrong
 */
async function untilClosed(program, args, env, run) {
  const child = spawnGroup(program, args, { env, stdio: run.verbose ? 'inherit' : 'ignore' });
  const limit = run.timeout ?? SUITE_LIMIT_MS;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const problem = await new Promise((resolve) => {
    timer = setTimeout(() => resolve(`still running after ${limit / 1000} s`), limit);
    child.once('error', (error) => resolve(error.message));
    child.once('exit', () => resolve(undefined));
  });
  clearTimeout(timer);
  if (child.pid !== undefined) await endGroup(child);
  return problem;
}

/**
 * Opens a window with the packaged extension for a person, and resolves when the person closes it.
 * @param {{ cli: string, vsix: string, workspace: string, root: string, settings: import('./lib/settings.mjs').Settings, trusted: boolean }} how
 */
export async function openForPerson({ cli, vsix, workspace, root, settings, trusted }) {
  const env = isolatedEnv(makeHome(root));
  const where = profile(root, settings);
  linkExtension(OPENER, path.join(root, 'extensions'));
  const command = IS_WINDOWS ? `"${cli}"` : cli; // code.cmd runs in a shell
  const shown = (/** @type {string[]} */ args) => (IS_WINDOWS ? args.map((arg) => `"${arg}"`) : args);
  const install = shown([...where, '--install-extension', path.resolve(vsix), '--force']);
  const installed = spawnSync(command, install, { env, encoding: 'utf8', shell: IS_WINDOWS });
  if (installed.status !== 0)
    throw new Error(`VS Code did not install ${vsix}\n${installed.stdout}${installed.stderr}`);
  const trust = trusted ? ['--disable-workspace-trust'] : [];
  const args = shown([
    ...where,
    '--new-window',
    '--wait',
    ...QUIET_FLAGS,
    secretStorage(),
    ...trust,
    workspace,
  ]);
  const child = spawnGroup(command, args, { env, stdio: 'inherit', shell: IS_WINDOWS });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  await endGroup(child);
  if (code !== 0) throw new Error(`VS Code ended with code ${code}`);
}
