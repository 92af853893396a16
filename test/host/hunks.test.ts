// A proposal decided change by change: in the diff editor and from the card, to exact bytes, with what was said.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { editorFiles } from '../../extension/editor/files';
import type { ApprovalAnswer, ApprovalRequest } from '../../extension/ports';
import type { Approvals } from '../../extension/editor/review/approver';
import type { HunkReview } from '../../extension/editor/review/hunk-review';
import { proposalTabs, proposalUri, sluice, until } from './support';

const BEFORE = 'one\r\ntwo\nthree\r\nfour\nfive\n';
const AFTER = 'ONE\r\ntwo\nTHREE\r\nfour\nFIVE\n';

describe('the changes of a proposal', () => {
  let approvals: Approvals;
  let folder = '';
  let file = '';

  before(async () => {
    approvals = (await (await sluice()).engine()).approvals;
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-hunks-'));
  });
  beforeEach(async () => {
    file = path.join(folder, `${randomUUID()}.ts`);
    await writeFile(file, BEFORE);
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });
  after(async () => rm(folder, { recursive: true, force: true }));

  async function ask() {
    const before = await editorFiles().readText(file);
    const request: ApprovalRequest = {
      id: randomUUID(),
      callId: randomUUID(),
      tool: 'MultiEdit',
      title: 'Apply this edit?',
      reason: 'edits ask',
      detail: { type: 'edit', proposal: { path: file, before, after: AFTER, hunks: [] } },
    };
    const answer = approvals.ask(request, new AbortController().signal);
    answer.catch(() => undefined);
    const uri = proposalUri(await until('the diff', () => proposalTabs().at(0)));
    const hunks = approvals.hunksOf(request.id);
    assert.ok(hunks);
    return { request, answer, uri, hunks };
  }
  const keyOf = (hunks: HunkReview, index: number): string => hunks.parts()[index]?.key ?? '';
  const states = (hunks: HunkReview): string[] => hunks.parts().map(({ state }) => state);
  const allowed = async (answer: Promise<ApprovalAnswer>) => {
    const given = await answer;
    assert.ok(given.type === 'allow');
    return given;
  };

  it('are three lenses each on the right side, and the diff shows lenses', async () => {
    const { answer, uri } = await ask();
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      uri,
    );
    assert.deepEqual(
      lenses.map(({ range, command }) => [range.start.line, command?.command]),
      [0, 2, 4].flatMap((line) => [
        [line, 'sluice.acceptChange'],
        [line, 'sluice.rejectChange'],
        [line, 'sluice.rejectChangeWithComment'],
      ]),
    );
    assert.equal(vscode.workspace.getConfiguration('diffEditor').get('codeLens'), true);
    await vscode.commands.executeCommand('sluice.rejectProposal', uri);
    await answer;
  });

  it('taken in part leave the exact bytes, and the words for the model', async () => {
    const { request, answer, uri, hunks } = await ask();
    await vscode.commands.executeCommand('sluice.acceptChange', uri, keyOf(hunks, 0));
    assert.deepEqual(states(hunks), ['accepted', 'open', 'open']);
    const comment = { type: 'reject', comment: 'five stays' } as const;
    await approvals.decidePart(request.id, keyOf(hunks, 2), comment, 'in the chat');
    assert.deepEqual(states(hunks), ['accepted', 'open', 'rejected']);
    await vscode.commands.executeCommand('sluice.acceptProposal', uri);
    const given = await allowed(answer);
    assert.equal(given.editedText, 'ONE\r\ntwo\nTHREE\r\nfour\nfive\n');
    assert.equal(given.partly?.typed, false);
    assert.deepEqual(
      given.partly?.decisions.map((each) => [each.type, 'comment' in each ? each.comment : '']),
      [
        ['taken', ''],
        ['taken', ''],
        ['rejected', 'five stays'],
      ],
    );
  });

  it('answer the question once each is decided', async () => {
    const { answer, uri, hunks } = await ask();
    await vscode.commands.executeCommand('sluice.rejectChange', uri, keyOf(hunks, 1));
    await vscode.commands.executeCommand('sluice.acceptChange', uri, keyOf(hunks, 0));
    await vscode.commands.executeCommand('sluice.acceptChange', uri, keyOf(hunks, 2));
    assert.equal((await allowed(answer)).editedText, 'ONE\r\ntwo\nthree\r\nfour\nFIVE\n');
  });

  it('rejected one and all are a no with all that was said', async () => {
    const { request, answer, hunks } = await ask();
    const keys = [0, 1, 2].map((index) => keyOf(hunks, index));
    for (const [index, key] of keys.entries())
      await approvals.decidePart(
        request.id,
        key,
        index === 1 ? { type: 'reject', comment: 'why not' } : { type: 'reject' },
        'in the chat',
      );
    assert.deepEqual(await answer, { type: 'deny', by: 'in the chat', words: 'Line 3: why not' });
  });

  it('come back when they are decided again, and by Undo', async () => {
    const { answer, uri, hunks } = await ask();
    await vscode.commands.executeCommand('sluice.rejectChange', uri, keyOf(hunks, 1));
    await vscode.commands.executeCommand('sluice.reopenChange', uri, keyOf(hunks, 1));
    assert.deepEqual(states(hunks), ['open', 'open', 'open']);
    await vscode.commands.executeCommand('sluice.acceptProposal', uri);
    assert.equal((await allowed(answer)).editedText, undefined);
  });

  it('are decided at the cursor, which goes on to the next', async () => {
    const { request, answer, uri, hunks } = await ask();
    await approvals.showDiff(request.id);
    const editor = await until('the right side', () =>
      vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString()),
    );
    editor.selection = new vscode.Selection(2, 1, 2, 1);
    await vscode.commands.executeCommand('sluice.acceptChange');
    assert.deepEqual(states(hunks), ['open', 'accepted', 'open']);
    assert.equal(editor.selection.active.line, 4);
    await vscode.commands.executeCommand('sluice.previousChange');
    assert.equal(editor.selection.active.line, 0);
    await vscode.commands.executeCommand('sluice.rejectProposal', uri);
    await answer;
  });

  it('show when the file has changed meanwhile', async () => {
    const hints: (string | undefined)[] = [];
    const watch = approvals.onDidReview(({ hint }) => hints.push(hint));
    const { answer, uri } = await ask();
    await writeFile(file, 'other\n');
    await until('the hint', () => hints.some((hint) => /changed since/.test(hint ?? '')));
    watch.dispose();
    await vscode.commands.executeCommand('sluice.rejectProposal', uri);
    await answer;
  });

  it('pressing Accept twice is no error', async () => {
    const { answer, uri } = await ask();
    await vscode.commands.executeCommand('sluice.acceptProposal', uri);
    await vscode.commands.executeCommand('sluice.acceptProposal', uri);
    await vscode.commands.executeCommand('sluice.acceptProposal');
    assert.equal((await answer).type, 'allow');
  });
});
