// Restricted Mode: reading works, nothing else does, and nobody is even asked.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Engine } from '../../../extension/engine';
import type { CallRow } from '../../../extension/protocol/view-state';
import { startModelServer } from '../../fakes/model-server/server';
import type { ModelServer } from '../../fakes/model-server/server';
import { EXTENSION_ID, proposalTabs, sluice, workspaceFile } from '../support';

describe('a folder that is not trusted', function () {
  this.timeout(60_000);
  let engine: Engine;
  let server: ModelServer;

  before(async () => {
    assert.equal(vscode.workspace.isTrusted, false);
    engine = await (await sluice()).engine();
  });
  after(async () => {
    await server.close();
    await vscode.workspace
      .getConfiguration('sluice')
      .update('anthropic.baseUrl', undefined, vscode.ConfigurationTarget.Global);
  });

  it('has a Sluice that opens and says so', () => {
    assert.equal(engine.chat.view.header.workspace.state, 'untrusted');
  });

  it('lets it read, and refuses commands and edits without a question', async () => {
    const file = workspaceFile('src/shipping.js');
    const before = await readFile(file, 'utf8');
    const made = workspaceFile('made-by-a-command');
    server = await startModelServer({
      responses: [
        {
          blocks: [
            { type: 'tool_use', name: 'Read', input: { file_path: file } },
            { type: 'tool_use', name: 'Bash', input: { command: `touch ${made}` } },
            {
              type: 'tool_use',
              name: 'Edit',
              input: { file_path: file, old_string: 'subtotal >', new_string: 'subtotal >=' },
            },
          ],
        },
        { blocks: [{ type: 'text', text: 'I may only read.' }] },
      ],
    });
    await vscode.workspace
      .getConfiguration('sluice')
      .update('anthropic.baseUrl', server.url, vscode.ConfigurationTarget.Global);
    const choice = engine.routes.list().find(({ id }) => id === 'anthropic');
    assert.ok(choice);
    await engine.chat.setRoute(choice);
    await engine.chat.newSession();
    let questions = 0;
    const watch = engine.approvals.onDidChange(() => (questions += engine.approvals.waiting.length));
    await engine.chat.submit({ text: 'fix it' });
    await engine.chat.idle();
    watch.dispose();
    const calls = engine.chat.view.rows.filter((row): row is CallRow => row.type === 'call');
    assert.deepEqual(
      calls.map(({ tool, end }) => [tool, end]),
      [
        ['Read', 'ok'],
        ['Bash', 'denied'],
        ['Edit', 'denied'],
      ],
    );
    assert.equal(questions, 0);
    assert.equal(proposalTabs().length, 0);
    assert.equal(existsSync(made), false);
    assert.equal(await readFile(file, 'utf8'), before);
    assert.equal(server.requests.at(-1)?.results.filter(({ isError }) => isError).length, 2);
  });

  it('cannot bring settings that decide what runs or where requests go', () => {
    const { capabilities } = vscode.extensions.getExtension(EXTENSION_ID)?.packageJSON as {
      capabilities: { untrustedWorkspaces: { supported: string; restrictedConfigurations: string[] } };
    };
    assert.equal(capabilities.untrustedWorkspaces.supported, 'limited');
    for (const name of ['sluice.mode', 'sluice.route', 'sluice.routes', 'sluice.anthropic.baseUrl'])
      assert.ok(capabilities.untrustedWorkspaces.restrictedConfigurations.includes(name), name);
  });
});
