// The real engine over the real Messages wire: a scripted server on loopback, tool input in pieces, and what goes wrong on the way.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { CallRow, ErrorRow, OutcomeRow, Row } from '../../extension/protocol/view-state';
import type { Engine } from '../../extension/engine';
import { FIX_FAILING_TEST } from '../../extension/panel/chat/suggestions';
import { failingTestPlan, mainJob } from '../fakes/model-server/main-job';
import type { Reply, Scenario } from '../fakes/model-server/scenario';
import { startModelServer } from '../fakes/model-server/server';
import type { ModelServer } from '../fakes/model-server/server';
import { proposalTabs, sluice, STOP_BOUND_MS, until, workspaceFile } from './support';

const KEY = 'sk-ant-a-key-for-host-tests-only';

describe('the Anthropic route', function () {
  this.timeout(90_000);
  let engine: Engine;
  let server: ModelServer | undefined;
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
    await server?.close();
    server = undefined;
    await writeFile(file(), source);
    await rm(workspaceFile('pid.txt'), { force: true });
    await until('all diffs to close', () => proposalTabs().length === 0);
  });
  after(async () => {
    const practice = engine.routes.list().find(({ id }) => id === 'practice');
    if (practice !== undefined) await engine.chat.setRoute(practice);
    await setting('anthropic.baseUrl', undefined);
    await engine.chat.newSession();
  });

  async function setting(name: string, value: string | undefined): Promise<void> {
    await vscode.workspace.getConfiguration('sluice').update(name, value, vscode.ConfigurationTarget.Global);
  }

  async function useServer(url: string): Promise<void> {
    await setting('anthropic.baseUrl', url);
    const choice = engine.routes.list().find(({ id }) => id === 'anthropic');
    assert.ok(choice);
    await engine.chat.setRoute(choice);
    await engine.chat.newSession();
  }

  async function play(scenario: Scenario): Promise<ModelServer> {
    server = await startModelServer(scenario);
    await useServer(server.url);
    return server;
  }

  const rows = (): readonly Row[] => engine.chat.view.rows;
  const calls = (): readonly CallRow[] => rows().filter((row) => row.type === 'call');
  const outcome = (): OutcomeRow | undefined => rows().find((row) => row.type === 'outcome');
  const card = (): ErrorRow | undefined => rows().find((row) => row.type === 'error');

  /** Sends the prompt and says yes or no to every question until the turn has ended. */
  async function run(
    prompt: string,
    answer: (kind: string) => 'allow' | 'deny' = () => 'allow',
  ): Promise<void> {
    const { chat, approvals } = engine;
    const watch = approvals.onDidChange(() => {
      for (const { id, detail } of approvals.waiting)
        setTimeout(() => approvals.answer(id, { type: answer(detail.type), by: 'in the chat' }), 10);
    });
    try {
      await chat.submit({ text: prompt });
      await chat.idle();
      await until('the outcome', outcome, 60_000);
    } finally {
      watch.dispose();
    }
  }

  it('does the main job: red to green, one line changed, results in received order', async () => {
    const scripted = await play(mainJob({ ...failingTestPlan(root()), tailMs: 400 }));
    await run(FIX_FAILING_TEST);
    assert.equal(outcome()?.kind, 'completed', JSON.stringify(rows().slice(-3)));
    assert.equal(
      await readFile(file(), 'utf8'),
      source.replace('subtotal > FREE_SHIPPING_FROM', 'subtotal >= FREE_SHIPPING_FROM'),
    );
    const [, , , afterReads] = scripted.requests;
    const results = afterReads?.results.map(({ text }) => text) ?? [];
    assert.equal(results.length, 2);
    assert.match(results[0] ?? '', /free for an order/);
    assert.match(results[1] ?? '', /FREE_SHIPPING_FROM/);
    assert.equal(calls().at(-1)?.exitCode, 0);
  });

  it('starts and finishes a read while the answer still streams', async () => {
    const scripted = await play(mainJob({ ...failingTestPlan(root()), tailGate: 'tail' }));
    const done = run(FIX_FAILING_TEST);
    const reads = await until(
      'both reads to end',
      () => {
        const found = calls().filter(({ kind, end }) => kind === 'read' && end === 'ok');
        return found.length === 2 && found;
      },
      40_000,
    );
    assert.equal(reads.length, 2);
    assert.equal(
      rows().some((row) => row.type === 'text' && row.open),
      true,
    );
    scripted.open('tail');
    await done;
    assert.equal(outcome()?.kind, 'completed');
  });

  it('tells the model that an edit was rejected, and leaves the file alone', async () => {
    const scripted = await play(mainJob({ ...failingTestPlan(root()), tailMs: 100 }));
    await run(FIX_FAILING_TEST, (kind) => (kind === 'edit' ? 'deny' : 'allow'));
    assert.equal(await readFile(file(), 'utf8'), source);
    assert.equal(outcome()?.kind, 'completed');
    assert.equal(outcome()?.denials, 1);
    const last = scripted.requests.at(-1);
    assert.equal(last?.results[0]?.isError, true);
  });

  it('kills what a command started at Stop, and the next prompt works', async () => {
    const sleep: Reply = {
      blocks: [{ type: 'tool_use', name: 'Bash', input: { command: 'echo $$ > pid.txt; sleep 60; true' } }],
    };
    await play({ responses: [sleep, { blocks: [{ type: 'text', text: 'I am still here.' }] }] });
    const { chat, approvals } = engine;
    await chat.submit({ text: 'sleep' });
    const [question] = await until('the question', () => approvals.waiting.length > 0 && approvals.waiting);
    approvals.answer(question?.id ?? '', { type: 'allow', by: 'in the chat' });
    const pid = await until('the command', startedPid);
    const begin = Date.now();
    chat.stop();
    await chat.idle();
    await until('the process to end', () => !alive(pid), STOP_BOUND_MS);
    assert.ok(Date.now() - begin < STOP_BOUND_MS, `took ${Date.now() - begin} ms`);
    assert.equal(outcome()?.kind, 'interrupted');
    await chat.submit({ text: 'Are you there?' });
    await chat.idle();
    assert.ok(rows().some((row) => row.type === 'text' && row.text === 'I am still here.'));
  });

  function startedPid(): number | undefined {
    try {
      const pid = Number(readFileSync(workspaceFile('pid.txt'), 'utf8'));
      return pid > 0 ? pid : undefined;
    } catch {
      return undefined;
    }
  }
  function alive(pid: number): boolean {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  }

  it('delivers a queued prompt with the results of the running step', async () => {
    const scripted = await play({
      responses: [
        {
          blocks: [
            { type: 'tool_use', name: 'Read', input: { file_path: file() } },
            { type: 'text', text: 'Reading on', hold: { beforeDelta: 1, gate: 'queued' } },
          ],
        },
        { blocks: [{ type: 'text', text: 'Understood.' }] },
      ],
    });
    await engine.chat.submit({ text: 'read it' });
    await until('the stream', () => calls().length > 0);
    await engine.chat.submit({ text: 'and only look at the tests' });
    assert.equal(engine.chat.view.header.queued.length, 1);
    scripted.open('queued');
    await engine.chat.idle();
    assert.equal(engine.chat.view.header.queued.length, 0);
    assert.match(scripted.requests[1]?.userText ?? '', /only look at the tests/);
    assert.deepEqual(
      rows().flatMap((row) => (row.type === 'prompt' ? [row.text] : [])),
      ['read it', 'and only look at the tests'],
    );
  });

  it('stops the turn for a prompt that is sent now', async () => {
    await play({
      responses: [
        { blocks: [{ type: 'text', text: 'A long answer', hold: { beforeDelta: 1, gate: 'never' } }] },
        { blocks: [{ type: 'text', text: 'The short one.' }] },
      ],
    });
    await engine.chat.submit({ text: 'explain' });
    await until('the stream', () => rows().some((row) => row.type === 'text'));
    await engine.chat.submit({ text: 'shorter' }, 'now');
    await until('the second answer', () =>
      rows().some((row) => row.type === 'text' && row.text === 'The short one.'),
    );
    await engine.chat.idle();
    assert.equal(outcome()?.kind, 'interrupted');
  });

  it('says that a key was not accepted, and offers to set another', async () => {
    await play({
      responses: [
        {
          error: {
            status: 401,
            body: { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } },
          },
        },
      ],
    });
    await run('hello');
    assert.equal(outcome()?.kind, 'route_error');
    assert.equal(card()?.title, 'The key was not accepted');
    assert.deepEqual(card()?.action?.action, { type: 'set_key', routeId: 'anthropic' });
  });

  it('shows a countdown while a server cannot be reached, and stops at once when told to', async () => {
    await useServer('http://127.0.0.1:9');
    await engine.chat.submit({ text: 'hello' });
    const retry = await until('a retry', () => engine.chat.view.header.retry, 20_000);
    assert.equal(retry.reason, 'The server cannot be reached');
    const begin = Date.now();
    engine.chat.stop();
    await engine.chat.idle();
    assert.ok(Date.now() - begin < STOP_BOUND_MS);
    assert.equal(outcome()?.kind, 'interrupted');
    assert.equal(engine.chat.view.header.retry, undefined);
  });

  it('goes on after a stream that broke, without what the broken one had said', async () => {
    await play({
      responses: [
        {
          blocks: [{ type: 'text', text: 'Half of an answer that never' }],
          fault: { type: 'reset', afterEvents: 4 },
        },
        { blocks: [{ type: 'text', text: 'The whole answer.' }] },
      ],
    });
    await run('hello');
    assert.equal(outcome()?.kind, 'completed');
    const texts = rows().flatMap((row) => (row.type === 'text' ? [row.text] : []));
    assert.deepEqual(texts, ['The whole answer.']);
  });

  it('does not send a prompt to Anthropic without a key, and gives the prompt back', async () => {
    await setting('anthropic.baseUrl', undefined);
    const choice = engine.routes.list().find(({ id }) => id === 'anthropic');
    assert.ok(choice);
    assert.equal(choice.key, 'required');
    await engine.chat.setRoute(choice);
    await engine.chat.newSession();
    await engine.chat.submit({ text: 'hello' });
    assert.deepEqual(card()?.action?.action, { type: 'set_key', routeId: 'anthropic' });
    assert.equal(outcome(), undefined);
  });

  it('reports a file that cannot be written, and the turn goes on', async () => {
    await chmod(file(), 0o444);
    try {
      await play({
        responses: [
          { blocks: [{ type: 'tool_use', name: 'Read', input: { file_path: file() } }] },
          {
            blocks: [
              {
                type: 'tool_use',
                name: 'Edit',
                input: { file_path: file(), old_string: 'subtotal >', new_string: 'subtotal >=' },
              },
            ],
          },
          { blocks: [{ type: 'text', text: 'It is read-only.' }] },
        ],
      });
      await run('edit it');
      const edit = calls().find(({ kind }) => kind === 'edit');
      assert.equal(edit?.end, 'failed');
      assert.match(`${edit?.summary} ${edit?.output}`, /read-only/);
      assert.equal(outcome()?.kind, 'completed');
      assert.equal(await readFile(file(), 'utf8'), source);
    } finally {
      await chmod(file(), 0o644);
    }
  });

  it('sends the key to the server and shows it nowhere', async () => {
    const scripted = await play({ responses: [{ blocks: [{ type: 'text', text: 'hi' }] }] });
    await engine.keys.set('anthropic', KEY);
    try {
      await run('hello');
      assert.equal(scripted.requests[0]?.headers['x-api-key'], KEY);
      const shown = JSON.stringify(engine.chat.view);
      assert.equal(shown.includes(KEY), false);
      const settings = JSON.stringify(vscode.workspace.getConfiguration('sluice'));
      assert.equal(settings.includes(KEY), false);
    } finally {
      await engine.keys.delete('anthropic');
    }
  });
});
