/** Diagnostics: the problems that the editor shows, once they have settled after an edit. */
import * as z from 'zod';
import type { Problem } from '../ports';
import { optionalText } from './inputs/schema';
import { resolvePath, shownPath } from './inputs/paths';
import { sizedText } from './results/result-size';
import { ToolError } from './tool';
import type { Tool, ToolContext } from './tool';

const MAX_CHARS = 20_000;
const SETTLE_MS = 3_000;

const input = z.strictObject({
  path: optionalText('A file, or a folder for all files below it. Default: all files with problems.'),
  severity: z
    .preprocess((value) => value ?? undefined, z.enum(['error', 'warning', 'all']).optional())
    .optional()
    .describe('error: only errors; warning (default): errors and warnings; all: hints too.'),
});
type Input = z.infer<typeof input>;

interface Output {
  readonly problems: readonly Problem[];
  readonly text: string;
}

const DESCRIPTION = `Shows the problems that the editor's language services and linters report, after they have settled.
- Only files that a service has looked at have problems: usually open ones, for some languages the whole project. Nothing reported is no proof; run the build or the tests for that.`;

export const diagnosticsTool: Tool<Input, Output> = {
  name: 'Diagnostics',
  title: 'Look at problems',
  kind: 'read',
  description: DESCRIPTION,
  input,
  interrupt: 'cancel',
  maxResultChars: MAX_CHARS,
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  effects: (value, workspace) => [{ type: 'read', path: resolvePath(value.path ?? '.', workspace) }],
  target(value, workspace) {
    if (value.path === undefined) return { text: 'all files' };
    const path = resolvePath(value.path, workspace);
    return { text: shownPath(path, workspace), path };
  },
  run,
  forModel: (output) => [{ type: 'text', text: output.text }],
  forTranscript: (output) => ({ problems: output.problems.slice(0, 200), total: output.problems.length }),
  summary: (output) => ({ text: countText(output.problems), body: output.text.slice(0, 8_000) }),
};

async function run(value: Input, context: ToolContext): Promise<Output> {
  const { diagnostics, workspace, signal } = context;
  if (!diagnostics)
    throw new ToolError(
      'unavailable',
      'There is no editor here to ask. Run the compiler or linter through Bash.',
    );
  const path = value.path === undefined ? undefined : resolvePath(value.path, workspace);
  await diagnostics.settled(path === undefined ? [] : [path], SETTLE_MS, signal);
  const wanted = SEVERITIES[value.severity ?? 'warning'];
  const problems = diagnostics
    .current()
    .filter((one) => path === undefined || one.path === path || isBelow(one.path, path))
    .filter((one) => wanted.includes(one.severity))
    .sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
  if (problems.length === 0) {
    const where = path === undefined ? 'any file' : shownPath(path, workspace);
    return {
      problems,
      text: `The editor reports no problems for ${where}. (It knows only files that a language service has looked at.)`,
    };
  }
  const listing = problems.map((one) => problemLine(one, context)).join('\n');
  const sized = await sizedText(listing, MAX_CHARS, context);
  return { problems, text: `${countText(problems)}:\n${sized.text}` };
}

const SEVERITIES: Readonly<Record<'error' | 'warning' | 'all', readonly Problem['severity'][]>> = {
  error: ['error'],
  warning: ['error', 'warning'],
  all: ['error', 'warning', 'info', 'hint'],
};

function rank(problem: Problem): number {
  return SEVERITIES.all.indexOf(problem.severity);
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder) && /^[\\/]/.test(path.slice(folder.length));
}

export function problemLine(problem: Problem, context: Pick<ToolContext, 'workspace'>): string {
  const origin = [problem.source, problem.code].filter((part) => part !== undefined).join(' ');
  const place = `${shownPath(problem.path, context.workspace)}:${problem.line}:${problem.column}`;
  return `${place} ${problem.severity}: ${problem.message.replace(/\s*\n\s*/g, ' ')}${origin === '' ? '' : ` (${origin})`}`;
}

function countText(problems: readonly Problem[]): string {
  const errors = problems.filter((one) => one.severity === 'error').length;
  const others = problems.length - errors;
  if (problems.length === 0) return 'no problems';
  const parts = [
    errors > 0 ? `${errors} ${errors === 1 ? 'error' : 'errors'}` : '',
    others > 0 ? `${others} ${errors > 0 ? 'other ' : ''}${others === 1 ? 'problem' : 'problems'}` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}
