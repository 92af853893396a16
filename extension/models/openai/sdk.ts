/** The part of the openai SDK that is needed; loaded with `import()` on the first request. */
import { OpenAI } from 'openai/client';
import { isRecord } from '../errors/answer';
import type { FetchLike } from '../wire/live-fetch';
import { eachRead, sseData } from '../wire/sse';

export interface SdkOptions {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly fetch: FetchLike;
  /** Told of each chunk. */
  readonly heard: () => void;
}

/** Longer than any wait that is left to us: the watch under the SDK limits silence, nothing limits the whole. */
const NO_TIMEOUT_MS = 2_147_483_647;

/** Thrown for an error object inside a stream; its fields are those of the SDK's own errors. */
export class StreamedError extends Error {
  override readonly name = 'StreamedError';
  constructor(readonly error: unknown) {
    super('The server reported an error in its stream');
  }
}

export interface OpenedStream {
  readonly events: AsyncIterable<readonly unknown[]>;
  readonly requestId: string | undefined;
  readonly contentType: string;
  /** True once the stream said `[DONE]`. */
  readonly doneSeen: () => boolean;
}

function events(response: Response, heard: () => void): Pick<OpenedStream, 'events' | 'doneSeen'> {
  let done = false;
  const read = (data: string): unknown => {
    if (done || data === '') return undefined;
    if (data.startsWith('[DONE]')) {
      done = true;
      return undefined;
    }
    const event: unknown = JSON.parse(data);
    if (isRecord(event) && event['error'] !== undefined && event['error'] !== null)
      throw new StreamedError(event['error']);
    return event;
  };
  return { events: eachRead(sseData(response.body, heard), read), doneSeen: () => done };
}

/** The SDK sends and refuses; the stream is read here. */
export async function openStream(options: SdkOptions, path: string, body: Uint8Array): Promise<OpenedStream> {
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
  const response = await client
    .post(path, {
      body,
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      stream: true,
    })
    .asResponse();
  return {
    ...events(response, options.heard),
    requestId: response.headers.get('x-request-id') ?? undefined,
    contentType: response.headers.get('content-type') ?? '',
  };
}
