/**
 * The part of @anthropic-ai/sdk that is needed, in a module of its own: it is loaded with `import()` on the first request, and a static
 * import of the base client lets the bundler leave out the other five sixths of the SDK.
 */
import { BaseAnthropic } from '@anthropic-ai/sdk/client';
import { isRecord } from '../errors/answer';
import type { FetchLike } from '../wire/live-fetch';
import { eachRead, sseData } from '../wire/sse';

export interface SdkOptions {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: FetchLike;
  /** Told of each chunk. */
  readonly heard: () => void;
}

/** Longer than any wait that is left to us: the watch under the SDK limits silence, nothing limits the whole. */
const NO_TIMEOUT_MS = 2_147_483_647;

/** Thrown for an error event; its fields are those of the SDK's own errors. */
export class StreamedError extends Error {
  override readonly name = 'StreamedError';
  constructor(
    readonly error: unknown,
    readonly headers: Headers,
  ) {
    super('The server reported an error in its stream');
  }
}

function events(response: Response, heard: () => void): AsyncIterable<readonly unknown[]> {
  return eachRead(sseData(response.body, heard), (data) => {
    if (data === '') return undefined;
    const event: unknown = JSON.parse(data);
    if (isRecord(event) && event['type'] === 'error') throw new StreamedError(event, response.headers);
    return event;
  });
}

/** Raw events of one response, and the id that its headers carried. */
export async function openStream(
  options: SdkOptions,
  body: Uint8Array,
): Promise<{
  readonly events: AsyncIterable<readonly unknown[]>;
  readonly requestId: string | undefined;
  readonly contentType: string;
}> {
  const client = new BaseAnthropic({
    apiKey: options.apiKey ?? '',
    authToken: null,
    baseURL: options.baseUrl,
    maxRetries: 0,
    timeout: NO_TIMEOUT_MS,
    // The SDK logs request details and broken frames otherwise; keys and code have no place in a log.
    logLevel: 'off',
    fetch: options.fetch,
    defaultHeaders: {
      // The SDK would send the key as a bearer token and its own newest version; servers that speak this wire know these two.
      authorization: null,
      'x-api-key': options.apiKey ?? null,
      'anthropic-version': '2023-06-01',
      ...options.headers,
    },
  });
  const response = await client
    .post('/v1/messages', {
      // Bytes instead of an object: every message was serialised once, when it was new.
      body,
      headers: { 'content-type': 'application/json' },
      stream: true,
    })
    .asResponse();
  return {
    events: events(response, options.heard),
    requestId: response.headers.get('request-id') ?? undefined,
    contentType: response.headers.get('content-type') ?? '',
  };
}
