/** *Sluice: Permissions* as a person uses it. */
import type { ScenarioContext } from '../../harness/scenario.mjs';

async function open({ ui, page }: ScenarioContext): Promise<void> {
  await ui.command(page, 'Sluice: Permissions…');
  await ui.quickInput(page).getByText('Would this be allowed?').waitFor();
}

/** Everything that *Would this be allowed?* shows. The list is closed again. */
export async function tryRule(t: ScenarioContext, text: string): Promise<string> {
  const { ui, page } = t;
  await open(t);
  await ui.quickInput(page).getByText('Would this be allowed?').click();
  await ui.answer(page, text);
  const list = ui.quickInput(page);
  await list.getByText(/Allowed without asking|Would ask|Refused/).waitFor();
  const shown = await list.innerText();
  await page.keyboard.press('Escape');
  await list.getByText('Would this be allowed?').waitFor();
  await page.keyboard.press('Escape');
  return shown;
}

/** Presses a button of a rule, and closes the list. */
export async function pickRule(t: ScenarioContext, rule: string, button: string): Promise<void> {
  const { ui, page } = t;
  await open(t);
  const row = ui.quickInput(page).locator('.monaco-list-row', { hasText: rule }).first();
  await row.hover();
  await row.getByRole('button', { name: button }).click();
  await row.waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
}
