/** Setting up routes: what there is on this machine, what a server offers, and the setting and key that a new route leaves behind. */
import type { Draft, FoundPlace, Key, Place, RouteSetup } from './commands/route-setup';
import { editorModels } from './editor/language-models';
import type { KeyStore } from './editor/secrets';
import { keepSecret } from './editor/redact';
import { globalSetting, writeSetting } from './editor/settings-write';
import type { EngineRoutes } from './engine-routes';
import { factsOf } from './models/facts';
import type { FactStore } from './models/facts';
import { LOCAL, detectLocal, listModels, localPlace } from './models/probe';
import type { ListedModel, Listing, LocalPlace } from './models/probe';
import { PROVIDERS } from './models/providers';
import { buildRoute } from './models/routes';
import type { RouteConfig, RouteDeps } from './models/routes';
import { tryRoute } from './models/try-route';
import type { RouteChoice } from './panel/chat/session';

export interface SetupParts {
  readonly routes: EngineRoutes;
  readonly keys: KeyStore;
  readonly facts: FactStore;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly deps: RouteDeps;
}

const EDITOR = 'vscode';

export function routeSetup(parts: SetupParts): RouteSetup {
  return {
    detect: () => detect(parts),
    models: (place, key) => modelsAt(place, keyValue(parts, key)),
    test: (draft, key, signal) => {
      const secret = keyValue(parts, key);
      const config = { ...configOf(draft), id: 'route-test' };
      const secrets = { get: async () => secret };
      return tryRoute(buildRoute(config, { ...parts.deps, secrets }).transport, signal);
    },
    save: (draft, key) => save(parts, draft, key),
    modelsOf: (choice) => modelsOf(parts, choice),
    useModel: (choice, model) => useModel(parts, choice, model),
  };
}

/** Nothing waits for anything else: what does not answer is not there. */
async function detect({ environment }: SetupParts): Promise<readonly FoundPlace[]> {
  const host = environment['OLLAMA_HOST'];
  const named = host === undefined || host.trim() === '' ? undefined : localPlace('Ollama', 'ollama', host);
  const places: readonly LocalPlace[] = named === undefined ? LOCAL : [named, ...LOCAL];
  const [local, models] = await Promise.all([detectLocal(undefined, places), editorModels().catch(() => [])]);
  const withKeys = PROVIDERS.map((provider): FoundPlace => {
    const variable = provider.keys.find((name) => (environment[name] ?? '').trim() !== '');
    const place = { ...provider, needsKey: true };
    return variable === undefined
      ? { ...place, how: 'provider' }
      : { ...place, how: 'environment', keyFrom: variable };
  });
  const editor: readonly FoundPlace[] =
    models.length === 0
      ? []
      : [{ title: 'VS Code', transport: 'vscode-lm', baseUrl: '', how: 'editor', needsKey: false }];
  return [
    ...local.map((found): FoundPlace => ({ ...found, title: found.name, how: 'local', needsKey: false })),
    ...editor,
    ...withKeys.filter(({ how }) => how === 'environment'),
    ...withKeys.filter(({ how }) => how === 'provider'),
  ];
}

/** A key in the environment is used where the person chose it, and is then as secret as a typed one. */
function keyValue({ environment }: SetupParts, key: Key | undefined): string | undefined {
  const value = key === undefined ? undefined : 'typed' in key ? key.typed : environment[key.variable];
  const plain = value?.trim() ?? '';
  if (plain === '') return undefined;
  keepSecret(plain);
  return plain;
}

async function modelsAt(place: Place, apiKey: string | undefined): Promise<Listing> {
  if (place.transport !== 'vscode-lm')
    return listModels({
      transport: place.transport,
      baseUrl: place.baseUrl,
      ...(apiKey === undefined ? {} : { apiKey }),
    });
  const models = await editorModels();
  return { type: 'models', models: models.map(({ name, contextTokens }) => ({ id: name, contextTokens })) };
}

function configOf({
  title,
  transport,
  baseUrl,
  model,
}: Draft): Exclude<RouteConfig, { transport: 'practice' }> {
  const named = { id: '', title: titleOf(title, model.id) };
  return transport === 'vscode-lm'
    ? { ...named, transport, model: model.id }
    : { ...named, transport, baseUrl, model: model.id };
}

function titleOf(place: string, model: string): string {
  return `${model.replace(/^.*\//, '')} (${place})`;
}

async function save(parts: SetupParts, draft: Draft, key: Key | undefined): Promise<RouteChoice> {
  const { routes, keys, facts } = parts;
  const config = configOf(draft);
  const id = freeId(draft.model.id, new Set(routes.list().map((choice) => choice.id)));
  const origin = buildRoute({ ...config, id }, parts.deps).transport.origin;
  facts.learn(origin, factsOf(draft.model));
  const secret = keyValue(parts, key);
  // The key first: the moment that the setting is there, the route can be used.
  if (secret !== undefined) await keys.set(id, secret);
  await writeSetting('routes', [...ownRoutes(), { ...config, id }]);
  return chosen(routes, id);
}

function ownRoutes(): readonly unknown[] {
  const value = globalSetting('routes');
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** `qwen3:8b` → `qwen3-8b`, `qwen3-8b-2` … */
export function freeId(model: string, taken: ReadonlySet<string>): string {
  const plain = model
    .replace(/^.*\//, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 56);
  const base = plain === '' ? 'route' : plain;
  let id = base;
  for (let n = 2; taken.has(id) || id === 'practice' || id === 'anthropic'; n++) id = `${base}-${String(n)}`;
  return id;
}

function chosen(routes: EngineRoutes, id: string): RouteChoice {
  const choice = routes.list().find((each) => each.id === id);
  if (choice === undefined) throw new Error(`The setting of the route ${id} was not taken over.`);
  return choice;
}

async function modelsOf({ routes, keys, facts }: SetupParts, choice: RouteChoice): Promise<Listing> {
  const config = routes.config(choice.id);
  const { origin } = routes.open(choice).transport;
  if (config.transport === 'practice') return { type: 'models', models: [] };
  const apiKey = await keys.get(choice.id);
  const headers = 'headers' in config ? config.headers : undefined;
  const listing =
    config.transport === 'vscode-lm'
      ? await modelsAt({ title: EDITOR, transport: 'vscode-lm', baseUrl: '' }, undefined)
      : await listModels({
          transport: config.transport,
          baseUrl: origin.baseUrl,
          ...(apiKey === undefined ? {} : { apiKey }),
          ...(headers === undefined ? {} : { headers }),
        });
  if (listing.type === 'models')
    for (const model of listing.models) facts.learn({ ...origin, model: model.id }, factsOf(model));
  return listing;
}

async function useModel(
  { routes }: SetupParts,
  choice: RouteChoice,
  model: ListedModel,
): Promise<RouteChoice> {
  if (choice.id === 'anthropic') {
    await writeSetting('anthropic.model', model.id);
    return chosen(routes, choice.id);
  }
  const next = ownRoutes().map((entry) => {
    if (typeof entry !== 'object' || entry === null || !('id' in entry) || entry.id !== choice.id)
      return entry;
    const { title: _, ...rest } = entry as Record<string, unknown>;
    return { ...rest, model: model.id };
  });
  await writeSetting('routes', next);
  return chosen(routes, choice.id);
}
