import { describe, expect, it } from 'vitest';
import { foldBytes } from '../../../extension/sessions/read/resume';
import { tailItems } from '../../../extension/sessions/read/tail';
import { memoryDisk } from '../../fakes/memory-disk';
import {
  callOf,
  COMPLETED,
  FILE,
  promptOf,
  responseOf,
  resultOf,
  transcriptRig,
} from '../../fakes/transcript-rig';

async function sessionOf(turns: number, resultChars = 500): Promise<ReturnType<typeof transcriptRig>> {
  const rig = transcriptRig();
  for (let n = 0; n < turns; n++) {
    await rig.transcript.prompt(promptOf(`prompt ${n}`));
    await rig.transcript.assistant(responseOf(`m${n}`, [callOf(`c${n}`)]));
    await rig.transcript.result(resultOf(`c${n}`, 'y'.repeat(resultChars)));
    await rig.transcript.assistant(responseOf(`n${n}`, [{ type: 'text', text: `answer ${n}` }]));
    await rig.transcript.outcome(COMPLETED, `prompt ${n}`);
  }
  return rig;
}

describe('the tail of a session', () => {
  it('shows what the whole fold shows at its end', async () => {
    const rig = await sessionOf(90);
    const tail = await tailItems(rig.disk.files, FILE, 200);
    const whole = foldBytes(rig.bytes());
    expect(tail.whole).toBe(false);
    expect(tail.items.length).toBeGreaterThan(100);
    expect(tail.items.slice(5)).toEqual(whole.items.slice(-tail.items.length).slice(5));
  });

  it('is the whole of a short one', async () => {
    const rig = await sessionOf(2);
    expect(await tailItems(rig.disk.files, FILE, 200)).toEqual({ items: rig.fold().items, whole: true });
  });

  it('reads no more than it needs', async () => {
    const rig = await sessionOf(120, 20_000);
    let read = 0;
    const files = {
      ...rig.disk.files,
      read: async (file: string, start: number, end: number) => {
        read += end - start;
        return rig.disk.files.read(file, start, end);
      },
    };
    await tailItems(files, FILE, 40);
    expect(read).toBeLessThan(rig.bytes().length / 4);
  });

  it('of a file that is not there is empty', async () => {
    const disk = memoryDisk();
    disk.put('/empty.jsonl', '');
    expect(await tailItems(disk.files, '/empty.jsonl', 10)).toEqual({ items: [], whole: true });
  });
});
