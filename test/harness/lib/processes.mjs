// Child processes and temporary folders of a run: started here, and gone when the run ends, however it ends.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

/** @type {Set<ChildProcess>} */
const running = new Set();
/** @type {Set<string>} */
const folders = new Set();

process.on('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL');
  for (const folder of folders) removeFolder(folder);
});

const signals = /** @type {const} */ ([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
]);

/** Makes the usual ending signals run the `exit` handlers above. Call it once, from a command-line entry. */
export function exitOnSignals() {
  for (const [signal, code] of signals) process.once(signal, () => process.exit(code));
}

/** A new folder of this run alone, deleted at its end. */
export function temporaryFolder(prefix = 'sluice-') {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), prefix)));
  folders.add(folder);
  return folder;
}

/**
 * A folder of this run alone inside the checkout, for files that must find its node_modules. Deleted at the end.
 * @param {string} parent
 */
export function ownFolder(parent) {
  const folder = path.join(parent, String(process.pid));
  fs.mkdirSync(folder, { recursive: true });
  folders.add(folder);
  return folder;
}

/** Deletes a folder that was made by one of the above; any other folder is left alone. */
export function dropFolder(/** @type {string} */ folder) {
  if (folders.delete(folder)) removeFolder(folder);
}

/** @param {string} folder */
function removeFolder(folder) {
  try {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch {
    // A process that is still going down may hold a file; the system's temp folder is cleaned in time.
  }
}

/**
 * Starts a program as the leader of a process group of its own, so that its children can be ended with it.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 */
export function spawnGroup(command, args, options = {}) {
  const child = spawn(command, args, { ...options, detached: process.platform !== 'win32' });
  running.add(child);
  return child;
}

/** @param {ChildProcess} child */
export const hasExited = (child) => child.exitCode !== null || child.signalCode !== null;

/**
 * Asks the group to end, forces it after `grace` ms, and resolves when its leader is gone.
 * @param {ChildProcess} child
 */
export async function endGroup(child, grace = 5000) {
  if (!hasExited(child)) {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    signalGroup(child, 'SIGTERM');
    const force = setTimeout(() => signalGroup(child, 'SIGKILL'), grace);
    await gone;
    clearTimeout(force);
  }
  signalGroup(child, 'SIGKILL'); // children that outlived the leader
  running.delete(child);
}

/**
 * @param {ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
function signalGroup(child, signal) {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // ESRCH: the group is gone already.
  }
}

/**
 * Node arguments that make a child end itself within seconds of our death, even by SIGKILL.
 * @returns {string[]}
 */
export function endWithParent() {
  const source = `setInterval(()=>{try{process.kill(${process.pid},0)}catch{process.exit(86)}},2000).unref()`;
  return ['--import', `data:text/javascript,${source}`];
}
