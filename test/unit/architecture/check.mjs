// The checker behind architecture.spec.ts: reads import lines and file sizes and says, in words, what breaks the matrix.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { MATRIX } from './matrix.mjs';

export const LINE_CAP = 600;
export const FOLDER_CAP = 15;

/** @typedef {{ path: string, text: string }} Source */

/** Every TypeScript source below `folder`, with paths relative to `root`. @returns {Source[]} */
export function sources(root, folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes(`${sep}node_modules${sep}`))
    .map((path) => ({ path: relative(root, path).split(sep).join('/'), text: readFileSync(path, 'utf8') }));
}

/** Breaches of the import matrix, one sentence each. @param {readonly Source[]} files @returns {string[]} */
export function importBreaches(files) {
  return files.flatMap((file) => importsOf(file.text).flatMap((found) => breachOf(file.path, found) ?? []));
}

/** Breaches of the size caps. @param {readonly Source[]} files @returns {string[]} */
export function sizeBreaches(files) {
  const folders = new Map();
  for (const { path } of files) folders.set(dirname(path), (folders.get(dirname(path)) ?? 0) + 1);
  return [
    ...files
      .filter(({ text }) => text.split('\n').length > LINE_CAP)
      .map(({ path }) => `${path} has more than ${LINE_CAP} lines`),
    ...[...folders]
      .filter(([, count]) => count > FOLDER_CAP)
      .map(([folder, count]) => `${folder} holds ${count} files, more than ${FOLDER_CAP}`),
  ];
}

/** @returns {{ specifier: string, typeOnly: boolean }[]} */
function importsOf(text) {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  const found = [];
  for (const match of code.matchAll(/^\s*(import|export)\s+(type\s+)?[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/gm)) {
    found.push({ specifier: match[3], typeOnly: match[2] !== undefined });
  }
  for (const match of code.matchAll(/^\s*import\s*['"]([^'"]+)['"]/gm))
    found.push({ specifier: match[1], typeOnly: false });
  for (const match of code.matchAll(/\b(?:import|require)\(\s*['"]([^'"]+)['"]\s*\)/g))
    found.push({ specifier: match[1], typeOnly: false });
  return found;
}

function breachOf(path, { specifier, typeOnly }) {
  const says = (why) => `${path} imports ${specifier}: ${why}`;
  const row = rowOf(path);
  if (row === 'webview') return webviewBreach(path, specifier, says);
  if (row === undefined || row === 'main') return undefined;
  const rule = MATRIX[row];
  if (!rule) return says(`room ${row} is not in the matrix`);
  if (specifier === 'vscode') return rule.vscode ? undefined : says(`${row} must not import vscode`);
  if (specifier.startsWith('node:')) {
    return rule.node === '*' || rule.node.includes(specifier.slice(5))
      ? undefined
      : says(`${row} must not import this module of Node`);
  }
  if (!specifier.startsWith('.'))
    return rule.packages === '*' || rule.packages.includes(packageOf(specifier))
      ? undefined
      : says(`${row} must not import packages`);
  return roomBreach(path, row, rule, specifier, typeOnly, says);
}

function roomBreach(path, row, rule, specifier, typeOnly, says) {
  const target = relative('/', resolve('/', dirname(path), specifier))
    .split(sep)
    .join('/');
  const room = rowOf(target);
  if (room === row) return undefined;
  if (room === undefined || room === 'main' || room === 'webview') return says(`${row} must not import it`);
  const allowed = rule.rooms[room];
  if (allowed === undefined) return says(`${row} must not import ${room}`);
  if (allowed === 'types' && !typeOnly) return says(`${row} may import only types of ${room}`);
  if (allowed === 'vocab' && !/protocol\/vocabulary(\.ts)?$/.test(target))
    return says(`${row} may import only protocol/vocabulary`);
  return undefined;
}

function webviewBreach(path, specifier, says) {
  if (specifier === 'vscode' || specifier.startsWith('node:')) return says('the webview runs in a browser');
  if (!specifier.startsWith('.')) return undefined;
  const target = relative('/', resolve('/', dirname(path), specifier))
    .split(sep)
    .join('/');
  if (target.startsWith('webview/') || target.startsWith('extension/protocol/')) return undefined;
  return says('the webview may import only extension/protocol and its own files');
}

/** Name of the matrix row that a file belongs to; undefined = outside the matrix (tests). */
function rowOf(path) {
  if (path.startsWith('webview/')) return 'webview';
  if (!path.startsWith('extension/')) return undefined;
  const [, first] = path.split('/');
  if (first === undefined) return undefined;
  if (/^ports(\.ts)?$/.test(first)) return 'ports';
  return path.split('/').length > 2 ? first : 'main';
}

function packageOf(specifier) {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0];
}
