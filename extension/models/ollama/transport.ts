/**
 * Ollama's own chat API: NDJSON over fetch. Calls arrive whole, arguments as objects; the window is asked for with every request, because
 * what does not fit is otherwise dropped silently.
 */
import type { StopReason, Usage } from '../../protocol/vocabulary';
import type { Origin } from '../message';
import type { ModelEvent, ModelInfo, ModelRequest, RouteError, Transport } from '../transport';
import { isRecord, parseJson } from '../errors/answer';
import { diagnose, plainError, toRouteError } from '../errors/diagnose';
import { explainThrown } from '../errors/from-thrown';
import { redact } from '../errors/redact';
import { ResponseState } from '../wire/response-state';
import { NOT_NATIVE, TextRecovery } from '../wire/text-recovery';
import { responseStream } from '../wire/response-stream';
import type { Run } from '../wire/response-stream';
import type { FetchLike, Limits } from '../wire/live-fetch';
import { keptBeginnings } from '../wire/beginning';
import type { Beginnings } from '../wire/beginning';
import { bodyBytes } from '../wire/body';
import { prefixKeeper } from '../wire/prefix';
import type { PrefixKeeper } from '../wire/prefix';
import { ID_RULE, ollamaProjector } from './request';
import { jsonLines } from './json-lines';

export interface OllamaOptions {
  readonly baseUrl: string;
  readonly model: string;
  readonly info: ModelInfo;
  readonly headers?: Readonly<Record<string, string>>;
  readonly apiKey?: () => Promise<string | undefined>;
  readonly fetch?: FetchLike;
  readonly limits?: Limits;
  readonly newId?: () => string;
  /** The window in tokens that is asked for, and that compaction counts with. Default {@link DEFAULT_NUM_CTX}. */
  readonly numCtx?: number | (() => number);
}

export const DEFAULT_NUM_CTX = 32_768;
/** Loading a large model takes minutes. */
const LIMITS: Limits = { firstByteMs: 600_000, idleMs: 180_000 };

const STOPS: Readonly<Record<string, StopReason>> = { stop: 'end_turn', length: 'max_tokens' };

/** Thrown for an answer that is no stream, and for an `error` line in one; explained by its fields. */
class OllamaRefusal extends Error {
  override readonly name = 'OllamaRefusal';
  constructor(
    readonly status: number | undefined,
    readonly body: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(body);
  }
}

function str(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function usageOf(line: Record<string, unknown>): Usage {
  const { prompt_eval_count: input, eval_count: output } = line;
  return {
    // Missing when the prompt was cached: unknown, not zero.
    ...(typeof input === 'number' ? { inputTokens: input } : {}),
    ...(typeof output === 'number' ? { outputTokens: output } : {}),
  };
}

function takeCalls(response: ResponseState, calls: unknown): void {
  if (!Array.isArray(calls)) return;
  for (const call of calls.filter(isRecord)) {
    const fn = isRecord(call['function']) ? call['function'] : {};
    const draft = response.begin(str(fn['name']), str(call['id']));
    const args = fn['arguments'];
    response.args(draft, typeof args === 'string' ? args : isRecord(args) ? JSON.stringify(args) : '');
    response.endCall(draft, true);
  }
}

function stopEvent(line: Record<string, unknown>, response: ResponseState): ModelEvent {
  const raw = str(line['done_reason']);
  const known = raw === '' ? 'end_turn' : (STOPS[raw] ?? 'other');
  const reason = known === 'end_turn' && response.calls > 0 ? 'tool_use' : known;
  return { type: 'stop', reason, raw, usage: usageOf(line) };
}

/** True when the line was the last. */
function readLine(
  line: Record<string, unknown>,
  response: ResponseState,
  text: TextRecovery,
  emit: Run['emit'],
): boolean {
  if (line['error'] !== undefined) throw new OllamaRefusal(undefined, JSON.stringify(line));
  const message = isRecord(line['message']) ? line['message'] : {};
  response.say('thinking', str(message['thinking']));
  text.feed(str(message['content']));
  takeCalls(response, message['tool_calls']);
  if (line['done'] !== true) return false;
  text.end();
  response.endSaying();
  if (text.recovered) emit({ type: 'notice', text: NOT_NATIVE });
  emit(stopEvent(line, response));
  return true;
}

interface Parts {
  readonly options: OllamaOptions;
  readonly origin: Origin;
  readonly prefix: PrefixKeeper;
  readonly beginnings: Beginnings;
  readonly project: ReturnType<typeof ollamaProjector>;
}

async function post(
  parts: Parts,
  body: Uint8Array<ArrayBuffer>,
  { fetch, signal }: Run,
  secrets: string[],
): Promise<Response> {
  const key = await parts.options.apiKey?.();
  if (key !== undefined) secrets.push(key);
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const headers = { 'content-type': 'application/json', ...authorization, ...parts.options.headers };
  const response = await fetch(`${parts.origin.baseUrl}/api/chat`, { method: 'POST', headers, body, signal });
  if (!response.ok)
    throw new OllamaRefusal(
      response.status,
      await response.text(),
      Object.fromEntries(response.headers.entries()),
    );
  return response;
}

async function run(request: ModelRequest, parts: Parts, work: Run, secrets: string[]): Promise<void> {
  const { options, origin } = parts;
  const body = parts.project(request, {
    origin,
    images: options.info.images !== false,
    numCtx: windowOf(options),
    reasoning: options.info.reasoning,
    beginning: parts.beginnings.of(parts.prefix.note(request).era, ID_RULE),
  });
  const answer = await post(parts, bodyBytes(body), work, secrets);
  const response = new ResponseState(work.emit, options.newId ?? (() => crypto.randomUUID()));
  const text = new TextRecovery(
    response,
    request.tools.map((tool) => tool.name),
  );
  let started = false;
  for await (const lines of jsonLines(answer.body, work.heard)) {
    if (!started) work.emit({ type: 'start', model: str(lines[0]?.['model']) || options.model });
    started = true;
    if (lines.some((line) => readLine(line, response, text, work.emit))) return;
  }
  if (!started && !work.signal.aborted) {
    work.emit({
      type: 'error',
      error: plainError('bad_response', `${origin.baseUrl} sent an empty answer.`, true),
    });
  }
}

/** Says how to get a model that is not there. */
function withCommand(error: RouteError, model: string): RouteError {
  if (error.cause !== 'model_not_found') return error;
  return { ...error, pull: model, message: `${error.message} Get it with: ollama pull ${model}` };
}

function explain({ options, origin }: Parts, problem: unknown, secrets: readonly string[]): RouteError {
  if (!(problem instanceof OllamaRefusal)) {
    return explainThrown(problem, { transport: 'ollama-chat', baseUrl: origin.baseUrl, secrets });
  }
  const answer = {
    ...(problem.status === undefined ? {} : { status: problem.status }),
    headers: problem.headers,
    body: parseJson(problem.body) ?? problem.body,
  };
  const error = toRouteError(diagnose('ollama-chat', answer, Date.now()));
  return withCommand({ ...error, message: redact(error.message, secrets) }, options.model);
}

function windowOf({ numCtx = DEFAULT_NUM_CTX }: OllamaOptions): number {
  return typeof numCtx === 'number' ? numCtx : numCtx();
}

export function ollamaTransport(options: OllamaOptions): Transport {
  const baseUrl = options.baseUrl
    .trim()
    .replace(/\/+$/, '')
    .replace(/\/(v1|api)$/, '');
  const origin: Origin = { transport: 'ollama', baseUrl, model: options.model };
  const parts: Parts = {
    options,
    origin,
    prefix: prefixKeeper(),
    beginnings: keptBeginnings(),
    project: ollamaProjector(),
  };
  return {
    origin,
    // The window that is asked for is the window that counts.
    get info() {
      return { ...options.info, contextTokens: windowOf(options) };
    },
    stream: (request, signal) => {
      const secrets: string[] = [];
      return responseStream(
        (work) => run(request, parts, work, secrets),
        {
          fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
          limits: options.limits ?? LIMITS,
          explain: (problem) => explain(parts, problem, secrets),
        },
        signal,
      );
    },
  };
}
