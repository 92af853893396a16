/** Runs the exam: each line once, in order, with its own verdict whatever happens; then what it means. Files and windows are not its business. */
import type { Usage } from '../../protocol/vocabulary';
import type { Clock } from '../../ports';
import type { ModelInfo, Route, RouteError } from '../transport';
import { conclude } from './conclusion';
import { fail, notRun, notSupported, Refused } from './exam';
import type { CheckReport, Exam, Line, LineId, LineReport, Verdict } from './exam';
import { CALL_LINES } from './lines-calls';
import { image, longContext, reasoning, stop, textLine } from './lines-other';

export const LINES: readonly Line[] = [textLine, ...CALL_LINES, longContext, image, reasoning, stop];

export interface CheckOptions {
  /** Lines to leave out. */
  readonly without?: ReadonlySet<LineId>;
  readonly onLine?: (line: LineReport, index: number) => void;
  /** Called before a line begins. */
  readonly onStart?: (line: Line, index: number) => void;
}

/** Tokens that a check costs, about. */
export function estimate(info: ModelInfo, without: ReadonlySet<LineId> = new Set()): number {
  return LINES.filter(({ id }) => !without.has(id)).reduce((sum, line) => sum + line.cost(info), 0);
}

export async function runCheck(
  route: Route,
  clock: Clock,
  signal: AbortSignal,
  options: CheckOptions = {},
): Promise<CheckReport> {
  const startedAt = clock.now();
  let usage: Usage = {};
  const exam: Exam = {
    transport: route.transport,
    signal,
    now: () => clock.now(),
    sleep: (ms, until) => clock.sleep(ms, until),
    spend: (more) => {
      usage = added(usage, more);
    },
  };
  const lines: LineReport[] = [];
  let dead: string | undefined;
  for (const [index, line] of LINES.entries()) {
    signal.throwIfAborted();
    options.onStart?.(line, index);
    const begin = clock.now();
    const why = dead ?? (options.without?.has(line.id) === true ? 'Left out of this check.' : undefined);
    const verdict = why === undefined ? await graded(line, exam) : notRun(why);
    if ('dead' in verdict) dead = verdict.dead;
    const { grade, evidence } = verdict;
    const report = { id: line.id, title: line.title, grade, evidence, ms: clock.now() - begin };
    lines.push(report);
    options.onLine?.(report, index);
  }
  const { transport, baseUrl, model } = route.transport.origin;
  return {
    version: 1,
    route: { id: route.id, title: route.title, transport, baseUrl, model },
    at: new Date(startedAt).toISOString(),
    durationMs: clock.now() - startedAt,
    usage,
    lines,
    conclusion: conclude(lines),
  };
}

function added(a: Usage, b: Usage): Usage {
  const sum: Record<string, number> = { ...a };
  for (const [name, value] of Object.entries(b) as [keyof Usage, number | undefined][])
    if (value !== undefined) sum[name] = (sum[name] ?? 0) + value;
  return sum;
}

type Graded = Verdict | (Verdict & { readonly dead: string });

/** Kinds after which no further line has a chance. */
const DEAD: ReadonlySet<RouteError['kind']> = new Set(['auth', 'quota', 'network', 'not_found', 'timeout']);

async function graded(line: Line, exam: Exam): Promise<Graded> {
  try {
    return await line.run(exam);
  } catch (problem) {
    exam.signal.throwIfAborted();
    if (!(problem instanceof Refused)) throw problem;
    return refused(line, problem.error);
  }
}

function refused(line: Line, error: RouteError): Graded {
  if (error.cause === 'tools_unsupported') return notSupported(error.message);
  if (line.id === 'image' && (error.cause === 'content_unsupported' || error.cause === 'image_rejected'))
    return notSupported(error.message);
  const verdict = fail(error.message);
  return DEAD.has(error.kind) ? { ...verdict, dead: 'The route had failed before.' } : verdict;
}
