// The main job over every wire, and over a model of the editor that a test extension provides, in the real engine; then what a route's end means.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Engine } from '../../extension/engine';
import { FIX_FAILING_TEST } from '../../extension/panel/chat/suggestions';
import type { ErrorRow, NoticeRow, OutcomeRow, Row } from '../../extension/protocol/view-state';
import { failingTestPlan, mainJob } from '../fakes/model-server/main-job';
import type { Reply, Scenario } from '../fakes/model-server/scenario';
import { startModelServer } from '../fakes/model-server/server';
import type { ModelServer } from '../fakes/model-server/server';
import { proposalTabs, sluice, STOP_BOUND_MS, until, workspaceFile } from './support';

const WIRES = ['anthropic', 'openai-chat', 'openai-responses', 'ollama', 'vscode-lm'] as const;
type Wire = (typeof WIRES)[number];
const KEY = 'sk-route-key-for-host-tests-only';
const TEXT = (text: string): Reply => ({ blocks: [{ type: 'text', text }] });

describe('routes', function () {
  this.timeout(90_000);
  let engine: Engine;
  let servers: ModelServer[] = [];
  let source = '';
  const file = (): string => workspaceFile('src/shipping.js');
  const root = (): string => workspaceFile('.').replace(/[\\/]$/, '');

  before(async () => {
    engine = await (await sluice()).engine();
    source = await readFile(file(), 'utf8');
  });
  afterEach(async () => {
    engine.chat.stop();
    await engine.chat.idle();
    for (const server of servers) await server.close();
    servers = [];
    await writeFile(file(), source);
    await until('all diffs to close', () => proposalTabs().length === 0);
  });
  after(async () => {
    const practice = engine.routes.list().find(({ id }) => id === 'practice');
    if (practice !== undefined) await engine.chat.setRoute(practice);
    await setting('routes', undefined);
    await setting('fallbackRoute', undefined);
    delete process.env['SLUICE_TEST_LM_URL'];
    await engine.chat.newSession();
  });

  async function setting(name: string, value: unknown): Promise<void> {
    await vscode.workspace.getConfiguration('sluice').update(name, value, vscode.ConfigurationTarget.Global);
  }
  async function serve(scenario: Scenario): Promise<ModelServer> {
    const server = await startModelServer(scenario);
    servers.push(server);
    return server;
  }
  function entry(id: string, wire: Wire, url: string): Record<string, unknown> {
    if (wire === 'vscode-lm') return { id, transport: wire, model: 'sluice-test/scripted' };
    const baseUrl = wire.startsWith('openai') ? `${url}/v1` : url;
    return { id, transport: wire, baseUrl, model: 'some-model' };
  }
  async function use(id: string): Promise<void> {
    const choice = engine.routes.list().find((each) => each.id === id);
    assert.ok(choice, `the route ${id} is there`);
    await engine.chat.setRoute(choice);
    await engine.chat.newSession();
  }
  const rows = (): readonly Row[] => engine.chat.view.rows;
  const outcome = (): OutcomeRow | undefined => rows().find((row) => row.type === 'outcome');
  const said = (): string =>
    rows()
      .flatMap((row) => (row.type === 'text' ? [row.text] : []))
      .join('\n');

  async function run(prompt: string): Promise<void> {
    const { chat, approvals } = engine;
    const watch = approvals.onDidChange(() => {
      for (const { id } of approvals.waiting)
        setTimeout(() => approvals.answer(id, { type: 'allow', by: 'in the chat' }), 10);
    });
    try {
      await chat.submit({ text: prompt });
      await chat.idle();
      await until('the outcome', outcome, 60_000);
    } finally {
      watch.dispose();
    }
  }

  for (const wire of WIRES) {
    it(`carry the main job over ${wire}, and the key goes nowhere but to the server`, async () => {
      const server = await serve({ responses: [] });
      process.env['SLUICE_TEST_LM_URL'] = server.url;
      await setting('routes', [entry('tested', wire, server.url)]);
      if (wire !== 'vscode-lm') await engine.keys.set('tested', KEY);
      try {
        await use('tested');
        server.play(mainJob({ ...failingTestPlan(root()), tailMs: 300 }));
        await run(FIX_FAILING_TEST);
      } finally {
        await engine.keys.delete('tested');
      }
      assert.equal(outcome()?.kind, 'completed', JSON.stringify(rows().slice(-3)));
      assert.equal(
        await readFile(file(), 'utf8'),
        source.replace('subtotal > FREE_SHIPPING_FROM', 'subtotal >= FREE_SHIPPING_FROM'),
      );
      assert.equal(server.requests.length, 6);
      assert.deepEqual(
        server.requests.flatMap(({ refused }) => refused),
        [],
      );
      assert.equal(server.requests[3]?.results.length, 2);
      if (wire !== 'vscode-lm')
        assert.ok(server.requests.every(({ headers }) => JSON.stringify(headers).includes(KEY)));
      assert.ok(server.requests.every(({ raw }) => !raw.includes(KEY)));
      assert.ok(!JSON.stringify(engine.chat.view).includes(KEY));
    });
  }

  it('shows the window of a model of the editor, and says when the editor no longer has it', async () => {
    await setting('routes', [{ id: 'gone', transport: 'vscode-lm', model: 'sluice-test/no-such-model' }]);
    await use('gone');
    await run('hello');
    const card = rows().find((row): row is ErrorRow => row.type === 'error');
    assert.equal(card?.title, 'The model or the address does not exist');
    assert.deepEqual(card?.action?.action, { type: 'choose_route' });
    const places = await engine.setup.detect();
    const editor = places.find(({ how }) => how === 'editor');
    assert.ok(editor);
    const listing = await engine.setup.models(editor, undefined);
    assert.ok(listing.type === 'models');
    const scripted = listing.models.find(({ id }) => id === 'sluice-test/scripted');
    assert.equal(scripted?.contextTokens, 64_000);
  });

  it('stop a model of the editor at once, and know its window after the first answer', async () => {
    const server = await serve({
      responses: [
        TEXT('Here I am.'),
        { blocks: [{ type: 'text', text: 'A long answer', hold: { beforeDelta: 1, gate: 'never' } }] },
      ],
    });
    process.env['SLUICE_TEST_LM_URL'] = server.url;
    await setting('routes', [entry('editor', 'vscode-lm', server.url)]);
    await use('editor');
    await run('hello');
    await until(
      'the window',
      () => engine.routes.list().find(({ id }) => id === 'editor')?.info?.contextTokens,
    );
    await engine.chat.submit({ text: 'explain' });
    await server.waitedFor('never');
    const begin = Date.now();
    engine.chat.stop();
    await engine.chat.idle();
    assert.ok(Date.now() - begin < STOP_BOUND_MS);
    await until('the provider to leave its server', () => server.requests[1]?.aborted === true);
  });

  it('hand the conversation to the fallback route when one is exhausted, and say so', async () => {
    const spent = await serve({
      responses: [
        TEXT('First answer.'),
        {
          error: {
            status: 402,
            body: { error: { type: 'billing_error', message: 'Your credit balance is too low' } },
          },
        },
      ],
    });
    const other = await serve({ responses: [TEXT('Second answer.'), TEXT('Third answer.')] });
    await setting('routes', [
      entry('first', 'anthropic', spent.url),
      entry('second', 'openai-chat', other.url),
    ]);
    await setting('fallbackRoute', 'second');
    await use('first');
    await run('one');
    await engine.chat.submit({ text: 'two' });
    await engine.chat.idle();
    assert.match(said(), /Second answer/);
    const note = rows().find((row): row is NoticeRow => row.type === 'notice');
    assert.match(note?.text ?? '', /could not go on.*The conversation goes on with/s);
    assert.equal(engine.chat.route.id, 'second');
    assert.equal(engine.chat.view.header.route.id, 'second');
    assert.deepEqual(
      other.requests.flatMap(({ refused }) => refused),
      [],
    );
    assert.match(other.requests[0]?.raw ?? '', /First answer/);
    await engine.chat.submit({ text: 'three' });
    await engine.chat.idle();
    assert.match(said(), /Third answer/);
    assert.equal(spent.requests.length, 2, 'the exhausted route is asked no more');
    await setting('fallbackRoute', undefined);
  });

  it('are asked again at once when the person does not want to wait', async () => {
    const server = await serve({
      responses: [
        {
          error: {
            status: 429,
            headers: { 'retry-after': '120' },
            body: { error: { message: 'Rate limit' } },
          },
        },
        TEXT('There you are.'),
      ],
    });
    await setting('routes', [entry('busy', 'openai-chat', server.url)]);
    await use('busy');
    await engine.chat.submit({ text: 'hello' });
    const retry = await until('the countdown', () => engine.chat.view.header.retry);
    assert.equal(retry.reason, 'Too many requests');
    assert.ok(retry.untilMs - Date.now() > 60_000, 'the wait that the server asked for');
    engine.chat.retryNow();
    await engine.chat.idle();
    assert.match(said(), /There you are/);
    assert.equal(engine.chat.view.header.retry, undefined);
  });

  it('offer the command that gets a missing model, and a switch when a model takes no tools', async () => {
    const server = await serve({
      responses: [
        { error: { status: 404, body: { error: "model 'some-model' not found" } } },
        {
          error: {
            status: 400,
            body: { error: 'registry.ollama.ai/library/some-model does not support tools' },
          },
        },
      ],
    });
    await setting('routes', [entry('local', 'ollama', server.url)]);
    await use('local');
    await run('hello');
    const cards = (): readonly ErrorRow[] => rows().filter((row) => row.type === 'error');
    assert.match(cards()[0]?.detail ?? '', /ollama pull some-model/);
    assert.deepEqual(cards()[0]?.action?.action, { type: 'pull_model', model: 'some-model' });
    await engine.chat.submit({ text: 'again' });
    await engine.chat.idle();
    assert.match(cards()[1]?.detail ?? '', /does not take tools/);
    assert.deepEqual(cards()[1]?.action?.action, { type: 'choose_route' });
    assert.equal(server.requests.length, 2, 'nothing was tried without tools');
  });
});
