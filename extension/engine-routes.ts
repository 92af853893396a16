/** The routes that a person can pick: Practice, Anthropic, and their own from the settings. */
import type { KeyStore } from './editor/secrets';
import { readSettings } from './editor/settings';
import { writeSetting } from './editor/settings-write';
import { ANTHROPIC_URL, PRACTICE_ID, buildRoute } from './models/routes';
import type { RouteConfig, RouteDeps } from './models/routes';
import { plainBaseUrl } from './models/anthropic/transport';
import type { Limits } from './models/wire/live-fetch';
import type { RouteChoice, Routes } from './panel/session';

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
  const { id, title, detail } = buildRoute(config, deps);
  return { config, choice: { id, title, detail, key: keyOf(config) } };
}

/** Anthropic's own server takes no request without a key; others may. */
function keyOf(config: RouteConfig): RouteChoice['key'] {
  if (config.transport === 'practice') return 'none';
  return plainBaseUrl(config.baseUrl ?? ANTHROPIC_URL) === ANTHROPIC_URL ? 'required' : 'optional';
}
