/** Which route is in use, and the keys for it. A key is typed into a password box and kept in the secret store; it is never read back. */
import * as vscode from 'vscode';
import type { RouteChoice } from '../panel/chat/session';
import { writeSetting } from '../editor/settings-write';
import { changeModel } from './add-route';
import type { CommandDeps } from './register';
import { abilityWords, priceWords, windowWords } from './route-words';

interface RouteItem extends vscode.QuickPickItem {
  readonly choice?: RouteChoice;
  readonly command?: string;
}

function otherModelButton(): vscode.QuickInputButton {
  return {
    iconPath: new vscode.ThemeIcon('list-selection'),
    tooltip: vscode.l10n.t('Another Model of This Server…'),
  };
}

export async function chooseRoute(deps: CommandDeps): Promise<void> {
  const { chat, routes, setup } = await deps.open();
  const items = await routeItems(routes.list(), deps, chat.route.id);
  const picked = await pickRoute([...items, ...moreItems()], chat.route.id);
  if (picked === undefined) return;
  if (picked.command !== undefined) return void (await vscode.commands.executeCommand(picked.command));
  const choice =
    picked.choice === undefined || !picked.otherModel
      ? picked.choice
      : await changeModel(setup, picked.choice);
  if (choice === undefined) return;
  if (choice.key === 'required' && (await deps.keys.get(choice.id)) === undefined) {
    if (!(await askForKey(deps, choice))) return;
  }
  await chat.setRoute(choice);
}

/** With a button on each route that has other models. */
function pickRoute(
  items: readonly RouteItem[],
  current: string,
): Promise<(Pick<RouteItem, 'choice' | 'command'> & { readonly otherModel: boolean }) | undefined> {
  return new Promise((resolve) => {
    const pick = vscode.window.createQuickPick<RouteItem>();
    pick.title = vscode.l10n.t('Route');
    pick.placeholder = vscode.l10n.t('Which model works on this session and the next ones');
    pick.matchOnDescription = true;
    pick.matchOnDetail = true;
    pick.items = items;
    pick.activeItems = items.filter((item) => item.choice?.id === current);
    const done = (item: RouteItem | undefined, otherModel: boolean): void => {
      resolve(item === undefined ? undefined : { ...item, otherModel });
      pick.hide();
    };
    pick.onDidAccept(() => done(pick.selectedItems[0], false));
    pick.onDidTriggerItemButton(({ item }) => done(item, true));
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

function moreItems(): RouteItem[] {
  return [
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    { label: vscode.l10n.t('$(add) Add Route…'), command: 'sluice.addRoute' },
    { label: vscode.l10n.t('$(checklist) Check This Route…'), command: 'sluice.checkRoute' },
  ];
}

async function routeItems(
  choices: readonly RouteChoice[],
  { keys }: CommandDeps,
  current: string,
): Promise<readonly RouteItem[]> {
  return Promise.all(
    choices.map(async (choice) => {
      const { info } = choice;
      const notes = [
        choice.id === current ? vscode.l10n.t('current') : undefined,
        choice.key === 'required' && (await keys.get(choice.id)) === undefined
          ? vscode.l10n.t('needs a key')
          : undefined,
        info === undefined ? undefined : windowWords(info),
        info === undefined ? undefined : priceWords(info),
      ].filter((note) => note !== undefined);
      const abilities = info === undefined ? '' : abilityWords(info);
      return {
        choice,
        label: choice.title,
        description: notes.join(' · '),
        detail: abilities === '' ? choice.detail : `${choice.detail} · ${abilities}`,
        ...(info === undefined ? {} : { buttons: [otherModelButton()] }),
      };
    }),
  );
}

/** `routeId` comes from a card that knows which route failed; with a new key the prompt that failed is tried again. */
export async function setApiKey(deps: CommandDeps, routeId?: unknown): Promise<void> {
  const { chat, routes } = await deps.open();
  const choices = routes.list().filter((choice) => choice.key !== 'none');
  const choice = choices.find(({ id }) => id === routeId) ?? (await pickForKey(deps, choices));
  if (choice === undefined || !(await askForKey(deps, choice))) return;
  if (chat.route.id === choice.id) return routeId === choice.id ? chat.answerWhatWaits() : undefined;
  const use = vscode.l10n.t('Use It Now');
  const saved = vscode.l10n.t('The key for {0} is saved.', choice.title);
  if ((await vscode.window.showInformationMessage(saved, use)) === use) await chat.setRoute(choice);
}

async function pickForKey(
  deps: CommandDeps,
  choices: readonly RouteChoice[],
): Promise<RouteChoice | undefined> {
  const address = { label: vscode.l10n.t('$(link) Anthropic-compatible base URL…'), address: true };
  const items = await Promise.all(
    choices.map(async (choice) => ({
      choice,
      label: choice.title,
      description:
        (await deps.keys.get(choice.id)) === undefined ? vscode.l10n.t('no key') : vscode.l10n.t('key saved'),
      detail: choice.detail,
    })),
  );
  const separator = { label: '', kind: vscode.QuickPickItemKind.Separator };
  const picked = await vscode.window.showQuickPick<
    vscode.QuickPickItem & { choice?: RouteChoice; address?: boolean }
  >([...items, separator, address], {
    title: vscode.l10n.t('Set API Key'),
    placeHolder: vscode.l10n.t('The route that the key is for'),
  });
  if (picked?.address !== true) return picked?.choice;
  if (!(await askForBaseUrl())) return undefined;
  const { routes } = await deps.open();
  return routes.list().find(({ id }) => id === 'anthropic');
}

/** False when the person gave up. An empty box takes a saved key away. */
async function askForKey({ keys }: CommandDeps, choice: RouteChoice): Promise<boolean> {
  const had = (await keys.get(choice.id)) !== undefined;
  const key = await vscode.window.showInputBox({
    title: vscode.l10n.t('API key for {0}', choice.title),
    prompt: had
      ? vscode.l10n.t('Kept in the secret store. Leave empty to remove the saved key.')
      : vscode.l10n.t('Kept in the secret store; sent to {0} only.', choice.detail),
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) =>
      /\s/.test(text.trim()) ? vscode.l10n.t('A key has no spaces or line breaks.') : undefined,
  });
  if (key === undefined) return false;
  const plain = key.trim();
  if (plain !== '') await keys.set(choice.id, plain);
  else if (had) await keys.delete(choice.id);
  return plain !== '';
}

async function askForBaseUrl(): Promise<boolean> {
  const current = vscode.workspace.getConfiguration('sluice').get<string>('anthropic.baseUrl');
  const address = await vscode.window.showInputBox({
    title: vscode.l10n.t('Base URL of an Anthropic-compatible server'),
    prompt: vscode.l10n.t(
      'Requests, with your key and what Sluice reads, go to this address. Empty for Anthropic itself.',
    ),
    ...(current === undefined ? {} : { value: current }),
    ignoreFocusOut: true,
    validateInput: (text) =>
      text.trim() === '' || isWebAddress(text.trim())
        ? undefined
        : vscode.l10n.t('An address that begins with https:// or http://.'),
  });
  if (address === undefined) return false;
  await writeSetting('anthropic.baseUrl', address.trim() === '' ? undefined : address.trim());
  return true;
}

function isWebAddress(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}
