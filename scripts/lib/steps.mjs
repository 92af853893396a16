// What the scripts share: the checkout, npm, and whether the installed packages are those of the lockfile.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { unsupported } from '../../test/harness/browser/install.mjs';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const VSIX = path.join(ROOT, 'dist/sluice.vsix');

const OLDEST_NODE = 20;

/** Stops with a plain sentence where the syntax error of an old Node would follow. */
export function requireNode() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < OLDEST_NODE)
    throw new Error(`Sluice is built with Node ${OLDEST_NODE} or newer; this is ${process.version}.`);
}

/**
 * Runs npm with its output shown, and tells whether it succeeded.
 * @param {string[]} args
 * @param {{ quiet?: boolean }} options `quiet` shows the output only of a failure
 */
export function npm(args, { quiet = false } = {}) {
  const windows = process.platform === 'win32';
  const done = spawnSync(windows ? 'npm.cmd' : 'npm', args, {
    cwd: ROOT,
    env: process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: '1' },
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
    encoding: 'utf8',
    shell: windows,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (quiet && done.status !== 0) console.error(`${done.stdout}${done.stderr}`.trim());
  return done.status === 0;
}

/** Installs the packages of the lockfile when they are not there, or are not those. */
export function ensurePackages() {
  if (packagesAreCurrent()) return;
  console.log('Installing packages (npm ci) …');
  if (!npm(['ci', '--no-audit', '--no-fund', '--loglevel=error']))
    throw new Error('npm ci failed; its output is above.');
}

/** Compares with npm's own record of what it installed; packages for other platforms may be missing. */
function packagesAreCurrent() {
  const record = path.join(ROOT, 'node_modules/.package-lock.json');
  if (!fs.existsSync(record)) return false;
  const installed = packagesOf(record);
  return Object.entries(packagesOf(path.join(ROOT, 'package-lock.json'))).every(
    ([place, wanted]) => place === '' || wanted.optional || installed[place]?.version === wanted.version,
  );
}

/**
 * @param {string} lockfile
 * @returns {Record<string, { version?: string, optional?: boolean }>}
 */
const packagesOf = (lockfile) => JSON.parse(fs.readFileSync(lockfile, 'utf8')).packages;

/** Where suites run: as SLUICE_HOST says, else in the browser host where it runs at all. */
export const suiteHost = () => process.env.SLUICE_HOST || (unsupported() ? 'desktop' : 'browser');

/** @param {unknown} error */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));
