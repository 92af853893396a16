/**
 * Makes routes out of plain configuration. It reads no settings and keeps no secret: keys are asked for by route id, at each request.
 */
import type { NewId, Secrets } from '../ports';
import { anthropicTransport } from './anthropic/transport';
import { catalogueInfo, mergeInfo } from './catalogue';
import { practiceTransport } from './practice/transport';
import type { ModelInfo, Route, Transport } from './transport';
import type { FetchLike, Limits } from './wire/live-fetch';

export const PRACTICE_ID = 'practice';
export const ANTHROPIC_URL = 'https://api.anthropic.com';
export const ANTHROPIC_MODEL = 'claude-sonnet-4-6';

interface Named {
  readonly id: string;
  readonly title?: string;
}

/** A server that is reached over HTTP. */
export interface ServerConfig extends Named {
  readonly transport: 'anthropic';
  /** Default: the provider's own. */
  readonly baseUrl?: string;
  readonly model?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the user knows of the model; beats catalogue and server. */
  readonly info?: Partial<Omit<ModelInfo, 'id'>>;
  /** Milliseconds; default: generous for the first byte, two minutes between bytes. */
  readonly limits?: Limits;
}

export type RouteConfig = (Named & { readonly transport: 'practice' }) | ServerConfig;

export interface RouteDeps {
  readonly secrets: Secrets;
  readonly newId?: NewId;
  readonly fetch?: FetchLike;
  /** Milliseconds between the pieces that the Practice route streams. Default 12; 0 in tests. */
  readonly practiceDelayMs?: number;
}

/** `https://api.anthropic.com` → `api.anthropic.com`. */
function hostOf(baseUrl: string): string {
  return baseUrl.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
}

function practice(config: Named, deps: RouteDeps): Route {
  return {
    id: config.id,
    title: config.title ?? 'Practice',
    detail: 'Works by fixed rules on this machine: no model, no account, no network',
    transport: practiceTransport({
      ...(deps.newId === undefined ? {} : { newId: deps.newId }),
      ...(deps.practiceDelayMs === undefined ? {} : { delayMs: deps.practiceDelayMs }),
    }),
  };
}

function transportOf(config: ServerConfig, baseUrl: string, model: string, deps: RouteDeps): Transport {
  return anthropicTransport({
    baseUrl,
    model,
    info: mergeInfo(model, catalogueInfo(model), config.info ?? {}),
    apiKey: () => deps.secrets.get(config.id),
    ...(config.headers === undefined ? {} : { headers: config.headers }),
    ...(config.limits === undefined ? {} : { limits: config.limits }),
    ...(deps.newId === undefined ? {} : { newId: deps.newId }),
    ...(deps.fetch === undefined ? {} : { fetch: deps.fetch }),
  });
}

export function buildRoute(config: RouteConfig, deps: RouteDeps): Route {
  if (config.transport === 'practice') return practice(config, deps);
  const baseUrl = config.baseUrl ?? ANTHROPIC_URL;
  const model = config.model ?? ANTHROPIC_MODEL;
  return {
    id: config.id,
    title: config.title ?? model,
    detail: `${model} at ${hostOf(baseUrl)}`,
    transport: transportOf(config, baseUrl, model, deps),
  };
}

/** All routes, the Practice route always among them (last, unless configured elsewhere). */
export function buildRoutes(configs: readonly RouteConfig[], deps: RouteDeps): readonly Route[] {
  const hasPractice = configs.some((config) => config.transport === 'practice');
  const all: readonly RouteConfig[] = hasPractice
    ? configs
    : [...configs, { id: PRACTICE_ID, transport: 'practice' }];
  return all.map((config) => buildRoute(config, deps));
}
