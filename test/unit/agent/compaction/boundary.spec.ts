/** What a compaction leaves on disk: cut off anywhere it is the old conversation or the new one (bar B6 of issue 8), and it can be taken back. */
import { expect, it } from 'vitest';
import { foldBytes } from '../../../../extension/sessions/read/resume';
import { collect } from '../../../fakes/conversation';
import { longTask } from '../../../fakes/long-task';
import { respond } from '../../../fakes/scripted-transport';
import { windowServer } from '../../../fakes/window-server';

async function worked(steps: number) {
  const server = windowServer({
    window: 32_768,
    play: (step) =>
      step === steps
        ? respond([{ text: 'FILE: /work/a.ts is done.' }])
        : respond([{ tool: 'Bash', input: { command: `make ${step}`, words: 60 } }]),
  });
  const task = longTask({ transport: server });
  await collect(task.conversation.submit({ text: 'Build it.' }));
  return task;
}

it('is the old or the new conversation wherever the write was cut', { timeout: 60_000 }, async () => {
  const task = await worked(30);
  const old = task.conversation.messages();
  const from = task.file.bytes().length;
  await collect(task.conversation.compact('the files'));
  const now = task.conversation.messages();
  expect(now.length).toBeLessThan(old.length);
  const bytes = task.file.bytes();
  const states = { old: JSON.stringify(old), now: JSON.stringify(now) };
  for (let end = from; end <= bytes.length; end += 61) {
    const found = JSON.stringify(foldBytes(bytes.subarray(0, end)).messages);
    expect([states.old, states.now]).toContain(found);
  }
  expect(JSON.stringify(foldBytes(bytes).messages)).toBe(states.now);
});

it('can be taken back until the conversation goes on', async () => {
  const task = await worked(20);
  const old = task.conversation.messages();
  await collect(task.conversation.compact());
  expect(await task.conversation.undoCompaction()).toBeDefined();
  expect(task.conversation.messages()).toEqual(old);
  expect(task.file.fold().messages).toEqual(old);
  expect(await task.conversation.undoCompaction()).toBeUndefined();
});
