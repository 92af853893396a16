// Installs what the browser host runs, once per lockfile, in a cache folder outside the checkout.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const MANIFEST = ['package.json', 'package-lock.json', '.npmrc'];
const FINISHED = '.finished';

/** The folder for this lockfile, whether or not it exists yet. */
export function hostFolder() {
  const cache = process.env.SLUICE_HOST_CACHE ?? path.join(userCache(), 'sluice-host');
  const hash = createHash('sha256');
  for (const file of MANIFEST) hash.update(fs.readFileSync(path.join(here, file)));
  return path.resolve(cache, hash.digest('hex').slice(0, 16));
}

function userCache() {
  return process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
}

/** Why the browser host cannot run on this machine, if it cannot. */
export function unsupported() {
  if (process.platform === 'linux' && process.arch === 'x64') return undefined;
  return `the browser host runs on linux-x64 only, and this is ${process.platform}-${process.arch}`;
}

export const isInstalled = () => fs.existsSync(path.join(hostFolder(), FINISHED));

/**
 * Installs if needed and returns the `node_modules` folder. Only a finished install gets the final name, so that
 * two runs at once, or one that is interrupted, leave nothing half made behind.
 */
export function installHost() {
  const reason = unsupported();
  if (reason) throw new Error(reason);
  const folder = hostFolder();
  if (!isInstalled()) {
    const partial = `${folder}.${process.pid}`;
    fs.mkdirSync(partial, { recursive: true });
    try {
      fillFolder(partial);
      adopt(partial, folder);
    } finally {
      fs.rmSync(partial, { recursive: true, force: true });
    }
  }
  return path.join(folder, 'node_modules');
}

/** @param {string} folder */
function fillFolder(folder) {
  console.log('Installing the browser host (a VS Code server, about 540 MB, once) …');
  for (const file of MANIFEST) fs.copyFileSync(path.join(here, file), path.join(folder, file));
  const done = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: 'inherit',
    env: withoutNpmSettings(),
  });
  if (done.status !== 0) throw new Error('npm ci for the browser host failed; its output is above');
  fs.writeFileSync(path.join(folder, FINISHED), '');
}

/** An `npm run` around us passes its own settings down; this install must follow only its own .npmrc and the user's. */
function withoutNpmSettings() {
  const ours = /^npm_(lifecycle|package|command|execpath|config_(local_prefix|ignore_scripts|prefix))/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}

/**
 * @param {string} partial
 * @param {string} folder
 */
function adopt(partial, folder) {
  try {
    fs.renameSync(partial, folder);
  } catch (error) {
    if (!isInstalled()) throw error; // else another run was faster, and its install is as good
  }
}
