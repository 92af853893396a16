/** One small request that shows whether a route works at all: address, key, model. Part of setting a route up; it judges no ability. */
import type { RouteError, Transport } from './transport';

export type Trial =
  | { readonly type: 'works'; readonly firstMs: number; readonly text: string }
  | { readonly type: 'error'; readonly error: RouteError }
  | { readonly type: 'stopped' };

export async function tryRoute(transport: Transport, signal: AbortSignal): Promise<Trial> {
  const startedAt = Date.now();
  let firstMs: number | undefined;
  let text = '';
  const request = {
    system: 'Answer in one word.',
    tools: [],
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Say: ready' }] }],
    conversationId: 'route-test',
  };
  for await (const event of transport.stream(request, signal)) {
    if (event.type === 'error') return { type: 'error', error: event.error };
    if (event.type === 'text' || event.type === 'thinking') firstMs ??= Date.now() - startedAt;
    if (event.type === 'text') text += event.text;
    if (event.type === 'stop')
      return { type: 'works', firstMs: firstMs ?? Date.now() - startedAt, text: text.trim() };
  }
  return { type: 'stopped' };
}
