// The corpus inside VS Code: closed, open and unsaved; in encodings that only the editor knows; formatted on save; and large files.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { editorFiles } from '../../extension/editor/files';
import { FileError } from '../../extension/ports';
import { editTool } from '../../extension/tools/edit';
import { CHANGED, corpus, expected, FOREIGN, MARKER } from '../fakes/corpus';
import type { CorpusFile } from '../fakes/corpus';
import { textOf, toolContext } from '../fakes/tool-context';

describe('the corpus in the editor', () => {
  let folder = '';
  const encodingSetting = vscode.workspace.getConfiguration('files');

  before(async () => {
    // Else the editor offers to take them out, and nobody is here to say no.
    await vscode.workspace
      .getConfiguration('editor')
      .update('unusualLineTerminators', 'off', vscode.ConfigurationTarget.Global);
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-corpus-'));
  });
  afterEach(async () => {
    for (const document of vscode.workspace.textDocuments)
      if (document.isDirty && document.uri.scheme === 'file') await document.save();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });
  after(async () => rm(folder, { recursive: true, force: true }));

  async function edit(target: string, from = MARKER, to = CHANGED) {
    const context = toolContext({ files: editorFiles() });
    context.reads.replaced(target, (await context.files.readText(target)).hash);
    return editTool.run({ file_path: target, old_string: from, new_string: to }, context);
  }
  const open = (target: string) =>
    vscode.window.showTextDocument(vscode.Uri.file(target), { preview: false });

  async function changes(file: CorpusFile, state: 'closed' | 'open'): Promise<void> {
    const target = path.join(folder, `${state}-${file.name}`);
    await writeFile(target, file.bytes);
    if (state === 'open') await open(target);
    await assert.rejects(edit(target, 'not in there at all', 'x'));
    assert.ok((await readFile(target)).equals(file.bytes), `${file.name}: a failed edit changes nothing`);
    await edit(target);
    assert.ok((await readFile(target)).equals(expected(file)), `${file.name}: only the marker changes`);
  }

  /** Without its encoding a file is changed exactly, or refused and left alone. */
  async function changesOrRefuses(file: CorpusFile, state: 'closed' | 'open'): Promise<void> {
    try {
      await changes(file, state);
    } catch (error) {
      assert.equal(error instanceof FileError && error.reason, 'encoding');
      assert.ok((await readFile(path.join(folder, `${state}-${file.name}`))).equals(file.bytes));
    }
  }

  for (const state of ['closed', 'open'] as const) {
    it(`every file, ${state}: exactly the marker's bytes change`, async () => {
      let count = 0;
      for (const file of corpus().filter(({ link }) => link !== true)) {
        await changes(file, state);
        count += 1;
        if (count % 10 === 0) await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      }
      assert.ok(count >= 40);
    }).timeout(240_000);

    it(`Shift JIS, GBK and Windows-1252, ${state}, with the encoding set and without`, async () => {
      for (const [name, encoding, text] of FOREIGN) {
        const encode = async (part: string) => Buffer.from(await vscode.workspace.encode(part, { encoding }));
        const [bytes, from, to] = [await encode(text), await encode(MARKER), await encode(CHANGED)];
        for (const set of [true, false]) {
          await encodingSetting.update(
            'encoding',
            set ? encoding : undefined,
            vscode.ConfigurationTarget.Global,
          );
          const file = { name: `${set ? 'set' : 'unset'}-${name}`, bytes, from, to };
          if (set) await changes(file, state);
          else await changesOrRefuses(file, state);
        }
      }
    }).timeout(240_000);
  }
  after(async () => encodingSetting.update('encoding', undefined, vscode.ConfigurationTarget.Global));

  it('an editor with unsaved text: both are saved, and the model hears it', async () => {
    const target = path.join(folder, 'unsaved.txt');
    await writeFile(target, `one\n${MARKER}\n`);
    const editor = await open(target);
    await editor.edit((change) => change.insert(new vscode.Position(0, 0), 'typed '));
    const said = textOf(editTool, await edit(target));
    assert.equal(await readFile(target, 'utf8'), `typed one\n${CHANGED}\n`);
    assert.match(said, /unsaved changes of the user/);
  });

  it('a formatter on save: what it did is said', async () => {
    const target = path.join(folder, 'formatted.txt');
    await writeFile(target, `one\n${MARKER}\n`);
    await open(target);
    await encodingSetting.update('trimTrailingWhitespace', true, vscode.ConfigurationTarget.Global);
    try {
      const said = textOf(editTool, await edit(target, MARKER, `${CHANGED}   `));
      assert.equal(await readFile(target, 'utf8'), `one\n${CHANGED}\n`);
      assert.match(said, /Saving changed the file further/);
    } finally {
      await encodingSetting.update('trimTrailingWhitespace', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('Undo takes an accepted edit back, in 40,000 lines too', async () => {
    const target = path.join(folder, 'undo.txt');
    const lines = Array.from({ length: 40_000 }, (_, i) => `line ${i}`);
    const before = [...lines.slice(0, 39_990), MARKER, ...lines.slice(39_990)].join('\n');
    await writeFile(target, before);
    const { document } = await open(target);
    await edit(target);
    assert.ok(document.getText().includes(CHANGED));
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), before);
    await vscode.commands.executeCommand('redo');
    assert.ok(document.getText().includes(CHANGED));
  });
});
