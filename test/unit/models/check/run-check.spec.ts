/** The route check over a real wire, against models of five characters: each gets the report that it deserves. */
import { afterEach, describe, expect, it } from 'vitest';
import { buildRoute } from '../../../../extension/models/routes';
import type { ServerConfig } from '../../../../extension/models/routes';
import type { CheckReport, Grade, LineId } from '../../../../extension/models/check/exam';
import { comparisonMarkdown, reportMarkdown } from '../../../../extension/models/check/report';
import { estimate, LINES, runCheck } from '../../../../extension/models/check/run-check';
import { systemClock } from '../../../../extension/node/clock';
import { character } from '../../../fakes/model-server/exam-characters.ts';
import type { Character } from '../../../fakes/model-server/exam-characters.ts';
import type { ScenarioFunction } from '../../../fakes/model-server/scenario.ts';
import { startModelServer } from '../../../fakes/model-server/server.ts';
import type { ModelServer } from '../../../fakes/model-server/server.ts';

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function check(
  scenario: ScenarioFunction,
  info: ServerConfig['info'] = { contextTokens: 8_000, images: true },
  signal = new AbortController().signal,
): Promise<CheckReport> {
  server = await startModelServer(scenario);
  const route = buildRoute(
    { id: 'r', title: 'Exam', transport: 'openai-chat', baseUrl: `${server.url}/v1`, model: 'm', info },
    { secrets: { get: async () => undefined } },
  );
  const report = await runCheck(route, systemClock, signal);
  await server.close();
  return report;
}

const grades = ({ lines }: CheckReport): Partial<Record<LineId, Grade>> =>
  Object.fromEntries(lines.map(({ id, grade }) => [id, grade]));
const ALL_PASS = Object.fromEntries(LINES.map(({ id }) => [id, 'pass']));
const CALLING: readonly LineId[] = [
  'one_call',
  'two_calls',
  'long_arguments',
  'edit',
  'tool_error',
  'denial',
  'twenty_results',
];
const all = (ids: readonly LineId[], grade: Grade) => Object.fromEntries(ids.map((id) => [id, grade]));

describe.each<readonly [Character, Partial<Record<LineId, Grade>>, RegExp]>([
  ['perfect', {}, /^Fit for multi-step work\.$/],
  [
    'no tools',
    { ...all(CALLING, 'not_supported'), reasoning: 'not_supported' },
    /^Fine for questions; it cannot work on files/,
  ],
  [
    'no parallel calls',
    { two_calls: 'not_supported' },
    /^Fit for multi-step work\. It calls one tool at a time/,
  ],
  [
    'malformed arguments',
    {
      ...all(
        CALLING.filter((id) => id !== 'twenty_results'),
        'fail',
      ),
    },
    /^Fine for questions; it cannot work on files/,
  ],
  ['forgetful', { twenty_results: 'fail' }, /^Fine for short tasks; loses the thread in long ones\.$/],
])('a model that is %s', (name, differs, conclusion) => {
  it('gets the report that it deserves', { timeout: 30_000 }, async () => {
    const report = await check(character(name));
    expect(
      grades(report),
      report.lines.map(({ title, evidence }) => `${title}: ${evidence}`).join('\n'),
    ).toEqual({ ...ALL_PASS, ...differs });
    expect(report.conclusion).toMatch(conclusion);
    expect(report.lines.every(({ evidence }) => evidence.length > 10)).toBe(true);
  });
});

it('looks no further when the key is wrong', async () => {
  const report = await check(() => ({
    error: {
      status: 401,
      body: { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } },
    },
  }));
  expect(grades(report)).toEqual({
    ...all(
      LINES.map(({ id }) => id),
      'not_run',
    ),
    text: 'fail',
  });
  expect(report.conclusion).toMatch(/does not work as it is\. .*key/i);
});

it('leaves the long prompt out where the window is unknown, and says why', async () => {
  const report = await check(character('perfect'), {});
  expect(report.lines.find(({ id }) => id === 'long_context')).toMatchObject({
    grade: 'not_run',
    evidence: expect.stringContaining('window is unknown') as string,
  });
});

it('tells a gateway that holds the text back from one that streams it', async () => {
  const whole = character('perfect');
  const report = await check(async (request) => {
    const reply = await whole(request);
    return {
      ...reply,
      blocks: (reply.blocks ?? []).map((block) => (block.type === 'text' ? { ...block, deltas: 1 } : block)),
    };
  });
  expect(grades(report).text).toBe('fail');
});

it('can be stopped', async () => {
  const control = new AbortController();
  const running = check(
    (request) => {
      control.abort();
      return character('perfect')(request);
    },
    {},
    control.signal,
  );
  await expect(running).rejects.toMatchObject({ name: 'AbortError' });
});

it('says beforehand what it costs, and that a large window costs most of it', () => {
  expect(estimate({ id: 'm' })).toBeGreaterThan(10_000);
  expect(estimate({ id: 'm', contextTokens: 200_000 })).toBeGreaterThan(150_000);
  expect(estimate({ id: 'm', contextTokens: 200_000 }, new Set(['long_context']))).toBe(
    estimate({ id: 'm' }),
  );
});

describe('the report', () => {
  const report = (id: string, at: string, grade: Grade, evidence: string): CheckReport => ({
    version: 1,
    route: { id, title: id, transport: 'ollama', baseUrl: 'http://x', model: 'm' },
    at,
    durationMs: 1200,
    usage: { inputTokens: 10, outputTokens: 5 },
    lines: [{ id: 'text', title: 'Streams text', grade, evidence, ms: 300 }],
    conclusion: 'Fine.',
  });

  it('shows what a server said as text, never as markup', () => {
    const evil = '</td><img src=x> [here](command:evil) | `x`\n# no';
    const markdown = reportMarkdown(report('a', '2026-11-30T10:00:00Z', 'fail', evil));
    const row = markdown.split('\n').find((line) => line.includes('✖'));
    expect(row).toContain('\\</td\\>\\<img src=x\\> \\[here\\](command:evil) \\| \\`x\\` \\# no');
  });

  it('compares the newest check of each route', () => {
    const table = comparisonMarkdown([
      report('b', '2026-11-30T10:00:00Z', 'pass', 'x'),
      report('a', '2026-11-30T10:00:00Z', 'fail', 'x'),
      report('b', '2026-11-30T11:00:00Z', 'not_supported', 'x'),
    ]);
    expect(table).toContain('|  | **a** | **b** |');
    expect(table).toContain('| Streams text | ✖ fail | – not supported |');
  });
});
