// The review of what a session changed, inside VS Code: the list, the diffs, keep and undo, and rewinding with unsaved editors about.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { checkpointedFiles } from '../../extension/assembly/checkpointed';
import { editorFiles } from '../../extension/editor/files';
import type { ChangesModel } from '../../extension/editor/review/changes-model';
import type { Checkpoints } from '../../extension/review/checkpoints';
import { carryOut, planRevert } from '../../extension/review/revert';
import { sluice, until } from './support';

describe('the review of changes', () => {
  let changes: ChangesModel;
  let checkpoints: Checkpoints;
  let folder = '';

  before(async () => {
    const engine = await (await sluice()).engine();
    changes = engine.changes;
    const found = engine.chat.checkpoints();
    assert.ok(found);
    checkpoints = found;
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-changes-'));
  });
  afterEach(async () => {
    for (const document of vscode.workspace.textDocuments)
      if (document.isDirty && document.uri.scheme === 'file') await document.save();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await changes.keep(changes.changes.map((change) => change.path));
  });
  after(async () => rm(folder, { recursive: true, force: true }));

  const at = (name: string): string => path.join(folder, name);
  const disk = async (name: string): Promise<string> => readFile(at(name), 'utf8');
  async function edit(name: string, text: string): Promise<void> {
    const files = checkpointedFiles(editorFiles(), checkpoints);
    const before = await files.readText(at(name)).catch(() => undefined);
    await files.write({ path: at(name), text, encoding: 'utf8', expectHash: before?.hash ?? null });
  }
  async function twoChanges(name: string): Promise<string> {
    await writeFile(at(name), '1\n2\n3\n4\n5\n');
    const id = randomUUID();
    checkpoints.begin(id, 'change two lines');
    await edit(name, 'A\n2\n3\n4\nE\n');
    await changes.refresh();
    return id;
  }
  const hunks = (name: string) => changes.find(at(name))?.blocks.length;

  it('lists a file with its hunks, and opens it beside what it was', async () => {
    await twoChanges('list.txt');
    const change = changes.find(at('list.txt'));
    assert.ok(change);
    assert.deepEqual([change.kind, change.added, change.removed, hunks('list.txt')], ['changed', 2, 2, 2]);
    await vscode.commands.executeCommand('sluice.openChange', { type: 'hunk', change, index: 1 });
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    assert.ok(input instanceof vscode.TabInputTextDiff);
    assert.equal((await vscode.workspace.openTextDocument(input.original)).getText(), '1\n2\n3\n4\n5\n');
    assert.equal(input.modified.fsPath, at('list.txt'));
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      input.modified,
    );
    assert.deepEqual(
      lenses.map(({ range, command }) => [range.start.line, command?.command]),
      [
        [0, 'sluice.keepChange'],
        [0, 'sluice.undoChange'],
        [4, 'sluice.keepChange'],
        [4, 'sluice.undoChange'],
      ],
    );
  });

  it('keeps one hunk and undoes the other', async () => {
    await twoChanges('hunks.txt');
    const first = changes.find(at('hunks.txt'));
    await vscode.commands.executeCommand('sluice.keepChange', { type: 'hunk', change: first, index: 0 });
    assert.equal(hunks('hunks.txt'), 1);
    const rest = changes.find(at('hunks.txt'));
    await vscode.commands.executeCommand('sluice.undoChange', { type: 'hunk', change: rest, index: 0 });
    assert.equal(hunks('hunks.txt'), undefined);
    assert.equal(await disk('hunks.txt'), 'A\n2\n3\n4\n5\n');
  });

  it('undoes the file of the diff in front, and brings it back', async () => {
    await twoChanges('front.txt');
    const change = changes.find(at('front.txt'));
    assert.ok(change);
    await changes.openDiff(change);
    await vscode.commands.executeCommand('sluice.undoChange');
    assert.equal(await disk('front.txt'), '1\n2\n3\n4\n5\n');
    await vscode.commands.executeCommand('sluice.undoRewind');
    assert.equal(await disk('front.txt'), 'A\n2\n3\n4\nE\n');
  });

  it('opens all of them in one editor', async () => {
    await twoChanges('one.txt');
    await twoChanges('two.txt');
    await vscode.commands.executeCommand('sluice.reviewChanges');
    await until('the multi-diff', () =>
      vscode.window.tabGroups.activeTabGroup.activeTab?.label.startsWith('Changes by Sluice'),
    );
  });

  it('a rewind leaves a file with unsaved changes alone, and reloads one that is open', async () => {
    const id = await twoChanges('open.txt');
    await edit('unsaved.txt', 'agent\n');
    const open = await vscode.window.showTextDocument(vscode.Uri.file(at('open.txt')), { preview: false });
    const other = await vscode.window.showTextDocument(vscode.Uri.file(at('unsaved.txt')), {
      preview: false,
    });
    await other.edit((change) => change.insert(new vscode.Position(0, 0), 'mine '));
    const plan = await planRevert(checkpoints, (turn) => turn.id === id);
    const { done, left } = await carryOut(checkpoints, plan, { id: randomUUID(), title: 'Rewind' });
    assert.deepEqual(
      done.map((file) => path.basename(file.path)),
      ['open.txt'],
    );
    assert.deepEqual(
      left.map((file) => path.basename(file.path)),
      ['unsaved.txt'],
    );
    await until('the reload', () => open.document.getText() === '1\n2\n3\n4\n5\n');
    assert.equal(other.document.getText(), 'mine agent\n');
    assert.equal(await disk('unsaved.txt'), 'agent\n');
  });
});
