// What a run sees of the machine: a home folder of its own, and no variables of a surrounding VS Code, npm or test runner.
import fs from 'node:fs';
import path from 'node:path';

const OTHER_EDITOR = /^(VSCODE_|ELECTRON_RUN_AS_NODE$|NODE_OPTIONS$)/;
const OTHER_RUNNER = /^(npm_|INIT_CWD$|NODE_TEST_CONTEXT$|VITEST|FORCE_COLOR$|NO_COLOR$)/i;
const OTHER_HOME = /^(XDG_(CONFIG|CACHE|DATA|STATE)_HOME$|GIT_)/;
const SECRETS = /(_API_KEY|_AUTH_TOKEN)$|^(ANTHROPIC|OPENAI)_/;

/**
 * Makes an empty home folder, with just enough configuration for Git to commit and for npm to stay off the network.
 * @param {string} root
 */
export function makeHome(root) {
  const home = path.join(root, 'home');
  fs.mkdirSync(temporaryOf(home), { recursive: true });
  const git = [
    '[user]',
    'name = Sluice Tests',
    'email = tests@sluice.invalid',
    '[init]',
    'defaultBranch = main',
    '',
  ];
  fs.writeFileSync(path.join(home, '.gitconfig'), git.join('\n'));
  // Else npm asks its registry for a newer npm, and says so in the middle of a test's output.
  fs.writeFileSync(path.join(home, '.npmrc'), 'update-notifier=false\n');
  return home;
}

/**
 * Where an editor leaves its sockets: beside its home, so that they go when it goes.
 * @param {string} home
 */
function temporaryOf(home) {
  return path.join(home, '.tmp');
}

/**
 * The environment of an editor that must not know the developer: own home, no keys, nothing inherited from npm.
 * @param {string} home
 * @param {Record<string, string | undefined>} extra
 * @returns {Record<string, string>}
 */
export function isolatedEnv(home, extra = {}) {
  const unwanted = [OTHER_EDITOR, OTHER_RUNNER, OTHER_HOME, SECRETS];
  const kept = Object.entries(process.env).filter(
    ([name]) => !unwanted.some((pattern) => pattern.test(name)),
  );
  const merged = {
    ...Object.fromEntries(kept),
    HOME: home,
    USERPROFILE: home,
    XDG_RUNTIME_DIR: temporaryOf(home),
    ...extra,
  };
  return Object.fromEntries(Object.entries(merged).filter((entry) => entry[1] !== undefined));
}
