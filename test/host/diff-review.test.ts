// The diff editor as an approval: every way of answering, each once, and nothing that takes the keyboard unasked.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { ApprovalAnswer, ApprovalRequest } from '../../extension/ports';
import type { Approvals } from '../../extension/editor/review/approver';
import { proposalTabs, proposalUri, sluice, until } from './support';

describe('the review of an edit in the diff editor', () => {
  let approvals: Approvals;
  let folder = '';

  before(async () => {
    approvals = (await (await sluice()).engine()).approvals;
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-review-'));
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });
  after(async () => rm(folder, { recursive: true, force: true }));

  function edit(after: string, before: string | null = 'one\ntwo\n'): ApprovalRequest {
    const snapshot =
      before === null
        ? null
        : { text: before, hash: '', encoding: 'utf8', dirty: false, bytes: Buffer.byteLength(before) };
    const proposal = { path: path.join(folder, 'shop.ts'), before: snapshot, after, hunks: [] };
    return {
      id: randomUUID(),
      callId: randomUUID(),
      tool: 'Edit',
      title: 'Apply this edit?',
      reason: 'edits ask',
      detail: { type: 'edit', proposal },
    };
  }

  async function ask(request: ApprovalRequest, signal = new AbortController().signal) {
    const open = proposalTabs().length;
    const answer = approvals.ask(request, signal);
    answer.catch(() => undefined);
    const tab = await until('the diff', () => proposalTabs().at(open));
    return { answer, tab, uri: proposalUri(tab) };
  }

  async function change(uri: vscode.Uri, text: string): Promise<vscode.TextDocument> {
    const document = await vscode.workspace.openTextDocument(uri);
    const whole = new vscode.Range(0, 0, document.lineCount, 0);
    const change = new vscode.WorkspaceEdit();
    change.replace(uri, whole, text);
    assert.equal(await vscode.workspace.applyEdit(change), true);
    return document;
  }

  const gone = () => until('the tab to close', () => proposalTabs().length === 0);

  it('shows what is there on the left and what is proposed on the right, under the file’s own name', async () => {
    const { answer, tab, uri } = await ask(edit('one\nTWO\n'));
    assert.match(tab.label, /^shop\.ts \(Sluice proposal\)/);
    assert.ok(tab.input instanceof vscode.TabInputTextDiff);
    const left = await vscode.workspace.openTextDocument(tab.input.original);
    const right = await vscode.workspace.openTextDocument(uri);
    assert.equal(left.getText(), 'one\ntwo\n');
    assert.equal(right.getText(), 'one\nTWO\n');
    assert.equal(right.languageId, 'typescript');
    await vscode.commands.executeCommand('sluice.rejectProposal', uri);
    assert.equal((await answer).type, 'deny');
    await gone();
  });

  it('is accepted by the button, without an edited text when nothing was changed', async () => {
    const { answer, uri } = await ask(edit('one\nTWO\n'));
    await vscode.commands.executeCommand('sluice.acceptProposal', uri);
    assert.deepEqual(await answer, { type: 'allow', scope: 'once', by: 'in the diff editor' });
    await gone();
  });

  it('takes what the person made of the proposal, and leaves no question about saving', async () => {
    const { answer, uri } = await ask(edit('one\nTWO\n'));
    const document = await change(uri, 'one\nmine\n');
    assert.equal(document.isDirty, true);
    await vscode.commands.executeCommand('sluice.acceptProposal', uri);
    assert.deepEqual(await answer, {
      type: 'allow',
      scope: 'once',
      by: 'in the diff editor',
      editedText: 'one\nmine\n',
      partly: {
        typed: true,
        decisions: [
          {
            type: 'changed',
            hunk: { oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: [' one', '-two', '+TWO'] },
          },
        ],
      },
    });
    await gone();
  });

  it('keeps mixed line endings of lines that the person did not touch', async () => {
    const { answer, uri } = await ask(edit('a\r\nb\nc\r\nd\n', 'a\r\nB\nc\r\nd\n'));
    const document = await vscode.workspace.openTextDocument(uri);
    await change(uri, document.getText().replace('b', 'mine'));
    approvals.answer(approvals.findEdit(uri)?.id ?? '', { type: 'allow', by: 'in the chat' });
    const answered = (await answer) as Extract<ApprovalAnswer, { type: 'allow' }>;
    assert.equal(answered.editedText?.replace(/^mine(\r\n|\n)/m, 'mine\n'), 'a\r\nmine\nc\r\nd\n');
  });

  it('is rejected by closing its tab', async () => {
    const { answer, tab } = await ask(edit('one\nTWO\n'));
    await vscode.window.tabGroups.close(tab);
    assert.deepEqual(await answer, { type: 'deny', by: 'by closing the diff' });
  });

  it('is not rejected by moving its tab to another group', async () => {
    const { answer, uri } = await ask(edit('one\nTWO\n'));
    await approvals.showDiff(approvals.findEdit(uri)?.id ?? '');
    await vscode.commands.executeCommand('workbench.action.moveEditorToNextGroup');
    await new Promise((resolve) => setTimeout(resolve, 500));
    assert.equal(approvals.waiting.length, 1);
    await vscode.commands.executeCommand('sluice.acceptProposal', uri);
    assert.equal((await answer).type, 'allow');
    await gone();
  });

  it('is answered once: the chat’s answer closes the tab, and a later button does nothing', async () => {
    const request = edit('one\nTWO\n');
    const { answer } = await ask(request);
    assert.equal(approvals.answer(request.id, { type: 'deny', by: 'in the chat', words: 'no' }), true);
    assert.equal(approvals.answer(request.id, { type: 'allow', by: 'in the chat' }), false);
    assert.deepEqual(await answer, { type: 'deny', by: 'in the chat', words: 'no' });
    await gone();
  });

  it('closes its tab when the turn is stopped, and counts as no answer', async () => {
    const controller = new AbortController();
    const { answer } = await ask(edit('one\nTWO\n'), controller.signal);
    controller.abort();
    await assert.rejects(answer);
    await gone();
    assert.equal(approvals.waiting.length, 0);
  });

  it('keeps two proposals for one file apart', async () => {
    const first = await ask(edit('first\n'));
    const second = await ask(edit('second\n'));
    assert.notEqual(first.uri.toString(), second.uri.toString());
    await vscode.commands.executeCommand('sluice.acceptProposal', second.uri);
    assert.equal((await second.answer).type, 'allow');
    assert.equal(approvals.waiting.length, 1);
    await vscode.commands.executeCommand('sluice.rejectProposal', first.uri);
    assert.equal((await first.answer).type, 'deny');
    await gone();
  });

  it('shows a new file against nothing', async () => {
    const { answer, tab, uri } = await ask(edit('hello\n', null));
    assert.ok(tab.input instanceof vscode.TabInputTextDiff);
    assert.equal((await vscode.workspace.openTextDocument(tab.input.original)).getText(), '');
    await vscode.commands.executeCommand('sluice.rejectProposal', uri);
    await answer;
  });

  it('does not open in a group that is locked', async () => {
    const notes = path.join(folder, 'locked.txt');
    await writeFile(notes, 'notes\n');
    await vscode.window.showTextDocument(vscode.Uri.file(notes), { preview: false });
    await vscode.commands.executeCommand('workbench.action.lockEditorGroup');
    const locked = vscode.window.tabGroups.activeTabGroup.viewColumn;
    const { answer, tab, uri } = await ask(edit('one\nTWO\n'));
    assert.notEqual(tab.group.viewColumn, locked);
    await vscode.commands.executeCommand('sluice.rejectProposal', uri);
    await answer;
    await vscode.commands.executeCommand('workbench.action.focusFirstEditorGroup');
    await vscode.commands.executeCommand('workbench.action.unlockEditorGroup');
  });

  it('stays in the background while the person types in another editor', async () => {
    const notes = path.join(folder, 'notes.txt');
    await writeFile(notes, 'notes\n');
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(notes), { preview: false });
    await vscode.commands.executeCommand('type', { text: 'typing ' });
    const { answer, uri } = await ask(edit('one\nTWO\n'));
    await vscode.commands.executeCommand('type', { text: 'goes on ' });
    assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, notes);
    assert.equal(editor.document.getText(), 'typing goes on notes\n');
    await vscode.commands.executeCommand('sluice.rejectProposal', uri);
    await answer;
    assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, notes);
    await editor.document.save();
  });
});

describe('the question about a command', () => {
  it('waits for the chat when no dialog can be shown, and is never answered by itself', async () => {
    const { approvals } = await (await sluice()).engine();
    const request: ApprovalRequest = {
      id: randomUUID(),
      callId: randomUUID(),
      tool: 'Bash',
      title: 'Run this command?',
      reason: 'commands ask',
      detail: { type: 'command', command: 'npm test', cwd: '/' },
    };
    const answer = approvals.ask(request, new AbortController().signal);
    let answered = false;
    void answer.then(() => (answered = true));
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(answered, false);
    assert.deepEqual(
      approvals.waiting.map(({ id }) => id),
      [request.id],
    );
    approvals.answer(request.id, { type: 'allow', by: 'in the chat' });
    assert.deepEqual(await answer, { type: 'allow', scope: 'once', by: 'in the chat' });
  });

  it('is refused when the turn was stopped before it was asked', async () => {
    const { approvals } = await (await sluice()).engine();
    const stopped = AbortSignal.abort();
    const request: ApprovalRequest = {
      id: randomUUID(),
      callId: randomUUID(),
      tool: 'Bash',
      title: 'Run this command?',
      reason: 'commands ask',
      detail: { type: 'command', command: 'npm test', cwd: '/' },
    };
    await assert.rejects(approvals.ask(request, stopped));
    assert.equal(approvals.waiting.length, 0);
  });
});
