/**
 * Makes routes out of plain configuration. It reads no settings and keeps no secret: keys are asked for by route id, at each request.
 */
import type { NewId, Secrets } from '../ports';
import { anthropicTransport } from './anthropic/transport';
import { catalogueInfo, mergeInfo } from './catalogue';
import { learning } from './facts';
import type { Facts, FactStore } from './facts';
import { DEFAULT_NUM_CTX, ollamaTransport } from './ollama/transport';
import { chatTransport } from './openai/chat';
import type { DialectName } from './openai/dialects';
import { responsesTransport } from './openai/responses';
import { practiceTransport } from './practice/transport';
import type { Route, Transport } from './transport';
import { lmTransport } from './vscode-lm/transport';
import type { LmModel } from './vscode-lm/transport';
import type { FetchLike, Limits } from './wire/live-fetch';

export const PRACTICE_ID = 'practice';
export const ANTHROPIC_URL = 'https://api.anthropic.com';
export const ANTHROPIC_MODEL = 'claude-sonnet-4-6';

/** Wires that are spoken over HTTP. Models of the editor come from its adapter. */
export type ServerTransport = 'anthropic' | 'openai-chat' | 'openai-responses' | 'ollama';

interface Named {
  readonly id: string;
  readonly title?: string;
}

/** A server that is reached over HTTP. */
export interface ServerConfig extends Named {
  readonly transport: ServerTransport;
  /** Default: the provider's own. */
  readonly baseUrl?: string;
  readonly model?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Added to every address (`api-version` of Azure, gateways). OpenAI wires only. */
  readonly query?: Readonly<Record<string, string>>;
  /** How the server differs from the rest, where its host does not tell. `openai-chat` only. */
  readonly dialect?: DialectName;
  /** Window in tokens that is asked for. `ollama` only; default 32768. */
  readonly numCtx?: number;
  /** What the user knows of the model; beats catalogue and server. */
  readonly info?: Facts;
  /** Milliseconds; default: generous for the first byte, minutes between bytes. */
  readonly limits?: Limits;
}

/** A model that the editor itself offers. */
export interface EditorModelConfig extends Named {
  readonly transport: 'vscode-lm';
  /** `vendor/id`. */
  readonly model: string;
  readonly info?: Facts;
}

export type RouteConfig = (Named & { readonly transport: 'practice' }) | ServerConfig | EditorModelConfig;

export interface RouteDeps {
  readonly secrets: Secrets;
  readonly newId?: NewId;
  readonly fetch?: FetchLike;
  /** Milliseconds between the pieces that the Practice route streams. Default 12; 0 in tests. */
  readonly practiceDelayMs?: number;
  /** Models of the editor by `vendor/id`; absent outside an editor. */
  readonly editorModel?: (name: string) => LmModel;
  /** What servers have said of their models. */
  readonly facts?: FactStore;
}

const DEFAULTS: Readonly<Record<ServerTransport, { readonly baseUrl: string; readonly model: string }>> = {
  anthropic: { baseUrl: ANTHROPIC_URL, model: ANTHROPIC_MODEL },
  'openai-chat': { baseUrl: 'https://api.openai.com/v1', model: 'gpt-5.5' },
  'openai-responses': { baseUrl: 'https://api.openai.com/v1', model: 'gpt-5.5' },
  ollama: { baseUrl: 'http://127.0.0.1:11434', model: 'qwen3' },
};

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

/** Only what is set: the transports' own defaults hold for the rest. */
function set<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

/** Later sources beat earlier ones: the catalogue, what the server said, what the user set. */
function transportOf(config: ServerConfig, baseUrl: string, model: string, deps: RouteDeps): Transport {
  const plain = serverTransport(config, baseUrl, model, deps, {});
  const said = deps.facts?.get(plain.origin) ?? {};
  const transport =
    Object.keys(said).length === 0 ? plain : serverTransport(config, baseUrl, model, deps, said);
  return deps.facts === undefined ? transport : learning(transport, deps.facts);
}

function serverTransport(
  config: ServerConfig,
  baseUrl: string,
  model: string,
  deps: RouteDeps,
  said: Facts,
): Transport {
  const info = mergeInfo(model, catalogueInfo(model), said, config.info ?? {});
  const { headers, limits, query, dialect } = config;
  const { newId, fetch } = deps;
  const common = {
    baseUrl,
    model,
    info,
    apiKey: () => deps.secrets.get(config.id),
    ...set({ headers, limits, newId, fetch }),
  };
  switch (config.transport) {
    case 'anthropic':
      return anthropicTransport(common);
    case 'openai-chat':
      return chatTransport({ ...common, ...set({ query, dialect }) });
    case 'openai-responses':
      return responsesTransport({ ...common, ...set({ query }) });
    case 'ollama':
      // No more than the model can read.
      return ollamaTransport({
        ...common,
        numCtx: config.numCtx ?? Math.min(DEFAULT_NUM_CTX, info.contextTokens ?? DEFAULT_NUM_CTX),
      });
  }
}

/** Addresses are shown, logged and kept in transcripts; the error must not repeat this one. */
function refuseUser({ id, baseUrl = '' }: ServerConfig): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url !== undefined && (url.username !== '' || url.password !== ''))
    throw new Error(
      `The address of the route ${id} holds a user or a password. Leave that out and store the key instead.`,
    );
}

/** The account is the editor's, so the catalogue's prices say nothing here, and its windows little. */
function editorRoute({ id, title, model, info = {} }: EditorModelConfig, deps: RouteDeps): Route {
  const { editorModel, facts, newId } = deps;
  if (editorModel === undefined)
    throw new Error(`The route ${id} is a model of the editor; there is no editor here.`);
  const { images, reasoning } = catalogueInfo(model);
  const make = (said: Facts): Transport =>
    lmTransport({
      model,
      info: mergeInfo(model, set({ images, reasoning }), said, info),
      lm: editorModel(model),
      ...set({ newId }),
    });
  const plain = make({});
  const transport = make(facts?.get(plain.origin) ?? {});
  return {
    id,
    title: title ?? model,
    detail: `${model}, a model of the editor`,
    transport: facts === undefined ? transport : learning(transport, facts),
  };
}

export function buildRoute(config: RouteConfig, deps: RouteDeps): Route {
  if (config.transport === 'practice') return practice(config, deps);
  if (config.transport === 'vscode-lm') return editorRoute(config, deps);
  if (config.baseUrl !== undefined) refuseUser(config);
  const baseUrl = config.baseUrl ?? DEFAULTS[config.transport].baseUrl;
  const model = config.model ?? DEFAULTS[config.transport].model;
  return {
    id: config.id,
    title: config.title ?? model,
    detail: `${model} at ${hostOf(baseUrl)}`,
    transport: transportOf(config, baseUrl, model, deps),
  };
}
