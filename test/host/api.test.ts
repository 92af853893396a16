// The exported API as a second extension uses it: through `vscode.extensions`, by its documented shape alone.
import * as assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { SluiceApi, StartedTask, TurnEvent } from '../../extension/api';
import { EXTENSION_ID, sluice, workspaceFile } from './support';

async function api(): Promise<SluiceApi> {
  const extension = vscode.extensions.getExtension<SluiceApi>(EXTENSION_ID);
  assert.ok(extension);
  return extension.activate();
}

async function read(
  task: StartedTask,
  each: (event: TurnEvent) => void = () => undefined,
): Promise<TurnEvent[]> {
  const events: TurnEvent[] = [];
  for await (const event of task.events) {
    events.push(event);
    each(event);
  }
  return events;
}

describe('the exported API', function () {
  this.timeout(60_000);
  const source = workspaceFile('src/shipping.js');
  let before = '';
  beforeEach(async () => (before = await readFile(source, 'utf8')));
  afterEach(() => writeFile(source, before));

  it('is version 1 and starts a task whose events end in one outcome', async () => {
    const { version, startTask } = await api();
    assert.equal(version, 1);
    const { engine } = await sluice();
    const { approvals } = await engine();
    const task = startTask({
      prompt: 'Find the failing test, make the smallest safe fix, and run the test again.',
      route: 'practice',
    });
    const events = await read(task, (event) => {
      if (event.type === 'approval_requested')
        approvals.answer(event.request.id, { type: 'allow', by: 'by command' });
    });
    assert.equal(events.filter(({ type }) => type === 'turn_ended').length, 1);
    assert.equal(events.at(-1)?.type, 'turn_ended');
    assert.equal((await task.outcome).kind, 'completed');
    assert.notEqual(await readFile(source, 'utf8'), before);
  });

  it('stops when told to, and leaves the chat alone', async () => {
    const { startTask } = await api();
    const { engine } = await sluice();
    const { chat, approvals } = await engine();
    const rows = chat.view.rows.length;
    const task = startTask({ prompt: 'Find the failing test and fix it.', route: 'practice' });
    await read(task, (event) => {
      if (event.type === 'approval_requested') task.stop();
    });
    assert.equal((await task.outcome).kind, 'interrupted');
    assert.equal(approvals.waiting.length, 0);
    assert.equal(chat.view.rows.length, rows);
  });

  it('cannot be wider than the person’s own mode', async () => {
    const { startTask } = await api();
    const task = startTask({
      prompt: 'Find the failing test and fix it.',
      route: 'practice',
      mode: 'autoRun',
    });
    let asked = false;
    await read(task, (event) => {
      if (event.type !== 'approval_requested') return;
      asked = true;
      task.stop();
    });
    assert.ok(asked);
  });

  it('says why a task cannot start', async () => {
    const { startTask } = await api();
    for (const options of [
      { prompt: 'x', route: 'no-such-route' },
      { prompt: 'x', route: 'practice', mode: 'everything' as 'ask' },
      { prompt: 'x', route: 'practice', cwd: '/somewhere/else' },
    ]) {
      const task = startTask(options);
      await assert.rejects(task.outcome, /There is no (route|mode)|not a folder of the workspace/);
      await assert.rejects(read(task), /There is no (route|mode)|not a folder of the workspace/);
    }
  });
});
