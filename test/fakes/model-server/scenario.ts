/**
 * The script of a fake model server: what it answers to which request, independent of the wire that carries it.
 * Plain data (JSON) or a function of the request; it holds no behaviour.
 */

/** A pause or a gate may stand between blocks; `raw` writes bytes as they are (comments, rubbish, unknown events). */
export type ScriptBlock =
  | ({ readonly type: 'text'; readonly text: string } & Pace)
  | ({ readonly type: 'thinking'; readonly thinking: string; readonly signature?: string } & Pace)
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | ({
      readonly type: 'tool_use';
      readonly name: string;
      readonly input: unknown;
      /** Sent instead of `JSON.stringify(input)`: for broken or oddly written arguments. */
      readonly inputText?: string;
      /** Sent instead of an id of the server's own; may be empty or repeated, as real servers do. */
      readonly id?: string;
    } & Pace)
  | { readonly type: 'pause'; readonly ms?: number; readonly holdUntil?: string }
  | { readonly type: 'ping' }
  | { readonly type: 'raw'; readonly bytes: string };

/** How a block is cut up and when its pieces go out. */
export interface Pace {
  /** Number of deltas of about equal length. Default: text in words, input in one piece. */
  readonly deltas?: number;
  /** Milliseconds before every delta. Default 0. */
  readonly everyMs?: number;
  /** Wait for the gate of this name before the delta with this number (0-based; the number of deltas = before the block's stop). */
  readonly hold?: { readonly beforeDelta: number; readonly gate: string };
}

/** What goes wrong. Counts are of the response body: bytes, or events. */
export type Fault =
  /** Accepts the request and never answers, not even headers. */
  | { readonly type: 'no_answer' }
  /** Closes the connection before any header. */
  | { readonly type: 'refuse' }
  /** Goes silent; the connection stays open until the client leaves. */
  | { readonly type: 'hang'; readonly afterBytes?: number; readonly afterEvents?: number }
  /** Destroys the socket. */
  | { readonly type: 'reset'; readonly afterBytes?: number; readonly afterEvents?: number }
  /** Ends the body in good order but too early: no terminator. */
  | { readonly type: 'cut'; readonly afterBytes?: number; readonly afterEvents?: number }
  /** Writes bytes that are not what the wire promises, then goes on as if nothing had happened. */
  | { readonly type: 'malformed'; readonly afterEvents: number; readonly bytes?: string }
  /** An error of the wire's own kind inside a 200 stream, which then ends. */
  | {
      readonly type: 'error_event';
      readonly afterEvents: number;
      readonly error: { readonly type: string; readonly message: string };
    }
  /** Every event is written twice. */
  | { readonly type: 'duplicate' };

export interface Reply {
  readonly blocks?: readonly ScriptBlock[];
  /** The wire's own word. Default: the wire's word for "calls" when there is one, else for "end of turn". */
  readonly stop?: string;
  /** Prompt and output tokens. Default: counted from the bytes (4 per token). */
  readonly usage?: {
    readonly input?: number;
    readonly output?: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
  };
  readonly model?: string;
  /** An HTTP error instead of a stream. A body that is no string is sent as JSON. */
  readonly error?: {
    readonly status: number;
    readonly body: unknown;
    readonly headers?: Readonly<Record<string, string>>;
  };
  readonly headers?: Readonly<Record<string, string>>;
  readonly fault?: Fault;
  /** Milliseconds before the headers. */
  readonly delayMs?: number;
  /** Gate that must be open before the headers. */
  readonly holdUntil?: string;
  /** Milliseconds between headers and first event. */
  readonly firstEventDelayMs?: number;
  /** Bytes per write; cuts fall anywhere, also inside a character. Default: one write per event. */
  readonly chunkBytes?: number;
  readonly gzip?: boolean;
  /** Events with no pause or gate between them leave in one write, so that a client gets them at once. */
  readonly batch?: boolean;
}

/** A result of a tool call as the request carried it, whatever the wire. */
export interface SeenResult {
  readonly callId: string;
  readonly text: string;
  readonly isError: boolean;
}

/** The request as a scenario sees it. */
export interface SeenRequest {
  /** Counts all model requests of this server, from 0. */
  readonly index: number;
  /** Assistant turns in the request so far. A retry has a new `index` but the same `step`. */
  readonly step: number;
  readonly wire: string;
  readonly model: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Results that came after the last assistant turn, in order. */
  readonly results: readonly SeenResult[];
  /** Text of the last user turn. */
  readonly userText: string;
  readonly toolNames: readonly string[];
}

/** One entry of a list: a reply, optionally only for requests that it fits. */
export type Entry = Reply & { readonly when?: Condition };

export interface Condition {
  readonly step?: number;
  readonly userTextIncludes?: string;
  /** In any of the last results. */
  readonly resultIncludes?: string;
  readonly resultIsError?: boolean;
}

export interface ScenarioData {
  /**
   * Entries without `when` are used up in order, one a request. An entry with `when` answers every request that it fits, before
   * the others are looked at.
   */
  readonly responses: readonly Entry[];
  /** When the list is used up. Default `error`: a 500 that says so. */
  readonly afterLast?: 'error' | 'repeat';
}

export type ScenarioFunction = (request: SeenRequest) => Reply | Promise<Reply>;
export type Scenario = ScenarioData | ScenarioFunction;

function fits(condition: Condition, request: SeenRequest): boolean {
  if (condition.step !== undefined && condition.step !== request.step) return false;
  if (condition.userTextIncludes !== undefined && !request.userText.includes(condition.userTextIncludes)) {
    return false;
  }
  const wanted = condition.resultIncludes;
  if (wanted !== undefined && !request.results.some((result) => result.text.includes(wanted))) return false;
  if (condition.resultIsError !== undefined) {
    if (request.results.some((result) => result.isError) !== condition.resultIsError) return false;
  }
  return true;
}

/** Makes the function that chooses replies; keeps the place in the list. */
export function chooser(scenario: Scenario): ScenarioFunction {
  if (typeof scenario === 'function') return scenario;
  const conditional = scenario.responses.filter((entry) => entry.when !== undefined);
  const ordered = scenario.responses.filter((entry) => entry.when === undefined);
  let next = 0;
  return (request) => {
    const match = conditional.find((entry) => entry.when !== undefined && fits(entry.when, request));
    if (match !== undefined) return match;
    const entry = ordered[next] ?? (scenario.afterLast === 'repeat' ? ordered.at(-1) : undefined);
    next += 1;
    if (entry !== undefined) return entry;
    return {
      error: {
        status: 500,
        body: {
          type: 'error',
          error: {
            type: 'api_error',
            message: `The scripted server has no reply left for request ${String(request.index + 1)}.`,
          },
        },
      },
    };
  };
}

/** Replaces `{{name}}` in every string of a scenario. Unknown names are left alone. */
export function fillIn<T>(value: T, variables: Readonly<Record<string, string>>): T {
  const walk = (item: unknown): unknown => {
    if (typeof item === 'string') {
      return item.replace(/\{\{([\w-]+)\}\}/g, (whole, name: string) => variables[name] ?? whole);
    }
    if (Array.isArray(item)) return item.map(walk);
    if (item !== null && typeof item === 'object') {
      return Object.fromEntries(Object.entries(item).map(([key, entry]) => [key, walk(entry)]));
    }
    return item;
  };
  return walk(value) as T;
}
