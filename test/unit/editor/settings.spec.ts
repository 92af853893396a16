import type { SecretStorage } from 'vscode';
import { afterEach, describe, expect, it } from 'vitest';
import { createKeyStore } from '../../../extension/editor/secrets';
import { readSettings } from '../../../extension/editor/settings';
import { engineRoutes } from '../../../extension/engine-routes';
import { buildRoute } from '../../../extension/models/routes';
import { editor } from '../../fakes/vscode';

const DEFAULTS = {
  'sluice.mode': 'ask',
  'sluice.route': 'practice',
  'sluice.routes': [],
  'sluice.silenceLimit': null,
  'sluice.compaction.automatic': true,
  'sluice.compaction.route': '',
  'sluice.compaction.messages': 200,
  'sluice.compaction.maxMessages': 1000,
  'sluice.compaction.timeout': 180,
};
const given = (settings: Record<string, unknown>) => {
  editor.settings = {
    ...DEFAULTS,
    'sluice.parallelCalls': 10,
    'sluice.repeatedFailures': 3,
    'sluice.sideEffects': 'response_end',
    ...settings,
  };
};
const routes = () => engineRoutes(createKeyStore({ get: async () => undefined } as unknown as SecretStorage));

afterEach(() => given({}));

describe('an address with a user or a password', () => {
  const SECRET = 'https://me:hunter2@example.com/v1';

  it('is a problem that does not repeat it, in both settings', () => {
    given({
      'sluice.anthropic.baseUrl': SECRET,
      'sluice.routes': [{ id: 'own', transport: 'openai-chat', baseUrl: SECRET, model: 'm' }],
    });
    const { problems, anthropic, routes: own } = readSettings();
    expect(problems.map(({ setting }) => setting)).toEqual(['sluice.anthropic.baseUrl', 'sluice.routes']);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
    expect(anthropic.baseUrl).toBeUndefined();
    expect(own).toEqual([]);
  });

  it('makes no route, and the error does not repeat it', () => {
    const build = () =>
      buildRoute(
        { id: 'own', transport: 'anthropic', baseUrl: SECRET },
        { secrets: { get: async () => undefined } },
      );
    expect(build).toThrow(/own holds a user or a password/);
    expect(build).not.toThrow(/hunter2/);
  });
});

describe('routes of the person', () => {
  it('speak every protocol there is, with what is left out being the provider’s own', () => {
    given({
      'sluice.routes': [
        { id: 'a', transport: 'anthropic', baseUrl: 'https://gateway.example.com', model: 'm1' },
        { id: 'b', transport: 'openai-chat' },
        { id: 'c', transport: 'openai-responses', model: 'm3' },
        { id: 'd', transport: 'ollama', numCtx: 8_192 },
      ],
    });
    expect(readSettings().problems).toEqual([]);
    const list = routes().list();
    expect(list.map(({ id, key }) => [id, key])).toEqual([
      ['practice', 'none'],
      ['anthropic', 'required'],
      ['a', 'optional'],
      ['b', 'required'],
      ['c', 'required'],
      ['d', 'optional'],
    ]);
    const transports = list.map((choice) => routes().open(choice).transport.origin.transport);
    expect(new Set(transports).size).toBe(5);
  });

  it('never take the id, and with it the key, of another one', () => {
    const route = (id: string, model: string) => ({ id, transport: 'ollama', model });
    given({
      'sluice.routes': [
        route('anthropic', 'm1'),
        route('practice', 'm2'),
        route('x', 'm3'),
        route('x', 'm4'),
      ],
    });
    const { routes: own, problems } = readSettings();
    expect(own.map(({ model }) => model)).toEqual(['m3']);
    expect(problems).toHaveLength(3);
    expect(problems[2]?.text).toContain('entry 4: id: another route is called x already');
  });
});

describe('limits', () => {
  it('are off unless set, and what is wrong is said with its name', () => {
    given({ 'sluice.budget.turnTokens': 5_000, 'sluice.maxSteps': 0, 'sluice.sideEffects': 'block_close' });
    const { limits, problems } = readSettings();
    expect(limits).toMatchObject({
      turnTokens: 5_000,
      sessionUsd: undefined,
      maxSteps: undefined,
      parallelCalls: 10,
      sideEffects: 'block_close',
    });
    expect(problems.map(({ setting }) => setting)).toEqual(['sluice.maxSteps']);
  });
});
