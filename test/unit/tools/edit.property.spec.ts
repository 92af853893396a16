/** The edit engine against a byte-level oracle: random files in random encodings, random edits. A failed edit changes no byte, a successful one only those it names. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeText } from '../../../extension/node/text-encoding';
import { editTool } from '../../../extension/tools/edit';
import { readTool } from '../../../extension/tools/read';
import { ToolError } from '../../../extension/tools/tool';
import { memoryFiles } from '../../fakes/files';
import { toolContext } from '../../fakes/tool-context';

const piece = fc.constantFrom(
  'a',
  'b',
  ' ',
  '  ',
  '\t',
  '\n',
  '\r\n',
  '\r',
  'é',
  'e\u0301',
  '世',
  '🎉',
  '“',
  '"',
  '{',
  ';',
);
const text = fc.array(piece, { minLength: 1, maxLength: 40 }).map((pieces) => pieces.join(''));
const scenario = fc
  .record({
    encoding: fc.constantFrom('utf8', 'utf8bom', 'utf16le', 'utf16be'),
    whole: text,
    now: text,
    ends: fc.tuple(fc.nat(), fc.nat()),
    style: fc.constantFrom('as it is', 'LF', 'wrong'),
    all: fc.boolean(),
  })
  .map(({ ends, style, ...rest }) => {
    const [a, b] = ends.map((end) => end % (rest.whole.length + 1)) as [number, number];
    const part = rest.whole.slice(Math.min(a, b), Math.max(a, b));
    const old = style === 'as it is' ? part : style === 'LF' ? part.replace(/\r\n?/g, '\n') : `${part}zz`;
    return { ...rest, old };
  });

describe('the edit engine', () => {
  it('changes the bytes that were named and no others, or none', async () => {
    let written = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(scenario, async ({ encoding, whole, old, now, all }) => {
        fc.pre(!/\p{Surrogate}/u.test(old) && !whole.startsWith('\uFEFF'));
        const files = memoryFiles();
        files.put('/work/f', whole, encoding);
        const before = Buffer.from(files.disk.get('/work/f') ?? []);
        const context = toolContext({ files });
        await readTool.run({ file_path: '/work/f' }, context);
        try {
          await editTool.run(
            { file_path: '/work/f', old_string: old, new_string: now, replace_all: all },
            context,
          );
        } catch (error) {
          if (!(error instanceof ToolError)) throw error;
          refused++;
          expect(files.disk.get('/work/f')?.equals(before)).toBe(true);
          return;
        }
        written++;
        const after = files.text('/work/f');
        expect(files.disk.get('/work/f')?.equals(encodeText(after, encoding, ''))).toBe(true);
        if (!all && old !== '') expect(changedOnlyWhatWasNamed(whole, after, old)).toBe(true);
      }),
      { numRuns: 20_000 },
    );
    expect(written).toBeGreaterThan(2_000);
    expect(refused).toBeGreaterThan(2_000);
  }, 120_000);
});

/**
 * Whether the new text is the old one with some part replaced that reads like what was named. Knows nothing of how the engine matches.
 */
function changedOnlyWhatWasNamed(before: string, after: string, named: string): boolean {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const bare = (part: string): string => part.replace(/\s+/g, '').normalize('NFC').replace(/“/g, '"');
  const reads = bare(named) === '' ? (part: string) => part.replace(/\r\n?/g, '\n') : bare;
  const wanted = reads(named);
  for (let start = head; start >= 0; start--)
    for (let end = Math.max(start, before.length - tail); end <= before.length; end++)
      if (start + before.length - end <= after.length && reads(before.slice(start, end)) === wanted)
        return true;
  return false;
}
