/** Subagents over the scripted model server, with real files (bar B4 of issue 9). What took how long is printed, never asserted. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TurnEvent } from '../../../extension/agent/events';
import type { HeadlessOptions } from '../../../extension/headless/arguments';
import { openHeadless } from '../../../extension/headless/session';
import { buildRoute } from '../../../extension/models/routes';
import { projectFolder, sessionPaths } from '../../../extension/sessions/paths';
import { foldBytes } from '../../../extension/sessions/read/resume';
import { collect, outcomeOf } from '../../fakes/conversation';
import { startModelServer, type ModelServer } from '../../fakes/model-server/server.ts';
import type { Reply, SeenRequest } from '../../fakes/model-server/scenario.ts';
import { pairingProblems } from '../../fakes/pairing';

const NAMES = ['one', 'two', 'three'] as const;
const DELAYS = { one: 100, two: 200, three: 400 } as const;
let folder: string;
let server: ModelServer | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-three-'));
  writeFileSync(join(folder, 'a.txt'), 'alpha\n');
});
afterEach(async () => {
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const nameIn = (body: SeenRequest['body']): (typeof NAMES)[number] | undefined => {
  const first = JSON.stringify((body['messages'] as unknown[])[0]);
  return NAMES.find((name) => first.includes(`task ${name}`));
};
const usage = { input: 100, output: 10 };

/** The parent starts three; each reads a file and reports. */
function play(last: (name: (typeof NAMES)[number]) => Reply): (request: SeenRequest) => Reply {
  return ({ body, step }) => {
    const name = nameIn(body);
    if (name === undefined)
      return step === 0
        ? {
            usage,
            blocks: NAMES.map((each) => ({
              type: 'tool_use',
              name: 'Agent',
              input: { description: each, prompt: `task ${each}` },
            })),
          }
        : { usage, blocks: [{ type: 'text', text: 'All done.' }] };
    if (step > 0) return last(name);
    const input = { file_path: join(folder, 'a.txt') };
    return { usage, blocks: [{ type: 'tool_use', name: 'Read', input }] };
  };
}

async function open(sessions: string, resume?: string) {
  const route = buildRoute(
    { id: 'r', transport: 'anthropic', baseUrl: server?.url ?? '', model: 'some-model' },
    { secrets: { get: async () => 'sk-agents-0123456789' } },
  );
  const options: HeadlessOptions = {
    prompt: '',
    route: 'anthropic',
    cwd: folder,
    mode: 'autoRun',
    sessions,
    sideEffects: 'response_end',
    ...(resume === undefined ? {} : { resume }),
  };
  return openHeadless(options, route, { write: () => undefined });
}

function childTexts(sessions: string, id: string): Buffer[] {
  const { subagents } = sessionPaths(projectFolder(sessions, folder), id);
  const files = readdirSync(subagents).filter((file) => file.endsWith('.jsonl'));
  return files.map((file) => readFileSync(join(subagents, file)));
}

describe('three agents over the scripted server', { timeout: 60_000 }, () => {
  it('take about as long as the slowest, have separate legal transcripts, and add up', async () => {
    server = await startModelServer(
      play((name) => ({ delayMs: DELAYS[name], usage, blocks: [{ type: 'text', text: `Report ${name}.` }] })),
    );
    const { conversation, session } = await open(join(folder, 'sessions'));
    const events: TurnEvent[] = [];
    const times: number[] = [];
    for await (const event of conversation.submit({ text: 'go' })) {
      events.push(event);
      const told = event.type === 'call_state' && event.state === 'executing';
      if (told || event.type === 'call_completed') times.push(performance.now());
    }
    const wall = (times.at(-1) ?? 0) - (times[0] ?? 0);
    const outcome = outcomeOf(events);
    expect(outcome.kind).toBe('completed');
    const rollups = rollupsOf(session.paths.transcript);
    console.log(
      `wall ${wall.toFixed(0)} ms; agents ${rollups.map(({ totalDurationMs }) => totalDurationMs).join(', ')} ms`,
    );
    // Every agent had asked before the first of them was answered for the last time.
    const children = server.requests.filter(({ body }) => nameIn(body) !== undefined);
    const arrivals = children.slice(0, 3).map(({ arrivedAt }) => arrivedAt);
    const ends = children
      .flatMap(({ endedAt }) => (endedAt === undefined ? [] : [endedAt]))
      .sort((a, b) => a - b);
    expect(Math.max(...arrivals)).toBeLessThan(ends[3] ?? 0);
    for (const rollup of rollups)
      expect(rollup).toMatchObject({
        totalTokens: 220,
        totalToolUseCount: 1,
        toolStats: { readCount: 1, bashCount: 0, editFileCount: 0, otherToolCount: 0 },
        usage: { input_tokens: 200, output_tokens: 20 },
      });
    // Two steps of the session and two of each agent.
    expect(outcome.usage).toMatchObject({ inputTokens: 800, outputTokens: 80 });
    expect(spent(events)).toBe(3 * 220);
    const files = childTexts(join(folder, 'sessions'), session.paths.id);
    expect(files).toHaveLength(3);
    for (const bytes of files) expect(pairingProblems(foldBytes(bytes).messages)).toEqual([]);
    await session.close();
  });

  it('killed in the middle leave files that open, and a session that goes on', async () => {
    server = await startModelServer(play((name) => ({ holdUntil: `hold-${name}`, usage, blocks: [] })));
    const sessions = join(folder, 'sessions');
    const { conversation, session } = await open(sessions);
    const turn = collect(conversation.submit({ text: 'go' }));
    for (const name of NAMES) await server.waitedFor(`hold-${name}`);
    // What is on disk at this moment is what a kill would leave.
    const left = join(folder, 'left');
    cpSync(sessions, left, { recursive: true, filter: (path) => !path.endsWith('.lock') });
    conversation.stop();
    await turn;
    await session.close();
    const { id } = session.paths;
    const files = childTexts(left, id);
    expect(files).toHaveLength(3);
    for (const bytes of files) expect(pairingProblems(foldBytes(bytes).messages)).toEqual([]);
    server.play(play(() => ({ usage, blocks: [{ type: 'text', text: 'Report.' }] })));
    const again = await open(left, id);
    const events = await collect(again.conversation.continueTurn());
    expect(outcomeOf(events).kind).toBe('completed');
    expect(pairingProblems(again.conversation.messages())).toEqual([]);
    // Nobody knows how far they had come, so none is started again by itself.
    const fates = JSON.stringify(again.conversation.messages());
    expect(fates.match(/tool_result/g)).toHaveLength(3);
    expect(events.some(({ type }) => type === 'call_received')).toBe(false);
    await again.session.close();
  });
});

function spent(events: readonly TurnEvent[]): number {
  return events.reduce(
    (sum, event) =>
      event.type === 'spent' ? sum + (event.usage.inputTokens ?? 0) + (event.usage.outputTokens ?? 0) : sum,
    0,
  );
}

function rollupsOf(transcript: string): readonly Record<string, unknown>[] {
  return readFileSync(transcript, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly toolUseResult?: Record<string, unknown> })
    .flatMap(({ toolUseResult }) => (toolUseResult?.['agentType'] === undefined ? [] : [toolUseResult]));
}
