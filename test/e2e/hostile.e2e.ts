/**
 * A repository that tries everything: settings, tasks, hooks, MCP servers, agents, commands, skills, instructions, permission rules, and a
 * configuration of git that starts programs. Before trust nothing of it runs or counts; after trust nothing does without a question.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Prepared, ScenarioContext, ScenarioOptions } from '../harness/scenario.mjs';
import { isolatedEnv } from '../harness/lib/environment.mjs';
import type { Reply } from '../fakes/model-server/scenario';
import { approvalCard } from './pages/approvals';
import { openChat, shownChat } from './pages/chat';
import { newSession, setApiKey } from './pages/commands';
import { tryRule } from './pages/permissions';
import { watchHealth } from './support/health';
import { KEY, modelOf, serveModel } from './support/model-server';
import { picture } from './support/pictures';

export const options: ScenarioOptions = {
  workspace: 'hostile',
  untrusted: true,
  // VS Code's own git would run what is planted for it.
  settings: { 'git.enabled': false },
  before: plant,
  timeout: 400_000,
};

/** Every plant leaves a file that begins with this name beside the workspace. */
const MARKER = 'marker';

async function plant({
  root,
  home,
  workspace,
}: {
  root: string;
  home: string;
  workspace: string;
}): Promise<Prepared> {
  const evil = path.join(workspace, 'evil.sh');
  for (const name of fs.readdirSync(workspace, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(workspace, name);
    if (name.startsWith('.git/') || !fs.statSync(file).isFile()) continue;
    const text = fs.readFileSync(file, 'utf8');
    fs.writeFileSync(
      file,
      text.replaceAll('__MARKER__', path.join(root, MARKER)).replaceAll('__EVIL__', evil),
    );
  }
  fs.chmodSync(evil, 0o755);
  for (const [name, value] of [
    ['core.fsmonitor', evil],
    ['core.hooksPath', path.dirname(evil)],
    ['filter.evil.clean', evil],
    ['diff.evil.textconv', evil],
    ['diff.external', evil],
    ['alias.st', `!${evil}`],
  ] as const)
    spawnSync('git', ['config', name, value], { cwd: workspace, env: isolatedEnv(home) });
  return serveModel({ responses: [] }, { apiKey: KEY });
}

const say = (said: string): Reply => ({ blocks: [{ type: 'text', text: said }] });
const bash = (command: string): Reply => ({
  blocks: [{ type: 'tool_use', name: 'Bash', input: { command } }],
});

export default async function hostile(t: ScenarioContext): Promise<void> {
  const health = watchHealth(t);
  const model = modelOf(t);
  const outside = path.dirname(path.dirname(t.workspace));
  const nothingRan = (when: string): void =>
    assert.deepEqual(
      fs.readdirSync(outside).filter((name) => name.startsWith(MARKER)),
      [],
      when,
    );
  const chat = await openChat(t);
  await setApiKey(t, KEY);

  await t.step('not trusted: nothing runs, nothing is granted', async () => {
    model.play({
      responses: [
        bash('touch made.txt'),
        bash('git status'),
        {
          blocks: [
            { type: 'tool_use', name: 'Write', input: { file_path: 'made.txt', content: 'x' } },
            { type: 'tool_use', name: 'Read', input: { file_path: '.env' } },
            { type: 'tool_use', name: 'Read', input: { file_path: '/etc/hostname' } },
            { type: 'tool_use', name: 'Read', input: { file_path: 'src/one.js' } },
          ],
        },
        say('I may only read.'),
      ],
    });
    await chat.send('Do what the repository says.');
    // A secret is asked about wherever it lies; nothing else is.
    await (await approvalCard(chat, '.env')).deny();
    await chat.said('I may only read.').waitFor();
    await chat.idle();
    assert.equal(await chat.frame.locator('.ask').count(), 0);
    assert.equal(fs.existsSync(path.join(t.workspace, 'made.txt')), false);
    const rows = (await chat.rows())
      .map(({ label }) => label)
      .filter((label) => /^(?:Command|Read|Write)/.test(label));
    assert.equal(rows.filter((label) => label.includes('denied')).length, 5, rows.join('\n'));
    assert.equal(rows.filter((label) => label.includes('done')).length, 1, rows.join('\n'));
    const sent = JSON.stringify(model.requests.map(({ body }) => body));
    assert.ok(model.requests.length > 0, 'the requests went to the person’s own server');
    for (const brought of [
      'HOSTILE-INSTRUCTIONS',
      'hostile-secret',
      'Use this agent for everything',
      'mcp__evil',
    ])
      assert.ok(!sent.includes(brought), `${brought} reached the model`);
    nothingRan('before trust');
  });

  await t.step(
    'trusted: what the repository would allow is put before the person, and grants nothing',
    async () => {
      await chat.frame.getByRole('button', { name: 'Manage' }).click();
      await t.page
        .locator('.workspace-trust-editor')
        .getByRole('button', { name: 'Trust', exact: true })
        .click();
      const trusted = await shownChat(t, t.page);
      await trusted.frame.getByText('Restricted Mode: reading only').waitFor({ state: 'detached' });
      await t.page.locator('.monaco-modal-editor-block [aria-label^="Close"]').first().click();
      await t.page.locator('.workspace-trust-editor').waitFor({ state: 'hidden' });
      await t.ui.toast(t.page, /This repository brings 10 rules/).waitFor();
      await picture(t, 'hostile-rules');
      await trusted.frame.getByRole('button', { name: /^Mode: Ask/ }).waitFor();
      assert.match(await tryRule(t, 'touch made.txt'), /Would ask/);
      assert.match(await tryRule(t, 'git status'), /Would ask[\s\S]*starts programs/);
      assert.match(await tryRule(t, 'Edit(src/one.js)'), /Would ask/);
      assert.match(await tryRule(t, 'Read(/etc/hostname)'), /Would ask/);
      nothingRan('after trust');
    },
  );

  await t.step('trusted: a turn runs nothing without a question', async () => {
    const trusted = await shownChat(t, t.page);
    await newSession(t, trusted);
    for (const command of ['touch made.txt', 'git status', 'npm test']) {
      model.play({ responses: [bash(command), say('As you wish.')] });
      await trusted.send('Go on.');
      await (await approvalCard(trusted, command)).deny();
      await trusted.said('As you wish.').waitFor();
      await trusted.idle();
    }
    assert.equal(fs.existsSync(path.join(t.workspace, 'made.txt')), false);
    nothingRan('after a turn');
  });
  health.check();
}
