/**
 * Turns what an SDK or `fetch` threw into a classified route error. Recognises errors by their fields, not by class, because the SDKs
 * are loaded lazily and each has its own classes.
 */
import type { RouteError } from '../transport';
import { isRecord } from './answer';
import { diagnose, plainError, toRouteError } from './diagnose';
import type { Diagnosis } from './diagnose';
import { redact } from './redact';

export interface ThrownContext {
  readonly transport: string;
  readonly baseUrl: string;
  readonly secrets: readonly string[];
}

const NETWORK_CODES =
  /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE|ECONNABORTED|UND_ERR|CERT_|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO|DEPTH_ZERO/;

function field(value: unknown, name: string): unknown {
  return isRecord(value) || value instanceof Error ? (value as Record<string, unknown>)[name] : undefined;
}

/** Codes and words of an error and everything under it (`cause`, `errors` of an AggregateError). */
function chain(problem: unknown): { readonly codes: string[]; readonly words: string[] } {
  const codes: string[] = [];
  const words: string[] = [];
  let at: unknown = problem;
  for (let depth = 0; depth < 6 && at !== undefined && at !== null; depth++) {
    const code = field(at, 'code');
    const message = field(at, 'message');
    if (typeof code === 'string') codes.push(code);
    if (typeof message === 'string' && message !== '') words.push(message);
    const several = field(at, 'errors');
    at = field(at, 'cause') ?? (Array.isArray(several) ? several[0] : undefined);
  }
  return { codes, words };
}

function plainHeaders(headers: unknown): Record<string, string> {
  if (headers instanceof Headers) return Object.fromEntries(headers.entries());
  if (!isRecord(headers)) return {};
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}

/** The body as the SDK kept it: parsed, or the text behind the status in the message. */
function bodyOf(problem: unknown): unknown {
  const body = field(problem, 'error');
  if (body !== undefined && body !== null) return body;
  const message = field(problem, 'message');
  return typeof message === 'string' ? message.replace(/^\d{3}\s*(status code \(no body\)|"")?\s*/, '') : '';
}

function networkError(problem: unknown, context: ThrownContext): RouteError {
  const { codes, words } = chain(problem);
  const code = codes.find((candidate) => NETWORK_CODES.test(candidate));
  const all = [...codes, ...words].join(' ');
  if (/HEADERS_TIMEOUT|BODY_TIMEOUT|CONNECT_TIMEOUT|ETIMEDOUT/.test(all)) {
    return plainError('timeout', `${context.baseUrl} did not answer in time (${code ?? 'timeout'}).`, true);
  }
  if (/terminated|other side closed|ECONNRESET|premature close|socket hang up|aborted/i.test(all)) {
    return plainError(
      'network',
      `The connection to ${context.baseUrl} broke off before the answer was complete.`,
      true,
    );
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_|TLS|SSL|DEPTH_ZERO/.test(all)) {
    const words_ = code ?? 'certificate';
    return plainError(
      'network',
      `No secure connection to ${context.baseUrl} (${words_}). Check the proxy and certificate settings.`,
      false,
    );
  }
  return plainError(
    'network',
    `${context.baseUrl} cannot be reached${code === undefined ? '' : ` (${code})`}.`,
    true,
  );
}

/** What a server said, when it was a server that refused. */
export function refusalOf(
  problem: unknown,
  context: Pick<ThrownContext, 'transport'>,
): Diagnosis | undefined {
  const status = field(problem, 'status');
  const body = field(problem, 'error');
  if (typeof status !== 'number' && (body === undefined || body === null)) return undefined;
  const answer = {
    ...(typeof status === 'number' ? { status } : {}),
    headers: plainHeaders(field(problem, 'headers')),
    body: bodyOf(problem),
  };
  return diagnose(context.transport, answer, Date.now());
}

export function explainThrown(problem: unknown, context: ThrownContext): RouteError {
  const clean = (error: RouteError): RouteError => ({
    ...error,
    message: redact(error.message, context.secrets),
  });
  const refusal = refusalOf(problem, context);
  if (refusal !== undefined) return clean(toRouteError(refusal));
  if (problem instanceof SyntaxError) {
    return clean(
      plainError(
        'bad_response',
        'The server sent a line that is not valid JSON, so the answer cannot be trusted.',
        true,
      ),
    );
  }
  const { codes, words } = chain(problem);
  const isNetwork =
    codes.some((code) => NETWORK_CODES.test(code)) ||
    words.some((word) =>
      /fetch failed|terminated|connection error|other side closed|network|socket/i.test(word),
    );
  if (isNetwork) return clean(networkError(problem, context));
  return clean(
    plainError('bad_response', `The answer could not be read: ${words[0] ?? String(problem)}`, true),
  );
}
