/** B4: the real process is killed at random moments of a turn and started again, until 200 kills have been survived. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TurnEvent } from '../../../extension/agent/events';
import { FATE_UNKNOWN } from '../../../extension/sessions/format/words';
import { foldBytes, type ResumedSession } from '../../../extension/sessions/read/resume';
import { batches } from '../../fakes/killable/plan';
import { pairingProblems } from '../../fakes/pairing';

const KILLS = Number(process.env['SLUICE_KILLS'] ?? 200);
const AT_ONCE = 3;
const ROOT = path.resolve(import.meta.dirname, '../../..');

type Shown = TurnEvent | { readonly type: 'session'; readonly path: string };

let built: string;
let program: string;
beforeAll(async () => {
  await mkdir(path.join(ROOT, 'out'), { recursive: true });
  built = await mkdtemp(path.join(ROOT, 'out', 'killable-'));
  program = path.join(built, 'process.mjs');
  await build({
    entryPoints: [path.join(ROOT, 'test/fakes/killable/process.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: 'warning',
  });
});
afterAll(() => rm(built, { recursive: true, force: true }));

/** One session, killed and continued until its turn ends. Returns how often it was killed. */
async function lifeOfOneSession(kills: { left: number }): Promise<string[]> {
  const root = await mkdtemp(path.join(tmpdir(), 'sluice-kills-'));
  const ledger = path.join(root, 'ledger');
  const shown: Shown[] = [];
  const problems: string[] = [];
  let file = '-';
  try {
    for (let run = 0; run < 100; run++) {
      // What one process lives to do: from nothing at all to most of the turn.
      const killAfter = kills.left > 0 ? Math.floor(Math.random() * 45) : undefined;
      const ended = await oneProcess([root, file, ledger], shown, killAfter);
      if (ended.killed) kills.left -= 1;
      if (ended.errors !== '') problems.push(`the process said: ${ended.errors.slice(0, 500)}`);
      const begun = shown.find((event) => event.type === 'session');
      file = begun ? begun.path : '-';
      const bytes = await readFile(file).catch(() => Buffer.alloc(0));
      const session = foldBytes(bytes);
      if (bytes.length === 0) file = '-';
      problems.push(...(await problemsOf(session, shown, ledger)));
      if (problems.length > 0) break;
      if (!ended.killed) {
        problems.push(...unfinished(session));
        break;
      }
      // Without a line on disk the next process begins a new session.
      if (file === '-') shown.length = 0;
    }
    return problems;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function oneProcess(
  args: readonly string[],
  shown: Shown[],
  killAfter: number | undefined,
): Promise<{ readonly killed: boolean; readonly errors: string }> {
  const child: ChildProcess = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  let errors = '';
  let lines = 0;
  child.stderr?.on('data', (part: Buffer) => void (errors += part.toString()));
  child.stdout?.on('data', (part: Buffer) => {
    text += part.toString();
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      shown.push(JSON.parse(text.slice(0, end)) as Shown);
      text = text.slice(end + 1);
      lines += 1;
    }
    // A moment later, so that the kill falls between events too.
    if (killAfter !== undefined && lines >= killAfter)
      setTimeout(() => child.kill('SIGKILL'), Math.random() * 4);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { killed: code === null, errors };
}

async function ledgerOf(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

interface Answers {
  /** By call id. */
  readonly results: ReadonlyMap<string, string>;
  /** The last call for a tag. */
  readonly tags: ReadonlyMap<string, string>;
}

function answersOf(session: ResumedSession): Answers {
  const results = new Map<string, string>();
  const tags = new Map<string, string>();
  for (const block of session.messages.flatMap((message) => [...message.content])) {
    if (block.type === 'tool_use') tags.set(String(block.input['tag']), block.id);
    if (block.type === 'tool_result')
      results.set(
        block.callId,
        block.content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
      );
  }
  return { results, tags };
}

async function problemsOf(
  session: ResumedSession,
  shown: readonly Shown[],
  ledgerFile: string,
): Promise<string[]> {
  const problems = pairingProblems(session.messages).map((problem) => `not legal: ${problem}`);
  const { results, tags } = answersOf(session);
  const names = new Map(
    shown.flatMap((event) => (event.type === 'call_received' ? [[event.callId, event.name] as const] : [])),
  );
  for (const event of shown) {
    if (event.type === 'call_completed' && event.end === 'ok' && names.get(event.callId) === 'Do') {
      if (!results.get(event.callId)?.startsWith('did '))
        problems.push(`lost: ${event.callId} was shown as done`);
    }
  }
  const ends = shown.filter((event) => event.type === 'turn_ended').length;
  if (ends > session.outcomes.length) problems.push('lost: an outcome was shown');
  if (shown.some((event) => event.type === 'step_ended') && session.messages.length === 0)
    problems.push('lost: a step was shown');
  const starts = new Map<string, number>();
  for (const line of await ledgerOf(ledgerFile))
    if (line.startsWith('start ')) starts.set(line.slice(6), (starts.get(line.slice(6)) ?? 0) + 1);
  for (const [tag, count] of starts) {
    if (count > 1) problems.push(`${tag} ran ${count} times`);
    const text = results.get(tags.get(tag) ?? '');
    if (text !== `did ${tag}` && text !== FATE_UNKNOWN)
      problems.push(`${tag} has begun, and the model is told: ${text ?? 'nothing'}`);
  }
  return problems;
}

/** Whatever was killed, in the end all was done, or is known to be unknown; nothing was left out. */
function unfinished(session: ResumedSession): string[] {
  const { results, tags } = answersOf(session);
  return batches.flat().flatMap((op) => {
    const text = results.get(tags.get(op.tag) ?? '');
    return text === `did ${op.tag}` || text === FATE_UNKNOWN
      ? []
      : [`${op.tag} was left at: ${text ?? 'nothing'}`];
  });
}

describe('a process that is killed', () => {
  it(`${KILLS} times loses nothing it has shown and does nothing twice`, { timeout: 600_000 }, async () => {
    const kills = { left: KILLS };
    let sessions = 0;
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (kills.left > 0) {
          sessions += 1;
          expect(await lifeOfOneSession(kills)).toEqual([]);
        }
      }),
    );
    expect(kills.left).toBeLessThanOrEqual(0);
    expect(sessions).toBeGreaterThan(0);
  });
});
