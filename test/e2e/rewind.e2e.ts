/**
 * Taking back, from the palette and from the chat, beside a person who commits and edits: files and
 * conversation go back and forth, only the agent's paths change, and a later edit of the person is never written over.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { ScenarioContext, ScenarioOptions } from '../harness/scenario.mjs';
import type { Reply } from '../fakes/model-server/scenario';
import { approvalCard } from './pages/approvals';
import { openChat } from './pages/chat';
import type { Chat } from './pages/chat';
import { newSession, setApiKey } from './pages/commands';
import { proposalOf } from './pages/proposal';
import { watchHealth } from './support/health';
import { KEY, modelOf, serveModel } from './support/model-server';
import { picture } from './support/pictures';

export const options: ScenarioOptions = {
  workspace: 'failing-test',
  before: () => serveModel({ responses: [] }, { apiKey: KEY }),
};

const BEFORE = 'one\ntwo\nthree\nfour\nfive\n';
const AFTER = 'ONE\ntwo\nTHREE\nfour\nfive\n';
const PROMPT = 'Shout the odd numbers.';
const text = (said: string): Reply => ({ blocks: [{ type: 'text', text: said }] });
const call = (name: string, input: unknown): Reply => ({ blocks: [{ type: 'tool_use', name, input }] });

export default async function rewind(t: ScenarioContext): Promise<void> {
  const health = watchHealth(t);
  const model = modelOf(t);
  const file = path.join(t.workspace, 'numbers.txt');
  const disk = (): string => fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, BEFORE);
  const git = repositories(t.workspace);
  const chat = await openChat(t);
  await setApiKey(t, KEY);
  const edits = ['one', 'three', 'five'].map((word) => ({
    old_string: word,
    new_string: word.toUpperCase(),
  }));

  await t.step('two of three changes are accepted', async () => {
    model.play({
      responses: [
        call('Read', { file_path: file }),
        call('MultiEdit', { file_path: file, edits }),
        text('As you like.'),
      ],
    });
    await chat.send(PROMPT);
    const proposal = await proposalOf(t, 'numbers.txt');
    const { card } = await approvalCard(chat, 'numbers.txt');
    await card.getByRole('button', { name: 'Reject Change 3 of 3', exact: true }).click();
    await card.getByRole('group', { name: 'Change 3 of 3, Rejected' }).waitFor();
    await proposal.accept();
    await proposal.gone();
    await chat.idle();
    assert.equal(disk(), AFTER);
  });

  await t.step(
    'Rewind in the palette: files only, with a preview, beside a commit of the person',
    async () => {
      git.commit();
      const before = git.truth();
      await rewindTo(t, PROMPT, 'Files only');
      await t.page.locator('.quick-input-list', { hasText: 'gets its earlier content' }).waitFor();
      await picture(t, 'rewind-preview');
      await ok(t);
      await notice(chat, /^Rewind to before/);
      assert.equal(disk(), BEFORE);
      assert.deepEqual(git.truth(), before, 'refs, index and what is not tracked are as they were');
      await chat.row(/^You: Shout/).waitFor();
    },
  );

  await t.step('Undo Last Rewind in the palette, and again: it goes back and forth', async () => {
    const before = git.truth();
    await t.ui.command(t.page, 'Sluice: Undo Last Rewind or Undo');
    await t.ui.poll(() => disk() === AFTER, { message: 'the rewind was not undone' });
    await notice(chat, /^Undo: Rewind/);
    await t.ui.command(t.page, 'Sluice: Undo Last Rewind or Undo');
    await t.ui.poll(() => disk() === BEFORE, { message: 'the undo was not undone' });
    await notice(chat, /^Redo: Rewind/);
    await t.ui.command(t.page, 'Sluice: Undo Last Rewind or Undo');
    await t.ui.poll(() => disk() === AFTER, { message: 'the files did not come back' });
    await t.ui.poll(
      async () => (await chat.frame.locator('.row.notice', { hasText: /^Undo: Rewind/ }).count()) === 2,
      {
        message: 'it was not said',
      },
    );
    assert.deepEqual(git.truth(), before);
  });

  await t.step('a later edit of the person is shown as a conflict, and stays', async () => {
    const mine = AFTER.replace('ONE', 'mine');
    fs.writeFileSync(file, mine);
    await rewindTo(t, PROMPT, 'Files only');
    await t.page.locator('.quick-input-list', { hasText: 'you changed the same lines since' }).waitFor();
    await ok(t);
    const card = chat.errorCard('1 file was left alone');
    await card.waitFor();
    assert.match(await card.innerText(), /numbers\.txt: you changed the same lines since/);
    await picture(t, 'rewind-conflict');
    assert.equal(disk(), mine);
    fs.writeFileSync(file, AFTER);
  });

  await t.step('Fork from here, in the palette: a new session with what was said before', async () => {
    model.play({ responses: [text('More.')] });
    await chat.send('Say more.');
    await chat.said('More.').waitFor();
    await chat.idle();
    await rewindTo(t, 'Say more.', 'Fork from here');
    await notice(chat, /^This is a fork/);
    await t.ui.poll(async () => (await chat.box.inputValue()) === 'Say more.', {
      message: 'the prompt is not in the box',
    });
    const said = (await chat.rows()).filter(({ label }) => label.startsWith('You: '));
    assert.equal(said.length, 1);
    assert.equal(disk(), AFTER);
    await chat.type('');
  });

  await t.step(
    'Manage Checkpoints: sizes are shown, and those of other sessions can be deleted',
    async () => {
      const lists = path.join(t.home, '.sluice/checkpoints/sessions');
      assert.equal(fs.readdirSync(lists).length, 2, 'the fork has its own');
      await t.ui.command(t.page, 'Sluice: Manage Checkpoints');
      await t.ui
        .quickInput(t.page)
        .getByText(/^Checkpoints: \d+ KB in 2 sessions$/)
        .waitFor();
      await picture(t, 'manage-checkpoints');
      await t.ui.pick(t.page, 'Delete the checkpoints of other sessions');
      await t.ui
        .dialog(t.page, 'Delete the checkpoints of 1 session?')
        .getByRole('button', { name: 'Delete' })
        .click();
      await t.ui.toast(t.page, /^Checkpoints now take \d+ KB/).waitFor();
      assert.equal(fs.readdirSync(lists).length, 1);
      await t.ui.command(t.page, 'Sluice: Manage Checkpoints');
      await t.ui.pick(t.page, 'Rewind this session…');
      await t.ui.pick(t.page, PROMPT);
      await t.ui.pick(t.page, 'Files only');
      await ok(t);
      await t.ui.poll(() => disk() === BEFORE, { message: 'the fork cannot rewind its files' });
    },
  );

  await t.step(
    'Undo takes an accepted edit back in a file that was never open, in 40,000 lines',
    async () => {
      const large = path.join(t.workspace, 'large.txt');
      const lines = Array.from({ length: 40_000 }, (_, i) => `line ${i}\n`).join('');
      fs.writeFileSync(large, lines);
      await newSession(t, chat);
      model.play({
        responses: [
          call('Grep', { pattern: 'line 39990$', path: large, output_mode: 'content' }),
          call('Read', { file_path: large, offset: 39_985, limit: 10 }),
          call('Edit', { file_path: large, old_string: 'line 39990\n', new_string: 'THE LINE\n' }),
          text('Done.'),
        ],
      });
      await chat.send('Change line 39990.');
      const proposal = await proposalOf(t, 'large.txt');
      await proposal.accept();
      await proposal.gone();
      await chat.idle();
      assert.equal(fs.readFileSync(large, 'utf8'), lines.replace('line 39990\n', 'THE LINE\n'));
      await t.ui.openFile(t.page, 'large.txt');
      await t.page.locator('.editor-group-container.active .monaco-editor .view-lines').first().click();
      await t.page.keyboard.press('Control+Z');
      await t.page.locator('.tab.active.dirty').waitFor();
      await t.ui.save(t.page);
      assert.equal(fs.readFileSync(large, 'utf8'), lines);
    },
  );

  assert.deepEqual(
    model.requests.flatMap(({ refused }) => refused),
    [],
  );
  health.check();
}

/** From the palette to the question of what is to be put back. */
async function rewindTo(t: ScenarioContext, prompt: string, what: string): Promise<void> {
  await t.ui.command(t.page, 'Sluice: Rewind…');
  await t.ui.pick(t.page, prompt);
  await t.ui.pick(t.page, what);
}

const ok = (t: ScenarioContext): Promise<void> =>
  t.ui.quickInput(t.page).getByRole('button', { name: 'OK' }).click();

const notice = (chat: Chat, words: RegExp): Promise<void> =>
  chat.frame.locator('.row.notice', { hasText: words }).last().waitFor();

/** The workspace as a repository with another one inside, something staged and something that is not tracked. */
function repositories(root: string): { commit(): void; truth(): unknown } {
  const nested = path.join(root, 'nested');
  fs.mkdirSync(nested);
  const run = (cwd: string, ...words: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...words], {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_OPTIONAL_LOCKS: '0' },
    });
  for (const each of [nested, root]) {
    run(each, 'init', '-q');
    fs.writeFileSync(path.join(each, 'kept.txt'), 'kept\n');
    run(each, 'add', 'kept.txt');
    run(each, 'commit', '-qm', 'start');
  }
  const loose = [path.join(root, 'loose.txt'), path.join(nested, 'loose.txt')];
  for (const each of loose) fs.writeFileSync(each, 'not tracked\n');
  fs.writeFileSync(path.join(root, 'staged.txt'), 'staged\n');
  run(root, 'add', 'staged.txt');
  return {
    commit() {
      run(root, 'add', 'numbers.txt');
      run(root, 'commit', '-qm', 'mine', '--', 'numbers.txt');
    },
    truth: () =>
      [root, nested].map((each) => ({
        head: run(each, 'rev-parse', 'HEAD'),
        refs: run(each, 'for-each-ref'),
        stash: run(each, 'stash', 'list'),
        index: run(each, 'ls-files', '--stage'),
        loose: loose.map((one) => [fs.readFileSync(one, 'utf8'), fs.statSync(one).mtimeMs]),
      })),
  };
}
