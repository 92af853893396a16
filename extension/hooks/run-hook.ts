/** Runs one hook that may run, and says what became of it. It decides nothing: what its words mean is `contract.ts`, who runs it is `runner.ts`. */
import type { HookReport } from '../agent/hooks';
import type { HookDefinition } from '../context/definitions/hooks';
import type { Clock, HookEnd, HookShell, Log } from '../ports';
import { wordOf, type HookWord } from './contract';

export interface HookRun {
  readonly shell: HookShell;
  readonly log: Log;
  readonly clock: Pick<Clock, 'now'>;
  readonly cwd: string;
  /** What the hook is told, beside the name of its event. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly subject: string;
  readonly callId?: string;
  report(report: HookReport): void;
}

/** Of what a hook printed, for the transcript. */
const KEPT_CHARS = 4_000;

/** Never rejects: a hook that cannot be run is a warning. */
export async function runHook(run: HookRun, hook: HookDefinition, signal: AbortSignal): Promise<HookWord> {
  const { cwd, data, shell, clock } = run;
  const startedAt = clock.now();
  const environment = { SLUICE_PROJECT_DIR: cwd, CLAUDE_PROJECT_DIR: cwd };
  const stdin = JSON.stringify({ ...data, hook_event_name: hook.event });
  let end: HookEnd = { exitCode: undefined, stdout: '', stderr: '', timedOut: false, flooded: false };
  let word: HookWord;
  try {
    end = await shell.run(
      { command: hook.command, cwd, stdin, environment, timeoutMs: hook.timeoutMs },
      signal,
    );
    // Who stopped the turn knows it; the hook has not failed.
    word = signal.aborted && end.exitCode === undefined ? {} : wordOf(hook.event, end);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    word = signal.aborted ? {} : { trouble: `it could not be started: ${why}` };
  }
  tell(run, hook, word, end, clock.now() - startedAt);
  return word;
}

function tell(run: HookRun, hook: HookDefinition, word: HookWord, end: HookEnd, durationMs: number): void {
  const where = `${hook.origin.path}:${hook.line}`;
  if (word.trouble !== undefined)
    run.log.write('warning', `The ${hook.event} hook of ${where}: ${word.trouble}`);
  const { outcome, reason } = outcomeOf(word);
  const notice = noticeOf(run.subject, hook, word);
  if (outcome === 'said' && notice === undefined && `${end.stdout}${end.stderr}`.trim() === '') return;
  run.report({
    event: hook.event,
    subject: run.subject,
    ...(run.callId === undefined ? {} : { callId: run.callId }),
    command: hook.command,
    where,
    outcome,
    reason,
    ...(notice === undefined ? {} : { notice }),
    stdout: end.stdout.slice(0, KEPT_CHARS),
    stderr: end.stderr.slice(0, KEPT_CHARS),
    ...(end.exitCode === undefined ? {} : { exitCode: end.exitCode }),
    durationMs,
  });
}

function noticeOf(subject: string, hook: HookDefinition, word: HookWord): HookReport['notice'] {
  const { decision, reason = '', stop, trouble, message, context } = word;
  const name = subject === '' ? hook.event : `${hook.event} (${subject})`;
  const say = (level: 'info' | 'warning', what: string): HookReport['notice'] => ({
    level,
    text: `Hook ${name} ${what} · ${placeOf(hook)}`,
  });
  if (trouble !== undefined) return say('warning', `failed: ${trouble}`);
  if (stop !== undefined) return say('warning', `ended the turn: ${stop}`);
  if (message !== undefined) return say('info', `says: ${message}`);
  if (decision === 'deny') return say('info', `${REFUSALS[hook.event] ?? 'declined'}: ${reason}`);
  if (decision === 'ask') return say('info', `wants you asked${reason === '' ? '' : `: ${reason}`}`);
  return context === undefined ? undefined : say('info', 'told the model something');
}

const REFUSALS: Partial<Record<HookDefinition['event'], string>> = {
  PostToolUse: 'has feedback',
  PostToolUseFailure: 'has feedback',
  Stop: 'wants the work to go on',
  SubagentStop: 'wants the work to go on',
};

/** The end of the path is what tells files of hooks apart. */
function placeOf({ origin, line }: HookDefinition): string {
  return `${origin.path.split(/[\\/]/).slice(-2).join('/')}:${line}`;
}

function outcomeOf({
  decision,
  reason = '',
  stop,
  trouble,
}: HookWord): Pick<HookReport, 'outcome' | 'reason'> {
  if (trouble !== undefined) return { outcome: 'failed', reason: trouble };
  if (decision === 'deny') return { outcome: 'blocked', reason };
  if (stop !== undefined) return { outcome: 'stopped', reason: stop };
  return decision === 'ask' ? { outcome: 'asked', reason } : { outcome: 'said', reason: '' };
}
