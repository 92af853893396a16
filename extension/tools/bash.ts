/** Bash: a command in the working folder, in the foreground or the background. Whether it may run is not decided here. */
import * as z from 'zod';
import type { ShellResult } from '../ports';
import { backgroundRun } from './commands/background-run';
import type { BackgroundTasks } from './commands/background';
import { exitCodeOf, exitMeaning, expectsNoOutput, shownDuration } from './commands/exit-meaning';
import { plainText, tailOf } from './commands/terminal-text';
import { flag, optionalText, wholeNumber } from './inputs/schema';
import { sizedText, spillPath } from './results/result-size';
import type { SizedText } from './results/result-size';
import { ToolError } from './tool';
import type { CallSummary, Tool, ToolContext } from './tool';

export const DEFAULT_TIMEOUT_MS = 120_000;
export const MAX_TIMEOUT_MS = 600_000;
const MAX_CHARS = 30_000;
const BODY_CHARS = 8_000;

const input = z.strictObject({
  command: z.string().min(1).describe('The command to run.'),
  description: optionalText('What the command does, in five to ten words.'),
  timeout: wholeNumber(
    `Time limit in milliseconds. Default ${DEFAULT_TIMEOUT_MS}, at most ${MAX_TIMEOUT_MS}.`,
    1,
    MAX_TIMEOUT_MS,
  ),
  run_in_background: flag(
    'Return at once; the command goes on. See it with TaskOutput, end it with TaskStop.',
  ),
});
type Input = z.infer<typeof input>;

type Output =
  | {
      readonly type: 'done';
      readonly command: string;
      readonly result: ShellResult;
      readonly output: string;
      readonly sized: SizedText;
      readonly meaning: string | undefined;
    }
  | { readonly type: 'started'; readonly id: string; readonly title: string };

export interface BashOptions {
  /** Whether a command only looks. The gate's own answer, so that judge and scheduler agree. */
  readonly readOnlyCommand: (command: string) => boolean;
  readonly tasks: BackgroundTasks;
}

const DESCRIPTION = `Runs a command with the shell that the system prompt names and returns what it printed (both streams, in order of arrival).
- Every call starts in the working folder in a new shell: neither cd nor variables last. Chain with && or use absolute paths.
- No standard input; programs that ask for an answer get an end of file.
- A non-zero exit code is an error that begins "Exit code N". Time limit 2 minutes unless timeout says otherwise, at most 10.
- More than ${MAX_CHARS} characters of output go to a file; you get its path, the beginning and the end.
- For servers and watchers set run_in_background, then use TaskOutput and TaskStop. Do not append &.
- To read, search and edit files use Read, Grep, Glob, Edit and Write instead of cat, grep, find, sed and echo.
- Commands that only look run side by side when called in one response.`;

export function bashTool(options: BashOptions): Tool<Input, Output> {
  const isReadOnly = (value: Input): boolean =>
    value.run_in_background !== true && options.readOnlyCommand(value.command);
  return {
    name: 'Bash',
    title: 'Run command',
    kind: 'command',
    description: DESCRIPTION,
    input,
    interrupt: 'cancel',
    maxResultChars: MAX_CHARS,
    isReadOnly,
    isConcurrencySafe: isReadOnly,
    effects: (value, workspace) => [
      {
        type: 'command',
        command: value.command,
        cwd: workspace.cwd,
        background: value.run_in_background === true,
      },
    ],
    target: (value) => ({ text: value.command }),
    run: (value, context) =>
      value.run_in_background === true
        ? startInBackground(value, context, options.tasks)
        : runToEnd(value, context),
    forModel,
    forTranscript,
    summary,
  };
}

async function startInBackground(
  value: Input,
  context: ToolContext,
  tasks: BackgroundTasks,
): Promise<Output> {
  const running = await context.shell.start({
    command: value.command,
    cwd: context.workspace.cwd,
    timeoutMs: value.timeout ?? Number.POSITIVE_INFINITY,
    spillPath: spillPath(context),
    ...(context.environment ? { environment: context.environment } : {}),
  });
  const task = backgroundRun(running, value.command);
  tasks.add(task);
  return { type: 'started', id: task.id, title: value.command };
}

async function runToEnd(value: Input, context: ToolContext): Promise<Output> {
  const timeoutMs = value.timeout ?? DEFAULT_TIMEOUT_MS;
  const result = await context.shell.run(
    {
      command: value.command,
      cwd: context.workspace.cwd,
      timeoutMs,
      spillPath: spillPath(context),
      ...(context.environment ? { environment: context.environment } : {}),
    },
    (chunk) => context.progress(chunk),
    context.signal,
  );
  const output = result.combined ?? result.stdout + result.stderr;
  const sized = await sizedText(plainText(output).replace(/\s+$/, ''), MAX_CHARS, context, result.spilled);
  const failure = failureOf(value.command, result, timeoutMs);
  if (failure)
    throw new ToolError(failure.kind, [failure.text, sized.text].filter((part) => part !== '').join('\n'), {
      summary: { text: failure.short, exitCode: failure.exitCode, body: tailOf(output, BODY_CHARS) },
    });
  const exitCode = exitCodeOf(result.exitCode, result.signal);
  return {
    type: 'done',
    command: value.command,
    result,
    output,
    sized,
    meaning: exitCode === 0 ? undefined : exitMeaning(value.command, exitCode),
  };
}

interface Failure {
  readonly kind: string;
  /** Begins with the exit code: readers of the transcript find it only there. */
  readonly text: string;
  readonly short: string;
  readonly exitCode: number;
}

function failureOf(command: string, result: ShellResult, timeoutMs: number): Failure | undefined {
  const exitCode = exitCodeOf(result.exitCode, result.signal);
  if (result.timedOut)
    return {
      kind: 'timeout',
      text: `Exit code 143\nCommand timed out after ${shownDuration(timeoutMs)}`,
      short: `timed out after ${shownDuration(timeoutMs)}`,
      exitCode: 143,
    };
  if (result.interrupted)
    return {
      kind: 'interrupted',
      text: `Exit code ${exitCode}\nThe command was stopped before it ended.`,
      short: 'stopped',
      exitCode,
    };
  if (exitCode === 0 || exitMeaning(command, exitCode) !== undefined) return undefined;
  return {
    kind: 'exit',
    text: `Exit code ${exitCode}${result.signal === undefined ? '' : `\nEnded by ${result.signal}`}`,
    short: `exit ${exitCode}`,
    exitCode,
  };
}

const IMAGE = /^data:(image\/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/=\s]+)$/;

function forModel(output: Output): ReturnType<Tool<Input, Output>['forModel']> {
  if (output.type === 'started')
    return [
      {
        type: 'text',
        text: `Command running in background with ID: ${output.id}. See its output with TaskOutput, end it with TaskStop.`,
      },
    ];
  const image = IMAGE.exec(output.output.trim());
  if (image) return [{ type: 'image', mediaType: image[1] ?? '', data: (image[2] ?? '').replace(/\s/g, '') }];
  const text = output.sized.text;
  if (output.meaning !== undefined)
    return [{ type: 'text', text: text === '' ? output.meaning : `${text}\n(${output.meaning})` }];
  return [{ type: 'text', text: text === '' ? '(The command printed nothing and succeeded.)' : text }];
}

function forTranscript(output: Output): unknown {
  if (output.type === 'started')
    return {
      stdout: '',
      stderr: '',
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
      backgroundTaskId: output.id,
    };
  const { spilled } = output.sized;
  return {
    // The streams are one here, as every reader of the format expects.
    stdout: plainText(output.output).replace(/\s+$/, '').slice(0, MAX_CHARS),
    stderr: '',
    interrupted: output.result.interrupted,
    isImage: IMAGE.test(output.output.trim()),
    noOutputExpected: expectsNoOutput(output.command),
    ...(output.meaning !== undefined && { returnCodeInterpretation: output.meaning }),
    ...(spilled && { persistedOutputPath: spilled.path, persistedOutputSize: spilled.bytes }),
  };
}

function summary(output: Output): CallSummary {
  if (output.type === 'started') return { text: `in the background as ${output.id}` };
  const exitCode = exitCodeOf(output.result.exitCode, output.result.signal);
  return {
    text: output.meaning ?? `exit ${exitCode}`,
    exitCode,
    body: tailOf(output.output, BODY_CHARS),
  };
}
