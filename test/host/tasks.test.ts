// The palette's tasks in a real editor: each ends in the prompt that it says, with what is selected and what is wrong there.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { sluice, until, workspaceFile } from './support';

async function shown(): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(workspaceFile('src/shipping.js'));
  return vscode.window.showTextDocument(document);
}

async function asked(command: string, ...args: readonly unknown[]): Promise<string> {
  const { engine } = await sluice();
  const { chat } = await engine();
  await chat.newSession();
  await vscode.commands.executeCommand(command, ...args);
  const row = await until('the prompt', () => chat.view.rows.find(({ type }) => type === 'prompt'));
  chat.stop();
  await chat.idle();
  return row.type === 'prompt' ? row.text : '';
}

describe('palette tasks', function () {
  this.timeout(60_000);
  const problems = vscode.languages.createDiagnosticCollection('test');
  before(async () => {
    const { engine } = await sluice();
    const { chat, routes } = await engine();
    const practice = routes.list().find(({ id }) => id === 'practice');
    if (practice !== undefined) await chat.setRoute(practice);
  });
  after(() => problems.dispose());

  it('explain the selected lines', async () => {
    const editor = await shown();
    editor.selection = new vscode.Selection(0, 0, 1, 0);
    const text = await asked('sluice.explain');
    assert.match(text, /^Explain line 1 of src\/shipping\.js: /);
    assert.ok(text.includes(editor.document.lineAt(0).text));
  });

  it('fix a file with the problems that the editor shows', async () => {
    const editor = await shown();
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    problems.set(editor.document.uri, [new vscode.Diagnostic(new vscode.Range(0, 0, 0, 3), 'It is wrong')]);
    const text = await asked('sluice.fix');
    assert.ok(text.startsWith('Fix src/shipping.js with the smallest safe change'));
    assert.ok(text.includes('- error at 1:1: It is wrong'));
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      editor.document.uri,
      new vscode.Range(0, 0, 0, 3),
    );
    const fix = actions.find(({ title }) => title === 'Fix with Sluice');
    assert.ok(fix?.command);
    assert.match(
      await asked(fix.command.command, ...((fix.command.arguments ?? []) as unknown[])),
      /^Fix line 1 of src\/shipping\.js .*\n\nProblems that the editor shows there:\n- error at 1:1/s,
    );
  });

  for (const [command, begins] of [
    ['sluice.writeTests', 'Write tests for src/shipping.js'],
    ['sluice.document', 'Document src/shipping.js'],
  ] as const)
    it(`${command} from the explorer, where nothing is selected`, async () => {
      const text = await asked(command, vscode.Uri.file(workspaceFile('src/shipping.js')));
      assert.ok(text.startsWith(begins), text);
    });

  it('run a task of the user’s own, with what is open in it', async () => {
    await shown();
    const configuration = vscode.workspace.getConfiguration('sluice');
    await configuration.update(
      'tasks',
      [{ name: 'Who', prompt: 'Who uses ${file}?' }],
      vscode.ConfigurationTarget.Global,
    );
    try {
      assert.equal(await asked('sluice.runTask', 'Who'), 'Who uses src/shipping.js?');
    } finally {
      await configuration.update('tasks', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('ask prepares the prompt and sends nothing', async () => {
    const { engine } = await sluice();
    const { chat } = await engine();
    await shown();
    await chat.newSession();
    await vscode.commands.executeCommand('sluice.ask');
    assert.equal(chat.view.rows.length, 0);
  });
});
