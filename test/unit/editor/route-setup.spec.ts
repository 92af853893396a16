/** Setting a route up, against a real server on loopback and a stand-in for the editor: what is found, what is written, and where the key goes. */
import type { SecretStorage } from 'vscode';
import { afterEach, describe, expect, it } from 'vitest';
import { createKeyStore } from '../../../extension/editor/secrets';
import { modelFacts } from '../../../extension/editor/model-facts';
import { engineRoutes, routeDeps } from '../../../extension/engine-routes';
import { freeId, routeSetup } from '../../../extension/engine-route-setup';
import { startModelServer } from '../../fakes/model-server/server.ts';
import type { ModelServer } from '../../fakes/model-server/server.ts';
import { editor } from '../../fakes/vscode';

const KEY = 'sk-setup-0123456789';
let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
  editor.settings = {};
  editor.models = [];
});

function made(environment: Readonly<Record<string, string>> = {}) {
  editor.settings = {
    'sluice.mode': 'ask',
    'sluice.route': 'practice',
    'sluice.routes': [],
    'sluice.silenceLimit': null,
    'sluice.parallelCalls': 10,
    'sluice.repeatedFailures': 3,
    'sluice.sideEffects': 'response_end',
  };
  const stored = new Map<string, string>();
  const storage = {
    get: async (name: string) => stored.get(name),
    store: async (name: string, value: string) => void stored.set(name, value),
  } as unknown as SecretStorage;
  const kept: Record<string, unknown> = {};
  const memento = {
    get: (name: string, otherwise: unknown) => kept[name] ?? otherwise,
    update: async (name: string, value: unknown) => void (kept[name] = value),
  };
  const keys = createKeyStore(storage);
  const facts = modelFacts(memento as never);
  const routes = engineRoutes(keys, facts, environment);
  const setup = routeSetup({ routes, keys, facts, environment, deps: routeDeps(keys, facts) });
  return { setup, routes, stored, kept, facts };
}

describe('what there is', () => {
  it('is found: a server that answers, models of the editor, keys in the environment, and the providers', async () => {
    server = await startModelServer({ responses: [] });
    editor.models = [
      { vendor: 'copilot', id: 'gpt-5.5', name: 'GPT-5.5', family: 'gpt', maxInputTokens: 64_000 },
    ];
    const { setup } = made({ OLLAMA_HOST: server.url, MISTRAL_API_KEY: KEY, OPENAI_API_KEY: '  ' });
    const found = await setup.detect();
    const named = found
      .filter(({ how }) => how !== 'provider' && how !== 'local')
      .map(({ how, title, keyFrom }) => [how, title, keyFrom]);
    expect(named).toEqual([
      ['editor', 'VS Code', undefined],
      ['environment', 'Mistral', 'MISTRAL_API_KEY'],
    ]);
    // Other servers may run on this machine.
    const here = server.url;
    const local = found.find(({ baseUrl }) => baseUrl === here);
    expect([local?.how, local?.title, local?.models?.[0]?.id]).toEqual(['local', 'Ollama', 'qwen3:8b']);
    expect(JSON.stringify(found)).not.toContain(KEY);
  });
});

describe('a new route', () => {
  it('is tried with its key, written without it, and known with what its server said', async () => {
    server = await startModelServer(
      { responses: [{ blocks: [{ type: 'text', text: 'ready' }] }], afterLast: 'repeat' },
      { apiKey: KEY },
    );
    const { setup, routes, stored, kept } = made({ SOME_KEY: KEY });
    const place = { title: 'Gateway', transport: 'openai-chat', baseUrl: `${server.url}/v1` } as const;
    const listing = await setup.models(place, { variable: 'SOME_KEY' });
    if (listing.type !== 'models') throw new Error(listing.error.message);
    const model = { ...(listing.models[0] ?? { id: '' }), contextTokens: 77_000 };
    const draft = { ...place, model };
    const signal = new AbortController().signal;
    expect(await setup.test(draft, undefined, signal)).toMatchObject({
      type: 'error',
      error: { kind: 'auth' },
    });
    expect(await setup.test(draft, { variable: 'SOME_KEY' }, signal)).toMatchObject({
      type: 'works',
      text: 'ready',
    });
    const choice = await setup.save(draft, { variable: 'SOME_KEY' });
    expect(choice).toMatchObject({
      id: 'gpt-5-5',
      title: 'gpt-5.5 (Gateway)',
      info: { contextTokens: 77_000 },
    });
    expect([...stored]).toEqual([['sluice.key.gpt-5-5', KEY]]);
    expect(JSON.stringify([editor.settings, kept])).not.toContain(KEY);
    expect(routes.list().map(({ id }) => id)).toEqual(['practice', 'anthropic', 'gpt-5-5']);
    const again = await setup.save(draft, undefined);
    expect(again.id).toBe('gpt-5-5-2');
    const other = await setup.useModel(again, { id: 'local-model' });
    expect([other.id, other.title]).toEqual(['gpt-5-5-2', 'local-model']);
  });

  it('of the editor has no address and no key', async () => {
    editor.models = [{ vendor: 'acme', id: 'm1', name: 'M1', family: 'm', maxInputTokens: 9_000 }];
    const { setup, stored } = made();
    const place = (await setup.detect()).find(({ how }) => how === 'editor');
    if (place === undefined) throw new Error('not found');
    const listing = await setup.models(place, undefined);
    const [model] = listing.type === 'models' ? listing.models : [];
    const choice = await setup.save({ ...place, model: model ?? { id: '' } }, undefined);
    expect(choice).toMatchObject({ id: 'm1', key: 'none', info: { contextTokens: 9_000 } });
    expect(editor.settings['sluice.routes']).toEqual([
      { id: 'm1', title: 'm1 (VS Code)', transport: 'vscode-lm', model: 'acme/m1' },
    ]);
    expect(stored.size).toBe(0);
  });

  it.each([
    ['qwen3:8b', 'qwen3-8b'],
    ['anthropic', 'anthropic-2'],
    ['org/Model.Name', 'Model-Name'],
    ['模型', 'route'],
  ])('of %s is called %s', (model, id) => {
    expect(freeId(model, new Set())).toBe(id);
  });
});

describe('the fallback route', () => {
  it('is the one that is set, and never the one that failed', () => {
    const { routes } = made();
    editor.settings['sluice.fallbackRoute'] = 'anthropic';
    const practice = routes.open({ id: 'practice', title: '', detail: '', key: 'none' });
    const anthropic = routes.open({ id: 'anthropic', title: '', detail: '', key: 'required' });
    const error = { kind: 'quota', message: '', retryable: false } as const;
    expect(routes.fallback(practice, error)?.id).toBe('anthropic');
    expect(routes.fallback(anthropic, error)).toBeUndefined();
    editor.settings['sluice.fallbackRoute'] = 'no-such-route';
    expect(routes.fallback(practice, error)).toBeUndefined();
  });
});

it('takes the window of Ollama from the environment before the setting', () => {
  const { routes } = made({ SLUICE_OLLAMA_NUM_CTX: '16384' });
  editor.settings['sluice.routes'] = [{ id: 'o', transport: 'ollama', model: 'm', numCtx: 65_536 }];
  expect(routes.list().find(({ id }) => id === 'o')?.info?.contextTokens).toBe(16_384);
});
