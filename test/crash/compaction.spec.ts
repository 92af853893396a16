/** Kills the real process at random instants of a compaction: the conversation is the old or the new one, never half (bar B6 of issue 8). */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as esbuild from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectFolder, sessionPaths } from '../../extension/sessions/paths';
import { foldBytes } from '../../extension/sessions/read/resume';
import { collect } from '../fakes/conversation';
import { longTask } from '../fakes/long-task';
import { respond } from '../fakes/scripted-transport';
import { windowServer } from '../fakes/window-server';

const KILLS = Number(process.env['SLUICE_COMPACTION_KILLS'] ?? 40);
const ID = '00000000-0000-4000-8000-000000000001';
const folder = mkdtempSync(join(tmpdir(), 'sluice-compaction-'));
const program = join(folder, 'compacting.cjs');

beforeAll(async () => {
  await esbuild.build({
    entryPoints: [join(import.meta.dirname, 'compacting.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    mainFields: ['module', 'main'],
    logLevel: 'warning',
  });
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A conversation that is worth compacting, as bytes of its file. */
async function worked(): Promise<Uint8Array> {
  const server = windowServer({
    window: 32_768,
    play: (step) =>
      step === 40
        ? respond([{ text: 'FILE: /work/a.ts is done.' }])
        : respond([{ tool: 'Bash', input: { command: `make ${step}`, words: 60 } }]),
  });
  const task = longTask({ transport: server });
  await collect(task.conversation.submit({ text: 'Build it.' }));
  return task.file.bytes();
}

interface Life {
  readonly said: string;
  /** From its first word to its end. */
  readonly ms: number;
}

/** Killed `ms` after it began, unless it ends before. */
function life(path: string, root: string, ms: number): Promise<Life> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, path, root], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    let began = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      if (said === '') {
        began = performance.now();
        setTimeout(() => child.kill('SIGKILL'), ms);
      }
      said += chunk.toString();
    });
    child.on('close', (code) =>
      code === null || code === 0
        ? resolve({ said, ms: performance.now() - began })
        : reject(new Error(said)),
    );
  });
}

it(`is the old or the new conversation after each of ${KILLS} kills`, { timeout: 600_000 }, async () => {
  const bytes = await worked();
  const old = foldBytes(bytes).messages;
  const before = JSON.stringify(old);
  const ends = { old: 0, now: 0 };
  const place = (name: string) => {
    const root = join(folder, name);
    const { transcript } = sessionPaths(projectFolder(root, '/work'), ID);
    mkdirSync(dirname(transcript), { recursive: true });
    writeFileSync(transcript, bytes);
    return { root, transcript };
  };
  const whole = place('whole');
  const { ms: span, said: all } = await life(whole.transcript, whole.root, 60_000);
  expect(all).toContain('closed');
  for (let n = 0; n < KILLS; n++) {
    const { root, transcript } = place(`root-${n}`);
    const { said } = await life(transcript, root, (span * 1.2 * n) / KILLS);
    const session = foldBytes(readFileSync(transcript));
    const isOld = JSON.stringify(session.messages) === before;
    ends[isOld ? 'old' : 'now'] += 1;
    if (isOld) {
      expect(said).not.toContain('done');
      expect(session.boundaries).toEqual([]);
      continue;
    }
    // The whole of the new one: one boundary, its summary first, and less than before.
    expect(session.boundaries).toHaveLength(1);
    expect(session.messages.length).toBeLessThan(old.length);
    expect(JSON.stringify(session.messages[0])).toContain('This session is being continued');
    expect(session.open).toEqual([]);
    expect(session.skipped).toEqual([]);
  }
  console.log(`${KILLS} kills: ${ends.old} left the old conversation, ${ends.now} the new one`);
  expect(ends.old).toBeGreaterThan(0);
  expect(ends.now).toBeGreaterThan(0);
});
