// System packages that npm cannot bring: finds them, installs them with apt-get where that is possible, else says how.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const CHROMIUM_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** A missing program, with the command that a person must run. */
export class MissingProgram extends Error {}

/**
 * Finds an executable on PATH.
 * @param {string} name
 * @returns {string | undefined}
 */
export function which(name) {
  const extensions = process.platform === 'win32' ? (process.env.PATHEXT ?? '.EXE;.CMD').split(';') : [''];
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    for (const extension of extensions) {
      const file = path.join(folder, name + extension);
      if (folder && isExecutable(file)) return file;
    }
  }
  return undefined;
}

/** @param {string} file */
function isExecutable(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The Chromium to use: `CHROMIUM`, else one that is installed, else one that is installed now. */
export function ensureChromium() {
  const wanted = process.env.CHROMIUM;
  if (wanted) {
    if (isExecutable(wanted)) return wanted;
    throw new MissingProgram(`CHROMIUM is ${wanted}, which is not a program.`);
  }
  return ensureProgram(CHROMIUM_NAMES, 'chromium', 'or set CHROMIUM to the path of a Chromium or Chrome');
}

/**
 * Finds one of `names`, or installs the Debian package that has it.
 * @param {string[]} names
 * @param {string} debianPackage
 * @param {string} otherwise what else a person may do
 */
export function ensureProgram(names, debianPackage, otherwise = '') {
  const find = () => names.map(which).find((file) => file !== undefined);
  const found = find();
  if (found) return found;
  installPackage(debianPackage);
  const installed = find();
  if (installed) return installed;
  const command = `apt-get update && apt-get install -y ${debianPackage}`;
  throw new MissingProgram(
    `${names[0]} is missing. Run: ${isRoot() ? command : `sudo sh -c '${command}'`}${otherwise && `\n(${otherwise}).`}`,
  );
}

/** Programs that only some tests use. */
export const ensureJq = () => ensureProgram(['jq'], 'jq');
export const ensureRipgrep = () => ensureProgram(['rg'], 'ripgrep');

/**
 * Fonts make screenshots look right, and nothing fails without them.
 * @param {string} file one that the package brings
 * @param {string} debianPackage
 */
export function wishForFonts(
  file = '/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf',
  debianPackage = 'fonts-noto-core',
) {
  if (process.platform !== 'linux' || fs.existsSync(file)) return;
  installPackage(debianPackage);
  if (!fs.existsSync(file)) console.log(`Screenshots may lack glyphs: ${debianPackage} is not installed.`);
}

const isRoot = () => process.getuid?.() === 0;

/**
 * Leaves it to the caller to see whether it worked.
 * @param {string} name
 */
function installPackage(name) {
  if (!which('apt-get')) return;
  const prefix = isRoot() ? [] : ['sudo', '--non-interactive'];
  if (!isRoot() && (!which('sudo') || spawnSync('sudo', ['--non-interactive', 'true']).status !== 0)) return;
  console.log(`Installing the system package ${name} …`);
  apt([...prefix, 'apt-get', 'update', '-qq']);
  apt([
    ...prefix,
    'env',
    'DEBIAN_FRONTEND=noninteractive',
    'apt-get',
    'install',
    '-y',
    '-qq',
    '--no-install-recommends',
    name,
  ]);
}

/** @param {string[]} command */
function apt([program, ...args]) {
  const done = spawnSync(/** @type {string} */ (program), args, { encoding: 'utf8' });
  if (done.status !== 0) console.error((done.stdout + done.stderr).trim());
}
