/** A background command of the shell as a task of the registry. */
import type { BackgroundCommand } from '../../ports';
import type { BackgroundTask, TaskEnd } from './background';
import { exitCodeOf } from './exit-meaning';

export function backgroundRun(running: BackgroundCommand, command: string): BackgroundTask {
  let end: TaskEnd;
  let spilled: string | undefined;
  const done = running.done.then((result) => {
    const exitCode = exitCodeOf(result.exitCode, result.signal);
    const status = result.interrupted ? 'stopped' : exitCode === 0 ? 'completed' : 'failed';
    spilled = result.spilled?.path;
    end = { status, exitCode };
    return end;
  });
  return {
    id: running.id,
    type: 'command',
    title: command,
    output() {
      const { stdout, stderr, combined } = running.output();
      return combined ?? stdout + stderr;
    },
    end: () => end,
    done,
    stop: () => running.stop(),
    outputFile: () => spilled,
  };
}
