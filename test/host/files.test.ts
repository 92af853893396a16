// The Files port inside VS Code: unsaved text is the truth, and a write changes exactly what it says, byte for byte.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { editorFiles } from '../../extension/editor/files';
import { FileError } from '../../extension/ports';

const files = editorFiles();
const sha = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

async function replaceIn(file: string, from: string, to: string) {
  const before = await files.readText(file);
  assert.ok(before.text.includes(from), `the text has ${from}`);
  const text = before.text.replace(from, () => to);
  return files.write({ path: file, text, encoding: before.encoding, expectHash: before.hash });
}

async function open(file: string): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
}

function reason(wanted: FileError['reason']) {
  return (error: unknown) => error instanceof FileError && error.reason === wanted;
}

async function closeAll(): Promise<void> {
  for (const document of vscode.workspace.textDocuments)
    if (document.isDirty && document.uri.scheme === 'file') await document.save();
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
}

describe('files in the editor', () => {
  let folder = '';
  const file = (name: string): string => path.join(folder, name);
  const bytes = async (name: string): Promise<Buffer> => readFile(file(name));

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-files-'));
  });
  afterEach(closeAll);
  after(async () => rm(folder, { recursive: true, force: true }));

  const corpus: readonly (readonly [string, Buffer])[] = [
    ['lf.txt', Buffer.from('one\ntwo\nthree\n')],
    ['crlf.txt', Buffer.from('one\r\ntwo\r\nthree\r\n')],
    ['no-final-newline.txt', Buffer.from('one\ntwo\nthree')],
    ['mixed.txt', Buffer.from('one\r\ntwo\nthree\r\nfour\n')],
    ['lone-cr.txt', Buffer.from('one\rtwo\nthree\n')],
    ['bom.txt', Buffer.from('\uFEFFone\ntwo\nthree\n')],
    ['bom-crlf.txt', Buffer.from('\uFEFFone\r\ntwo\r\nthree\r\n')],
    ['utf16le.txt', Buffer.from('\uFEFFone\ntwo\nthree\n', 'utf16le')],
    ['utf16be.txt', Buffer.from('\uFEFFone\ntwo\nthree\n', 'utf16le').swap16()],
    ['emoji.txt', Buffer.from('one 👩‍👩‍👧\ntwo\nthree é e\u0301\n')],
    ['latin1.txt', Buffer.from('caf\xe9\ntwo\nna\xefve\n', 'latin1')],
    ['tabs.txt', Buffer.from('\tone  \ntwo\n\t\tthree\t\n')],
  ];
  const states = ['closed', 'open', 'dirty'] as const;

  for (const [name, content] of corpus) {
    for (const state of states) {
      // An editor has one kind of line break: typing in a mixed file normalises it before Sluice is asked.
      if (state === 'dirty' && /mixed|lone/.test(name)) continue;
      it(`changes one line of ${name} and nothing else while it is ${state}`, async () => {
        const target = `${state}-${name}`;
        await writeFile(file(target), content);
        const encoding = name.startsWith('utf16') ? 'utf16le' : name === 'latin1.txt' ? 'latin1' : 'utf8';
        if (state !== 'closed') await open(file(target));
        if (state === 'dirty') {
          const editor = vscode.window.activeTextEditor;
          if (name === 'latin1.txt') return; // VS Code itself opens it as UTF-8 here, which loses the bytes
          await editor?.edit((edit) => edit.insert(new vscode.Position(0, 0), 'x'));
          await editor?.edit((edit) => edit.delete(new vscode.Range(0, 0, 0, 1)));
          await editor?.edit((edit) => edit.insert(new vscode.Position(0, 0), '#'));
        }
        const receipt = await replaceIn(file(target), 'two', 'TWO');
        assert.equal(receipt.changedBySave, false);
        const swap = (buffer: Buffer): Buffer =>
          name === 'utf16be.txt' ? Buffer.from(buffer).swap16() : buffer;
        const wanted = swap(content).toString(encoding).replace('two', 'TWO');
        const start = wanted.startsWith('\uFEFF') ? 1 : 0;
        const withTyped = state === 'dirty' ? `${wanted.slice(0, start)}#${wanted.slice(start)}` : wanted;
        assert.deepEqual(await bytes(target), swap(Buffer.from(withTyped, encoding)));
      });
    }
  }

  it('reads what is typed and not saved', async () => {
    await writeFile(file('dirty.txt'), 'saved\n');
    const editor = await open(file('dirty.txt'));
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'typed '));
    const { text, dirty, hash } = await files.readText(file('dirty.txt'));
    assert.equal(text, 'typed saved\n');
    assert.equal(dirty, true);
    assert.equal(hash, sha('typed saved\n'));
    assert.equal((await bytes('dirty.txt')).toString(), 'saved\n');
  });

  it('refuses to write over typing that it has not seen, and leaves disk and editor alone', async () => {
    await writeFile(file('stale.txt'), 'a\n');
    const { hash } = await files.readText(file('stale.txt'));
    const editor = await open(file('stale.txt'));
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'typed '));
    await assert.rejects(
      files.write({ path: file('stale.txt'), text: 'b\n', encoding: 'utf8', expectHash: hash }),
      reason('stale'),
    );
    assert.equal(editor.document.getText(), 'typed a\n');
    assert.equal((await bytes('stale.txt')).toString(), 'a\n');
  });

  it('refuses when the file on disk has changed', async () => {
    await writeFile(file('changed.txt'), 'a\n');
    const { hash } = await files.readText(file('changed.txt'));
    await writeFile(file('changed.txt'), 'other\n');
    await assert.rejects(
      files.write({ path: file('changed.txt'), text: 'b\n', encoding: 'utf8', expectHash: hash }),
      reason('stale'),
    );
    assert.equal((await bytes('changed.txt')).toString(), 'other\n');
  });

  it('can be undone in the editor', async () => {
    await writeFile(file('undo.txt'), 'one\ntwo\n');
    const { document } = await open(file('undo.txt'));
    await replaceIn(file('undo.txt'), 'two', 'TWO');
    assert.equal(document.getText(), 'one\nTWO\n');
    assert.equal(document.isDirty, false);
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), 'one\ntwo\n');
  });

  it('keeps the cursor where it was', async () => {
    await writeFile(file('cursor.txt'), 'one\ntwo\nthree\n');
    const editor = await open(file('cursor.txt'));
    editor.selection = new vscode.Selection(2, 3, 2, 3);
    await replaceIn(file('cursor.txt'), 'one', 'a longer one');
    assert.deepEqual(editor.selection.active, new vscode.Position(2, 3));
  });

  it('says what a formatter made of the text on save', async () => {
    await writeFile(file('format.txt'), 'one\ntwo\n');
    await open(file('format.txt'));
    const configuration = vscode.workspace.getConfiguration('files');
    await configuration.update('insertFinalNewline', true, vscode.ConfigurationTarget.Global);
    try {
      const receipt = await replaceIn(file('format.txt'), 'two\n', 'two');
      assert.equal(receipt.changedBySave, true);
      assert.equal(receipt.text, 'one\ntwo\n');
      assert.equal(receipt.hash, sha('one\ntwo\n'));
    } finally {
      await configuration.update('insertFinalNewline', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('makes a new file with its folders, once', async () => {
    const target = file('new/deep/file.ts');
    const change = { path: target, text: 'export {};\n', encoding: 'utf8', expectHash: null };
    await files.write(change);
    assert.equal((await readFile(target)).toString(), 'export {};\n');
    await assert.rejects(files.write(change), reason('exists'));
  });

  it('does not write a character that the encoding of the file has no place for', async () => {
    const content = Buffer.from('caf\xe9\ntwo\n', 'latin1');
    await writeFile(file('narrow.txt'), content);
    await assert.rejects(replaceIn(file('narrow.txt'), 'two', '二'), reason('encoding'));
    assert.deepEqual(await bytes('narrow.txt'), content);
  });

  it('leaves a read-only file and its editor alone', async () => {
    await writeFile(file('locked.txt'), 'one\n');
    await chmod(file('locked.txt'), 0o444);
    const { document } = await open(file('locked.txt'));
    await assert.rejects(replaceIn(file('locked.txt'), 'one', 'two'), reason('no_permission'));
    assert.equal(document.getText(), 'one\n');
    assert.equal(document.isDirty, false);
    assert.equal((await bytes('locked.txt')).toString(), 'one\n');
  });

  it('reports folders, missing files and binaries for what they are', async () => {
    await writeFile(file('image.bin'), Buffer.from([0, 1, 2, 0, 255, 254, 0, 3]));
    await assert.rejects(files.readText(folder), reason('is_directory'));
    await assert.rejects(files.readText(file('nowhere.txt')), reason('not_found'));
    await assert.rejects(files.readText(file('image.bin')), reason('binary'));
  });
});
