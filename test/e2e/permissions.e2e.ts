/**
 * The question and what comes of it, as a person meets it: what is shown is what runs, every scope is kept as long as it says and no longer,
 * a no with words goes on, a hidden panel still gets its answer, and what changed while a question waits is told.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type { ScenarioContext, ScenarioOptions } from '../harness/scenario.mjs';
import type { Reply } from '../fakes/model-server/scenario';
import { approvalCard } from './pages/approvals';
import { openChat, shownChat } from './pages/chat';
import type { Chat } from './pages/chat';
import { newSession, setApiKey } from './pages/commands';
import { pickRule, tryRule } from './pages/permissions';
import { watchHealth } from './support/health';
import { KEY, modelOf, serveModel } from './support/model-server';
import { panelPicture, picture } from './support/pictures';
import { legalPairs, transcript } from './support/transcript';
import { files } from './support/workspace';

export const options: ScenarioOptions = {
  workspace: 'failing-test',
  settings: { 'sluice.permissions.autoRun': true },
  before: () => serveModel({ responses: [] }, { apiKey: KEY }),
  timeout: 600_000,
};

const say = (said: string): Reply => ({ blocks: [{ type: 'text', text: said }] });
const bash = (...commands: readonly string[]): Reply => ({
  blocks: commands.map((command) => ({ type: 'tool_use', name: 'Bash', input: { command } }) as const),
});

export default async function permissions(t: ScenarioContext): Promise<void> {
  const health = watchHealth(t);
  const model = modelOf(t);
  const chat = await openChat(t);
  await setApiKey(t, KEY);
  const made = (name: string): boolean => fs.existsSync(path.join(t.workspace, name));
  const asks = async (command: string, within = chat): Promise<void> => {
    model.play({ responses: [bash(command), say('That is done.')] });
    await within.send('Go on.');
  };

  await t.step('a spoof is visible, and what is shown is what runs', async () => {
    const command = 'touch spoofed.txt # \u202egpj.sh\u001b[2K\u200b\ntouch second.txt';
    await asks(command);
    const card = await approvalCard(chat, 'Run this command?');
    const shown = await card.card.locator('.ask-bytes').innerText();
    assert.equal(
      shown.trim(),
      'touch spoofed.txt # ⟨U+202E⟩gpj.sh⟨U+001B⟩[2K⟨U+200B⟩\ntouch second.txt',
      'all lines, and every hidden character',
    );
    assert.match(await card.card.innerText(), new RegExp(`in .*${path.basename(t.workspace)}`));
    assert.equal(
      await card.card.getByRole('button', { name: /remember/ }).count(),
      0,
      'nothing hides a spoof again',
    );
    await panelPicture(t, 'approval-spoof');
    await card.allow();
    await chat.idle();
    assert.ok(made('spoofed.txt') && made('second.txt'));
    const [pair] = legalPairs(transcript(t.home));
    assert.equal(pair?.call.input?.['command'], command, 'the bytes that ran');
  });

  await t.step(
    'for this session: not asked again, also after a reload; asked in the next session',
    async () => {
      await newSession(t, chat);
      await asks('touch one.txt');
      const card = await approvalCard(chat, 'touch one.txt');
      await card.card.getByRole('button', { name: 'Allow and remember…' }).click();
      await card.card.getByText('Bash(touch one.txt)').first().waitFor();
      await panelPicture(t, 'approval-remember');
      await card.card.getByRole('button', { name: 'For this session' }).click();
      await chat.idle();
      await unasked(chat, 'touch one.txt', asks);
      const again = await reloaded(t);
      await unasked(again, 'touch one.txt', asks);
      await newSession(t, again);
      await asks('touch one.txt', again);
      await (await approvalCard(again, 'touch one.txt')).deny();
      await again.idle();
    },
  );

  for (const [name, scope] of [
    ['workspace.txt', 'Always in this workspace'],
    ['always.txt', 'Always'],
  ] as const)
    await t.step(`${scope}: not asked again, in no session and after no reload`, async () => {
      const before = await shownChat(t, t.page);
      await newSession(t, before);
      await asks(`touch ${name}`, before);
      const card = await approvalCard(before, `touch ${name}`);
      await card.card.getByRole('button', { name: 'Allow and remember…' }).click();
      await card.card.getByRole('button', { name: scope, exact: true }).click();
      await before.idle();
      const again = await reloaded(t);
      await newSession(t, again);
      await unasked(again, `touch ${name}`, asks);
      assert.equal(
        [...files(t.workspace).keys()].filter((file) => /\.(?:sluice|claude)/.test(file)).length,
        0,
      );
    });

  await t.step('Why was this allowed? says which rule of which place', async () => {
    const now = await shownChat(t, t.page);
    const row = now.row(/^Command touch always\.txt/).last();
    await row.hover();
    await row.getByRole('button', { name: 'Why was this allowed?' }).click();
    await row.getByText('The rule Bash(touch always.txt) (user settings) allows this.').waitFor();
    await panelPicture(t, 'why-allowed');
  });

  await t.step('Sluice: Permissions lists them by place, tries things out, and takes one back', async () => {
    assert.match(await tryRule(t, 'touch always.txt'), /Allowed without asking/);
    assert.match(await tryRule(t, 'rm -rf /'), /Would ask[\s\S]*floor/);
    await picture(t, 'permissions');
    await pickRule(t, 'Bash(touch always.txt)', 'Remove');
    const now = await shownChat(t, t.page);
    await newSession(t, now);
    await asks('touch always.txt', now);
    await (await approvalCard(now, 'touch always.txt')).deny();
    await now.idle();
  });

  await t.step('no, with words: the model hears them and goes on', async () => {
    const now = await shownChat(t, t.page);
    await newSession(t, now);
    model.play({ responses: [bash('touch no.txt'), bash('touch instead.txt'), say('As you wish.')] });
    await now.send('Go on.');
    await (await approvalCard(now, 'touch no.txt')).denySaying('Call it instead.txt.');
    await (await approvalCard(now, 'touch instead.txt')).allow();
    await now.said('As you wish.').waitFor();
    await now.idle();
    assert.match(JSON.stringify(model.requests.at(-2)?.body), /Call it instead\.txt\./);
    assert.deepEqual([made('no.txt'), made('instead.txt')], [false, true]);
  });

  await t.step('several questions are ticked and answered together', async () => {
    const now = await shownChat(t, t.page);
    await newSession(t, now);
    model.play({
      responses: [bash('touch b1.txt', 'touch b2.txt', 'touch b3.txt'), say('Two of three.')],
    });
    await now.send('Go on.');
    const batch = now.frame.locator('.batch');
    await batch.getByText('3 questions wait for you').waitFor();
    await batch.getByRole('checkbox', { name: 'touch b2.txt' }).uncheck();
    await panelPicture(t, 'approval-batch');
    await batch.getByRole('button', { name: 'Allow 2 once' }).click();
    await (await approvalCard(now, 'touch b2.txt')).deny();
    await now.idle();
    assert.deepEqual(['b1.txt', 'b2.txt', 'b3.txt'].map(made), [true, false, true]);
  });

  await t.step('Plan while a question waits: it is withdrawn, and the row says why', async () => {
    const now = await shownChat(t, t.page);
    await newSession(t, now);
    await asks('touch planned.txt', now);
    const card = await approvalCard(now, 'touch planned.txt');
    await t.ui.command(t.page, 'Sluice: Choose Mode…');
    await t.ui.pick(t.page, 'Plan');
    await card.gone();
    await now.idle();
    await now
      .row(/^Command touch planned\.txt.*denied/)
      .getByText(/Plan mode only reads/)
      .last()
      .waitFor();
    assert.equal(made('planned.txt'), false);
    await t.ui.command(t.page, 'Sluice: Choose Mode…');
    await t.ui.pick(t.page, 'Ask');
  });

  await t.step('with the panel hidden: Allow Once in the notification runs it', async () => {
    await hidden(t, bash('touch seen.txt'));
    const toast = t.ui.toast(t.page, 'touch seen.txt');
    await toast.getByRole('button', { name: 'Allow Once' }).waitFor();
    await picture(t, 'approval-notification');
    await toast.getByRole('button', { name: 'Allow Once' }).click();
    await t.ui.poll(() => made('seen.txt'), { message: 'the command never ran' });
    await (await openChat(t)).idle();
  });

  await t.step(
    'with the panel hidden: what does not fit is reviewed in the dialog, and denied there',
    async () => {
      await hidden(t, bash('touch long.txt\ntouch \u202elonger.txt'));
      const toast = t.ui.toast(t.page, 'Run this command?');
      await toast.getByRole('button', { name: 'Review…' }).waitFor();
      assert.equal(await toast.getByRole('button', { name: 'Allow Once' }).count(), 0);
      await toast.getByRole('button', { name: 'Review…' }).click();
      const dialog = t.ui.dialog(t.page, 'Run this command?');
      const shown = await dialog.innerText();
      assert.ok(shown.includes('touch long.txt\ntouch \\u{202E}longer.txt'), shown);
      await dialog.getByRole('button', { name: 'Deny' }).click();
      const now = await openChat(t);
      await now.idle();
      assert.equal(made('long.txt'), false);
    },
  );

  await t.step('by keyboard: the list of answers, with the rule changed before it is kept', async () => {
    const now = await shownChat(t, t.page);
    await newSession(t, now);
    await asks('npm run nothing', now);
    await approvalCard(now, 'npm run nothing');
    await t.ui.command(t.page, 'Sluice: Answer Waiting Question…');
    await t.ui.dialog(t.page, 'npm run nothing').getByRole('button', { name: 'More Answers…' }).click();
    await t.ui.pick(t.page, 'Change the rule first…');
    await t.ui.answer(t.page, 'Bash(npm run nothing)');
    await t.ui.pick(t.page, 'Allow for this session');
    await now.idle();
    await unasked(now, 'npm run nothing', asks);
    assert.match(await tryRule(t, 'npm run other'), /Would ask/);
  });
  await t.step(
    'Auto-run: chosen on purpose, shown all the time, held back by the floor, and gone at once',
    async () => {
      const now = await shownChat(t, t.page);
      await newSession(t, now);
      await t.ui.command(t.page, 'Sluice: Choose Mode…');
      await t.ui.pick(t.page, 'Auto-run');
      const sure = t.ui.dialog(t.page, 'Let Sluice edit files and run commands without asking');
      await sure.getByRole('button', { name: 'Run Without Asking' }).click();
      const banner = now.frame.locator('.mode-banner');
      await banner.waitFor();
      await t.ui.statusBar(t.page).getByText('Sluice: Auto-run').waitFor();
      await unasked(now, 'touch auto.txt', asks);
      assert.ok(made('auto.txt'));
      await asks('rm -rf .git', now);
      await (await approvalCard(now, 'rm -rf .git')).deny();
      await now.idle();
      await panelPicture(t, 'auto-run');
      await banner.getByRole('button', { name: 'Ask again' }).click();
      await banner.waitFor({ state: 'detached' });
      await asks('touch asked.txt', now);
      await (await approvalCard(now, 'touch asked.txt')).deny();
      await now.idle();
    },
  );
  health.check();
}

/** The model asks once more; nobody else does. */
async function unasked(
  chat: Chat,
  command: string,
  asks: (command: string, chat: Chat) => Promise<void>,
): Promise<void> {
  await asks(command, chat);
  const card = chat.frame.locator('.ask[data-approval]');
  await chat.idle();
  assert.equal(await card.count(), 0, `${command} was asked about again`);
  await chat
    .row(new RegExp(`^Command ${command.replace('.', '\\.')}`))
    .last()
    .waitFor();
}

async function reloaded(t: ScenarioContext): Promise<Chat> {
  await t.ui.reload(t.page);
  return openChat(t);
}

/** Sends a prompt, hides the panel while the model thinks, and lets it ask. */
async function hidden(t: ScenarioContext, reply: Reply): Promise<void> {
  const model = modelOf(t);
  const chat = await openChat(t);
  await newSession(t, chat);
  const blocks = 'blocks' in reply ? reply.blocks : [];
  const thinks = {
    type: 'text',
    text: 'I think about it',
    deltas: 4,
    hold: { beforeDelta: 2, gate: 'hidden' },
  } as const;
  model.play({ responses: [{ blocks: [thinks, ...blocks] }, say('That is done.')] });
  await chat.send('Go on.');
  await model.waitedFor('hidden');
  await t.ui.command(t.page, 'View: Toggle Secondary Side Bar Visibility');
  await t.ui.secondarySideBar(t.page).waitFor({ state: 'hidden' });
  model.open('hidden');
}
