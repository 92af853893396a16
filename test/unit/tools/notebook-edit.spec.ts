/** NotebookEdit: one cell changes, every other byte of the notebook stays. */
import { describe, expect, it } from 'vitest';
import { notebookEditTool } from '../../../extension/tools/notebook-edit';
import { readTool } from '../../../extension/tools/read';
import { memoryFiles } from '../../fakes/files';
import { failureOf, textOf, toolContext } from '../../fakes/tool-context';

// As Jupyter writes it, with what a plain parse and print would change: 1.0, an escape, an odd order.
const NOTEBOOK = String.raw`{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Tïtle\n",
    "caf\u00e9"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 7,
   "id": "sum",
   "metadata": {"score": 1.0},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": ["3\n"]
    }
   ],
   "source": "1 + 2"
  }
 ],
 "metadata": {
  "language_info": {
   "name": "python"
  }
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
`;

async function change(
  input: Omit<Parameters<typeof notebookEditTool.run>[0], 'notebook_path'>,
  text = NOTEBOOK,
) {
  const files = memoryFiles({ '/work/n.ipynb': text });
  const context = toolContext({ files });
  await readTool.run({ file_path: '/work/n.ipynb' }, context);
  const output = await notebookEditTool.run({ notebook_path: 'n.ipynb', ...input }, context);
  return {
    text: files.text('/work/n.ipynb'),
    said: textOf(notebookEditTool, output),
    envelope: notebookEditTool.forTranscript(output),
  };
}

describe('NotebookEdit', () => {
  it('replaces a source, clears what the old one printed, and keeps every other byte', async () => {
    const { text, said, envelope } = await change({ cell_id: 'sum', new_source: '2 + 2\nprint()' });
    expect(text).toBe(
      NOTEBOOK.replace('"1 + 2"', String.raw`"2 + 2\nprint()"`)
        .replace('"execution_count": 7', '"execution_count": null')
        .replace(/"outputs": \[[^]*?\n {3}\],/, '"outputs": [],'),
    );
    expect(said).toBe('Replaced the source of cell sum in /work/n.ipynb.');
    expect(envelope).toMatchObject({
      new_source: '2 + 2\nprint()',
      old_source: '1 + 2',
      cell_id: 'sum',
      cell_type: 'code',
      language: 'python',
      edit_mode: 'replace',
      error: '',
      notebook_path: '/work/n.ipynb',
      original_file: NOTEBOOK,
      updated_file: text,
    });
  });

  it('keeps a source that is a list of lines one', async () => {
    const { text } = await change({ cell_id: 'intro', new_source: '# New\nline' });
    expect(text).toBe(
      NOTEBOOK.replace(/"source": \[[^]*?\]/, '"source": [\n    "# New\\n",\n    "line"\n   ]'),
    );
  });

  it('inserts a cell after another, and first', async () => {
    const after = await change({ cell_id: 'intro', new_source: 'x', cell_type: 'code', edit_mode: 'insert' });
    const cells = (JSON.parse(after.text) as { cells: { id: string }[] }).cells;
    expect(cells.map((cell) => cell.id)).toEqual(['intro', 'call1', 'sum']);
    expect(after.text.split('\n').filter((line) => !NOTEBOOK.includes(line))).toEqual([
      '   "execution_count": null,',
      '   "id": "call1",',
      '   "outputs": [],',
      '    "x"',
    ]);
    const first = await change({ new_source: 'x', cell_type: 'markdown', edit_mode: 'insert' });
    expect((JSON.parse(first.text) as { cells: { id: string }[] }).cells[0]).toEqual({
      cell_type: 'markdown',
      id: 'call1',
      metadata: {},
      source: ['x'],
    });
    const empty = await change(
      { new_source: 'x', cell_type: 'code', edit_mode: 'insert' },
      '{"cells": [], "nbformat": 4, "nbformat_minor": 2}',
    );
    expect(JSON.parse(empty.text)).toMatchObject({ cells: [{ cell_type: 'code' }], nbformat_minor: 2 });
    expect(empty.text).not.toContain('"id"');
  });

  it('deletes the first, the last and the only cell', async () => {
    const ids = (text: string): unknown =>
      (JSON.parse(text) as { cells: { id: string }[] }).cells.map((cell) => cell.id);
    expect(ids((await change({ cell_id: 'intro', new_source: '', edit_mode: 'delete' })).text)).toEqual([
      'sum',
    ]);
    const last = await change({ cell_id: 'cell-1', new_source: '', edit_mode: 'delete' });
    expect(ids(last.text)).toEqual(['intro']);
    expect(
      (await change({ cell_id: 'intro', new_source: '', edit_mode: 'delete' }, last.text)).text,
    ).toContain('"cells": [],');
  });

  it('changes the type of a cell', async () => {
    const { text } = await change({ cell_id: 'sum', new_source: 'now words', cell_type: 'markdown' });
    expect((JSON.parse(text) as { cells: unknown[] }).cells[1]).toEqual({
      cell_type: 'markdown',
      id: 'sum',
      metadata: {},
      source: ['now words'],
    });
  });

  it.each([
    ['a cell that is not there', { cell_id: 'zz', new_source: 'x' }, 'no_match', 'Its cells: intro, sum.'],
    ['no cell', { new_source: 'x' }, 'invalid', 'cell_id is needed to replace a cell'],
    [
      'a new cell of no type',
      { new_source: 'x', edit_mode: 'insert' as const },
      'invalid',
      'cell_type is needed',
    ],
    ['the same source', { cell_id: 'intro', new_source: '# Tïtle\ncafé' }, 'no_change', 'exactly like that'],
  ])('refuses %s', async (_name, input, kind, words) => {
    const failure = await failureOf(change(input));
    expect(failure.kind).toBe(kind);
    expect(failure.message).toContain(words);
  });
});
