// Reads a process tree's memory and CPU from /proc (Linux only).
import { readdirSync, readFileSync } from 'node:fs';

const PAGE_KB = 4;
const TICKS = 100; // USER_HZ, the same on every Linux architecture Node supports

function stat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const close = text.lastIndexOf(')');
    const fields = text.slice(close + 2).split(' ');
    return {
      pid,
      comm: text.slice(text.indexOf('(') + 1, close),
      state: fields[0],
      ppid: Number(fields[1]),
      cpuS: (Number(fields[11]) + Number(fields[12])) / TICKS,
      rssKb: Number(fields[21]) * PAGE_KB,
    };
  } catch {
    return undefined; // gone meanwhile
  }
}

function all() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => stat(Number(name)))
    .filter(Boolean);
}

// Follows every descendant of a process, also those that outlive their parent.
export class TreeWatch {
  constructor(rootPid, everyMs = 50) {
    this.members = new Set([rootPid]);
    this.names = new Map();
    this.peakTreeKb = 0;
    this.peakOneKb = 0;
    this.peakProcesses = 0;
    this.timer = setInterval(() => this.sample(), everyMs);
  }

  sample() {
    const processes = all();
    let grown = true;
    while (grown) {
      grown = false;
      for (const one of processes) {
        if (!this.members.has(one.pid) && this.members.has(one.ppid)) {
          this.members.add(one.pid);
          grown = true;
        }
      }
    }
    const mine = processes.filter((one) => this.members.has(one.pid) && one.state !== 'Z');
    // A child just forked still shows its parent's memory until it executes its own program, so a
    // process counts from the second sample on in which it bears the same name.
    const settled = mine.filter((one) => this.names.get(one.pid) === one.comm);
    for (const one of mine) this.names.set(one.pid, one.comm);
    const tree = settled.reduce((sum, one) => sum + one.rssKb, 0);
    this.peakTreeKb = Math.max(this.peakTreeKb, tree);
    this.peakOneKb = Math.max(this.peakOneKb, ...settled.map((one) => one.rssKb));
    this.peakProcesses = Math.max(this.peakProcesses, mine.length);
    return mine;
  }

  // -> pids of the tree still alive (daemons the agent left behind).
  stop() {
    clearInterval(this.timer);
    return this.sample();
  }
}
