// VS Code's proxy setting holds for every route: no wire opens a connection of its own beside it.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import * as vscode from 'vscode';
import type { Engine } from '../../extension/engine';
import { startModelServer } from '../fakes/model-server/server';
import type { ModelServer } from '../fakes/model-server/server';
import { sluice, until } from './support';

/** No name service knows it: only a proxy can reach it. */
const HOST = 'model.sluice.invalid';
const WIRES = ['anthropic', 'openai-chat', 'openai-responses', 'ollama'] as const;

describe('a proxy that VS Code is told of', function () {
  this.timeout(60_000);
  let engine: Engine;
  let model: ModelServer;
  let proxy: Server;
  const asked: string[] = [];

  before(async () => {
    engine = await (await sluice()).engine();
    model = await startModelServer({
      responses: [{ blocks: [{ type: 'text', text: 'Through the proxy.' }] }],
      afterLast: 'repeat',
    });
    const { port } = new URL(model.url);
    proxy = createServer().on('connect', (request, client) => {
      asked.push(request.url ?? '');
      const upstream = connect(Number(port), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        upstream.pipe(client);
        client.pipe(upstream);
      });
      client.on('error', () => upstream.destroy());
      upstream.on('error', () => client.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const address = proxy.address() as AddressInfo;
    await http('proxy', `http://127.0.0.1:${String(address.port)}`);
    await http('proxySupport', 'override');
  });
  after(async () => {
    await http('proxy', undefined);
    await http('proxySupport', undefined);
    await sluiceSetting(undefined);
    const practice = engine.routes.list().find(({ id }) => id === 'practice');
    if (practice !== undefined) await engine.chat.setRoute(practice);
    await engine.chat.newSession();
    proxy.close();
    await model.close();
  });

  const http = (name: string, value: unknown): Thenable<void> =>
    vscode.workspace.getConfiguration('http').update(name, value, vscode.ConfigurationTarget.Global);
  const sluiceSetting = (value: unknown): Thenable<void> =>
    vscode.workspace.getConfiguration('sluice').update('routes', value, vscode.ConfigurationTarget.Global);

  for (const wire of WIRES) {
    it(`is used for ${wire}`, async () => {
      const baseUrl = `http://${HOST}${wire.startsWith('openai') ? '/v1' : ''}`;
      await sluiceSetting([{ id: 'far', transport: wire, baseUrl, model: 'm' }]);
      const choice = await until('the route', () => engine.routes.list().find(({ id }) => id === 'far'));
      await engine.chat.setRoute(choice);
      await engine.chat.newSession();
      const before = asked.length;
      await engine.chat.submit({ text: 'hello' });
      await until('the answer', () =>
        engine.chat.view.rows.some((row) => row.type === 'text' && row.text === 'Through the proxy.'),
      );
      await engine.chat.idle();
      assert.ok(asked.slice(before).every((target) => target === `${HOST}:80`));
      assert.ok(model.requests.length > 0);
    });
  }
});
