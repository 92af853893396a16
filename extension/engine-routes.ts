/** The routes that a person can pick: Practice, Anthropic, and their own from the settings. */
import { editorFacts, editorModel } from './editor/language-models';
import type { KeyStore } from './editor/secrets';
import { readSettings } from './editor/settings';
import { writeSetting } from './editor/settings-write';
import type { FactStore } from './models/facts';
import type { Origin } from './models/message';
import { chooseModel } from './models/choose-model';
import { needsKey } from './models/providers';
import { PRACTICE_ID, buildRoute } from './models/routes';
import type { RouteConfig, RouteDeps } from './models/routes';
import type { Route } from './models/transport';
import type { Limits } from './models/wire/live-fetch';
import type { RouteChoice, Routes } from './panel/chat/session';

interface Entry {
  readonly choice: RouteChoice;
  readonly config: RouteConfig;
  readonly origin: Origin;
}

export interface EngineRoutes extends Routes {
  /** What a route is made of; Practice when there is no such route. */
  config(id: string): RouteConfig;
  /** For a model that a command's or an agent's file names. */
  forModel(model: string, current: Route, owned: boolean): Route | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function routeDeps(keys: KeyStore, facts?: FactStore): RouteDeps {
  return { secrets: keys, editorModel, editorFacts, ...(facts === undefined ? {} : { facts }) };
}

export function engineRoutes(keys: KeyStore, facts?: FactStore, environment: Environment = {}): EngineRoutes {
  const deps = routeDeps(keys, facts);
  const practice = entryOf({ id: PRACTICE_ID, transport: 'practice' }, deps);
  const numCtx = positive(environment['SLUICE_OLLAMA_NUM_CTX']);
  const entries = (): readonly Entry[] => {
    const { anthropic, routes, silenceLimit } = readSettings();
    const configs: readonly RouteConfig[] = [
      { id: 'anthropic', title: 'Anthropic', transport: 'anthropic', ...anthropic },
      ...routes,
    ];
    const limits = silenceLimit === undefined ? {} : { limits: limitsOf(silenceLimit) };
    const window = numCtx === undefined ? {} : { numCtx };
    return [
      practice,
      ...configs.map((config) =>
        entryOf({ ...config, ...limits, ...(config.transport === 'ollama' ? window : {}) }, deps),
      ),
    ];
  };
  const find = (id: string): Entry => entries().find(({ choice }) => choice.id === id) ?? practice;
  return {
    list: () => entries().map(({ choice }) => choice),
    preferred: () => find(readSettings().route).choice,
    prefer: (id) => writeSetting('route', id === PRACTICE_ID ? undefined : id),
    open: ({ id }) => buildRoute(find(id).config, deps),
    fallback: (failed) => {
      const id = readSettings().fallbackRoute;
      const entry = entries().find(({ choice }) => choice.id === id);
      return entry === undefined || id === failed.id ? undefined : buildRoute(entry.config, deps);
    },
    problems: () => readSettings().problems,
    config: (id) => find(id).config,
    forModel(model, current, owned) {
      const named = entries().map(({ choice, origin }) => ({ id: choice.id, origin }));
      const chosen = chooseModel(model, { id: current.id, origin: current.transport.origin }, named, owned);
      if (chosen === undefined) return undefined;
      if (chosen.type === 'route') return buildRoute(find(chosen.id).config, deps);
      const { config } = find(current.id);
      return config.transport === 'practice'
        ? undefined
        : buildRoute({ ...config, title: chosen.model, model: chosen.model }, deps);
    },
  };
}

function positive(text: string | undefined): number | undefined {
  const value = Number(text ?? '');
  return Number.isInteger(value) && value > 0 ? value : undefined;
}

/** A server may take its time before it begins, whatever the limit for silence after that: it may load a model first. */
const FIRST_BYTE_MS = 300_000;

function limitsOf(silenceSeconds: number): Limits {
  const idleMs = silenceSeconds * 1000;
  return { idleMs, firstByteMs: Math.max(FIRST_BYTE_MS, idleMs) };
}

function entryOf(config: RouteConfig, deps: RouteDeps): Entry {
  const { id, title, detail, transport } = buildRoute(config, deps);
  return {
    config,
    origin: transport.origin,
    choice: {
      id,
      title,
      detail,
      key: keyOf(config, transport.origin.baseUrl),
      ...(config.transport === 'practice' ? {} : { info: transport.info }),
    },
  };
}

function keyOf({ transport }: RouteConfig, baseUrl: string): RouteChoice['key'] {
  if (transport === 'practice' || transport === 'vscode-lm') return 'none';
  return needsKey(baseUrl) ? 'required' : 'optional';
}
