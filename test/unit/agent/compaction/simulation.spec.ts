/** A task of a thousand steps in windows from 8k to 1M, against a server that enforces its window to the token (bar B1 of issue 8). */
import { expect, it } from 'vitest';
import { budgetOf } from '../../../../extension/context/window';
import type { TurnEvent } from '../../../../extension/agent/events';
import type { ModelRequest } from '../../../../extension/models/transport';
import { respond, type Play } from '../../../fakes/scripted-transport';
import { outcomeOf } from '../../../fakes/conversation';
import { longTask, type LongTask } from '../../../fakes/long-task';
import { pairingProblems } from '../../../fakes/pairing';
import { requestTokens, windowServer } from '../../../fakes/window-server';
import { illegalities } from '../../../fixtures-runner/session-request';

const STEPS = 1_000;
const FACTS = ['/work/src/planted-at-three.ts', 'port 4711', 'never touch the folder vendored'];

/** Words of a result: mostly a few, now and then many, always a share of the window. */
function size(step: number, window: number): number {
  const share = step % 17 === 0 ? 0.05 : step % 5 === 0 ? 0.012 : 0.003;
  return Math.max(8, Math.floor((window * share) / 4));
}

function play(window: number): (step: number, request: ModelRequest) => Play {
  return (step) => {
    const words = size(step, window);
    const say = (text: string): { readonly text: string } => ({ text });
    if (step === STEPS) return respond([say('Done.')]);
    if (step === 3)
      return respond([{ tool: 'Edit', input: { file_path: '/work/src/planted-at-three.ts', words: 8 } }]);
    if (step === 50)
      return respond([
        say('DECISION: the server listens on port 4711, because 4710 is taken.'),
        { tool: 'Bash', input: { command: 'npm start', words } },
      ]);
    if (step % 7 === 0)
      return respond([
        { tool: 'Read', input: { file_path: `/work/src/file-${step % 40}.ts`, words } },
        { tool: 'Read', input: { file_path: `/work/src/file-${step % 23}.ts`, words: 20 } },
      ]);
    return respond([say(`Step ${step}.`), { tool: 'Bash', input: { command: `make part-${step}`, words } }]);
  };
}

interface Seen {
  readonly problems: string[];
  readonly maxStep: { tokens: number };
  last: ModelRequest | undefined;
}

/** Each request in small windows; in large ones often enough to see what a compaction left. */
function watch(window: number, seen: Seen): (step: number, request: ModelRequest, tokens: number) => void {
  let before = 0;
  return (step, request, tokens) => {
    const shrunk = tokens < before;
    if (tokens > before && before > 0) seen.maxStep.tokens = Math.max(seen.maxStep.tokens, tokens - before);
    before = tokens;
    seen.last = request;
    if (window > 32_768 && !shrunk && step % 50 !== 0) return;
    seen.problems.push(...pairingProblems(request.messages));
    if (shrunk || step % 20 === 0) seen.problems.push(...illegalities(request.messages));
  };
}

async function run(
  task: LongTask,
  steps: () => number,
): Promise<readonly { event: TurnEvent; step: number }[]> {
  const events: { event: TurnEvent; step: number }[] = [];
  for await (const event of task.conversation.submit({ text: 'Build the parts, one after the other.' })) {
    events.push({ event, step: steps() });
    if (event.type === 'step_started' && event.step === 400)
      task.conversation.queue.add('RULE: never touch the folder vendored.');
  }
  return events;
}

it.each([
  [8_192, true],
  [16_384, true],
  [32_768, true],
  [32_768, false],
  [131_072, true],
  [1_000_000, true],
] as const)(
  '%d tokens (told: %s): a thousand steps, and nothing that matters is lost',
  { timeout: 240_000 },
  async (window, told) => {
    const seen: Seen = { problems: [], maxStep: { tokens: 1 }, last: undefined };
    const server = windowServer({ window, told, play: play(window), seen: watch(window, seen) });
    const task = longTask({ transport: server });
    const events = await run(task, () => server.steps);

    expect(outcomeOf(events.map(({ event }) => event)).kind).toBe('completed');
    expect(server.steps).toBe(STEPS);
    expect(seen.problems).toEqual([]);
    if (told) expect(server.overflows).toBe(0);
    const text = JSON.stringify(seen.last?.messages);
    for (const fact of FACTS) expect(text).toContain(fact);

    const done = events.flatMap(({ event, step }) =>
      event.type === 'compaction' && event.state === 'done' ? [{ ...event, step }] : [],
    );
    const failed = events.filter(({ event }) => event.type === 'compaction' && event.state === 'failed');
    expect(failed).toEqual([]);
    expect(done.length).toBeGreaterThan(0);
    const { trigger } = budgetOf(window, fixedTokens(seen.last));
    let least = Infinity;
    done.slice(1).forEach((compaction, at) => {
      const before = done[at];
      if (before === undefined) return;
      const steps = compaction.step - before.step;
      least = Math.min(least, steps);
      // Between two there must be at least as many steps as fill what the first one freed, if each were the largest of all.
      const room = Math.floor((trigger - before.after * 1.1) / seen.maxStep.tokens);
      if (told) expect(steps).toBeGreaterThanOrEqual(Math.max(1, room));
      else expect(steps).toBeGreaterThanOrEqual(1);
    });
    console.log(
      `${window} tokens (told: ${told}): ${done.length} compactions, at least ${least} steps apart, ${server.overflows} refusals, ${server.summaries} summaries`,
    );
    // What is on disk is what the model sees.
    expect(task.file.fold().messages).toEqual(task.conversation.messages());
  },
);

function fixedTokens(request: ModelRequest | undefined): number {
  return request === undefined ? 0 : requestTokens({ ...request, messages: [] });
}
