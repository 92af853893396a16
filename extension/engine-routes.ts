/** The routes that a person can pick: Practice, Anthropic, and their own from the settings. */
import type { KeyStore } from './editor/secrets';
import { readSettings } from './editor/settings';
import { writeSetting } from './editor/settings-write';
import { PRACTICE_ID, buildRoute } from './models/routes';
import type { RouteConfig, RouteDeps } from './models/routes';
import type { Limits } from './models/wire/live-fetch';
import type { RouteChoice, Routes } from './panel/chat/session';

interface Entry {
  readonly choice: RouteChoice;
  readonly config: RouteConfig;
}

export function engineRoutes(keys: KeyStore): Routes {
  const deps: RouteDeps = { secrets: keys };
  const practice = entryOf({ id: PRACTICE_ID, transport: 'practice' }, deps);
  const entries = (): readonly Entry[] => {
    const { anthropic, routes, silenceLimit } = readSettings();
    const configs: readonly RouteConfig[] = [
      { id: 'anthropic', title: 'Anthropic', transport: 'anthropic', ...anthropic },
      ...routes,
    ];
    const limits = silenceLimit === undefined ? {} : { limits: limitsOf(silenceLimit) };
    return [practice, ...configs.map((config) => entryOf({ ...config, ...limits }, deps))];
  };
  const find = (id: string): Entry => entries().find(({ choice }) => choice.id === id) ?? practice;
  return {
    list: () => entries().map(({ choice }) => choice),
    preferred: () => find(readSettings().route).choice,
    prefer: (id) => writeSetting('route', id === PRACTICE_ID ? undefined : id),
    open: ({ id }) => buildRoute(find(id).config, deps),
    problems: () => readSettings().problems,
  };
}

/** A server may take its time before it begins, whatever the limit for silence after that: it may load a model first. */
const FIRST_BYTE_MS = 300_000;

function limitsOf(silenceSeconds: number): Limits {
  const idleMs = silenceSeconds * 1000;
  return { idleMs, firstByteMs: Math.max(FIRST_BYTE_MS, idleMs) };
}

function entryOf(config: RouteConfig, deps: RouteDeps): Entry {
  const { id, title, detail, transport } = buildRoute(config, deps);
  const key = config.transport === 'practice' ? 'none' : keyOf(transport.origin.baseUrl);
  return { config, choice: { id, title, detail, key } };
}

/** The providers' own servers take no request without a key; others may. */
const NEED_A_KEY: ReadonlySet<string> = new Set(['api.anthropic.com', 'api.openai.com']);

function keyOf(baseUrl: string): RouteChoice['key'] {
  return URL.canParse(baseUrl) && NEED_A_KEY.has(new URL(baseUrl).hostname) ? 'required' : 'optional';
}
