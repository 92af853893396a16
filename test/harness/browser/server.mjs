// One VS Code server: started with settings, extensions and environment of its own, and ended as a whole.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { isolatedEnv, makeHome } from '../lib/environment.mjs';
import { linkExtension } from '../lib/extensions.mjs';
import { dropFolder, endGroup, endWithParent, spawnGroup, temporaryFolder } from '../lib/processes.mjs';
import { openGateway } from './gateway.mjs';
import { prepareTree } from './tree.mjs';

const START_LIMIT_MS = 60_000;
const NO_GALLERY = { EXTENSIONS_GALLERY: '{}' };

/**
 * @typedef {object} ServerOptions
 * @property {import('../lib/settings.mjs').Settings} settings those of Sluice itself go where machine-scoped settings of a remote window are
 * @property {string} [vsix] packaged extension to install, as a user would
 * @property {string[]} [extensions] unpacked extension folders to put where installed ones live
 * @property {boolean} [suites] allow `extensionTestsPath`; it also hides notifications and refuses dialogs
 * @property {boolean} [untrusted] ask about workspace trust instead of trusting every folder
 * @property {Record<string, string | undefined>} [env]
 * @property {number} [port]
 * @property {number} [webviewPort] see gateway.mjs: for a person's browser, whichever it is
 * @property {string[]} [args] more server flags
 */

/** A running server. Everything of it is in `root`, which goes with it. */
export class Server {
  #child;
  #gateway;
  #output;

  /**
   * @param {{ root: string, home: string, version: string }} place
   * @param {import('node:child_process').ChildProcess} child
   * @param {import('./gateway.mjs').Gateway} gateway
   * @param {{ text: string }} output
   */
  constructor(place, child, gateway, output) {
    this.root = place.root;
    this.home = place.home;
    this.version = place.version;
    this.settingsFile = settingsFile(place.root);
    this.machineSettingsFile = machineSettingsFile(place.root);
    this.port = gateway.port;
    this.authority = `127.0.0.1:${gateway.port}`;
    this.token = gateway.token;
    this.url = `http://${this.authority}/?token=${this.token}`;
    this.#child = child;
    this.#gateway = gateway;
    this.#output = output;
  }

  /** What the server printed. */
  get log() {
    return this.#output.text;
  }

  /** Resolves when the server ends, for whatever reason. */
  get ended() {
    return new Promise((resolve) => this.#child.once('exit', resolve));
  }

  /** Exit codes (or signals) of extension hosts that ended badly. */
  get crashes() {
    const ended = this.log.matchAll(/Extension Host Process exited with code: (\S+), signal: (\S+?)\.?\s/g);
    return [...ended]
      .filter(([, code, signal]) => code !== '0' || signal !== 'null')
      .map(([line]) => line.trim());
  }

  /** The extension host's log, and those of the extensions' own channels. */
  logFiles() {
    const logs = path.join(this.root, 'data/logs');
    if (!fs.existsSync(logs)) return [];
    const names = /** @type {string[]} */ (fs.readdirSync(logs, { recursive: true }));
    return names.filter((name) => name.endsWith('.log')).map((name) => path.join(logs, name));
  }

  /**
   * Ends the server and all that it started.
   * @param {{ logsTo?: string }} options folder for its logs
   */
  async stop({ logsTo } = {}) {
    this.#gateway.close();
    await endGroup(this.#child);
    if (logsTo) keepLogs(this.root, this.log, logsTo);
    dropFolder(this.root);
  }
}

/**
 * @param {ServerOptions} options
 * @param {{ root?: string, home?: string }} place made beforehand when a caller must know the folders first
 */
export async function startServer(options, { root = temporaryFolder(), home = makeHome(root) } = {}) {
  const tree = prepareTree();
  const extensions = path.join(root, 'extensions');
  fs.mkdirSync(extensions, { recursive: true });
  for (const folder of options.extensions ?? []) linkExtension(folder, extensions);
  if (options.vsix) installVsix(tree, options.vsix, extensions, root, home);
  writeSettings(root, options.settings);

  const socket = path.join(root, 'server.sock');
  const args = [...endWithParent(), tree.serverMain, ...serverFlags(options, socket, extensions, root)];
  const env = isolatedEnv(home, { ...NO_GALLERY, ...options.env });
  const child = spawnGroup(tree.node, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { text: '' };
  try {
    await listening(child, output);
    const gateway = await openGateway({
      socketPath: socket,
      port: options.port,
      webviewPort: options.webviewPort,
    });
    return new Server({ root, home, version: tree.version }, child, gateway, output);
  } catch (error) {
    await endGroup(child);
    throw error;
  }
}

/**
 * @param {ServerOptions} options
 * @param {string} socket
 * @param {string} extensions
 * @param {string} root
 */
function serverFlags(options, socket, extensions, root) {
  return [
    ...['--socket-path', socket, '--without-connection-token', '--accept-server-license-terms'],
    ...['--telemetry-level', 'off', '--disable-update-check', '--disable-getting-started-override'],
    ...['--server-data-dir', root, '--extensions-dir', extensions],
    ...(options.suites ? ['--enable-smoke-test-driver'] : []),
    ...(options.untrusted ? [] : ['--disable-workspace-trust']),
    ...(options.args ?? []),
  ];
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {{ text: string }} output
 */
function listening(child, output) {
  return new Promise((resolve, reject) => {
    const settle = (/** @type {string} */ problem = '') => {
      clearTimeout(timer);
      if (problem) reject(new Error(`The VS Code server ${problem}\n${output.text}`));
      else resolve(undefined);
    };
    const timer = setTimeout(() => settle(`did not start in ${START_LIMIT_MS / 1000} s`), START_LIMIT_MS);
    const read = (/** @type {Buffer} */ data) => {
      output.text += data;
      if (output.text.includes('Extension host agent listening on')) settle();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', (error) => settle(`could not be started: ${error.message}`));
    child.once('exit', (code) => settle(`exited with ${code}`));
  });
}

/**
 * To its window this server is a remote machine, and settings of machine scope count only when they stand in that machine's file.
 * @param {string} root
 * @param {import('../lib/settings.mjs').Settings} settings
 */
function writeSettings(root, settings) {
  const own = Object.entries(settings).filter(([name]) => name.startsWith('sluice.'));
  const others = Object.entries(settings).filter(([name]) => !name.startsWith('sluice.'));
  for (const [file, entries] of /** @type {const} */ ([
    [settingsFile(root), others],
    [machineSettingsFile(root), own],
  ])) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, JSON.stringify(Object.fromEntries(entries), null, 2));
  }
}

/** @param {string} root */
const settingsFile = (root) => path.join(root, 'data/User/settings.json');

/** @param {string} root */
const machineSettingsFile = (root) => path.join(root, 'data/Machine/settings.json');

/**
 * @param {import('./tree.mjs').Tree} tree
 * @param {string} vsix
 * @param {string} extensions
 * @param {string} root
 * @param {string} home
 */
function installVsix(tree, vsix, extensions, root, home) {
  const args = ['--install-extension', path.resolve(vsix), '--force', '--accept-server-license-terms'];
  const where = ['--extensions-dir', extensions, '--server-data-dir', root];
  const env = isolatedEnv(home, NO_GALLERY);
  const done = spawnSync(tree.node, [tree.serverMain, ...args, ...where], { env, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`VS Code did not install ${vsix}\n${done.stdout}${done.stderr}`);
}

/**
 * @param {string} root
 * @param {string} output
 * @param {string} out
 */
function keepLogs(root, output, out) {
  fs.mkdirSync(out, { recursive: true });
  fs.writeFileSync(path.join(out, 'server.log'), output);
  const logs = path.join(root, 'data/logs');
  fs.rmSync(path.join(out, 'logs'), { recursive: true, force: true });
  if (fs.existsSync(logs)) fs.cpSync(logs, path.join(out, 'logs'), { recursive: true });
}
