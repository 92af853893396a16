/** What the model hears of a proposal that was taken in part. */
import { describe, expect, it } from 'vitest';
import { partialResult, partsOf } from '../../../extension/review/parts';
import { partlyNotes } from '../../../extension/tools/edits/partly';
import { editTool } from '../../../extension/tools/edit';
import { memoryFiles } from '../../fakes/files';
import { textOf, toolContext } from '../../fakes/tool-context';

const BEFORE = 'one\ntwo\nthree\nfour\nfive\n';
const parts = partsOf(BEFORE, 'ONE\ntwo\nTHREE\nfour\nFIVE\n');

describe('the words for the model', () => {
  it('name the changes that were taken, and show those that were not, with what was said', () => {
    const comments = new Map([[parts.keys[2] ?? '', 'leave five alone']]);
    const [note] = partlyNotes(partialResult(parts, 'ONE\ntwo\nTHREE\nfour\nfive\n', comments));
    expect(note).toContain('took 2 of your 3 changes: 1 (line 1), 2 (line 3)');
    expect(note).toContain('Change 3 (line 5) was rejected');
    expect(note).toContain('"leave five alone"');
    expect(note).toContain('-five\n+FIVE');
  });

  it('say nothing when all were taken', () => {
    expect(partlyNotes(partialResult(parts, 'ONE\ntwo\nTHREE\nfour\nFIVE\n'))).toEqual([]);
  });

  it('do not repeat as typing what was only taken out', async () => {
    const files = memoryFiles();
    files.put('/work/f', BEFORE, 'utf8');
    const before = await files.readText('/work/f');
    const partly = partialResult(parts, 'ONE\ntwo\nthree\nfour\nfive\n');
    const proposal = { path: '/work/f', before, after: partly.exact, hunks: [], userModified: true, partly };
    const context = toolContext({ files, proposal });
    context.reads.replaced('/work/f', before.hash);
    const output = await editTool.run(
      { file_path: '/work/f', old_string: 'one', new_string: 'ONE' },
      context,
    );
    const said = textOf(editTool, output);
    expect(said).toContain('took 1 of your 3 changes');
    expect(said).not.toContain('changed your proposal');
    expect(files.text('/work/f')).toBe('ONE\ntwo\nthree\nfour\nfive\n');
  });
});
