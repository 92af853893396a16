// Throw-away copies of the fixture workspaces: a test may do anything to its copy.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const FIXTURES = fileURLToPath(new URL('../../fixtures/workspaces/', import.meta.url));

/**
 * Copies a fixture (by its name) or any folder (by its path) to `<root>/workspaces/<name>`.
 * @param {string} source
 * @param {string} root
 * @param {{ git?: boolean, env?: Record<string, string> }} options `git`: make it a repository with one commit
 */
export function copyWorkspace(source, root, { git = true, env } = {}) {
  const from = /[\\/]/.test(source) ? path.resolve(source) : path.join(FIXTURES, source);
  if (!fs.existsSync(from)) throw new Error(`There is no workspace ${from}`);
  const to = path.join(root, 'workspaces', path.basename(from));
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.cpSync(from, to, { recursive: true });
  if (git) commitAll(to, env);
  return to;
}

/**
 * Without Git on the machine the copy simply stays a plain folder.
 * @param {string} folder
 * @param {Record<string, string> | undefined} env
 */
function commitAll(folder, env = /** @type {Record<string, string>} */ (process.env)) {
  const identity = [
    '-c',
    'user.name=Sluice',
    '-c',
    'user.email=start@sluice.invalid',
    '-c',
    'commit.gpgsign=false',
  ];
  const commands = [
    ['init', '--quiet', '--initial-branch=main'],
    ['add', '--all'],
    [...identity, 'commit', '--quiet', '--message', 'Start'],
  ];
  for (const args of commands) {
    if (spawnSync('git', args, { cwd: folder, env, stdio: 'ignore' }).status !== 0) return;
  }
}
