// The main job through the real engine in a real editor: from red to green, or refused and told so.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import type { CallRow, Row } from '../../extension/protocol/view-state';
import type { Approvals, PlainAnswer } from '../../extension/editor/review/approver';
import type { ApprovalRequest } from '../../extension/ports';
import type { Engine } from '../../extension/engine';
import { FIX_FAILING_TEST } from '../../extension/panel/chat/suggestions';
import { proposalTabs, sluice, STOP_BOUND_MS, until, workspaceFile } from './support';

type Decide = (request: ApprovalRequest) => PlainAnswer['type'];

const PATIENCE_MS = 60_000;

function answering(approvals: Approvals, decide: Decide) {
  const asked: ApprovalRequest[] = [];
  const look = (): void => {
    for (const request of approvals.waiting) {
      if (asked.some(({ id }) => id === request.id)) continue;
      asked.push(request);
      setTimeout(() => approvals.answer(request.id, { type: decide(request), by: 'in the chat' }), 20);
    }
  };
  const watch = approvals.onDidChange(look);
  look();
  return { asked, stop: () => void watch.dispose() };
}

async function sources(): Promise<Record<string, string>> {
  const folder = workspaceFile('src');
  const names = (await readdir(folder)).sort();
  return Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [name, await readFile(path.join(folder, name), 'utf8')] as const),
    ),
  );
}

function testsPass(): boolean {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return spawnSync('node', ['--test'], { cwd: workspaceFile('.'), env }).status === 0;
}

function calls(rows: readonly Row[]): readonly CallRow[] {
  return rows.filter((row) => row.type === 'call');
}

interface Line {
  readonly type: string;
  readonly message?: { readonly content: readonly Record<string, unknown>[] | string };
}

async function transcript(engine: Engine): Promise<readonly Line[]> {
  const { sessionId } = engine.chat.view.header;
  const projects = path.join(homedir(), '.sluice/projects');
  for (const slug of await readdir(projects)) {
    const text = await readFile(path.join(projects, slug, `${sessionId}.jsonl`), 'utf8').catch(
      () => undefined,
    );
    if (text !== undefined)
      return text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Line);
  }
  throw new Error(`no transcript of ${sessionId}`);
}

function blocks(lines: readonly Line[], type: string): readonly Record<string, unknown>[] {
  return lines
    .flatMap(
      ({ message }) => (Array.isArray(message?.content) ? message.content : []) as Record<string, unknown>[],
    )
    .filter((block) => block['type'] === type);
}

async function assertLegalPairs(engine: Engine): Promise<void> {
  const lines = await transcript(engine);
  const uses = blocks(lines, 'tool_use').map((block) => block['id']);
  const results = blocks(lines, 'tool_result').map((block) => block['tool_use_id']);
  assert.deepEqual([...results].sort(), [...uses].sort());
  assert.equal(new Set(uses).size, uses.length);
}

describe('the main job on the Practice route', function () {
  this.timeout(PATIENCE_MS * 2);
  let engine: Engine;
  let before: Record<string, string>;

  async function runJob(decide: Decide) {
    const { chat, approvals } = engine;
    await chat.newSession();
    const answers = answering(approvals, decide);
    await chat.submit({ text: FIX_FAILING_TEST });
    await until('the turn to end', () => chat.view.rows.some((row) => row.type === 'outcome'), PATIENCE_MS);
    await chat.idle();
    answers.stop();
    return { rows: chat.view.rows, asked: answers.asked };
  }

  beforeEach(async () => {
    engine = await (await sluice()).engine();
    before = await sources();
  });
  afterEach(async () => {
    for (const [name, text] of Object.entries(before)) await writeFile(workspaceFile(`src/${name}`), text);
    await until('all diffs to close', () => proposalTabs().length === 0);
  });

  it('goes from red to green, changes one file by what was accepted, and says so', async () => {
    assert.equal(testsPass(), false);
    const { rows, asked } = await runJob(() => 'allow');
    const outcome = rows.find((row) => row.type === 'outcome');
    assert.equal(outcome?.kind, 'completed', JSON.stringify(outcome));
    assert.equal(testsPass(), true);
    const after = await sources();
    const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
    const edits = asked.flatMap(({ detail }) => (detail.type === 'edit' ? [detail.proposal] : []));
    assert.equal(changed.length, 1);
    assert.equal(after[changed[0] ?? ''], edits.at(-1)?.after);
    assert.ok(asked.some(({ detail }) => detail.type === 'command'));
    const reads = calls(rows).filter(({ kind }) => kind === 'read');
    assert.ok(
      reads.some(({ step }, i) => i > 0 && step === reads[i - 1]?.step),
      'two reads in one step',
    );
    assert.ok(rows.some((row) => row.type === 'text' && !row.open && row.text.length > 0));
    await assertLegalPairs(engine);
  });

  it('leaves the file alone byte for byte when the edit is rejected, and ends the turn sensibly', async () => {
    const { rows } = await runJob(({ detail }) => (detail.type === 'edit' ? 'deny' : 'allow'));
    assert.deepEqual(await sources(), before);
    const outcome = rows.find((row) => row.type === 'outcome');
    assert.ok(outcome);
    assert.notEqual(outcome.kind, 'internal_error');
    assert.ok(outcome.denials >= 1);
    assert.ok(
      calls(rows).some(({ end, answeredBy }) => end === 'denied' && answeredBy === 'Denied in the chat'),
    );
    await assertLegalPairs(engine);
  });

  it('can be opened again with everything that was shown', async () => {
    await runJob(() => 'allow');
    const shown = engine.chat.view.rows.filter((row) => row.type !== 'notice');
    const { routes, sessions, chat } = engine;
    const { sessionId } = chat.view.header;
    await chat.newSession();
    const again = await sessions.resume(sessionId, {
      route: routes.open(routes.preferred()),
      mode: 'ask',
    });
    assert.ok(again);
    const rows = again.rows.filter((row) => row.type !== 'notice');
    assert.deepEqual(
      rows.map((row) => row.type),
      shown.map((row) => row.type),
    );
    const key = (row: CallRow) => [row.tool, row.title, row.target?.text, row.end, row.exitCode, row.diff];
    assert.deepEqual(calls(rows).map(key), calls(shown).map(key));
    await again.close();
  });
});

describe('stopping', function () {
  this.timeout(PATIENCE_MS);

  it('ends a turn that waits for an answer at once, and the next prompt works', async () => {
    const { chat, approvals } = await (await sluice()).engine();
    chat.stop();
    await chat.idle();
    await chat.newSession();
    await chat.submit({ text: FIX_FAILING_TEST });
    await until('a question', () => approvals.waiting.length > 0, 20_000);
    const begin = Date.now();
    chat.stop();
    await chat.idle();
    assert.ok(Date.now() - begin < STOP_BOUND_MS, `took ${Date.now() - begin} ms`);
    assert.equal(approvals.waiting.length, 0);
    assert.equal(chat.view.rows.find((row) => row.type === 'outcome')?.kind, 'interrupted');
    await chat.submit({ text: 'What can you do?' });
    await until(
      'an answer',
      () =>
        chat.view.rows.filter((row) => row.type === 'outcome').length === 2 &&
        chat.view.header.activity === 'idle',
      20_000,
    );
    const last = chat.view.rows.at(-1);
    assert.equal(last?.type === 'outcome' && last.kind, 'completed');
  });
});
