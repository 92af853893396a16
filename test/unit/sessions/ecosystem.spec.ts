/** B3: files that we write, read by others: ccusage, and the jq recipes of the document that describes the format. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { which } from '../../../scripts/lib/system.mjs';
import { foldBytes } from '../../../extension/sessions/read/resume';
import {
  callOf,
  COMPLETED,
  promptOf,
  responseOf,
  resultOf,
  SESSION,
  transcriptRig,
} from '../../fakes/transcript-rig';

const run = promisify(execFile);
let root: string;
let file: string;

/** A session with what is hard to count: parallel calls, blocks of one message, odd inputs, repeated and missing ids, unicode separators. */
async function hardSession(): Promise<Uint8Array> {
  const rig = transcriptRig();
  const { transcript } = rig;
  await transcript.prompt(promptOf('line\u2028separator\u0085and more'));
  await transcript.assistant(
    responseOf('m1', [
      { type: 'thinking', thinking: 'Two reads.', signature: 'sig' },
      { type: 'text', text: 'I read\u2028both.' },
      callOf('toolu_1', 'Read', { file_path: '/work/a' }),
      callOf('toolu_2', 'Read', { file_path: '/work/b' }),
    ]),
  );
  await transcript.result(resultOf('toolu_2', 'B\u2029B', { tool: 'Read' }));
  await transcript.result(resultOf('toolu_1', 'A', { tool: 'Read' }));
  await transcript.note({ type: 'injected', text: 'Careful.', why: 'test' });
  await transcript.assistant(responseOf('m2', [callOf('toolu_3', 'mcp__x__y', { id: null, model: null })]));
  await transcript.result(resultOf('toolu_3', 'ok'));
  await transcript.assistant(responseOf('m3', [callOf('toolu_4', 'Agent', { prompt: 'p' })]));
  const toolStats = {
    readCount: 1,
    searchCount: 0,
    bashCount: 0,
    editFileCount: 0,
    linesAdded: 0,
    linesRemoved: 0,
    otherToolCount: 0,
  };
  await transcript.result(
    resultOf('toolu_4', 'report', {
      tool: 'Agent',
      envelope: { status: 'completed', agentId: 'a1', toolStats },
    }),
  );
  await transcript.assistant(responseOf('m4', [callOf('toolu_5')]));
  await transcript.result(resultOf('toolu_5', 'Exit code 1\nno', { isError: true, end: 'failed' }));
  for (const n of [1, 2]) {
    const { requestId: _, ...record } = responseOf('always-the-same', [
      { type: 'text', text: `answer ${n}` },
    ]);
    await transcript.assistant(record);
  }
  await transcript.assistant(
    responseOf('m5', [{ type: 'native', data: { type: 'reasoning', id: null } }], { native: { id: null } }),
  );
  await transcript.outcome(COMPLETED, 'x');
  return rig.bytes();
}

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'sluice-ecosystem-'));
  file = path.join(root, 'projects', '-work', `${SESSION}.jsonl`);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, await hardSession());
});
afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

describe('ccusage', () => {
  it('counts the tokens of a session that we wrote, each response once', { timeout: 60_000 }, async () => {
    const program = createRequire(import.meta.url).resolve('ccusage');
    const { stdout } = await run(process.execPath, [program, 'session', '--json', '--offline'], {
      env: { ...process.env, CLAUDE_CONFIG_DIR: root, HOME: root, LOG_LEVEL: '0' },
    });
    const report = JSON.parse(stdout.slice(stdout.indexOf('{'))) as { totals: Record<string, number> };
    // Seven responses of 10 in, 7 out, 3 read, 2 written.
    expect(report.totals).toMatchObject({
      inputTokens: 70,
      outputTokens: 49,
      cacheReadTokens: 21,
      cacheCreationTokens: 14,
    });
    expect(foldBytes(await hardSession()).usage).toEqual({
      inputTokens: 70,
      outputTokens: 49,
      cacheReadTokens: 21,
      cacheWriteTokens: 14,
    });
  });
});

describe('the jq recipes', () => {
  const jq = async (...args: string[]): Promise<string> => {
    if (which('jq') === undefined)
      throw new Error('jq is missing. Run: apt-get update && apt-get install -y jq');
    return (await run('jq', [...args, file])).stdout;
  };

  it('count the tools of a session', async () => {
    const names = await jq(
      '-r',
      'select(.type == "assistant") | .message.content[]? | select(.type == "tool_use") | .name',
    );
    expect(names.trim().split('\n').sort()).toEqual(['Agent', 'Bash', 'Read', 'Read', 'mcp__x__y']);
  });

  it('find the rollup of a subagent', async () => {
    expect(
      JSON.parse(await jq('select(.toolUseResult?.toolStats?) | .toolUseResult.toolStats')),
    ).toMatchObject({ readCount: 1 });
  });

  it('find the parallel calls by request', async () => {
    const recipe = `[.[]
      | select(.type == "assistant" and (.isSidechain? // false) == false)
      | select((.requestId? // .message.id?) != null)]
    | group_by(.requestId? // .message.id?)
    | map({ request_id: (.[0].requestId? // .[0].message.id?),
            tool_use_count: ([.[] | .message.content[]? | select(.type == "tool_use")] | length) })
    | map(select(.tool_use_count > 1))`;
    expect(JSON.parse(await jq('-s', recipe))).toEqual([{ request_id: 'req_m1', tool_use_count: 2 }]);
  });
});
