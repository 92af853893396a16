/** Ends a command and everything it started, also what ignores TERM or left the process group. It never touches other processes. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

/** Long enough to close files, short enough that Stop feels immediate. */
const GRACE_MS = 400;
const POLL_MS = 20;

interface Descendant {
  readonly pid: number;
  /** Tells a reused process id from the one that was seen; empty where the system does not say. */
  readonly started: string;
}

/** Resolves when all is gone, at the latest a moment after KILL was sent. `group` is the process id of the group's leader. */
export async function endTree(group: number): Promise<void> {
  if (process.platform === 'win32') return taskkill(group);
  const seen = await descendantsOf(group);
  signalGroup(group, 'SIGTERM');
  for (const one of seen) signal(one.pid, 'SIGTERM');
  const deadline = performance.now() + GRACE_MS;
  while (performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (!groupLives(group) && !seen.some((one) => signal(one.pid, 0))) return;
  }
  const late = await descendantsOf(group);
  signalGroup(group, 'SIGKILL');
  const now = new Map((await processTable()).map((row) => [row.pid, row.started]));
  for (const one of [...seen, ...late]) if (now.get(one.pid) === one.started) signal(one.pid, 'SIGKILL');
}

/** For the moment when the host exits and nothing may wait. */
export function killGroupNow(group: number): void {
  if (process.platform !== 'win32') signalGroup(group, 'SIGKILL');
  else void taskkill(group);
}

function groupLives(group: number): boolean {
  return signalGroup(group, 0);
}

function signalGroup(group: number, name: NodeJS.Signals | 0): boolean {
  return signal(-group, name);
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

async function descendantsOf(root: number): Promise<readonly Descendant[]> {
  const table = await processTable();
  const found: Descendant[] = [];
  const parents = new Set([root]);
  // Children can stand before their parents in the table, hence until nothing is added.
  for (let before = -1; before !== found.length;) {
    before = found.length;
    for (const row of table) {
      if (parents.has(row.pid) || !parents.has(row.parent)) continue;
      parents.add(row.pid);
      found.push(row);
    }
  }
  return found;
}

interface ProcessRow extends Descendant {
  readonly parent: number;
}

async function processTable(): Promise<readonly ProcessRow[]> {
  return process.platform === 'linux' ? linuxTable() : psTable();
}

async function linuxTable(): Promise<readonly ProcessRow[]> {
  const names = await readdir('/proc').catch(() => []);
  const rows = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(async (name): Promise<ProcessRow | undefined> => {
        const text = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '');
        // The program's name stands in parentheses and may hold anything, so fields are counted from its end.
        const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
        const parent = Number(fields[1]);
        return fields.length > 19 ? { pid: Number(name), parent, started: fields[19] ?? '' } : undefined;
      }),
  );
  return rows.filter((row) => row !== undefined);
}

function psTable(): Promise<readonly ProcessRow[]> {
  return new Promise((resolve) => {
    execFile('ps', ['-A', '-o', 'pid=,ppid='], (_error, stdout) => {
      const pairs = stdout
        .split('\n')
        .map((line) => line.trim().split(/\s+/).map(Number))
        .filter((numbers) => numbers.length === 2);
      resolve(pairs.map(([pid = 0, parent = 0]) => ({ pid, parent, started: '' })));
    });
  });
}

function taskkill(pid: number): Promise<void> {
  return new Promise((resolve) => {
    execFile('taskkill', ['/pid', String(pid), '/T', '/F'], () => resolve());
  });
}
