import { describe, expect, it } from 'vitest';
import { callOf, COMPLETED, promptOf, responseOf, resultOf, transcriptRig } from '../../fakes/transcript-rig';

describe('a disk that fails', () => {
  it('refuses with what to do, loses nothing, and writes all of it when it works again', async () => {
    const rig = transcriptRig();
    await rig.transcript.prompt(promptOf('x'));
    rig.disk.failing = { reason: 'no_space', partial: 40 };
    const answer = responseOf('m1', [{ type: 'text', text: 'kept' }]);
    await expect(rig.transcript.assistant(answer)).rejects.toMatchObject({
      name: 'TranscriptError',
      problem: 'no_space',
    });
    expect(rig.transcript.saving.type).toBe('failed');
    await expect(rig.transcript.outcome(COMPLETED, 'x')).rejects.toThrow(
      /disk is full.*try again, or go on without saving/i,
    );
    await expect(rig.transcript.retry()).rejects.toMatchObject({ problem: 'no_space' });
    rig.disk.failing = undefined;
    await rig.transcript.retry();
    expect(rig.transcript.saving.type).toBe('saving');
    const session = rig.fold();
    expect(session.messages).toHaveLength(2);
    expect(session.outcomes).toHaveLength(1);
    // The half line that the full disk left.
    expect(session.skipped.every((part) => part.reason === 'torn')).toBe(true);
  });

  it('goes on unsaved only when told so, and saves as soon as it can', async () => {
    const rig = transcriptRig();
    rig.disk.failing = { reason: 'no_permission' };
    await expect(rig.transcript.prompt(promptOf('x'))).rejects.toMatchObject({ problem: 'no_permission' });
    rig.transcript.continueUnsaved();
    await rig.transcript.assistant(responseOf('m1', [{ type: 'text', text: 'y' }]));
    await rig.transcript.outcome(COMPLETED, 'x');
    expect(rig.transcript.saving.type).toBe('unsaved');
    expect(rig.bytes()).toHaveLength(0);
    rig.disk.failing = undefined;
    await rig.transcript.prompt(promptOf('z'));
    expect(rig.transcript.saving.type).toBe('saving');
    expect(rig.fold().messages).toHaveLength(3);
  });

  it('tries once more to save what waits when it is closed', async () => {
    const rig = transcriptRig();
    rig.disk.failing = { reason: 'no_permission' };
    await expect(rig.transcript.prompt(promptOf('x'))).rejects.toMatchObject({ problem: 'no_permission' });
    rig.transcript.continueUnsaved();
    await rig.transcript.assistant(responseOf('m1', [{ type: 'text', text: 'y' }]));
    rig.disk.failing = undefined;
    await rig.transcript.close();
    expect(rig.fold().messages).toHaveLength(2);
  });

  it('refuses after it was closed', async () => {
    const rig = transcriptRig();
    await rig.transcript.close();
    await expect(rig.transcript.prompt(promptOf('x'))).rejects.toMatchObject({ problem: 'closed' });
  });
});

describe('the work of an append', () => {
  it('does not grow with the transcript', async () => {
    let written = 0;
    const rig = transcriptRig({
      file: {
        path: '/x',
        append: async (lines) => void (written += lines.length),
        close: async () => undefined,
      },
    });
    await rig.transcript.prompt(promptOf('x'));
    const bytesOfSteps = async (from: number): Promise<number> => {
      const before = written;
      for (let n = from; n < from + 200; n++) {
        const name = String(n).padStart(6, '0');
        await rig.transcript.assistant(responseOf(`m${name}`, [callOf(`c${name}`)]));
        await rig.transcript.result(resultOf(`c${name}`, 'ok'));
      }
      return written - before;
    };
    const early = await bytesOfSteps(0);
    for (let n = 200; n < 50_000; n += 200) await bytesOfSteps(n);
    const late = await bytesOfSteps(50_000);
    expect(Math.abs(late - early)).toBeLessThan(500);
  });

  it('costs at the 100,000th record what it costs at the 100th', async () => {
    const text = 'line of output\n'.repeat(45);
    const withRecords = async (count: number) => {
      const rig = transcriptRig({
        file: { path: '/x', append: async () => undefined, close: async () => undefined },
      });
      await rig.transcript.prompt(promptOf('x'));
      await rig.transcript.assistant(responseOf('m', [callOf('c')]));
      for (let n = 0; n < count; n++) await rig.transcript.result(resultOf('c', text));
      return rig.transcript;
    };
    const early = { transcript: await withRecords(100), times: new Array<number>() };
    const late = { transcript: await withRecords(100_000), times: new Array<number>() };
    for (let n = 0; n < 1_000; n++) {
      for (const { transcript, times } of [early, late]) {
        const started = performance.now();
        await transcript.result(resultOf('c', text));
        times.push(performance.now() - started);
      }
    }
    const median = (times: number[]): number => times.sort((a, b) => a - b)[500] ?? 0;
    // A thousand times the records: what grows with them is far above this, and both are measured in turn. Milliseconds: test/bench.
    expect(median(late.times) / median(early.times)).toBeLessThan(10);
  });
});
