/** What an exit code or a signal means, beyond zero and not zero. Pure. */

const SIGNALS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
};

/** The exit code that a shell would report for a process that a signal ended. */
export function exitCodeOf(exitCode: number | undefined, signal: string | undefined): number {
  return exitCode ?? 128 + (SIGNALS[signal ?? ''] ?? 0);
}

/** Programs whose exit code 1 is an answer, not a failure. */
const ANSWERS: Readonly<Record<string, string>> = {
  grep: 'No matches found',
  egrep: 'No matches found',
  fgrep: 'No matches found',
  rg: 'No matches found',
  diff: 'Files differ',
  cmp: 'Files differ',
  find: 'Some directories were inaccessible',
  test: 'Condition is false',
  '[': 'Condition is false',
};

/** A sentence when `exitCode` is an answer of the last program of the command; undefined when it is a failure. */
export function exitMeaning(command: string, exitCode: number): string | undefined {
  if (exitCode !== 1) return undefined;
  // Quotes and substitutions can hold separators; then nothing certain can be said and 1 counts as a failure.
  if (/["'`$\\\n(){}#]/.test(command.replace(/'[^']*'|"[^"$`\\]*"/g, 'quoted'))) return undefined;
  const last = command
    .replace(/'[^']*'|"[^"$`\\]*"/g, 'quoted')
    .split(/\|\||&&|[|;&]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .at(-1);
  const program = (last ?? '').split(/\s+/).find((word) => !/^\w+=/.test(word)) ?? '';
  if (program === 'git' && /\bgit\s+(diff|grep)\b/.test(last ?? ''))
    return last?.includes('grep') ? 'No matches found' : 'Files differ';
  return ANSWERS[program.slice(program.lastIndexOf('/') + 1)];
}

const SILENT = new Set(['cd', 'chmod', 'chown', 'cp', 'ln', 'mkdir', 'mv', 'rm', 'rmdir', 'touch', 'sleep']);

/** Whether silence is what one expects of the command. */
export function expectsNoOutput(command: string): boolean {
  return command
    .split(/&&|;/)
    .map((part) => part.trim().split(/\s+/)[0] ?? '')
    .every((program) => program === '' || SILENT.has(program));
}

/** `120 s` as `2m 0s`, the form in which the transcript's readers know it. */
export function shownDuration(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 60) return `${Number.isInteger(seconds) ? seconds : seconds.toFixed(1)}s`;
  return `${Math.floor(seconds / 60)}m ${Math.round(seconds % 60)}s`;
}
