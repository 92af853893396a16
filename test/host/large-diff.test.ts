// How long a proposal for a file of 2 MB takes to be seen, beside what VS Code takes for a diff of two such files by itself. Times are
// printed and not judged: they are the machine's. What is judged is that our own part of it is small.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { editorFiles } from '../../extension/editor/files';
import type { Approvals } from '../../extension/editor/review/approver';
import { proposalTabs, proposalUri, sluice, until } from './support';

const ROUNDS = 5;
const LINE = '0123456789'.repeat(7);
const LARGE = Array.from({ length: 25_000 }, (_, i) => `${String(i).padStart(9, '0')} ${LINE}\n`).join('');
const CHANGED = LARGE.slice(0, 1_000_000) + 'CHANGED' + LARGE.slice(1_000_007);

describe('the diff of a 2 MB file', () => {
  let approvals: Approvals;
  let folder = '';

  before(async () => {
    approvals = (await (await sluice()).engine()).approvals;
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-large-'));
  });
  after(async () => rm(folder, { recursive: true, force: true }));

  async function file(text: string): Promise<vscode.Uri> {
    const uri = vscode.Uri.file(path.join(folder, `${randomUUID()}.txt`));
    await writeFile(uri.fsPath, text);
    return uri;
  }

  const seen = (uri: vscode.Uri) =>
    until(
      'the text of the right side',
      () =>
        vscode.window.visibleTextEditors.some(
          ({ document }) => document.uri.toString() === uri.toString() && document.lineCount > 1,
        ),
      30_000,
    );

  async function plain(text: string, after: string): Promise<number> {
    const [left, right] = [await file(text), await file(after)];
    const began = performance.now();
    const opened = vscode.commands.executeCommand('vscode.diff', left, right, 'plain');
    await seen(right);
    const took = performance.now() - began;
    await opened;
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    return took;
  }

  /** `own`: how long the extension host was busy with our code before VS Code was told to open the diff, and for the first lenses. */
  async function proposed(text: string, after: string): Promise<{ took: number; own: number }> {
    const target = (await file(text)).fsPath;
    const before = await editorFiles().readText(target);
    const id = randomUUID();
    const proposal = { path: target, before, after, hunks: [] };
    const request = { id, callId: id, tool: 'Edit', title: 'Edit', reason: 'edits ask' } as const;
    const began = performance.now();
    const answer = approvals.ask(
      { ...request, detail: { type: 'edit', proposal } },
      new AbortController().signal,
    );
    let own = performance.now() - began;
    const tab = await until('the diff', () => proposalTabs().at(0), 30_000);
    await seen(proposalUri(tab));
    const took = performance.now() - began;
    const asked = performance.now();
    const hunks = approvals.hunksOf(id);
    assert.equal(hunks?.shown().length, 1);
    assert.equal(hunks.parts().length, 1);
    own += performance.now() - asked;
    await vscode.commands.executeCommand('sluice.rejectProposal', proposalUri(tab));
    await answer;
    await until('the tab to close', () => proposalTabs().length === 0, 30_000);
    return { took, own };
  }

  it('is there about as soon as one that VS Code opens by itself', async () => {
    // The first diff of a window loads the diff editor; it is no measure.
    await plain('a\n', 'b\n');
    const rounds: { floor: number; took: number; own: number; small: number }[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      const small = await plain('a\nb\n', 'a\nc\n');
      const floor = await plain(LARGE, CHANGED);
      rounds.push({ small, floor, ...(await proposed(LARGE, CHANGED)) });
    }
    const middle = (of: (round: (typeof rounds)[number]) => number): number =>
      Math.round(rounds.map(of).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0);
    console.log(
      `      2 MB, medians of ${ROUNDS}: visible after ${middle(({ took }) => took)} ms, of which our code ${middle(({ own }) => own)} ms; ` +
        `VS Code's own diff of two such files ${middle(({ floor }) => floor)} ms, of two of two lines ${middle(({ small }) => small)} ms`,
    );
  }).timeout(300_000);
});
