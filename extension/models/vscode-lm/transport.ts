/**
 * Models that the editor itself offers, behind a small port: the editor's own classes stay with its adapter. There is no system role, no
 * usage, no stop reason and no terminator but the end of the iterator.
 */
import type { Origin } from '../message';
import type { ModelInfo, ModelRequest, RouteError, ToolSpec, Transport } from '../transport';
import { isRecord } from '../errors/answer';
import { diagnose, plainError, toRouteError } from '../errors/diagnose';
import { imageProblem, documentNote, resultText } from '../openai/chat-request';
import { legalName, parametersOf } from '../openai/schema';
import { callIds } from '../wire/call-ids';
import { legalHistory } from '../wire/legal-history';
import type { LegalTurn } from '../wire/legal-history';
import { ResponseState } from '../wire/response-state';
import { responseStream } from '../wire/response-stream';
import type { Run } from '../wire/response-stream';

export type LmPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly callId: string; readonly name: string; readonly input: unknown }
  | { readonly type: 'result'; readonly callId: string; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'other' };

export interface LmMessage {
  readonly role: 'user' | 'assistant';
  readonly parts: readonly LmPart[];
}

export interface LmTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** A model of the editor. Rejects, or throws while it is read, with the editor's own error. */
export interface LmModel {
  send(
    messages: readonly LmMessage[],
    tools: readonly LmTool[],
    signal: AbortSignal,
  ): Promise<AsyncIterable<LmPart>>;
}

export interface LmOptions {
  readonly model: string;
  readonly info: ModelInfo;
  readonly lm: LmModel;
  readonly newId?: () => string;
}

const ID_RULE = { legal: /^[\w.:-]{1,64}$/, maxLength: 64 };

function userParts(
  turn: Extract<LegalTurn, { role: 'user' }>,
  images: boolean,
  idOf: (callId: string) => string,
): LmPart[] {
  const results = turn.results.map((result) => ({
    type: 'result' as const,
    callId: idOf(result.callId),
    text: resultText(result, images),
  }));
  const shown = turn.results.flatMap((result) => result.content.filter((block) => block.type === 'image'));
  const content = [...shown, ...turn.content].map((block): LmPart => {
    if (block.type === 'text') return { type: 'text', text: block.text };
    if (block.type === 'document') return { type: 'text', text: documentNote(block) };
    const problem = imageProblem(block, images);
    return problem === undefined
      ? { type: 'image', mediaType: block.mediaType, data: block.data }
      : { type: 'text', text: problem };
  });
  return [...results, ...content];
}

/** The system prompt goes in front of the first user message: there is no role for it. */
export function lmMessages(request: ModelRequest, images: boolean): readonly LmMessage[] {
  const ids = callIds(ID_RULE);
  const messages: LmMessage[] = [];
  for (const turn of legalHistory(request.messages)) {
    if (turn.role === 'user') {
      messages.push({
        role: 'user',
        parts: userParts(turn, images, (callId) => ids.known(callId) ?? callId),
      });
      continue;
    }
    const parts = turn.parts.flatMap(({ block }): LmPart[] => {
      if (block.type === 'text') return [{ type: 'text', text: block.text }];
      if (block.type !== 'tool_use') return [];
      return [{ type: 'call', callId: ids.of(block, true), name: legalName(block.name), input: block.input }];
    });
    if (parts.length > 0) messages.push({ role: 'assistant', parts });
  }
  const [first, ...rest] = messages;
  if (request.system === '' || first === undefined) return messages;
  return [{ role: 'user', parts: [{ type: 'text', text: request.system }, ...first.parts] }, ...rest];
}

export function lmTools(tools: readonly ToolSpec[]): readonly LmTool[] {
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: parametersOf(tool),
  }));
}

function readPart(part: LmPart, response: ResponseState): void {
  if (part.type === 'text' || part.type === 'thinking') response.say(part.type, part.text);
  if (part.type !== 'call') return;
  const call = response.begin(part.name, part.callId);
  response.args(call, typeof part.input === 'string' ? part.input : JSON.stringify(part.input ?? {}));
  response.endCall(call, true);
}

const CODES: Readonly<Record<string, RouteError>> = {
  NoPermissions: plainError(
    'auth',
    'The editor does not let Sluice use this model. Allow it when the editor asks, or in its settings for language models.',
    false,
  ),
  Blocked: plainError(
    'rate_limit',
    'The editor blocks this model for now: too many requests, or its quota is used up.',
    false,
  ),
  NotFound: plainError('not_found', 'The editor no longer offers this model. Choose another one.', false),
};

/** The editor's errors are known by their code; others by their words. */
export function explainLm(problem: unknown): RouteError {
  const code =
    isRecord(problem) || problem instanceof Error ? (problem as { code?: unknown }).code : undefined;
  const known = typeof code === 'string' ? CODES[code] : undefined;
  if (known !== undefined) return known;
  const text = problem instanceof Error ? problem.message : String(problem);
  if (/net::|ECONN|ENOTFOUND|network|fetch failed/i.test(text))
    return plainError('network', `The model of the editor cannot be reached: ${text}`, true);
  const found = diagnose('vscode-lm', { body: text }, Date.now());
  return found.cause === 'bad_request'
    ? plainError('bad_response', `The model of the editor failed: ${text}`, true)
    : toRouteError(found);
}

async function run(request: ModelRequest, options: LmOptions, { emit, signal }: Run): Promise<void> {
  const response = new ResponseState(emit, options.newId ?? (() => crypto.randomUUID()));
  const parts = await options.lm.send(
    lmMessages(request, options.info.images === true),
    lmTools(request.tools),
    signal,
  );
  emit({ type: 'start', model: options.model });
  for await (const part of parts) readPart(part, response);
  if (signal.aborted) return;
  response.endSaying();
  if (!response.said && response.calls === 0) {
    // An empty answer and a cut one look alike here.
    emit({
      type: 'error',
      error: plainError('bad_response', 'The model of the editor answered with nothing.', true),
    });
    return;
  }
  const reason = response.calls > 0 ? 'tool_use' : 'end_turn';
  emit({ type: 'stop', reason, raw: '', usage: {} });
}

const noFetch = (): Promise<Response> => Promise.reject(new Error('This route has no address'));

export function lmTransport(options: LmOptions): Transport {
  const origin: Origin = { transport: 'vscode-lm', baseUrl: 'vscode', model: options.model };
  return {
    origin,
    info: options.info,
    stream: (request, signal) =>
      responseStream(
        (work) => run(request, options, work),
        { fetch: noFetch, limits: { firstByteMs: 600_000, idleMs: 180_000 }, explain: explainLm },
        signal,
      ),
  };
}
