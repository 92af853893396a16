// NotebookEdit on a notebook that is open with unsaved changes: through its editor, with what the person has typed kept.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { editorFiles } from '../../extension/editor/files';
import { notebookEditTool } from '../../extension/tools/notebook-edit';
import { textOf, toolContext } from '../fakes/tool-context';

const book = {
  cells: [
    { cell_type: 'markdown', id: 'head', metadata: {}, source: ['# Title'] },
    { cell_type: 'code', id: 'sum', metadata: {}, execution_count: 1, outputs: [], source: ['1 + 1'] },
    { cell_type: 'code', id: 'last', metadata: {}, execution_count: null, outputs: [], source: ['print(2)'] },
  ],
  metadata: { language_info: { name: 'python' } },
  nbformat: 4,
  nbformat_minor: 5,
};

describe('a notebook that is open and not saved', () => {
  let folder = '';
  let target = '';
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-notebook-'));
  });
  afterEach(async () => {
    for (const notebook of vscode.workspace.notebookDocuments) if (notebook.isDirty) await notebook.save();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });
  after(async () => rm(folder, { recursive: true, force: true }));

  /** The person has typed into this cell. */
  async function typedInto(name: string, index: number): Promise<vscode.NotebookDocument> {
    target = path.join(folder, name);
    await writeFile(target, JSON.stringify(book, null, 1) + '\n');
    const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.file(target));
    await vscode.window.showNotebookDocument(notebook);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(notebook.cellAt(index).document.uri, new vscode.Position(0, 0), 'mine ');
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.ok(notebook.isDirty);
    return notebook;
  }
  async function edit(cell: string, source: string, more: { edit_mode?: 'insert'; cell_type?: 'code' } = {}) {
    const context = toolContext({ files: editorFiles() });
    context.reads.replaced(target, (await context.files.readText(target)).hash);
    const input = { notebook_path: target, cell_id: cell, new_source: source, ...more };
    return textOf(notebookEditTool, await notebookEditTool.run(input, context));
  }
  const disk = async (): Promise<string[]> => {
    const { cells } = JSON.parse(await readFile(target, 'utf8')) as {
      cells: { source: string | string[] }[];
    };
    return cells.map(({ source }) => (typeof source === 'string' ? source : source.join('')));
  };

  it('gets the new cell in its editor, and is saved with what was typed in another; the model hears it', async () => {
    const notebook = await typedInto('other.ipynb', 0);
    const said = await edit('sum', '2 + 2');
    assert.equal(notebook.cellAt(1).document.getText(), '2 + 2');
    assert.equal(notebook.isDirty, false);
    assert.deepEqual(await disk(), ['mine # Title', '2 + 2', 'print(2)']);
    assert.match(said, /unsaved changes of the user/);
  });

  it('gets an inserted cell', async () => {
    await typedInto('insert.ipynb', 0);
    await edit('sum', 'x = 1', { edit_mode: 'insert', cell_type: 'code' });
    assert.deepEqual(await disk(), ['mine # Title', '1 + 1', 'x = 1', 'print(2)']);
  });

  it('keeps a cell in which the person has typed, and the edit fails', async () => {
    const notebook = await typedInto('same.ipynb', 1);
    const before = await readFile(target, 'utf8');
    await assert.rejects(edit('sum', '2 + 2'), /unsaved changes in this cell/);
    assert.equal(notebook.cellAt(1).document.getText(), 'mine 1 + 1');
    assert.equal(await readFile(target, 'utf8'), before);
  });
});
