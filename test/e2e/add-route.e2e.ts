/**
 * A newcomer's way to a route: what is on the machine is found, a server that wants a key says so, the route is tried before it is
 * saved, checked, and compared. The keys that are typed stay out of everything that can be read.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type { ScenarioContext, ScenarioOptions } from '../harness/scenario.mjs';
import { character } from '../fakes/model-server/exam-characters';
import { startModelServer } from '../fakes/model-server/server';
import type { ModelServer } from '../fakes/model-server/server';
import { openChat } from './pages/chat';
import { typeKey } from './pages/commands';
import { watchHealth } from './support/health';
import { modelOf } from './support/model-server';

const KEY = 'sk-add-route-0123456789';
const servers: { gateway?: ModelServer } = {};

export const options: ScenarioOptions = {
  workspace: 'failing-test',
  async before() {
    const model = await startModelServer(character('perfect'));
    const gateway = await startModelServer(character('no parallel calls'), { apiKey: KEY });
    servers.gateway = gateway;
    const prepared = {
      model,
      env: { OLLAMA_HOST: model.url.replace('http://', '') },
      stop: () => Promise.all([model.close(), gateway.close()]),
    };
    return prepared;
  },
};

export default async function addRoute(t: ScenarioContext): Promise<void> {
  const health = watchHealth(t);
  const { page, ui } = t;
  const chat = await openChat(t);
  const inUse = (title: string): Promise<void> =>
    chat.frame.getByRole('button', { name: new RegExp(`^Route: ${title}`) }).waitFor();
  const works = (title: string) => ui.toast(page, new RegExp(`${title} \\(.*\\) works and is in use\\.`));

  await t.step('an Ollama that runs here is found, with its models', async () => {
    await ui.command(page, 'Sluice: Add Route…');
    await ui.quickRow(page, 'Ollama').waitFor();
    await t.shot('places');
    await ui.pick(page, 'Ollama');
    await ui.quickRow(page, 'qwen3:8b').waitFor();
    const row = ui.quickInput(page).locator('.monaco-list-row', { hasText: 'qwen3:8b' });
    const words = await row.innerText();
    assert.match(words, /40K window/);
    assert.match(words, /5\.2 GB/);
    assert.match(words, /tools/);
    await t.shot('models');
    await ui.pick(page, 'qwen3:8b');
    await works('qwen3:8b').waitFor();
    await inUse('qwen3:8b');
    assert.equal(modelOf(t).requests.length, 1, 'one small request tried it');
    const options_ = modelOf(t).requests[0]?.body['options'];
    assert.equal((options_ as { num_ctx?: number } | undefined)?.num_ctx, 32_768);
  });

  await t.step('its check says what it is fit for, with a report', async () => {
    await works('qwen3:8b').getByRole('button', { name: 'Check This Route' }).click();
    await ui.quickRow(page, 'Full Check').waitFor();
    await t.shot('estimate');
    await ui.pick(page, 'Full Check');
    await ui.toast(page, 'Fit for multi-step work.').waitFor({ timeout: 60_000 });
    await ui.tab(page, /Preview qwen3-8b/).waitFor();
    await page.waitForTimeout(2_000); // for the picture only
    await t.shot('report');
    const folder = path.join(t.home, '.sluice/route-checks');
    assert.equal(fs.readdirSync(folder).filter((name) => name.endsWith('.json')).length, 1);
  });

  await t.step('a server that wants a key asks for it in a password box', async () => {
    const gateway = servers.gateway;
    assert.ok(gateway);
    await ui.command(page, 'Sluice: Add Route…');
    await ui.pick(page, 'OpenAI-compatible server…');
    await page.locator('.quick-input-widget').getByText('Add Route: Address').waitFor();
    await ui.answer(page, `${gateway.url}/v1`);
    await ui.pick(page, 'local-model');
    await ui.toast(page, /key/i).getByRole('button', { name: 'Enter a Key…' }).click();
    await typeKey(t, KEY, page);
    await works('local-model').waitFor();
    await inUse('local-model');
    assert.equal(gateway.requests.at(-1)?.headers['authorization'], `Bearer ${KEY}`);
  });

  await t.step('two checked routes stand side by side in a table', async () => {
    await works('local-model').getByRole('button', { name: 'Check This Route' }).click();
    await ui.pick(page, 'Short Check');
    const done = ui.toast(page, 'It calls one tool at a time');
    await done.waitFor({ timeout: 60_000 });
    await done.getByRole('button', { name: 'Compare Routes' }).click();
    await ui.tab(page, /Preview comparison/).waitFor();
    await page.waitForTimeout(2_000); // for the picture only
    await t.shot('comparison');
    const table = fs.readFileSync(path.join(t.home, '.sluice/route-checks/comparison.md'), 'utf8');
    assert.match(table, /\| Calls two tools at once \| – not supported \| ✔ pass \|/);
  });

  await t.step('the picker shows window, price and abilities of each', async () => {
    await ui.command(page, 'Sluice: Choose Route…');
    await ui.quickRow(page, 'Anthropic').waitFor();
    const words = await ui.quickInput(page).innerText();
    assert.match(words, /1M window, 128K out · \$3 in, \$15 out per million tokens/);
    assert.match(words, /32K window · price unknown/);
    assert.match(words, /window unknown · price unknown/);
    await t.shot('picker');
    await page.keyboard.press('Escape');
  });

  await t.step('the key is in no setting, log, transcript, report or request body', () => {
    const read = (folder: string): string =>
      (fs.readdirSync(folder, { recursive: true }) as string[])
        .map((name) => path.join(folder, name))
        .filter((file) => fs.statSync(file).isFile())
        .map((file) => fs.readFileSync(file, 'latin1'))
        .join('\n');
    assert.ok(!t.hostLog().includes(KEY));
    assert.ok(!read(path.join(t.home, '.sluice')).includes(KEY));
    const settings = fs.readFileSync(t.server.machineSettingsFile, 'utf8');
    assert.match(settings, /local-model/);
    assert.ok(!settings.includes(KEY));
    assert.ok(servers.gateway?.requests.every(({ raw }) => !raw.includes(KEY)));
  });
  health.check();
}
