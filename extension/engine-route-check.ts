/** Route checks inside VS Code: what one costs, the run itself, and the reports that stay under ~/.sluice/route-checks. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { CheckPlan, RouteChecks } from './commands/route-setup';
import type { CheckReport, LineId } from './models/check/exam';
import { comparisonMarkdown, reportMarkdown } from './models/check/report';
import { estimate, LINES, runCheck } from './models/check/run-check';
import type { ModelInfo } from './models/transport';
import { systemClock } from './node/clock';
import type { RouteChoice, Routes } from './panel/chat/session';
import type { Log } from './ports';

const LONG: ReadonlySet<LineId> = new Set(['long_context']);

export function routeChecks(routes: Routes, root: string, log: Log): RouteChecks {
  const folder = join(root, 'route-checks');
  return {
    plan: (choice) => plan(routes.open(choice).transport.info),
    async run(choice, { withoutLong, signal, onProgress }) {
      const report = await runCheck(routes.open(choice), systemClock, signal, {
        ...(withoutLong ? { without: LONG } : {}),
        onStart: ({ title }, index) => onProgress(index, LINES.length, title),
      });
      return { conclusion: report.conclusion, file: await saved(folder, choice, report) };
    },
    async comparison() {
      const reports = await readReports(folder, log);
      if (reports.length === 0) return undefined;
      const file = join(folder, 'comparison.md');
      await write(file, comparisonMarkdown(reports));
      return file;
    },
  };
}

function plan(info: ModelInfo): CheckPlan {
  const tokens = estimate(info);
  const tokensWithoutLong = estimate(info, LONG);
  const { price } = info;
  if (price === undefined) return { tokens, tokensWithoutLong };
  // Nearly all of it is input; the answers are short.
  const usd = (count: number): number => (count * price.input + 4_000 * price.output) / 1e6;
  return { tokens, tokensWithoutLong, usd: usd(tokens), usdWithoutLong: usd(tokensWithoutLong) };
}

async function saved(folder: string, { id }: RouteChoice, report: CheckReport): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = `${id}-${report.at.slice(0, 19).replace(/[:T]/g, '-')}`;
  await write(join(folder, `${name}.json`), `${JSON.stringify(report, undefined, 2)}\n`);
  const file = join(folder, `${name}.md`);
  await write(file, reportMarkdown(report));
  return file;
}

async function write(file: string, content: string): Promise<void> {
  await writeFile(file, content, { mode: 0o600 });
}

const text = z.string();
const reportSchema = z.object({
  version: z.literal(1),
  route: z.object({ id: text, title: text, transport: text, baseUrl: text, model: text }),
  at: text,
  durationMs: z.number(),
  usage: z.object({}).loose(),
  lines: z.array(
    z.object({
      id: z.enum(LINES.map((line) => line.id)),
      title: text,
      grade: z.enum(['pass', 'fail', 'not_supported', 'not_run']),
      evidence: text,
      ms: z.number(),
    }),
  ),
  conclusion: text,
});

/** A report that somebody changed or cut is left out. */
async function readReports(folder: string, log: Log): Promise<readonly CheckReport[]> {
  const names = await readdir(folder).catch((): string[] => []);
  const read = names
    .filter((name) => name.endsWith('.json'))
    .map(async (name): Promise<CheckReport[]> => {
      try {
        const parsed = reportSchema.parse(JSON.parse(await readFile(join(folder, name), 'utf8')));
        return [{ ...parsed, usage: {} }];
      } catch (error) {
        log.write('warning', `The route report ${name} cannot be read`, error);
        return [];
      }
    });
  return (await Promise.all(read)).flat();
}
