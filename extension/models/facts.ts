/**
 * What servers have said of their models, kept for the next time: it beats the catalogue, and the user's setting beats it. Pure; where
 * facts are kept is the caller's business.
 */
import type { Origin } from './message';
import type { ModelEvent, ModelInfo, RouteError, Transport } from './transport';

export type Facts = Partial<Omit<ModelInfo, 'id'>>;

export interface FactStore {
  get(origin: Origin): Facts;
  learn(origin: Origin, facts: Facts): void;
}

/** Only what counts, and only what is known. */
export function factsOf({
  contextTokens,
  outputTokens,
  images,
  tools,
  reasoning,
  parallelCalls,
  price,
}: Facts): Facts {
  return {
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(images === undefined ? {} : { images }),
    ...(tools === undefined ? {} : { tools }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(parallelCalls === undefined ? {} : { parallelCalls }),
    ...(price === undefined ? {} : { price }),
  };
}

/** What a refusal tells of the model: its window, its output cap, that it takes no tools. */
export function factsIn({ limit, cause, kind }: RouteError): Facts {
  return {
    ...(limit?.contextTokens === undefined || kind === 'rate_limit'
      ? {}
      : { contextTokens: limit.contextTokens }),
    ...(limit?.outputTokens === undefined ? {} : { outputTokens: limit.outputTokens }),
    ...(cause === 'tools_unsupported' ? { tools: false } : {}),
  };
}

/** The transport as it is; numbers in its errors are kept. */
export function learning(transport: Transport, store: FactStore): Transport {
  async function* stream(events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
    for await (const event of events) {
      if (event.type === 'error') {
        const facts = factsIn(event.error);
        if (Object.keys(facts).length > 0) store.learn(transport.origin, facts);
      }
      yield event;
    }
  }
  return {
    origin: transport.origin,
    info: transport.info,
    stream: (request, signal) => stream(transport.stream(request, signal)),
  };
}
