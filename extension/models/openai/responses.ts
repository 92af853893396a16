/** The Responses transport: stateless, reasoning kept encrypted. One request, one response, no retries. */
import type { Origin } from '../message';
import type { ModelRequest, Transport } from '../transport';
import { explainThrown } from '../errors/from-thrown';
import { keptBeginnings } from '../wire/beginning';
import type { Beginnings } from '../wire/beginning';
import { bodyBytes } from '../wire/body';
import { prefixKeeper } from '../wire/prefix';
import type { PrefixKeeper } from '../wire/prefix';
import { responseStream } from '../wire/response-stream';
import type { Run } from '../wire/response-stream';
import { streamedJson } from '../wire/whole-json';
import { emptyAnswer, OPENAI_LIMITS } from './chat';
import type { OpenAiOptions } from './chat';
import { ID_RULE, responsesProjector } from './responses-request';
import { responsesReader } from './responses-stream';

interface Parts {
  readonly options: OpenAiOptions;
  readonly origin: Origin;
  readonly prefix: PrefixKeeper;
  readonly beginnings: Beginnings;
  readonly project: ReturnType<typeof responsesProjector>;
}

async function run(request: ModelRequest, parts: Parts, work: Run, secrets: string[]): Promise<void> {
  const { options, origin } = parts;
  const apiKey = await options.apiKey();
  if (apiKey !== undefined) secrets.push(apiKey);
  const { earlierTools, era } = parts.prefix.note(request);
  const body = parts.project(request, {
    origin,
    images: options.info.images !== false,
    reasoning: options.info.reasoning ?? /^(o\d|gpt-5|codex)/.test(origin.model),
    maxTokens: request.maxOutputTokens,
    earlierTools,
    beginning: parts.beginnings.of(era, ID_RULE),
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
  const { events, requestId, contentType } = await openStream(sdk, '/responses', bodyBytes(body));
  const reader = responsesReader(work.emit, options.newId ?? (() => crypto.randomUUID()), requestId);
  let seen = 0;
  for await (const batch of events) {
    seen += batch.length;
    for (const event of batch) reader.read(event);
  }
  if (!reader.finish() && seen === 0 && !work.signal.aborted) {
    work.emit({ type: 'error', error: emptyAnswer(origin.baseUrl, contentType) });
  }
}

export function responsesTransport(options: OpenAiOptions): Transport {
  const baseUrl = options.baseUrl.trim().replace(/\/+$/, '');
  const origin: Origin = { transport: 'openai-responses', baseUrl, model: options.model };
  const parts: Parts = {
    options,
    origin,
    prefix: prefixKeeper(),
    beginnings: keptBeginnings(),
    project: responsesProjector(),
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
          explain: (problem) => explainThrown(problem, { transport: 'openai-responses', baseUrl, secrets }),
        },
        signal,
      );
    },
  };
}
