/** The file of an edit is open in a second window on the same folder: exact bytes on disk, and no work of that window is written over. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type { ScenarioContext, ScenarioOptions } from '../harness/scenario.mjs';
import type { Reply } from '../fakes/model-server/scenario';
import { approvalCard } from './pages/approvals';
import { openChat } from './pages/chat';
import { newSession, setApiKey } from './pages/commands';
import { proposalOf } from './pages/proposal';
import { watchHealth } from './support/health';
import { KEY, modelOf, serveModel } from './support/model-server';

export const options: ScenarioOptions = {
  workspace: 'failing-test',
  before: () => serveModel({ responses: [] }, { apiKey: KEY }),
};

const BEFORE = '\uFEFFeins\r\nzwei\ndrei\r\nvier';
const AFTER = BEFORE.replace('zwei', 'ZWEI');
const call = (name: string, input: unknown): Reply => ({ blocks: [{ type: 'tool_use', name, input }] });

export default async function twoWindows(t: ScenarioContext): Promise<void> {
  const health = watchHealth(t);
  const model = modelOf(t);
  const file = path.join(t.workspace, 'words.txt');
  const disk = (): string => fs.readFileSync(file, 'utf8');
  const other = await t.open();
  health.watch(other);
  const chat = await openChat(t);
  await setApiKey(t, KEY);

  async function propose(): Promise<Awaited<ReturnType<typeof proposalOf>>> {
    fs.writeFileSync(file, BEFORE);
    await newSession(t, chat);
    model.play({
      responses: [
        call('Read', { file_path: file }),
        call('Edit', { file_path: file, old_string: 'zwei', new_string: 'ZWEI' }),
        { blocks: [{ type: 'text', text: 'As you like.' }] },
      ],
    });
    await chat.send('Shout the second word.');
    return proposalOf(t, 'words.txt');
  }
  const lines = other.locator('.editor-group-container.active .monaco-editor .view-lines');

  await t.step('open there: the edit changes its bytes only, and the other window shows it', async () => {
    fs.writeFileSync(file, BEFORE);
    await t.ui.openFile(other, 'words.txt');
    const proposal = await propose();
    await proposal.accept();
    await proposal.gone();
    await chat.idle();
    assert.equal(disk(), AFTER);
    await lines.getByText('ZWEI').waitFor();
  });

  await t.step('unsaved there: the edit changes its bytes only, and what is typed there stays', async () => {
    const proposal = await propose();
    await lines.getByText('zwei').waitFor();
    await t.ui.typeAtEnd(other, ' und mehr');
    await other.locator('.tab.active.dirty').waitFor();
    await proposal.accept();
    await proposal.gone();
    await chat.idle();
    assert.equal(disk(), AFTER);
    assert.match(await t.ui.editorText(other), /vier und mehr/);
    assert.match(await t.ui.editorText(other), /zwei/);
  });

  await t.step(
    'saved there while the edit waits: it is refused, and the model hears that it is stale',
    async () => {
      await t.ui.command(other, 'File: Revert File');
      await other.locator('.tab.active:not(.dirty)').waitFor();
      const proposal = await propose();
      await lines.getByText('zwei').waitFor();
      await t.ui.typeAtEnd(other, ' und mehr');
      await t.ui.save(other);
      await t.ui.poll(() => disk().endsWith('mehr'), { message: 'the other window did not save' });
      const theirs = disk();
      const { card } = await approvalCard(chat, 'words.txt');
      await card.getByText('The file has changed since this edit was proposed').waitFor();
      await proposal.accept();
      await proposal.gone();
      await chat.idle();
      assert.equal(disk(), theirs);
      assert.match(model.requests.at(-1)?.results.at(-1)?.text ?? '', /changed/);
    },
  );

  assert.deepEqual(
    model.requests.flatMap(({ refused }) => refused),
    [],
  );
  health.check();
}
