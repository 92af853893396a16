/**
 * Makes routes out of plain configuration. It reads no settings and keeps no secret: keys are asked for by route id, at each request.
 */
import type { NewId, Secrets } from '../ports';
import { anthropicTransport } from './anthropic/transport';
import { catalogueInfo, mergeInfo } from './catalogue';
import { effortsOf } from './efforts';
import { factsOf, learning } from './facts';
import type { Facts, FactStore } from './facts';
import { DEFAULT_NUM_CTX, ollamaTransport } from './ollama/transport';
import type { OllamaOptions } from './ollama/transport';
import { chatTransport } from './openai/chat';
import type { DialectName } from './openai/dialects';
import { responsesTransport } from './openai/responses';
import { practiceTransport } from './practice/transport';
import type { Origin } from './message';
import type { ModelInfo, Route, Transport } from './transport';
import { listModels, ollamaModel } from './probe';
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
  readonly editorFacts?: (name: string) => Promise<Facts>;
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
  const make = (said: Facts): Transport => serverTransport(config, baseUrl, model, deps, said);
  const plain = make({});
  const store = deps.facts;
  if (store === undefined) return plain;
  const { origin } = plain;
  // Of a server that fixes the window when it is asked (Ollama), what the transport asks for is what counts.
  const info = (): ModelInfo => make(store.get(origin)).info;
  return learning(make(store.get(origin)), { store, info, ask: () => askServer(config, origin, deps) });
}

/** The window is asked for with each request: no more than the model can read, as far as that is known by then. */
function localTransport(
  { numCtx, info = {} }: ServerConfig,
  common: OllamaOptions,
  { facts }: RouteDeps,
): Transport {
  const { model } = common;
  const window = (): number => {
    const said = facts?.get(transport.origin) ?? {};
    const { contextTokens } = mergeInfo(model, catalogueInfo(model), said, info);
    return Math.min(DEFAULT_NUM_CTX, contextTokens ?? DEFAULT_NUM_CTX);
  };
  const transport = ollamaTransport({ ...common, numCtx: numCtx ?? window });
  return transport;
}

async function askServer(
  { transport, id, headers }: ServerConfig,
  { baseUrl, model }: Origin,
  { secrets, fetch }: RouteDeps,
): Promise<Facts> {
  const apiKey = await secrets.get(id).catch(() => undefined);
  const options = { transport, baseUrl, ...set({ apiKey, headers, fetch }) };
  if (transport === 'ollama') return factsOf(await ollamaModel(options, model));
  const listing = await listModels(options);
  const found = listing.type === 'models' ? listing.models.find((each) => each.id === model) : undefined;
  return found === undefined ? {} : factsOf(found);
}

function serverTransport(
  config: ServerConfig,
  baseUrl: string,
  model: string,
  deps: RouteDeps,
  said: Facts,
): Transport {
  const { headers, limits, query, dialect } = config;
  const { transport } = config;
  const efforts = effortsOf({ transport, model, baseUrl, ...set({ dialect }) });
  const known = mergeInfo(model, catalogueInfo(model), said, config.info ?? {});
  const info = efforts.length === 0 ? known : { ...known, efforts };
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
      return localTransport(config, common, deps);
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
  const { editorModel, editorFacts, facts, newId } = deps;
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
  const named = { id, title: title ?? model, detail: `${model}, a model of the editor` };
  if (facts === undefined) return { ...named, transport: plain };
  const known = (): Transport => make(facts.get(plain.origin));
  const ask = (): Promise<Facts> => (editorFacts === undefined ? Promise.resolve({}) : editorFacts(model));
  const transport = learning(known(), { store: facts, info: () => known().info, ask });
  return { ...named, transport };
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
