import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { linesOf } from '../../../extension/sessions/read/lines';
import { foldBytes } from '../../../extension/sessions/read/resume';
import { createTranscript } from '../../../extension/sessions/write/transcript';
import { memoryDisk } from '../../fakes/memory-disk';
import { pairingProblems } from '../../fakes/pairing';
import { replayRecords } from '../../fakes/replay-records';
import type { Recorded } from '../../fakes/memory-recorder';
import { requestFor } from '../../fixtures-runner/session-request';
import { runScenario } from '../agent/property/run-scenario';
import { scenario as scenarios } from '../agent/property/scenario';

const FILE = '/sessions/s.jsonl';

async function written(entries: readonly Recorded[]): Promise<Uint8Array> {
  const disk = memoryDisk();
  let now = Date.UTC(2026, 10, 30);
  const transcript = createTranscript({
    file: disk.openLineFile(FILE),
    sessionId: randomUUID(),
    clock: { now: () => (now += 7), sleep: async () => undefined },
    newId: randomUUID,
    place: () => ({ cwd: '/work', gitBranch: 'main' }),
  });
  await replayRecords(entries, transcript);
  return disk.bytes(FILE) ?? new Uint8Array();
}

describe('a session that is opened again', () => {
  it('holds exactly the messages that the live conversation held', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => {
        const run = await runScenario(scenario);
        const session = foldBytes(await written(run.recorder.entries));
        expect(session.skipped).toEqual([]);
        expect(session.messages).toEqual(run.messages);
        expect(requestFor(session.messages)).toBe(requestFor(run.messages));
      }),
      { numRuns: 300 },
    );
  });

  it(
    'sends, after a kill at the moment of any request, that very request',
    { timeout: 120_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(scenarios, async (scenario) => {
          const run = await runScenario(scenario);
          const bytes = await written(run.recorder.entries);
          const states = linesOf(bytes).map((line) =>
            JSON.stringify(foldBytes(bytes.subarray(0, line.offset + line.bytes.length + 1)).messages),
          );
          for (const request of run.requests) expect(states).toContain(JSON.stringify(request.messages));
        }),
        { numRuns: 100 },
      );
    },
  );

  it('is legal wherever its file ends', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, fc.double({ min: 0, max: 1, noNaN: true }), async (scenario, part) => {
        const run = await runScenario(scenario);
        const bytes = await written(run.recorder.entries);
        const session = foldBytes(bytes.subarray(0, Math.floor(bytes.length * part)));
        expect(pairingProblems(session.messages)).toEqual([]);
        expect(session.skipped.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 300 },
    );
  });
});
