/** A run on the command line leaves checkpoints: what it did can be taken back, from the files that it left. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { parseArguments } from '../../extension/headless/arguments';
import { headlessRoute } from '../../extension/headless/routes';
import { openHeadless } from '../../extension/headless/session';
import { checkpointStore } from '../../extension/node/checkpoints/checkpoint-store';
import { nodeRawFiles } from '../../extension/node/checkpoints/raw-files';
import { lineFile } from '../../extension/node/line-file';
import { createCheckpoints } from '../../extension/review/checkpoints';
import { parseEntries } from '../../extension/review/history';
import { carryOut, planRevert } from '../../extension/review/revert';
import { startModelServer } from '../fakes/model-server/server';

const root = mkdtempSync(join(tmpdir(), 'sluice-headless-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

it('can be taken back', async () => {
  const cwd = join(root, 'work');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'a.txt'), 'one\n');
  const server = await startModelServer({
    responses: [
      { blocks: [{ type: 'tool_use', name: 'Read', input: { file_path: join(cwd, 'a.txt') } }] },
      {
        blocks: [
          {
            type: 'tool_use',
            name: 'Edit',
            input: { file_path: join(cwd, 'a.txt'), old_string: 'one', new_string: 'two' },
          },
        ],
      },
      { blocks: [{ type: 'text', text: 'Done.' }] },
    ],
  });
  const sessions = join(root, 'sessions');
  const parsed = parseArguments(
    [
      '-p',
      'go',
      '--route',
      'anthropic',
      '--base-url',
      server.url,
      '--model',
      'm',
      '--mode',
      'acceptEdits',
    ].concat(['--cwd', cwd, '--sessions', sessions]),
    cwd,
  );
  if (parsed.type !== 'run') throw new Error('the arguments are wrong');
  const log = { write: () => undefined };
  const run = await openHeadless(parsed.options, headlessRoute(parsed.options, {}), log);
  for await (const event of run.conversation.submit({ text: 'Make it two.' })) void event;
  await run.close();
  await server.close();
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('two\n');

  const store = checkpointStore(join(sessions, 'checkpoints'));
  const id = run.conversation.id;
  const later = createCheckpoints({
    blobs: store.blobs,
    raw: nodeRawFiles(),
    log,
    clock: { now: () => 1, sleep: async () => undefined },
    file: lineFile(store.listPath(id)),
    entries: parseEntries(await store.list(id)),
  });
  expect(later.history.turns.map(({ title }) => title)).toEqual(['Make it two.']);
  await carryOut(later, await planRevert(later, () => true), { id: 'u', title: 'Undo' });
  await later.close();
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
});
