/**
 * The part of @anthropic-ai/sdk that is needed, in a module of its own: it is loaded with `import()` on the first request, and a static
 * import of the base client lets the bundler leave out the other five sixths of the SDK.
 */
import { BaseAnthropic } from '@anthropic-ai/sdk/client';
import type { FetchLike } from '../wire/live-fetch';

export interface SdkOptions {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: FetchLike;
}

/** Longer than any wait that is left to us: the watch under the SDK limits silence, nothing limits the whole. */
const NO_TIMEOUT_MS = 2_147_483_647;

/** Raw events of one response, and the id that its headers carried. */
export async function openStream(
  options: SdkOptions,
  body: string,
  signal: AbortSignal,
): Promise<{
  readonly events: AsyncIterable<unknown>;
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
  const { data, response, request_id } = await client
    .post<AsyncIterable<unknown>>('/v1/messages', {
      // Text instead of an object: every message was serialised once, when it was new.
      body,
      headers: { 'content-type': 'application/json' },
      stream: true,
      signal,
    })
    .withResponse();
  return {
    events: data,
    requestId: request_id ?? undefined,
    contentType: response.headers.get('content-type') ?? '',
  };
}
