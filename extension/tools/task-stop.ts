/** TaskStop: ends a background command or subagent and everything it started. */
import * as z from 'zod';
import type { BackgroundTask, BackgroundTasks } from './commands/background';
import { knownTask } from './task-output';
import type { Tool } from './tool';

const input = z.strictObject({
  task_id: z.string().min(1).describe('The id that Bash or Agent gave.'),
});
type Input = z.infer<typeof input>;

interface Output {
  readonly task: BackgroundTask;
  readonly wasRunning: boolean;
}

export function taskStopTool(tasks: BackgroundTasks): Tool<Input, Output> {
  return {
    name: 'TaskStop',
    title: 'Stop background task',
    kind: 'command',
    description: 'Ends a background task (a command started with run_in_background, or an agent).',
    input,
    interrupt: 'cancel',
    maxResultChars: 2_000,
    isReadOnly: () => false,
    isConcurrencySafe: () => true,
    effects: () => [],
    target: (value) => ({ text: tasks.get(value.task_id)?.title ?? value.task_id }),
    async run(value) {
      const task = knownTask(value.task_id, tasks);
      const wasRunning = !task.end();
      if (wasRunning) await task.stop();
      return { task, wasRunning };
    },
    forModel: (output) => [{ type: 'text', text: messageOf(output) }],
    forTranscript: (output) => ({
      message: messageOf(output),
      task_id: output.task.id,
      task_type: output.task.type === 'command' ? 'local_bash' : 'local_agent',
      ...(output.task.type === 'command' && { command: output.task.title }),
    }),
    summary: (output) => ({ text: output.wasRunning ? 'stopped' : 'had ended already' }),
  };
}

function messageOf({ task, wasRunning }: Output): string {
  return wasRunning
    ? `Stopped task ${task.id} (${task.title}).`
    : `Task ${task.id} (${task.title}) had ended already.`;
}
