/**
 * The main job over every other wire, and over a model of the editor that a test extension provides: the same prompt, the same clicks, the
 * same end. The Messages wire has a scenario of its own.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type { ScenarioContext, ScenarioOptions } from '../harness/scenario.mjs';
import { CLOSING_TEXT, failingTestPlan, mainJob } from '../fakes/model-server/main-job';
import { startModelServer } from '../fakes/model-server/server';
import { approvalCard } from './pages/approvals';
import type { Chat } from './pages/chat';
import { openChat } from './pages/chat';
import { chooseRoute, newSession } from './pages/commands';
import { proposalOf } from './pages/proposal';
import { watchHealth } from './support/health';
import { modelOf } from './support/model-server';
import { files, repaired, SOURCE, testsPass } from './support/workspace';

const PROMPT = 'Find the failing test, make the smallest safe fix, and run the test again.';
/** Title of the route → the wire that the server must see; the test extension asks it over Ollama's. */
const ROUTES = {
  'Over Chat Completions': 'openai-chat',
  'Over Responses': 'openai-responses',
  'Over Ollama': 'ollama-chat',
  'Over VS Code': 'ollama-chat',
} as const;

export const options: ScenarioOptions = {
  workspace: 'failing-test',
  extensions: ['lm-provider'],
  async before() {
    const model = await startModelServer({ responses: [] });
    const routes = [
      {
        id: 'chat',
        title: 'Over Chat Completions',
        transport: 'openai-chat',
        baseUrl: `${model.url}/v1`,
        model: 'm',
      },
      {
        id: 'responses',
        title: 'Over Responses',
        transport: 'openai-responses',
        baseUrl: `${model.url}/v1`,
        model: 'm',
      },
      { id: 'ollama', title: 'Over Ollama', transport: 'ollama', baseUrl: model.url, model: 'm' },
      { id: 'editor', title: 'Over VS Code', transport: 'vscode-lm', model: 'sluice-test/scripted' },
    ];
    const env = { SLUICE_TEST_LM_URL: model.url };
    const prepared = { model, settings: { 'sluice.routes': routes }, env, stop: () => model.close() };
    return prepared;
  },
};

export default async function mainJobOverEveryWire(t: ScenarioContext): Promise<void> {
  const health = watchHealth(t);
  const model = modelOf(t);
  const original = files(t.workspace);
  const source = fs.readFileSync(path.join(t.workspace, SOURCE));
  const chat = await openChat(t);
  for (const [title, wire] of Object.entries(ROUTES)) {
    await t.step(`the main job ${title.replace('Over', 'over')}`, async () => {
      const before = model.requests.length;
      await chooseRoute(t, t.page, title);
      await chat.frame.getByRole('button', { name: new RegExp(`^Route: ${title}`) }).waitFor();
      model.play(mainJob({ ...failingTestPlan(t.workspace), tailMs: 300 }));
      await work(t, chat);
      assert.deepEqual(files(t.workspace), repaired(original));
      assert.equal(testsPass(t.workspace), true);
      const requests = model.requests.slice(before);
      assert.equal(requests.length, 6, 'six steps, none of them twice');
      assert.deepEqual(new Set(requests.map((request) => request.wire)), new Set([wire]));
      assert.deepEqual(
        requests.flatMap(({ refused }) => refused),
        [],
      );
    });
    fs.writeFileSync(path.join(t.workspace, SOURCE), source);
    await newSession(t, chat);
  }
  health.check();
}

async function work(t: ScenarioContext, chat: Chat): Promise<void> {
  await chat.send(PROMPT);
  await (await approvalCard(chat)).allow();
  const proposal = await proposalOf(t, 'shipping.js');
  await proposal.accept();
  await proposal.gone();
  await (await approvalCard(chat)).allow();
  await chat.idle();
  await chat.said(CLOSING_TEXT).waitFor();
  assert.match(await chat.outcome().innerText(), /Done/);
}
