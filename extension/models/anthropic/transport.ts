/**
 * The Anthropic Messages transport: one request, one streamed response, no retries.
 */
import type { Origin } from '../message';
import type { ModelInfo, ModelRequest, RouteError, Transport } from '../transport';
import { explainThrown } from '../errors/from-thrown';
import { plainError } from '../errors/diagnose';
import { responseStream } from '../wire/response-stream';
import type { Run } from '../wire/response-stream';
import type { FetchLike, Limits } from '../wire/live-fetch';
import { familyOf } from './families';
import { prefixKeeper } from '../wire/prefix';
import type { PrefixKeeper } from '../wire/prefix';
import { keptBeginnings } from '../wire/beginning';
import type { Beginnings } from '../wire/beginning';
import { bodyBytes } from '../wire/body';
import type { Body } from '../wire/body';
import { anthropicBody, ID_RULE } from './request';
import { anthropicReader } from './stream';

export interface AnthropicOptions {
  /** With or without `/v1` at its end. */
  readonly baseUrl: string;
  readonly model: string;
  readonly info: ModelInfo;
  readonly headers?: Readonly<Record<string, string>>;
  /** Undefined = the server takes no key. Asked for with every request, so that a new key counts at once. */
  readonly apiKey: () => Promise<string | undefined>;
  readonly fetch?: FetchLike;
  readonly limits?: Limits;
  readonly newId?: () => string;
}

const LIMITS: Limits = { firstByteMs: 300_000, idleMs: 120_000 };
export function plainBaseUrl(baseUrl: string): string {
  return baseUrl.trim().replace(/\/+$/, '').replace(/\/v1$/, '');
}

interface Parts {
  readonly options: AnthropicOptions;
  readonly origin: Origin;
  readonly prefix: PrefixKeeper;
  readonly beginnings: Beginnings;
}

function bodyOf(request: ModelRequest, parts: Parts): Body {
  const { options, origin } = parts;
  const family = familyOf(options.model);
  const { earlierTools, era } = parts.prefix.note(request);
  const beginning = parts.beginnings.of(era, ID_RULE);
  return anthropicBody(request, {
    origin,
    family,
    maxTokens:
      request.maxOutputTokens ?? Math.min(family.maxTokens, options.info.outputTokens ?? family.maxTokens),
    images: options.info.images !== false,
    isVoid: (message) => parts.prefix.isVoid(message),
    earlierTools,
    beginning,
  });
}

function headersOf(options: AnthropicOptions, { head }: Body): Record<string, string> {
  const beta = familyOf(options.model).interleavedBeta && head.includes('"thinking":{"type":"enabled"');
  return { ...(beta ? { 'anthropic-beta': 'interleaved-thinking-2025-05-14' } : {}), ...options.headers };
}

async function run(request: ModelRequest, parts: Parts, work: Run, secrets: string[]): Promise<void> {
  const { options, origin } = parts;
  const apiKey = await options.apiKey();
  if (apiKey !== undefined) secrets.push(apiKey);
  const body = bodyOf(request, parts);
  const { openStream } = await import('./sdk');
  const sdk = {
    baseUrl: origin.baseUrl,
    apiKey,
    headers: headersOf(options, body),
    fetch: work.fetch,
    heard: work.heard,
  };
  const { events, requestId, contentType } = await openStream(sdk, bodyBytes(body));
  const reader = anthropicReader(work.emit, options.newId ?? (() => crypto.randomUUID()), requestId);
  let seen = 0;
  for await (const batch of events) {
    seen += batch.length;
    for (const event of batch) reader.read(event);
  }
  if (!reader.finish() && seen === 0 && !work.signal.aborted) {
    work.emit({ type: 'error', error: noEvents(contentType, origin.baseUrl) });
  }
}

/** A prefix that the server no longer recognises is cured by leaving the reasoning out, once. */
function explain(
  request: ModelRequest,
  { origin, prefix }: Parts,
  problem: unknown,
  secrets: readonly string[],
): RouteError {
  const context = { transport: 'anthropic-messages', baseUrl: origin.baseUrl, secrets };
  const error = explainThrown(problem, context);
  if (error.cause !== 'history_reasoning' || !prefix.voidAll(request.messages)) return error;
  return {
    ...error,
    retryable: true,
    message: `${error.message} The next try leaves earlier reasoning out.`,
  };
}

export function anthropicTransport(options: AnthropicOptions): Transport {
  const origin: Origin = {
    transport: 'anthropic',
    baseUrl: plainBaseUrl(options.baseUrl),
    model: options.model,
  };
  const parts: Parts = { options, origin, prefix: prefixKeeper(), beginnings: keptBeginnings() };
  return {
    origin,
    info: options.info,
    stream: (request, signal) => {
      const secrets: string[] = [];
      return responseStream(
        (work) => run(request, parts, work, secrets),
        {
          // Looked up at the moment of use: VS Code replaces the global one with its proxy-aware own.
          fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
          limits: options.limits ?? LIMITS,
          explain: (problem) => explain(request, parts, problem, secrets),
        },
        signal,
      );
    },
  };
}

function noEvents(contentType: string, baseUrl: string): RouteError {
  const what = contentType.includes('event-stream')
    ? 'an empty answer'
    : `${contentType === '' ? 'something' : contentType} instead of a stream`;
  return plainError(
    'bad_response',
    `${baseUrl} sent ${what}. Check that the address speaks the Anthropic Messages protocol.`,
    true,
  );
}
