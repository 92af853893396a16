/** A whole conversation, as the command line puts it together, over a route with a window of 8,192 tokens (bar B2 of issue 8). */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openHeadless } from '../../../extension/headless/session';
import type { HeadlessOptions } from '../../../extension/headless/arguments';
import type { ModelRequest } from '../../../extension/models/transport';
import { collect, outcomeOf } from '../../fakes/conversation';
import { respond, type Play } from '../../fakes/scripted-transport';
import { windowServer } from '../../fakes/window-server';

const root = mkdtempSync(join(tmpdir(), 'sluice-small-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const SKILL = 'Work in the order of the alphabet, and say which letter you are at.';

async function open(window: number, play: (step: number) => Play) {
  const cwd = join(root, `work-${window}`);
  mkdirSync(join(cwd, '.sluice', 'skills', 'in-order'), { recursive: true });
  writeFileSync(
    join(cwd, '.sluice', 'skills', 'in-order', 'SKILL.md'),
    `---\nname: in-order\ndescription: For work that has an order.\n---\n${SKILL}\n`,
  );
  writeFileSync(join(cwd, 'AGENTS.md'), 'Keep every line short. '.repeat(400));
  writeFileSync(join(cwd, 'a.txt'), 'some text of a file that is read\n'.repeat(20));
  const requests: ModelRequest[] = [];
  const transport = windowServer({ window, play, seen: (_, request) => requests.push(request) });
  const options: HeadlessOptions = {
    prompt: '',
    route: 'scripted',
    cwd,
    mode: 'autoRun',
    sessions: join(root, `sessions-${window}`),
    sideEffects: 'response_end',
  };
  const route = { id: 'small', title: 'Small', detail: '', transport };
  const opened = await openHeadless(options, route, { write: () => undefined });
  return { ...opened, transport, requests };
}

const read = (step: number): Play =>
  respond([{ tool: 'Read', input: { file_path: 'a.txt', offset: 1 + (step % 15) } }]);

it('fits, works through a long task, and says what was left out', { timeout: 60_000 }, async () => {
  const { conversation, session, shell, transport, requests } = await open(8_192, (step) =>
    step === 1
      ? respond([{ tool: 'Skill', input: { name: 'in-order' } }])
      : step === 60
        ? respond([{ text: 'Done.' }])
        : read(step),
  );
  const events = await collect(conversation.submit({ text: 'Read it again and again.' }));
  await session.close();
  await shell.dispose();
  expect(outcomeOf(events)).toMatchObject({ kind: 'completed', steps: 60 });
  expect(transport.overflows).toBe(0);

  const notices = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  expect(notices.filter((text) => /8,192 tokens.*left out.*details of the tools/.test(text))).toHaveLength(1);
  const context = events.findLast((event) => event.type === 'context');
  expect(context).toMatchObject({ window: 8_192 });
  expect(context?.type === 'context' && context.leftOut?.length).toBeGreaterThan(0);
  const instructions = events.find((event) => event.type === 'instructions');
  expect(instructions).toMatchObject({ parts: [{ name: 'AGENTS.md', used: false }] });

  const [first] = requests;
  for (const request of requests) {
    expect(request.system).toBe(first?.system);
    expect(JSON.stringify(request.tools)).toBe(JSON.stringify(first?.tools));
  }
  const done = events.filter((event) => event.type === 'compaction' && event.state === 'done');
  expect(done.length).toBeGreaterThan(0);
  // A skill that was used is told again after the past is gone, however often that happens.
  expect(JSON.stringify(requests.at(-1)?.messages)).toContain(SKILL);
});

it('tells everything where there is room', async () => {
  const { conversation, session, shell, requests } = await open(200_000, () => respond([{ text: 'Done.' }]));
  const events = await collect(conversation.submit({ text: 'Hello.' }));
  await session.close();
  await shell.dispose();
  expect(events.filter((event) => event.type === 'notice')).toEqual([]);
  expect(requests[0]?.tools.map(({ name }) => name)).toContain('MultiEdit');
  expect(JSON.stringify(requests[0]?.messages)).toContain('Keep every line short.');
});
