// npm start: a VS Code with Sluice in it, on a throw-away project with a failing test. It installs and builds what is missing.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensurePackages, messageOf, npm, requireNode, VSIX } from './lib/steps.mjs';

const USAGE = `npm start -- [options]
  --host desktop|browser  which VS Code (default: desktop if there is one or one can be downloaded, else browser)
  --port N                port of the browser host; webviews use the next one (default: any free ones)
  --folder DIR            open this folder itself instead of a copy of the example
  --help                  this text
Everything else is thrown away at the end: profile, home folder, sessions. Ctrl-C or closing the window ends it.`;

const OPTIONS = /** @type {const} */ ({
  host: { type: 'string' },
  port: { type: 'string' },
  folder: { type: 'string' },
  help: { type: 'boolean' },
});

/** @param {ReturnType<typeof readArguments>} options */
async function main(options) {
  requireNode();
  ensurePackages();
  const { exitOnSignals, temporaryFolder } = await import('../test/harness/lib/processes.mjs');
  const { copyWorkspace } = await import('../test/harness/lib/workspaces.mjs');
  const { chooseHost } = await import('./lib/host-choice.mjs');
  exitOnSignals();

  const host = await chooseHost(options.host);
  console.log(`Host: ${host.name}, because ${host.reason}.`);
  console.log('Building and packaging Sluice …');
  if (!npm(['run', '-s', 'package'], { quiet: true }))
    throw new Error('The build failed; its output is above.');

  const root = temporaryFolder('sluice-start-');
  const workspace = options.folder ? path.resolve(options.folder) : copyWorkspace('failing-test', root);
  const place = { workspace, root, settings: await startSettings(), trusted: !options.folder };
  if (host.name === 'desktop') await openDesktop(host.cli, place);
  else await serve(options.port, place);
}

/** @typedef {{ workspace: string, root: string, settings: Record<string, unknown>, trusted: boolean }} Place */

/** The bar is there from the start, so that nothing moves when the chat opens in it. */
async function startSettings() {
  const { QUIET } = await import('../test/harness/lib/settings.mjs');
  return { ...QUIET, 'workbench.secondarySideBar.defaultVisibility': 'visible' };
}

/**
 * @param {string} cli
 * @param {Place} place
 */
async function openDesktop(cli, place) {
  const { openForPerson } = await import('../test/harness/desktop-host.mjs');
  console.log(`VS Code opens on ${place.workspace}. Close its window to end.`);
  await openForPerson({ cli, vsix: VSIX, ...place });
}

/**
 * @param {string | undefined} port
 * @param {Place} place
 */
async function serve(port, { workspace, root, settings, trusted }) {
  const { startServer } = await import('../test/harness/browser/server.mjs');
  const { OPENER } = await import('../test/harness/lib/extensions.mjs');
  const options = {
    settings,
    vsix: VSIX,
    extensions: [OPENER],
    untrusted: !trusted,
    port: port ? Number(port) : 0,
    webviewPort: port ? Number(port) + 1 : 0,
  };
  const server = await startServer(options, { root });
  // The folder first, and readable: this address is for people.
  console.log(`Open http://${server.authority}/?folder=${encodeURI(workspace)}&token=${server.token}`);
  console.log('It stays up until you press Ctrl-C.');
  await server.ended;
  throw new Error(`The VS Code server ended.\n${server.log}`);
}

function readArguments() {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.host !== undefined && !['browser', 'desktop'].includes(values.host))
    throw new Error(`There is no host ${values.host}.`);
  if (values.port !== undefined && !/^\d{1,5}$/.test(values.port))
    throw new Error(`${values.port} is not a port.`);
  return values;
}

try {
  const options = readArguments();
  if (options.help) console.log(USAGE);
  else await main(options);
} catch (error) {
  console.error(messageOf(error));
  process.exit(1);
}
