/**
 * Sluice: Add Route. Shows what is there, asks for as little as possible, tries the route live before anything is saved, and uses it.
 * A key is typed into a password box, or taken from a variable that the person picked; it is never shown.
 */
import * as vscode from 'vscode';
import type { Listing, ListedModel } from '../models/probe';
import type { RouteError } from '../models/transport';
import type { CommandDeps } from './register';
import type { Draft, FoundPlace, Key, Place, RouteSetup, RouteTransport } from './route-setup';
import { abilityWords, priceWords, sizeWords, windowWords } from './route-words';

/** The person went back; nothing is changed. */
const GONE = Symbol('gone');
type OrGone<T> = T | typeof GONE;

export async function addRoute(deps: CommandDeps): Promise<void> {
  const { setup } = await deps.open();
  const place = await pickPlace(setup);
  if (place === GONE) return;
  const server = await reach(setup, place);
  if (server === GONE) return;
  let { key } = server;
  let model = await pickModel(place, server.models);
  while (model !== GONE) {
    const draft: Draft = { ...server.place, model };
    const verdict = await tried(setup, draft, key);
    if (verdict === 'gone') return;
    if (verdict === 'use') return finish(deps, draft, key);
    if (verdict === 'key') {
      const typed = await askForKey(place);
      if (typed === GONE) return;
      key = typed;
    } else model = await pickModel(place, server.models);
  }
}

interface PlaceItem extends vscode.QuickPickItem {
  readonly place?: FoundPlace;
  readonly own?: RouteTransport;
}

/** The list is open while the machine is looked at. */
function pickPlace(setup: RouteSetup): Promise<OrGone<FoundPlace>> {
  return new Promise((resolve, reject) => {
    const pick = vscode.window.createQuickPick<PlaceItem>();
    pick.title = vscode.l10n.t('Add Route');
    pick.placeholder = vscode.l10n.t('Where the model is');
    pick.matchOnDescription = true;
    pick.matchOnDetail = true;
    pick.busy = true;
    pick.items = ownPlaces();
    let picked = false;
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      if (item?.place === undefined && item?.own === undefined) return;
      picked = true;
      pick.hide();
      if (item.place !== undefined) resolve(item.place);
      else if (item.own !== undefined) askForPlace(item.own).then(resolve, reject);
    });
    pick.onDidHide(() => {
      pick.dispose();
      if (!picked) resolve(GONE);
    });
    pick.show();
    setup.detect().then((found) => {
      pick.items = [...foundItems(found), ...ownPlaces()];
      pick.busy = false;
    }, reject);
  });
}

function separator(label: string): PlaceItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

function foundItems(found: readonly FoundPlace[]): PlaceItem[] {
  const groups: readonly (readonly [FoundPlace['how'], string])[] = [
    ['local', vscode.l10n.t('On this machine')],
    ['editor', vscode.l10n.t('In VS Code')],
    ['environment', vscode.l10n.t('Keys in the environment')],
    ['provider', vscode.l10n.t('Providers')],
  ];
  return groups.flatMap(([how, title]) => {
    const places = found.filter((place) => place.how === how);
    return places.length === 0 ? [] : [separator(title), ...places.map(placeItem)];
  });
}

function placeItem(place: FoundPlace): PlaceItem {
  const count = place.models?.length;
  const note =
    place.keyFrom !== undefined
      ? vscode.l10n.t('with the key in {0}', place.keyFrom)
      : count !== undefined
        ? count === 1
          ? vscode.l10n.t('1 model')
          : vscode.l10n.t('{0} models', count)
        : place.how === 'editor'
          ? vscode.l10n.t('models that VS Code offers')
          : vscode.l10n.t('needs a key');
  return { label: place.title, description: note, detail: place.baseUrl, place };
}

function ownPlaces(): PlaceItem[] {
  return [
    separator(vscode.l10n.t('Another server')),
    {
      label: vscode.l10n.t('OpenAI-compatible server…'),
      detail: vscode.l10n.t('LM Studio, llama.cpp, vLLM, gateways: most servers speak this'),
      own: 'openai-chat',
    },
    { label: vscode.l10n.t('OpenAI Responses server…'), own: 'openai-responses' },
    { label: vscode.l10n.t('Anthropic-compatible server…'), own: 'anthropic' },
    { label: vscode.l10n.t('Ollama on another machine…'), own: 'ollama' },
  ];
}

async function askForPlace(transport: RouteTransport): Promise<OrGone<FoundPlace>> {
  const examples: Partial<Record<RouteTransport, string>> = {
    ollama: 'http://192.168.1.20:11434',
    anthropic: 'https://gateway.example.com',
  };
  const address = await vscode.window.showInputBox({
    title: vscode.l10n.t('Add Route: Address'),
    prompt: vscode.l10n.t('Address of the server. Your prompts and what Sluice reads go there.'),
    placeHolder: examples[transport] ?? 'http://localhost:1234/v1',
    ignoreFocusOut: true,
    validateInput: problemOfAddress,
  });
  if (address === undefined) return GONE;
  const baseUrl = address.trim().replace(/\/+$/, '');
  const title = URL.parse(baseUrl)?.host ?? baseUrl;
  return { title, transport, baseUrl, how: 'local', needsKey: false };
}

function problemOfAddress(text: string): string | undefined {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol))
    return vscode.l10n.t('An address that begins with https:// or http://.');
  return url.username === '' && url.password === ''
    ? undefined
    : vscode.l10n.t('Leave the user and the password out; the next step asks for a key.');
}

interface Reached {
  readonly place: Place;
  readonly key: Key | undefined;
  readonly models: readonly ListedModel[];
}

/** Until the server has answered with its models, or the person gave up. */
async function reach(setup: RouteSetup, place: FoundPlace): Promise<OrGone<Reached>> {
  if (place.models !== undefined) return { place, key: undefined, models: place.models };
  let key: Key | undefined = place.keyFrom === undefined ? undefined : { variable: place.keyFrom };
  let asks = place.needsKey && key === undefined;
  for (;;) {
    if (asks) {
      const typed = await askForKey(place);
      if (typed === GONE) return GONE;
      key = typed;
    }
    const listing = await working(vscode.l10n.t('Asking {0} for its models…', place.title), () =>
      setup.models(place, key),
    );
    if (listing.type === 'models') return { place, key, models: listing.models };
    // Some servers list nothing: the model's name is asked for instead, and the test shows whether it is there.
    if (listing.error.kind === 'not_found') return { place, key, models: [] };
    const next = await afterFailure(listing.error);
    if (next === 'gone') return GONE;
    asks = next === 'key';
  }
}

async function askForKey(place: Place): Promise<OrGone<Key>> {
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('Add Route: Key'),
    prompt: vscode.l10n.t('Kept in the secret store; sent to {0} only.', place.baseUrl),
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) =>
      text.trim() === ''
        ? vscode.l10n.t('The key is empty.')
        : /\s/.test(text.trim())
          ? vscode.l10n.t('A key has no spaces or line breaks.')
          : undefined,
  });
  return typed === undefined ? GONE : { typed: typed.trim() };
}

async function afterFailure(error: RouteError): Promise<'again' | 'key' | 'gone'> {
  const again = vscode.l10n.t('Try Again');
  const key = vscode.l10n.t('Enter a Key…');
  const buttons = error.kind === 'auth' ? [key, again] : [again, key];
  const picked = await vscode.window.showErrorMessage(error.message, ...buttons);
  if (picked === undefined) return 'gone';
  return picked === key ? 'key' : 'again';
}

function working<T>(title: string, work: () => Promise<T>): Promise<T> {
  return Promise.resolve(
    vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, work),
  );
}

interface ModelItem extends vscode.QuickPickItem {
  readonly model?: ListedModel;
  readonly other?: boolean;
}

export function modelItems(models: readonly ListedModel[]): ModelItem[] {
  return models.map((model) => ({
    label: model.id,
    description: [windowWords(model), sizeWords(model)].filter((word) => word !== undefined).join(' · '),
    detail: [abilityWords(model), priceWords(model)].filter((word) => word !== '').join(' · '),
    model,
  }));
}

async function pickModel(place: Place, models: readonly ListedModel[]): Promise<OrGone<ListedModel>> {
  const other: ModelItem = { label: vscode.l10n.t('$(edit) Another model, by name…'), other: true };
  const picked =
    models.length === 0
      ? other
      : await vscode.window.showQuickPick<ModelItem>([...modelItems(models), other], {
          title: vscode.l10n.t('Add Route: Model'),
          placeHolder: vscode.l10n.t('Models of {0}', place.title),
          matchOnDescription: true,
          matchOnDetail: true,
          ignoreFocusOut: true,
        });
  if (picked === undefined) return GONE;
  if (picked.model !== undefined) return picked.model;
  const id = await vscode.window.showInputBox({
    title: vscode.l10n.t('Add Route: Model'),
    prompt: vscode.l10n.t('Name of the model as {0} knows it', place.title),
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('The name is empty.') : undefined),
  });
  return id === undefined ? GONE : { id: id.trim() };
}

type Verdict = 'use' | 'other' | 'key' | 'gone';

/** What follows a test: save it, take another model, ask for a key, or give up. A model that cannot call tools is offered only with that said. */
async function tried(setup: RouteSetup, draft: Draft, key: Key | undefined): Promise<Verdict> {
  const other = vscode.l10n.t('Choose Another Model');
  if (draft.model.tools === false) {
    const anyway = vscode.l10n.t('Use It for Questions Only');
    const text = vscode.l10n.t(
      '{0} cannot call tools. It can answer questions, but it cannot read, search, edit or run anything.',
      draft.model.id,
    );
    const picked = await vscode.window.showWarningMessage(text, other, anyway);
    if (picked !== anyway) return picked === other ? 'other' : 'gone';
  }
  for (;;) {
    const trial = await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: vscode.l10n.t('Testing {0} with one small request…', draft.model.id),
        cancellable: true,
      },
      (_progress, token) => {
        const control = new AbortController();
        token.onCancellationRequested(() => control.abort());
        return setup.test(draft, key, control.signal);
      },
    );
    if (trial.type === 'works') return 'use';
    if (trial.type === 'stopped') return 'gone';
    const next = await afterTrial(trial.error, other);
    if (next !== 'again') return next;
  }
}

async function afterTrial(error: RouteError, other: string): Promise<Verdict | 'again'> {
  const again = vscode.l10n.t('Try Again');
  const save = vscode.l10n.t('Add It Anyway');
  const copy = vscode.l10n.t('Copy the Command');
  const key = vscode.l10n.t('Enter a Key…');
  const buttons =
    error.pull !== undefined
      ? [copy, again, other]
      : error.kind === 'auth'
        ? [key, other]
        : [again, other, save];
  const picked = await vscode.window.showErrorMessage(error.message, ...buttons);
  if (picked === copy && error.pull !== undefined) {
    await vscode.env.clipboard.writeText(`ollama pull ${error.pull}`);
    return afterTrial(error, other);
  }
  if (picked === again) return 'again';
  if (picked === key) return 'key';
  if (picked === other) return 'other';
  return picked === save ? 'use' : 'gone';
}

async function finish(deps: CommandDeps, draft: Draft, key: Key | undefined): Promise<void> {
  const { setup, chat } = await deps.open();
  const choice = await setup.save(draft, key);
  await chat.setRoute(choice);
  const check = vscode.l10n.t('Check This Route');
  const text = vscode.l10n.t(
    '{0} works and is in use. A check shows which work it can sustain.',
    choice.title,
  );
  if ((await vscode.window.showInformationMessage(text, check)) === check)
    await vscode.commands.executeCommand('sluice.checkRoute');
}

/** Another model of the same server. False when the person gave up. */
export async function changeModel(
  setup: RouteSetup,
  choice: Parameters<RouteSetup['modelsOf']>[0],
): Promise<Awaited<ReturnType<RouteSetup['useModel']>> | undefined> {
  const listing: Listing = await working(vscode.l10n.t('Asking {0} for its models…', choice.title), () =>
    setup.modelsOf(choice),
  );
  if (listing.type === 'error') {
    await vscode.window.showErrorMessage(listing.error.message);
    return undefined;
  }
  const model = await pickModel(
    { title: choice.title, transport: 'openai-chat', baseUrl: '' },
    listing.models,
  );
  return model === GONE ? undefined : setup.useModel(choice, model);
}
