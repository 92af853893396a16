/**
 * Saying no, in each of the places where it can be said, and stopping at any moment: the file stays as it was, the model is told, what
 * runs is gone within a second, and the next prompt works.
 */
import assert from 'node:assert/strict';
import type { ScenarioContext, ScenarioOptions } from '../harness/scenario.mjs';
import { DENIED_TEXT, failingTestPlan, mainJob } from '../fakes/model-server/main-job';
import type { RecordedRequest } from '../fakes/model-server/server';
import type { Reply } from '../fakes/model-server/scenario';
import { approvalCard } from './pages/approvals';
import { openChat } from './pages/chat';
import type { Chat } from './pages/chat';
import { newSession, setApiKey } from './pages/commands';
import { proposalOf } from './pages/proposal';
import { watchHealth } from './support/health';
import { KEY, modelOf, serveModel } from './support/model-server';
import { processes } from './support/processes';
import { legalPairs, resultText, transcript } from './support/transcript';
import { files } from './support/workspace';

export const options: ScenarioOptions = {
  workspace: 'failing-test',
  before: () => serveModel({ responses: [] }, { apiKey: KEY }),
};

const PROMPT = 'Find the failing test, make the smallest safe fix, and run the test again.';
const STOP_LIMIT_MS = 1000;

const text = (said: string): Reply => ({ blocks: [{ type: 'text', text: said }] });
const bash = (command: string): Reply => ({
  blocks: [
    { type: 'text', text: 'I run it.' },
    { type: 'tool_use', name: 'Bash', input: { command, description: 'Wait' }, deltas: 4 },
  ],
});

export default async function rejectAndStop(t: ScenarioContext): Promise<void> {
  const health = watchHealth(t);
  const model = modelOf(t);
  const original = files(t.workspace);
  const chat = await openChat(t);

  await t.step('Practice, Reject in the diff title: untouched, told, and a sensible end', async () => {
    await chat.send(PROMPT);
    await (await approvalCard(chat, 'npm test')).allow();
    const proposal = await proposalOf(t, 'shipping.js');
    await proposal.reject();
    await proposal.gone();
    await endsAfterNo(chat);
    await chat.said(/You declined the edit, so I left .*src\/shipping\.js.* as it is/).waitFor();
    assert.deepEqual(files(t.workspace), original);
    assertTold(t);
  });

  await setApiKey(t, KEY);

  await t.step('a model, closing the tab is a no: the next request says so', async () => {
    await newSession(t, chat);
    model.play(mainJob(failingTestPlan(t.workspace)));
    await chat.send(PROMPT);
    await (await approvalCard(chat, 'npm test')).allow();
    const proposal = await proposalOf(t, 'shipping.js');
    await proposal.close();
    await proposal.gone();
    await endsAfterNo(chat);
    await chat.said(DENIED_TEXT).waitFor();
    assert.deepEqual(files(t.workspace), original);
    assertTold(t);
    assert.match(lastResult(model.requests), /user declined/i);
  });

  await t.step(
    'a model, Reject with words in the card: it hears the words, and the diff goes away',
    async () => {
      await newSession(t, chat);
      await chat.send(PROMPT);
      await (await approvalCard(chat, 'npm test')).allow();
      const proposal = await proposalOf(t, 'shipping.js');
      await (await approvalCard(chat, 'shipping.js')).denySaying('Change the test instead.');
      await proposal.gone();
      await endsAfterNo(chat);
      assert.deepEqual(files(t.workspace), original);
      assertTold(t);
      assert.match(lastResult(model.requests), /Change the test instead\./);
    },
  );

  await t.step('Stop while a command runs: its process is gone within a second', async () => {
    await newSession(t, chat);
    model.play({ responses: [bash('sleep 60'), text('I am here again.')] });
    await chat.send('Wait a minute.');
    await (await approvalCard(chat, 'sleep 60')).allow();
    await t.ui.poll(() => processes('sleep 60', t.home).length > 0, { message: 'the command never ran' });
    const began = Date.now();
    await chat.stop();
    await t.ui.poll(() => processes('sleep 60', t.home).length === 0, {
      timeout: STOP_LIMIT_MS,
      message: 'the command outlived the stop by a second',
    });
    await chat.idle(5000);
    console.log(`      stopped after ${String(Date.now() - began)} ms, the click included`);
    await chat.row(/^Command sleep 60.*stopped by you/).waitFor();
    assert.match(await chat.outcome().innerText(), /Stopped while working/);
    assertLegal(t);
    await answers(chat, 'Are you there?', 'I am here again.');
    assert.match(JSON.stringify(model.requests.at(-1)?.body), /Stopped by the user/);
  });

  await t.step('Stop while the answer streams: the connection ends, what was said stays', async () => {
    await newSession(t, chat);
    const blocks = [
      {
        type: 'text',
        text: 'One two three four five six',
        deltas: 6,
        hold: { beforeDelta: 3, gate: 'never' },
      },
    ] as const;
    model.play({ responses: [{ blocks }, text('Gladly.')] });
    await chat.send('Count to six.');
    await model.waitedFor('never');
    await chat.said('One two three').waitFor();
    const count = model.requests.length;
    await chat.stop();
    await t.ui.poll(() => model.requests[count - 1]?.aborted === true, {
      timeout: STOP_LIMIT_MS,
      message: 'the request outlived the stop by a second',
    });
    await chat.idle(5000);
    assert.match(await chat.outcome().innerText(), /^Stopped/);
    assert.ok(await chat.said('One two three').isVisible());
    assertLegal(t);
    await answers(chat, 'Again, please.', 'Gladly.');
    assert.equal(model.requests.length, count + 1);
  });

  await t.step('Stop with Escape while a question waits: it is withdrawn, and nothing ran', async () => {
    await newSession(t, chat);
    model.play({ responses: [bash('touch should-not-exist'), text('As you like.')] });
    await chat.send('Touch a file.');
    const ask = await approvalCard(chat, 'touch should-not-exist');
    await chat.box.press('Escape');
    await ask.gone();
    await chat.idle(5000);
    assert.match(await chat.outcome().innerText(), /Stopped while waiting for you/);
    assert.deepEqual(files(t.workspace), original);
    assertLegal(t);
    await answers(chat, 'Never mind.', 'As you like.');
    assert.deepEqual(files(t.workspace), original);
  });

  await t.step(
    'Stop while an edit waits in the diff editor: its tab closes, the file is untouched',
    async () => {
      await newSession(t, chat);
      model.play(mainJob(failingTestPlan(t.workspace)));
      await chat.send(PROMPT);
      await (await approvalCard(chat, 'npm test')).allow();
      const proposal = await proposalOf(t, 'shipping.js');
      await chat.stop();
      await proposal.gone();
      await chat.idle(5000);
      assert.deepEqual(files(t.workspace), original);
      assertLegal(t);
      model.play({ responses: [text('Here I am.')] });
      await answers(chat, 'Still there?', 'Here I am.');
    },
  );

  assert.deepEqual(
    model.requests.flatMap(({ refused }) => refused),
    [],
    'every request was legal, those after a stop included',
  );
  health.check();
}

async function answers(chat: Chat, prompt: string, answer: string): Promise<void> {
  await chat.send(prompt);
  await chat.said(answer).waitFor();
  await chat.idle();
  assert.match(await chat.outcome().innerText(), /Done/);
}

/** The turn ended by itself, with the edit shown as rejected. */
async function endsAfterNo(chat: Chat): Promise<void> {
  await chat.idle();
  await chat.row(/^Edit .*shipping\.js.*you rejected/).waitFor();
  assert.match(await chat.outcome().innerText(), /Done[\s\S]*1 denied/);
}

/** The transcript is legal, and the edit's result in it says that somebody declined. */
function assertTold(t: ScenarioContext): void {
  const edit = legalPairs(transcript(t.home)).findLast(({ call }) => call.name === 'Edit');
  assert.ok(edit !== undefined && edit.result.is_error === true);
  assert.match(resultText(edit.result), /user declined/i);
}

function assertLegal(t: ScenarioContext): void {
  assert.ok(legalPairs(transcript(t.home)).length >= 0);
}

function lastResult(requests: readonly RecordedRequest[]): string {
  return requests.at(-1)?.results.at(-1)?.text ?? '';
}
