import { describe, expect, it } from 'vitest';
import { linesOf } from '../../../extension/sessions/read/lines';
import { foldBytes } from '../../../extension/sessions/read/resume';
import { pairingProblems } from '../../fakes/pairing';
import { callOf, COMPLETED, promptOf, responseOf, resultOf, transcriptRig } from '../../fakes/transcript-rig';
import { illegalities } from '../../fixtures-runner/session-request';

async function session(): Promise<Uint8Array> {
  const rig = transcriptRig();
  const { transcript } = rig;
  await transcript.prompt(promptOf('größer'));
  await transcript.assistant(responseOf('m1', [{ type: 'text', text: 'I look.' }, callOf('a'), callOf('b')]));
  await transcript.note({ type: 'call_started', callId: 'a' });
  await transcript.result(resultOf('b', 'B'));
  await transcript.result(resultOf('a', 'A'));
  await transcript.note({ type: 'injected', text: 'careful', why: 'guard' });
  await transcript.assistant(responseOf('m2', [{ type: 'text', text: 'Done.' }]));
  await transcript.outcome(COMPLETED, 'größer');
  await transcript.prompt(promptOf('more'));
  await transcript.assistant(responseOf('m3', [callOf('c')]));
  return rig.bytes();
}

describe('a session file that ends anywhere', () => {
  it('opens, is legal, and has lost the cut line only', { timeout: 60_000 }, async () => {
    const bytes = await session();
    const lines = linesOf(bytes);
    const problems: string[] = [];
    for (let end = 0; end <= bytes.length; end++) {
      const cut = foldBytes(bytes.subarray(0, end));
      const whole = lines.filter((line) => line.offset + line.bytes.length <= end).length;
      if (cut.wholeLines !== whole) problems.push(`at ${end}: ${cut.wholeLines} lines, not ${whole}`);
      if (cut.skipped.length > 1) problems.push(`at ${end}: ${cut.skipped.length} parts skipped`);
      problems.push(...pairingProblems(cut.messages));
      if (end % 32 === 0 && cut.messages.length > 0) problems.push(...illegalities(cut.messages));
    }
    expect(problems).toEqual([]);
  });

  it(
    'is gone on with where its last whole line was, with the torn line beside',
    { timeout: 60_000 },
    async () => {
      const bytes = await session();
      for (let end = 1; end <= bytes.length; end += 23) {
        const before = foldBytes(bytes.subarray(0, end));
        const rig = transcriptRig({
          from: { end: before.end, leaf: before.leaf, calls: new Map() },
          newId: () => crypto.randomUUID(),
        });
        rig.disk.put(rig.transcript.path, bytes.slice(0, end));
        await rig.transcript.prompt(promptOf('after the crash'));
        const after = rig.fold();
        expect(pairingProblems(after.messages)).toEqual([]);
        expect(after.messages.slice(0, before.messages.length)).toEqual(before.messages);
        expect(after.messages.at(-1)?.content).toEqual([{ type: 'text', text: 'after the crash' }]);
        expect(after.messages).toHaveLength(before.messages.length + 1);
      }
    },
  );

  it('survives any one byte turned into NUL', { timeout: 60_000 }, async () => {
    const bytes = await session();
    const problems: string[] = [];
    for (let at = 0; at < bytes.length; at += 5) {
      const damaged = bytes.slice();
      damaged[at] = 0;
      problems.push(...pairingProblems(foldBytes(damaged).messages));
    }
    expect(problems).toEqual([]);
  });
});
