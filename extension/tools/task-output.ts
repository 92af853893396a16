/** TaskOutput: what a background command or subagent has said since the last look, waiting for its end when asked to. */
import * as z from 'zod';
import type { BackgroundTask, BackgroundTasks, TaskEnd } from './commands/background';
import { plainText, tailOf } from './commands/terminal-text';
import { flag, wholeNumber } from './inputs/schema';
import { sizedText } from './results/result-size';
import { ToolError } from './tool';
import type { Tool, ToolContext } from './tool';

const MAX_CHARS = 30_000;
const DEFAULT_WAIT_MS = 30_000;
const MAX_WAIT_MS = 600_000;
const BODY_CHARS = 8_000;

const input = z.strictObject({
  task_id: z.string().min(1).describe('The id that Bash or Agent gave.'),
  block: flag('Wait until the task ends. Default true; false returns what there is.'),
  timeout: wholeNumber(
    `Longest wait in milliseconds. Default ${DEFAULT_WAIT_MS}, at most ${MAX_WAIT_MS}.`,
    0,
    MAX_WAIT_MS,
  ),
});
type Input = z.infer<typeof input>;

interface Output {
  readonly task: BackgroundTask;
  readonly end: TaskEnd;
  readonly waited: boolean;
  readonly output: string;
  readonly shown: string;
}

export function taskOutputTool(tasks: BackgroundTasks): Tool<Input, Output> {
  return {
    name: 'TaskOutput',
    title: 'Read background output',
    kind: 'command',
    description: `Returns the new output of a background task (a command started with run_in_background, or an agent) and whether it has ended. Waits for the end unless block is false.`,
    input,
    interrupt: 'cancel',
    maxResultChars: MAX_CHARS,
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    effects: () => [],
    target: (value) => ({ text: tasks.get(value.task_id)?.title ?? value.task_id }),
    run: (value, context) => run(value, context, tasks),
    forModel: ({ end, shown, waited }) => [
      {
        type: 'text',
        text: `${statusLine(end, waited)}\n\n${shown === '' ? '(No new output.)' : shown}`,
      },
    ],
    forTranscript: ({ task, end, waited, output }) => ({
      retrieval_status: end ? 'success' : waited ? 'timeout' : 'not_ready',
      task: {
        task_id: task.id,
        task_type: task.type === 'command' ? 'local_bash' : 'local_agent',
        status: end?.status ?? 'running',
        description: task.title,
        output: output.slice(0, MAX_CHARS),
        ...(end?.exitCode !== undefined && { exitCode: end.exitCode }),
      },
    }),
    summary: ({ end, output }) => ({
      text: end ? endText(end) : 'still running',
      ...(end?.exitCode !== undefined && { exitCode: end.exitCode }),
      body: tailOf(output, BODY_CHARS),
    }),
  };
}

async function run(value: Input, context: ToolContext, tasks: BackgroundTasks): Promise<Output> {
  const task = knownTask(value.task_id, tasks);
  const waits = value.block !== false;
  if (waits && !task.end()) await endOrTime(task, value.timeout ?? DEFAULT_WAIT_MS, context.signal);
  const output = plainText(tasks.unread(task)).replace(/\s+$/, '');
  const sized = await sizedText(output, MAX_CHARS, context);
  return { task, end: task.end(), waited: waits, output, shown: sized.text };
}

export function knownTask(id: string, tasks: BackgroundTasks): BackgroundTask {
  const task = tasks.get(id);
  if (task) return task;
  const known = tasks.all().map((one) => `${one.id} (${one.title})`);
  throw new ToolError(
    'not_found',
    `There is no background task ${id}. ${known.length > 0 ? `Known: ${known.join(', ')}.` : 'None has been started in this session; after a restart earlier ones are gone.'}`,
  );
}

function endOrTime(task: BackgroundTask, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abandon);
      resolve();
    };
    const abandon = (): void => {
      clearTimeout(timer);
      reject(new ToolError('interrupted', 'Waiting was stopped; the background task goes on.'));
    };
    const timer = setTimeout(finish, ms);
    if (signal.aborted) return abandon();
    signal.addEventListener('abort', abandon, { once: true });
    task.done.then(finish, finish);
  });
}

function statusLine(end: TaskEnd, waited: boolean): string {
  if (end) return `The task has ended: ${endText(end)}.`;
  return waited
    ? 'The task is still running after the wait. Look again later, or end it with TaskStop.'
    : 'The task is still running.';
}

function endText(end: NonNullable<TaskEnd>): string {
  return end.exitCode === undefined ? end.status : `${end.status}, exit code ${end.exitCode}`;
}
