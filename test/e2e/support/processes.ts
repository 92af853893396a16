/** Processes of the run's extension host, found in /proc by command line and home; nothing else on the machine can match. */
import fs from 'node:fs';

/** Ids of processes whose whole command line is this and whose HOME is the run's. */
export function processes(commandLine: string, home: string): readonly number[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => read(pid, 'cmdline').replace(/\0$/, '').replaceAll('\0', ' ') === commandLine)
    .filter((pid) => read(pid, 'environ').split('\0').includes(`HOME=${home}`));
}

/** A zombie has no command line, so it is gone for us as it is for the person. */
function read(pid: number, file: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
