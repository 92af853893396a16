/** What servers say of themselves, against the scripted server. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { catalogueInfo, mergeInfo } from '../../../extension/models/catalogue';
import { detectLocal, listModels } from '../../../extension/models/probe';
import { startModelServer } from '../../fakes/model-server/server.ts';
import type { ModelServer } from '../../fakes/model-server/server.ts';

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer({ responses: [] });
});
afterEach(() => server.close());

describe('listModels', () => {
  it('asks Ollama for models, sizes, windows and abilities', async () => {
    expect(await listModels({ transport: 'ollama', baseUrl: `${server.url}/` })).toEqual({
      type: 'models',
      version: '0.12.3',
      models: [
        {
          id: 'qwen3:8b',
          contextTokens: 40_960,
          tools: true,
          images: false,
          reasoning: true,
          bytes: 5_200_000_000,
        },
      ],
    });
  });

  it('asks Anthropic and OpenAI servers, and fills in what the catalogue knows', async () => {
    const anthropic = await listModels({ transport: 'anthropic', baseUrl: server.url, apiKey: 'k' });
    expect(anthropic.type === 'models' ? anthropic.models[0] : anthropic).toMatchObject({
      id: 'claude-opus-4-8',
      contextTokens: 200_000,
      images: true,
      price: { input: 5 },
    });
    const openai = await listModels({ transport: 'openai-chat', baseUrl: `${server.url}/v1` });
    expect(openai.type === 'models' ? openai.models.map((model) => model.id) : openai).toEqual([
      'gpt-5.5',
      'gpt-5.4-mini',
      'local-model',
    ]);
  });

  it('says what is wrong with an address', async () => {
    await server.close();
    const listing = await listModels({ transport: 'openai-chat', baseUrl: server.url });
    expect(listing).toMatchObject({ type: 'error', error: { kind: 'network' } });
  });
});

it('finds servers on this machine by their answer', async () => {
  const found = await detectLocal(undefined, [
    { name: 'Ollama', transport: 'ollama', baseUrl: server.url },
    { name: 'LM Studio', transport: 'openai-chat', baseUrl: 'http://127.0.0.1:9' },
  ]);
  expect(found.map((place) => place.name)).toEqual(['Ollama']);
});

describe('the catalogue', () => {
  it('knows models by family, whatever the id is dressed in', () => {
    for (const id of [
      'claude-opus-4-8',
      'anthropic/claude-opus-4-8-20260528',
      'us.anthropic.claude-opus-4-8-v1:0',
      'claude-opus-4.8',
    ]) {
      expect([id, catalogueInfo(id).outputTokens]).toEqual([id, 128_000]);
    }
    expect(catalogueInfo('gpt-5').contextTokens).toBe(272_000);
    expect(catalogueInfo('qwen/qwen3-coder-next').contextTokens).toBe(262_144);
  });
  it('leaves what is unknown unknown', () => {
    expect(catalogueInfo('my-own-model')).toEqual({ id: 'my-own-model' });
  });
  it('lets the server beat the catalogue and the user beat both', () => {
    expect(
      mergeInfo('gpt-5', catalogueInfo('gpt-5'), { contextTokens: 1000 }, { outputTokens: 5 }),
    ).toMatchObject({ contextTokens: 1000, outputTokens: 5, price: { input: 1.25 } });
  });
});
