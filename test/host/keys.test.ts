// Where a key may be found after a full run over every wire, with servers that repeat it in their errors: in the secret store and in requests, nowhere else.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Engine } from '../../extension/engine';
import { FIX_FAILING_TEST } from '../../extension/panel/chat/suggestions';
import { PROTOCOL } from '../../extension/protocol/messages';
import { failingTestPlan, mainJob } from '../fakes/model-server/main-job';
import type { Reply } from '../fakes/model-server/scenario';
import { startModelServer } from '../fakes/model-server/server';
import { proposalTabs, sluice, until, workspaceFile } from './support';

const WIRES = ['anthropic', 'openai-chat', 'openai-responses', 'ollama'] as const;
/** Of no shape that a pattern could know. */
const KEY = 'Rumpelstilzchen.7731.im.Wald';

/** Answers of servers that are careless with what they were sent. */
const CARELESS: readonly Reply[] = [
  {
    error: { status: 401, body: { error: { message: `Invalid key ${KEY}`, type: 'authentication_error' } } },
  },
  { error: { status: 400, body: { error: { message: `Bad request, header was Bearer ${KEY}` } } } },
  { error: { status: 403, body: `<html><title>Forbidden for ${KEY}</title></html>` } },
  { error: { status: 404, body: { error: `model not found for ${KEY}` } } },
  {
    blocks: [{ type: 'text', text: 'one two three four' }],
    fault: {
      type: 'error_event',
      afterEvents: 3,
      error: { type: 'invalid_request_error', message: `Rejected ${KEY}` },
    },
  },
];

describe('keys', function () {
  this.timeout(120_000);
  let engine: Engine;
  let source = '';
  const file = (): string => workspaceFile('src/shipping.js');
  const root = (): string => workspaceFile('.').replace(/[\\/]$/, '');
  const posted: string[] = [];

  before(async () => {
    engine = await (await sluice()).engine();
    source = await readFile(file(), 'utf8');
  });
  after(async () => {
    const practice = engine.routes.list().find(({ id }) => id === 'practice');
    if (practice !== undefined) await engine.chat.setRoute(practice);
    await setting(undefined);
    await engine.keys.delete('tested');
    await engine.chat.newSession();
  });

  const setting = (value: unknown): Thenable<void> =>
    vscode.workspace.getConfiguration('sluice').update('routes', value, vscode.ConfigurationTarget.Global);

  /** A panel that keeps all that it is sent. */
  function listen(): void {
    engine.chat.attach({
      visible: true,
      post: (message) => void posted.push(JSON.stringify(message)),
      onMessage: (listener) => listener({ type: 'ready', protocol: PROTOCOL, clientId: 'keys' }),
      onVisibility: () => undefined,
      onGone: () => undefined,
      reload: () => undefined,
    });
  }

  async function ask(prompt: string): Promise<void> {
    const { chat, approvals } = engine;
    const watch = approvals.onDidChange(() => {
      for (const { id } of approvals.waiting)
        setTimeout(() => approvals.answer(id, { type: 'allow', by: 'in the chat' }), 10);
    });
    try {
      await chat.submit({ text: prompt });
      await chat.idle();
    } finally {
      watch.dispose();
    }
  }

  const under = (folder: string): string =>
    (readdirSync(folder, { recursive: true }) as string[])
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile())
      .map((path) => readFileSync(path, 'latin1'))
      .join('\n');

  for (const wire of WIRES) {
    it(`stay in the secret store and the requests: ${wire}`, async () => {
      const server = await startModelServer({ responses: [] });
      try {
        const baseUrl = wire.startsWith('openai') ? `${server.url}/v1` : server.url;
        await setting([{ id: 'tested', transport: wire, baseUrl, model: 'some-model' }]);
        await engine.keys.set('tested', KEY);
        const choice = await until('the route', () => engine.routes.list().find(({ id }) => id === 'tested'));
        await engine.chat.setRoute(choice);
        await engine.chat.newSession();
        listen();
        server.play(mainJob({ ...failingTestPlan(root()), tailMs: 100 }));
        await ask(FIX_FAILING_TEST);
        await writeFile(file(), source);
        await until('all diffs to close', () => proposalTabs().length === 0);
        for (const reply of CARELESS) {
          server.play({ responses: [reply], afterLast: 'repeat' });
          await ask('hello');
        }
        assert.ok(server.requests.length >= 6 + CARELESS.length);
        assert.ok(server.requests.every(({ headers }) => JSON.stringify(headers).includes(KEY)));
        assert.ok(
          server.requests.every(({ raw }) => !raw.includes(KEY)),
          'not in a request body',
        );
      } finally {
        await server.close();
      }
      assert.ok(posted.length > 10, 'the panel was told of it all');
      const panel = posted.join('\n');
      assert.ok(!panel.includes(KEY), `in a message to the panel: …${around(panel)}…`);
      assert.ok(!JSON.stringify(engine.chat.view).includes(KEY));
      assert.ok(!JSON.stringify(vscode.workspace.getConfiguration('sluice')).includes(KEY));
      const kept = under(join(homedir(), '.sluice'));
      assert.ok(kept.includes('some-model'), 'the transcripts are there');
      assert.ok(!kept.includes(KEY), `on disk: …${around(kept)}…`);
    });
  }
});

function around(text: string): string {
  const at = text.indexOf(KEY);
  return at < 0 ? '' : text.slice(Math.max(0, at - 200), at + 60);
}
