/** The part of the openai SDK that is needed; loaded with `import()` on the first request. */
import { OpenAI } from 'openai/client';
import type { FetchLike } from '../wire/live-fetch';

export interface SdkOptions {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly fetch: FetchLike;
}

/** Longer than any wait that is left to us: the watch under the SDK limits silence, nothing limits the whole. */
const NO_TIMEOUT_MS = 2_147_483_647;

export async function openStream(
  options: SdkOptions,
  path: string,
  body: string,
  signal: AbortSignal,
): Promise<{
  readonly events: AsyncIterable<unknown>;
  readonly requestId: string | undefined;
  readonly contentType: string;
}> {
  const client = new OpenAI({
    apiKey: options.apiKey ?? 'none',
    organization: null,
    project: null,
    baseURL: options.baseUrl,
    maxRetries: 0,
    timeout: NO_TIMEOUT_MS,
    logLevel: 'off',
    fetch: options.fetch,
    defaultQuery: options.query,
    defaultHeaders: { ...(options.apiKey === undefined ? { authorization: null } : {}), ...options.headers },
  });
  const { data, response, request_id } = await client
    .post<AsyncIterable<unknown>>(path, {
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
