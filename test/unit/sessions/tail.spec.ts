/** The end of a session first, and what is above it page by page (bar B5 of issue 8: the counts; the times are in test/bench/sessions.mjs). */
import { describe, expect, it } from 'vitest';
import type { DisplayItem } from '../../../extension/sessions/display';
import { pageBefore, type PageCursor } from '../../../extension/sessions/read/pages';
import { foldBytes, foldFile } from '../../../extension/sessions/read/resume';
import { collect } from '../../fakes/conversation';
import { longTask } from '../../fakes/long-task';
import { memoryDisk } from '../../fakes/memory-disk';
import { respond } from '../../fakes/scripted-transport';
import {
  callOf,
  COMPLETED,
  FILE,
  promptOf,
  responseOf,
  resultOf,
  transcriptRig,
  type TranscriptRig,
} from '../../fakes/transcript-rig';
import { windowServer } from '../../fakes/window-server';

async function sessionOf(turns: number, resultChars = 500): Promise<TranscriptRig> {
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

/** A session that was compacted again and again. */
async function compacted(steps: number): Promise<TranscriptRig> {
  const server = windowServer({
    window: 8_192,
    play: (step) =>
      step === steps
        ? respond([{ text: 'Done.' }])
        : respond(
            Array.from({ length: 1 + (step % 3) }, (_, nth) => ({
              tool: nth === 0 ? 'Bash' : 'Read',
              input: { command: `make ${step}`, file_path: `/work/${step}-${nth}.ts`, words: 40 },
            })),
          ),
  });
  const { conversation, file } = longTask({ transport: server });
  await collect(conversation.submit({ text: 'Build it.' }));
  return file;
}

/** Counts what is read of the file. */
function counted({ disk }: TranscriptRig) {
  const reads: number[] = [];
  const files = {
    ...disk.files,
    read: async (file: string, start: number, end: number) => {
      reads.push(end - start);
      return disk.files.read(file, start, end);
    },
  };
  return { files, reads };
}

async function allPages(rig: TranscriptRig, lines: number): Promise<readonly DisplayItem[]> {
  const items: DisplayItem[] = [];
  let cursor: PageCursor | undefined;
  do {
    const page = await pageBefore(rig.disk.files, FILE, cursor, lines);
    items.unshift(...page.items);
    cursor = page.earlier;
  } while (cursor !== undefined);
  return items;
}

describe('the last page of a session', () => {
  it('shows what the whole fold shows at its end', async () => {
    const rig = await sessionOf(90);
    const { items, earlier } = await pageBefore(rig.disk.files, FILE, undefined, 200);
    const whole = foldBytes(rig.bytes());
    expect(earlier).toBeDefined();
    expect(items.length).toBeGreaterThan(100);
    expect(items).toEqual(whole.items.slice(-items.length));
  });

  it('is the whole of a short one', async () => {
    const rig = await sessionOf(2);
    const page = await pageBefore(rig.disk.files, FILE, undefined, 200);
    expect(page).toEqual({ items: rig.fold().items, earlier: undefined });
  });

  it('reads no more than it needs', async () => {
    const rig = await sessionOf(120, 20_000);
    const { files, reads } = counted(rig);
    await pageBefore(files, FILE, undefined, 40);
    expect(reads.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(rig.bytes().length / 4);
  });

  it('of a file that is not there is empty', async () => {
    const disk = memoryDisk();
    disk.put('/empty.jsonl', '');
    expect(await pageBefore(disk.files, '/empty.jsonl', undefined, 10)).toEqual({
      items: [],
      earlier: undefined,
    });
  });
});

describe('all pages together', () => {
  it.each([7, 40, 200])('are the whole conversation, each item once, in pages of %d lines', async (lines) => {
    const rig = await sessionOf(90);
    expect(await allPages(rig, lines)).toEqual(foldBytes(rig.bytes()).items);
  });

  it.each([11, 60])('go over compactions as if there were none, in pages of %d lines', async (lines) => {
    const rig = await compacted(200);
    const whole = foldBytes(rig.bytes(), { displayLines: 1e9 });
    expect(whole.boundaries.length).toBeGreaterThan(4);
    expect(await allPages(rig, lines)).toEqual(whole.items);
  });

  it('leave out what was given up by a rewind, however long it was', async () => {
    const rig = await sessionOf(10);
    const place = rig.transcript.position;
    for (let n = 0; n < 60; n++) {
      await rig.transcript.prompt(promptOf(`given up ${n}`));
      await rig.transcript.assistant(responseOf(`g${n}`, [{ type: 'text', text: 'z'.repeat(9_000) }]));
    }
    await rig.transcript.rewind(place);
    await rig.transcript.prompt(promptOf('anew'));
    const items = await allPages(rig, 20);
    expect(items).toEqual(foldBytes(rig.bytes()).items);
    expect(JSON.stringify(items)).not.toContain('given up');
  });
});

describe('a large session', () => {
  const SIDECAR = '/sidecar/lines.json';
  const same = ({ lines, boundaries, ...session }: ReturnType<typeof foldBytes>) => {
    const { messages, open, leaf, end, mode, route, title, lastPrompt, todos, unfinished, foreign, usage } =
      session;
    return {
      ...{ messages, open, leaf, end, mode, route, title, lastPrompt, todos, unfinished, foreign, usage },
      lines: [...lines.values()],
      boundary: boundaries.at(-1),
    };
  };

  it.each([30, 90, 200])(
    'of %d steps is folded from its end alone, and is the same conversation',
    async (steps) => {
      const rig = await compacted(steps);
      const { files, reads } = counted(rig);
      const whole = foldBytes(rig.bytes());
      const fold = await foldFile(files, FILE, { sidecar: SIDECAR, suffixFrom: 16_384, displayLines: 20 });
      expect(same(fold)).toEqual(same(whole));
      expect(fold.usage).toEqual(whole.usage);
      expect(fold.items).toEqual(whole.items.slice(-fold.items.length));
      expect(reads.length).toBeLessThan(10);
      if (steps === 200)
        expect(reads.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(rig.bytes().length / 2);
    },
  );

  it('is read whole where its end does not say enough', async () => {
    const never = await sessionOf(20);
    const fold = await foldFile(never.disk.files, FILE, { sidecar: SIDECAR, suffixFrom: 1 });
    expect(fold.messages).toEqual(never.fold().messages);
    expect(fold.usage).toEqual(never.fold().usage);
  });
});
