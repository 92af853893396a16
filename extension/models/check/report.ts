/** A report as markdown, and several beside each other as a table. Pure; what comes from a server is escaped. */
import type { CheckReport, Grade, LineReport } from './exam';

const SIGN: Readonly<Record<Grade, string>> = {
  pass: '✔ pass',
  fail: '✖ fail',
  not_supported: '– not supported',
  not_run: '· not run',
};

/** Text from models and servers stands in a table cell: no markup, no links, no line breaks. */
function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>|!#~&]/g, '\\$&');
}

function day(at: string): string {
  return at.slice(0, 16).replace('T', ' ');
}

function count(lines: readonly LineReport[]): string {
  const passed = lines.filter(({ grade }) => grade === 'pass').length;
  return `${String(passed)} of ${String(lines.length)}`;
}

export function reportMarkdown(report: CheckReport): string {
  const { route, lines, usage, durationMs } = report;
  const tokens = (usage.inputTokens ?? 0) + (usage.cacheReadTokens ?? 0) + (usage.outputTokens ?? 0);
  return [
    `# Route check: ${cell(route.title)}`,
    '',
    `**${cell(report.conclusion)}**`,
    '',
    `${cell(route.model)} over ${cell(route.transport)} at ${cell(route.baseUrl)} · ${day(report.at)} UTC · ${(durationMs / 1000).toFixed(1)} s · ${tokens === 0 ? 'tokens not told' : `${String(tokens)} tokens`} · passed ${count(lines)}`,
    '',
    '| | What was asked for | Evidence | Seconds |',
    '|---|---|---|---|',
    ...lines.map(
      ({ title, grade, evidence, ms }) =>
        `| ${SIGN[grade]} | ${cell(title)} | ${cell(evidence)} | ${(ms / 1000).toFixed(1)} |`,
    ),
    '',
  ].join('\n');
}

/** The newest report of each route, side by side; lines are rows. */
export function comparisonMarkdown(reports: readonly CheckReport[]): string {
  const newest = new Map<string, CheckReport>();
  for (const report of reports) {
    const key = `${report.route.id} ${report.route.model}`;
    const known = newest.get(key);
    if (known === undefined || known.at < report.at) newest.set(key, report);
  }
  const shown = [...newest.values()].sort((a, b) => a.route.title.localeCompare(b.route.title));
  const rows = [
    ...new Map(shown.flatMap(({ lines }) => lines.map(({ id, title }) => [id, title]))).entries(),
  ];
  const line = (first: string, values: readonly string[]): string => `| ${[first, ...values].join(' | ')} |`;
  return [
    '# Checked routes',
    '',
    line(
      '',
      shown.map(({ route }) => `**${cell(route.title)}**`),
    ),
    line(
      '---',
      shown.map(() => '---'),
    ),
    ...rows.map(([id, title]) =>
      line(
        cell(title),
        shown.map(({ lines }) => {
          const grade = lines.find((each) => each.id === id)?.grade;
          return grade === undefined ? '' : SIGN[grade];
        }),
      ),
    ),
    line(
      'Passed',
      shown.map(({ lines }) => count(lines)),
    ),
    line(
      'Checked',
      shown.map(({ at }) => day(at)),
    ),
    line(
      'What it means',
      shown.map(({ conclusion }) => cell(conclusion)),
    ),
    '',
  ].join('\n');
}
