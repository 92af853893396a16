/**
 * Asks a server what it is and which models it has, for setting up a route. Every answer beats the catalogue; nothing here sends a prompt.
 * All functions resolve: a server that cannot be asked is undefined or an error with words for the user.
 */
import { catalogueInfo, mergeInfo } from './catalogue';
import { isRecord, parseJson } from './errors/answer';
import { diagnose, toRouteError } from './errors/diagnose';
import { explainThrown } from './errors/from-thrown';
import { redact } from './errors/redact';
import { plainBaseUrl } from './anthropic/transport';
import type { ServerTransport } from './routes';
import type { ModelInfo, RouteError } from './transport';
import type { FetchLike } from './wire/live-fetch';

export interface ProbeOptions {
  readonly transport: ServerTransport;
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: FetchLike;
  /** Default 5000. */
  readonly timeoutMs?: number;
}

export interface ListedModel extends ModelInfo {
  /** Bytes on disk, of local models. */
  readonly bytes?: number;
}

export type Listing =
  | { readonly type: 'models'; readonly models: readonly ListedModel[]; readonly version?: string }
  | { readonly type: 'error'; readonly error: RouteError };

type Answer =
  { readonly ok: true; readonly json: unknown } | { readonly ok: false; readonly error: RouteError };

const WIRES: Readonly<Record<ServerTransport, string>> = {
  anthropic: 'anthropic-messages',
  'openai-chat': 'openai-chat',
  'openai-responses': 'openai-responses',
  ollama: 'ollama-chat',
};

function headersOf({ transport, apiKey, headers }: ProbeOptions): Record<string, string> {
  const own: Record<string, string> = transport === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {};
  if (apiKey !== undefined) {
    if (transport === 'anthropic') own['x-api-key'] = apiKey;
    else own['authorization'] = `Bearer ${apiKey}`;
  }
  return { ...own, ...headers };
}

async function ask(options: ProbeOptions, path: string, body?: unknown): Promise<Answer> {
  const base =
    options.transport === 'anthropic'
      ? plainBaseUrl(options.baseUrl)
      : options.baseUrl.trim().replace(/\/+$/, '');
  const wire = WIRES[options.transport];
  const fetch =
    options.fetch ?? ((input: string | URL | Request, init?: RequestInit) => globalThis.fetch(input, init));
  try {
    const response = await fetch(`${base}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...headersOf(options),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(options.timeoutMs ?? 5000),
    });
    const text = await response.text();
    if (response.ok) return { ok: true, json: parseJson(text) };
    const answer = {
      status: response.status,
      headers: Object.fromEntries(response.headers.entries()),
      body: text,
    };
    const error = toRouteError(diagnose(wire, answer, Date.now()));
    return { ok: false, error: { ...error, message: redact(error.message, secretsOf(options)) } };
  } catch (problem) {
    const context = { transport: wire, baseUrl: base, secrets: secretsOf(options) };
    return { ok: false, error: explainThrown(problem, context) };
  }
}

function secretsOf({ apiKey }: ProbeOptions): readonly string[] {
  return apiKey === undefined ? [] : [apiKey];
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function positive(...values: readonly unknown[]): number | undefined {
  return values.find((value): value is number => typeof value === 'number' && value > 0);
}

/** Fields that servers add to their lists: Anthropic's limits, vLLM's and LM Studio's windows. */
function listed(entry: Record<string, unknown>): ListedModel | undefined {
  const id = entry['id'];
  if (typeof id !== 'string') return undefined;
  const context = positive(
    entry['max_input_tokens'],
    entry['max_model_len'],
    entry['context_length'],
    entry['loaded_context_length'],
    entry['max_context_length'],
  );
  const output = positive(entry['max_tokens'], entry['max_output_tokens']);
  const said = {
    ...(context === undefined ? {} : { contextTokens: context }),
    ...(output === undefined ? {} : { outputTokens: output }),
  };
  return mergeInfo(id, catalogueInfo(id), said);
}

async function listOllama(options: ProbeOptions): Promise<Listing> {
  const version = await ask(options, '/api/version');
  if (!version.ok) return { type: 'error', error: version.error };
  const tags = await ask(options, '/api/tags');
  if (!tags.ok) return { type: 'error', error: tags.error };
  const entries = isRecord(tags.json) ? records(tags.json['models']) : [];
  const models = await Promise.all(
    entries.flatMap((entry) => {
      const name = entry['name'];
      return typeof name === 'string'
        ? [
            ollamaModel(options, name).then((info) => ({
              ...info,
              ...(typeof entry['size'] === 'number' ? { bytes: entry['size'] } : {}),
            })),
          ]
        : [];
    }),
  );
  const said =
    isRecord(version.json) && typeof version.json['version'] === 'string'
      ? version.json['version']
      : undefined;
  return { type: 'models', models, ...(said === undefined ? {} : { version: said }) };
}

/** What `/api/show` tells of a model: its own window (not the one that is asked for) and what it can do. */
export async function ollamaModel(options: ProbeOptions, model: string): Promise<ModelInfo> {
  const shown = await ask(options, '/api/show', { model });
  if (!shown.ok || !isRecord(shown.json)) return { id: model };
  const facts = isRecord(shown.json['model_info']) ? shown.json['model_info'] : {};
  const context = Object.entries(facts).find(([name]) => name.endsWith('.context_length'))?.[1];
  const able = Array.isArray(shown.json['capabilities'])
    ? (shown.json['capabilities'] as unknown[])
    : undefined;
  return {
    id: model,
    ...(typeof context === 'number' ? { contextTokens: context } : {}),
    ...(able === undefined
      ? {}
      : {
          tools: able.includes('tools'),
          images: able.includes('vision'),
          reasoning: able.includes('thinking'),
        }),
  };
}

/** The models of a server; also the test of its address and key. */
export async function listModels(options: ProbeOptions): Promise<Listing> {
  if (options.transport === 'ollama') return listOllama(options);
  const answer = await ask(options, options.transport === 'anthropic' ? '/v1/models?limit=100' : '/models');
  if (!answer.ok) return { type: 'error', error: answer.error };
  const data = isRecord(answer.json)
    ? records(answer.json['data'] ?? answer.json['models'])
    : records(answer.json);
  return { type: 'models', models: data.flatMap((entry) => listed(entry) ?? []) };
}

export interface Detected {
  readonly name: string;
  readonly transport: ServerTransport;
  readonly baseUrl: string;
  readonly models: readonly ListedModel[];
}

export type LocalPlace = Omit<Detected, 'models'>;

export const LOCAL: readonly LocalPlace[] = [
  { name: 'Ollama', transport: 'ollama', baseUrl: 'http://127.0.0.1:11434' },
  { name: 'LM Studio', transport: 'openai-chat', baseUrl: 'http://127.0.0.1:1234/v1' },
  { name: 'llama.cpp', transport: 'openai-chat', baseUrl: 'http://127.0.0.1:8080/v1' },
  { name: 'vLLM', transport: 'openai-chat', baseUrl: 'http://127.0.0.1:8000/v1' },
];

/** `0.0.0.0:11434` and the like, as `OLLAMA_HOST` has it, as an address that can be asked. */
export function localPlace(name: string, transport: ServerTransport, host: string): LocalPlace | undefined {
  const text = host.trim();
  const url = URL.parse(/^https?:\/\//.test(text) ? text : `http://${text}`);
  if (url === null) return undefined;
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  const bare = url.port === '' && !/:\d+/.test(text.replace(/^https?:\/\//, ''));
  if (bare && url.protocol === 'http:' && transport === 'ollama') url.port = '11434';
  return { name, transport, baseUrl: url.href.replace(/\/+$/, '') };
}

/** Servers on this machine that answer. */
export async function detectLocal(
  fetch?: FetchLike,
  places: readonly LocalPlace[] = LOCAL,
): Promise<readonly Detected[]> {
  const distinct = new Map(places.map((place) => [place.baseUrl, place]));
  const found = await Promise.all(
    [...distinct.values()].map(async (place) => {
      const listing = await listModels({
        ...place,
        timeoutMs: 1500,
        ...(fetch === undefined ? {} : { fetch }),
      });
      return listing.type === 'models' && listing.models.length > 0
        ? [{ ...place, models: listing.models }]
        : [];
    }),
  );
  return found.flat();
}
