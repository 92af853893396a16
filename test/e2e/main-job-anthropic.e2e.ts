/**
 * The main job over the Messages wire: key and base URL set as a person sets them, a scripted server that cuts tool inputs into many
 * pieces and keeps its answer open while the reads run.
 */
import assert from 'node:assert/strict';
import type { ScenarioContext, ScenarioOptions } from '../harness/scenario.mjs';
import { CLOSING_TEXT, failingTestPlan, mainJob } from '../fakes/model-server/main-job';
import { check } from '../fakes/model-server/request-rules.mjs';
import type { RecordedRequest } from '../fakes/model-server/server';
import { approvalCard } from './pages/approvals';
import { openChat } from './pages/chat';
import { setApiKey } from './pages/commands';
import { proposalOf } from './pages/proposal';
import { watchHealth } from './support/health';
import { KEY, modelOf, serveModel } from './support/model-server';
import { legalPairs, transcript } from './support/transcript';
import { files, repaired, testsPass } from './support/workspace';

const TAIL = 'after the reads';
const PROMPT = 'Find the failing test, make the smallest safe fix, and run the test again.';

export const options: ScenarioOptions = {
  workspace: 'failing-test',
  before: ({ workspace }) =>
    serveModel(mainJob({ ...failingTestPlan(workspace), tailGate: TAIL }), { apiKey: KEY }),
};

export default async function mainJobOverTheWire(t: ScenarioContext): Promise<void> {
  const health = watchHealth(t);
  const model = modelOf(t);
  const original = files(t.workspace);
  const chat = await openChat(t);

  await t.step('the key is typed into a password box, and the route changes', async () => {
    await setApiKey(t, KEY);
    await chat.frame.getByRole('button', { name: /^Route: Anthropic/ }).waitFor();
    assert.equal(model.requests.length, 0, 'nothing was sent before there was a prompt');
  });

  await t.step('the prompt goes out, and the command waits for an approval', async () => {
    await chat.send(PROMPT);
    const ask = await approvalCard(chat);
    assert.equal((await ask.bytes()).trim(), 'npm test');
    await ask.allow();
  });

  await t.step('both reads run at once, while the answer that asked for them still streams', async () => {
    await model.waitedFor(TAIL);
    const reads = chat.row(/^Read .*shipping\.test\.js.*done.*; Read .*shipping\.js.*done/);
    await reads.waitFor();
    assert.match(await reads.getAttribute('aria-label').then((label) => label ?? ''), /2 at once/);
    const streaming = requestNamed(model.requests, 2);
    assert.equal(streaming.endedAt, undefined, 'the answer is still open');
    assert.ok(
      streaming.written.every(({ name }) => name !== 'message_stop'),
      'its end has not been written',
    );
    model.open(TAIL);
  });

  await t.step(
    'the edit is accepted in the diff, the second run allowed, and the turn ends well',
    async () => {
      const proposal = await proposalOf(t, 'shipping.js');
      await proposal.accept();
      await proposal.gone();
      await (await approvalCard(chat)).allow();
      await chat.idle();
      await chat.said(CLOSING_TEXT).waitFor();
      assert.match(await chat.outcome().innerText(), /Done/);
      assert.deepEqual(files(t.workspace), repaired(original));
      assert.equal(testsPass(t.workspace), true);
    },
  );

  await t.step(
    'results go back in the order of the calls, each request is legal and begins as the one before',
    () => {
      assert.equal(model.requests.length, 6, 'six steps, none of them twice');
      for (const request of model.requests) {
        assert.equal(request.headers['x-api-key'], KEY);
        const findings = check('anthropic-messages', request.body).filter(({ status }) => status !== 0);
        assert.deepEqual(findings, [], `request ${String(request.index)} is legal`);
      }
      const answer = requestNamed(model.requests, 3);
      const asked = callsOf(answer);
      assert.equal(asked.length, 2);
      assert.deepEqual(
        answer.results.map(({ callId }) => callId),
        asked.map(({ id }) => id),
      );
      const [test, source] = answer.results;
      assert.match(test?.text ?? '', /is free for an order of exactly the limit/);
      assert.match(source?.text ?? '', /export function hasFreeShipping/);
      assertStablePrefix(model.requests);
    },
  );

  await t.step('tool inputs came in many pieces and arrived whole', () => {
    const streamed = requestNamed(model.requests, 2).written.filter(
      ({ name }) => name === 'content_block_delta',
    );
    assert.ok(streamed.length > 40, `${String(streamed.length)} deltas`);
    const pairs = legalPairs(transcript(t.home));
    assert.deepEqual(
      pairs.map(({ call }) => call.name),
      ['Bash', 'Grep', 'Read', 'Read', 'Edit', 'Bash'],
    );
    const reads = pairs
      .filter(({ call }) => call.name === 'Read')
      .map(({ call }) => call.input?.['file_path']);
    assert.deepEqual(reads, [`${t.workspace}/test/shipping.test.js`, `${t.workspace}/src/shipping.js`]);
  });

  await t.step('the key is nowhere but in the requests', () => {
    assert.ok(!JSON.stringify(transcript(t.home)).includes(KEY));
    assert.ok(!t.hostLog().includes(KEY));
    assert.ok(model.requests.every(({ raw }) => !raw.includes(KEY)));
  });
  health.check();
}

function requestNamed(requests: readonly RecordedRequest[], index: number): RecordedRequest {
  const request = requests[index];
  if (request === undefined) throw new Error(`There is no request ${String(index)}`);
  return request;
}

interface WireBlock {
  readonly type: string;
  readonly id?: string;
}

/** The calls of the last answer that the request carries. */
function callsOf({ body }: RecordedRequest): readonly WireBlock[] {
  const messages = body['messages'] as readonly {
    readonly role: string;
    readonly content: readonly WireBlock[];
  }[];
  const answer = messages.findLast(({ role }) => role === 'assistant');
  return answer?.content.filter(({ type }) => type === 'tool_use') ?? [];
}

/** Caches and reasoning are bound to the bytes before them: system, tools and all earlier messages stay as they were. */
function assertStablePrefix(requests: readonly RecordedRequest[]): void {
  const plain = (value: unknown): string =>
    JSON.stringify(value, (name, inner: unknown) => (name === 'cache_control' ? undefined : inner));
  for (const [i, { body }] of requests.entries()) {
    const before = requests[i - 1]?.body;
    if (before === undefined) continue;
    assert.equal(plain(body['system']), plain(before['system']));
    assert.equal(plain(body['tools']), plain(before['tools']));
    const earlier = before['messages'] as readonly unknown[];
    const now = body['messages'] as readonly unknown[];
    assert.deepEqual(now.slice(0, earlier.length).map(plain), earlier.map(plain));
  }
}
