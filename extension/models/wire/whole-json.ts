/**
 * Small proxies answer a request for a stream with one whole JSON object. This passes such an answer on as a stream of one event, so that
 * the reader of chunks sees it too.
 */
import type { FetchLike } from './live-fetch';

function isWholeJson(response: Response): boolean {
  return response.ok && /^application\/json\b/i.test(response.headers.get('content-type') ?? '');
}

async function asStream(response: Response): Promise<Response> {
  const text = (await response.text()).replace(/\s*\n\s*/g, ' ').trim();
  const headers = { ...Object.fromEntries(response.headers), 'content-type': 'text/event-stream' };
  return new Response(text === '' ? '' : `data: ${text}\n\n`, { status: response.status, headers });
}

export function streamedJson(fetch: FetchLike): FetchLike {
  return async (input, init) => {
    const response = await fetch(input, init);
    return isWholeJson(response) ? asStream(response) : response;
  };
}
