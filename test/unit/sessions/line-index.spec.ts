import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineIndex, MARK_EVERY } from '../../../extension/sessions/read/line-index';
import { memoryDisk } from '../../fakes/memory-disk';

const FILE = '/s.jsonl';
const SIDECAR = '/s/lines.json';
const BOUNDARY = '{"type":"system","subtype":"compact_boundary"}';
const line = (n: number): string => `{"n":${n},"text":"${'é'.repeat(n % 90)}"}`;

function counted() {
  const disk = memoryDisk();
  const seen = { bytes: 0 };
  const files = {
    ...disk.files,
    async *pieces(file: string, start: number, end: number) {
      for await (const piece of disk.files.pieces(file, start, end)) {
        seen.bytes += piece.length;
        yield piece;
      }
    },
  };
  return { disk, files, seen };
}

describe('the index of the lines of a session', () => {
  it('knows how many there are, where they stand, and where the last compaction is, however it falls into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(3_000),
        fc.array(fc.nat(3_000), { maxLength: 3 }),
        fc.boolean(),
        async (count, at, open) => {
          const { disk, files } = counted();
          const lines = Array.from({ length: count }, (_, n) => (at.includes(n) ? BOUNDARY : line(n)));
          const text = lines.map((each) => `${each}\n`).join('') + (open ? '{"not":"ended' : '');
          disk.put(FILE, text);
          const index = await lineIndex(files, FILE, SIDECAR);
          const offsets = lines.map((_, n) =>
            Buffer.byteLength(
              lines
                .slice(0, n)
                .map((l) => `${l}\n`)
                .join(''),
            ),
          );
          expect(index.lines).toBe(count);
          expect(index.marks).toEqual(offsets.filter((_, n) => n % MARK_EVERY === 0));
          expect(index.boundary).toBe(offsets[lines.lastIndexOf(BOUNDARY)] ?? -1);
        },
      ),
      { numRuns: 12 },
    );
  });

  it('is read from beside the file, and only what was added is looked at', async () => {
    const { disk, files, seen } = counted();
    disk.put(FILE, `${line(1)}\n`.repeat(500));
    const first = await lineIndex(files, FILE, SIDECAR);
    seen.bytes = 0;
    expect(await lineIndex(files, FILE, SIDECAR)).toEqual(first);
    expect(seen.bytes).toBe(0);
    await disk.openLineFile(FILE).append(`${BOUNDARY}\n`);
    const grown = await lineIndex(files, FILE, SIDECAR);
    expect(grown).toMatchObject({ lines: 501, boundary: first.bytes });
    expect(seen.bytes).toBe(BOUNDARY.length + 1);
  });

  it.each([
    ['is damaged', '{"bytes":'],
    ['is another thing', '{"bytes":"many"}'],
    [
      'is of another file',
      JSON.stringify({ bytes: 40, lines: 9, marks: [0], boundary: -1, end: 'ff'.repeat(40) }),
    ],
    ['is of a longer file', JSON.stringify({ bytes: 1e9, lines: 9, marks: [0], boundary: -1, end: '' })],
  ])('is made anew when what is there %s', async (_, sidecar) => {
    const { disk, files } = counted();
    disk.put(FILE, `${line(1)}\n`.repeat(20));
    disk.put(SIDECAR, sidecar);
    expect((await lineIndex(files, FILE, SIDECAR)).lines).toBe(20);
    expect((await lineIndex(files, FILE, SIDECAR)).lines).toBe(20);
  });
});
