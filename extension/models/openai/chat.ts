/** The Chat Completions transport, for OpenAI and every server that speaks its wire. One request, one response, no retries. */
import type { Origin } from '../message';
import type { ModelInfo, ModelRequest, RouteError, Transport } from '../transport';
import { explainThrown, refusalOf } from '../errors/from-thrown';
import { plainError } from '../errors/diagnose';
import { keptBeginnings } from '../wire/beginning';
import type { Beginnings } from '../wire/beginning';
import { bodyBytes } from '../wire/body';
import { prefixKeeper } from '../wire/prefix';
import type { PrefixKeeper } from '../wire/prefix';
import { streamedJson } from '../wire/whole-json';
import { responseStream } from '../wire/response-stream';
import type { Run } from '../wire/response-stream';
import type { FetchLike, Limits } from '../wire/live-fetch';
import { chatProjector } from './chat-request';
import { chatReader } from './chat-stream';
import { corrected, dialect, dialectName } from './dialects';
import type { ChatDialect, DialectName } from './dialects';

export interface OpenAiOptions {
  /** With its `/v1`, where the server has one. */
  readonly baseUrl: string;
  readonly model: string;
  readonly info: ModelInfo;
  readonly headers?: Readonly<Record<string, string>>;
  /** Added to every address (`api-version` of Azure). */
  readonly query?: Readonly<Record<string, string>>;
  readonly apiKey: () => Promise<string | undefined>;
  readonly fetch?: FetchLike;
  readonly limits?: Limits;
  readonly newId?: () => string;
  /** Default: told by the host. */
  readonly dialect?: DialectName;
}

/** Local servers load a model before the first byte. */
export const OPENAI_LIMITS: Limits = { firstByteMs: 600_000, idleMs: 180_000 };

interface Parts {
  readonly options: OpenAiOptions;
  readonly origin: Origin;
  readonly prefix: PrefixKeeper;
  readonly beginnings: Beginnings;
  readonly project: ReturnType<typeof chatProjector>;
  dialect: ChatDialect;
}

async function run(request: ModelRequest, parts: Parts, work: Run, secrets: string[]): Promise<void> {
  const { options, origin } = parts;
  const apiKey = await options.apiKey();
  if (apiKey !== undefined) secrets.push(apiKey);
  const { earlierTools, era } = parts.prefix.note(request);
  const body = parts.project(request, {
    origin,
    dialect: parts.dialect,
    images: options.info.images !== false,
    maxTokens: request.maxOutputTokens,
    earlierTools,
    beginning: parts.beginnings.of(era, parts.dialect.ids, [parts.dialect]),
  });
  const { openStream } = await import('./sdk');
  const sdk = {
    baseUrl: origin.baseUrl,
    apiKey,
    headers: options.headers ?? {},
    query: options.query ?? {},
    fetch: streamedJson(work.fetch),
    heard: work.heard,
  };
  const { events, requestId, contentType, doneSeen } = await openStream(
    sdk,
    '/chat/completions',
    bodyBytes(body),
  );
  const reader = chatReader(
    work.emit,
    options.newId ?? (() => crypto.randomUUID()),
    requestId,
    request.tools.map((tool) => tool.name),
  );
  for await (const batch of events) for (const event of batch) reader.read(event);
  if (!reader.finish(doneSeen()) && !reader.anything && !work.signal.aborted) {
    work.emit({ type: 'error', error: emptyAnswer(origin.baseUrl, contentType) });
  }
}

export function emptyAnswer(baseUrl: string, contentType: string): RouteError {
  const what = contentType.includes('event-stream')
    ? 'an empty answer'
    : `${contentType === '' ? 'something' : contentType} instead of a stream`;
  return plainError(
    'bad_response',
    `${baseUrl} sent ${what}. The prompt may be longer than the model can read, or the address does not speak this protocol.`,
    true,
  );
}

/** A refusal that is about the dialect teaches it; the same request may then pass. */
function explain(parts: Parts, problem: unknown, secrets: readonly string[]): RouteError {
  const context = { transport: 'openai-chat', baseUrl: parts.origin.baseUrl, secrets };
  const error = explainThrown(problem, context);
  const refusal = refusalOf(problem, context);
  const next = refusal === undefined ? undefined : corrected(parts.dialect, refusal);
  if (next === undefined) return error;
  parts.dialect = next;
  return { ...error, retryable: true, message: `${error.message} The next try avoids that.` };
}

export function chatTransport(options: OpenAiOptions): Transport {
  const baseUrl = options.baseUrl.trim().replace(/\/+$/, '');
  const origin: Origin = { transport: 'openai-chat', baseUrl, model: options.model };
  const parts: Parts = {
    options,
    origin,
    prefix: prefixKeeper(),
    beginnings: keptBeginnings(),
    project: chatProjector(),
    dialect: dialect(options.dialect ?? dialectName(baseUrl), options.model),
  };
  return {
    origin,
    info: options.info,
    stream: (request, signal) => {
      const secrets: string[] = [];
      return responseStream(
        (work) => run(request, parts, work, secrets),
        {
          fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
          limits: options.limits ?? OPENAI_LIMITS,
          explain: (problem) => explain(parts, problem, secrets),
        },
        signal,
      );
    },
  };
}
