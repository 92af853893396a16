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
  /** True once for each model of which nothing is known: whoever gets it asks the server. */
  mayAsk(origin: Origin): boolean;
}

export interface Learning {
  readonly store: FactStore;
  /** What is known now. */
  readonly info: () => ModelInfo;
  /** Asks the server what it says of this model; never rejects. */
  readonly ask: () => Promise<Facts>;
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

/**
 * The transport as it is, with all that is learned while it works: numbers in its errors are kept, and the first request to a model of which
 * nothing is known also asks its server. Nothing waits for the answer.
 */
export function learning(transport: Transport, { store, info, ask }: Learning): Transport {
  const { origin } = transport;
  const wonder = (): void => {
    if (!store.mayAsk(origin)) return;
    void ask().then((facts) => {
      if (Object.keys(facts).length > 0) store.learn(origin, facts);
    });
  };
  async function* stream(events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
    for await (const event of events) {
      if (event.type === 'error') {
        const facts = factsIn(event.error);
        if (Object.keys(facts).length > 0) store.learn(origin, facts);
      }
      yield event;
    }
  }
  return {
    origin,
    get info() {
      return info();
    },
    stream: (request, signal) => {
      wonder();
      return stream(transport.stream(request, signal));
    },
  };
}
