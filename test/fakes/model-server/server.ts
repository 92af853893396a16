/**
 * A scripted model server on loopback: real HTTP, real framing, told by a scenario what to answer. It records what it was asked and
 * when it wrote what, and refuses the requests that the real services refuse (`strict`). It never guesses: no reply left is a 500.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { chooser } from './scenario.ts';
import type { Scenario, SeenRequest } from './scenario.ts';
import { countingIds, isObject } from './wire.ts';
import type { Body, Wire } from './wire.ts';
import { anthropicWire } from './anthropic-wire.ts';
import { ollamaWire } from './ollama-wire.ts';
import { openaiChatWire } from './openai-chat-wire.ts';
import { openaiResponsesWire } from './openai-responses-wire.ts';
import { writeReply } from './write-reply.ts';
import { makeGates, now } from './gates.ts';
import type { Written } from './gates.ts';
import { check } from './request-rules.mjs';
import type { RuleOptions } from './request-rules.mjs';

const WIRES: readonly Wire[] = [anthropicWire, openaiChatWire, openaiResponsesWire, ollamaWire];

export interface RecordedRequest extends SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly raw: string;
  readonly arrivedAt: number;
  readonly written: readonly Written[];
  /** What the rules found; with `strict` the first of them was the answer. */
  readonly refused: readonly string[];
  /** True when the client left before the answer was whole. */
  readonly aborted: boolean;
  readonly endedAt?: number;
}

export interface ServerOptions {
  readonly port?: number;
  /** Refuse what the real service refuses. Default true. */
  readonly strict?: boolean;
  readonly rules?: RuleOptions;
  /** When given, a request without this key gets the service's 401. */
  readonly apiKey?: string;
}

export interface ModelServer {
  readonly url: string;
  /** Model requests only, in order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Opens a gate for good. */
  open(gate: string): void;
  /** Resolves when a request waits at the gate. */
  waitedFor(gate: string): Promise<void>;
  /** Replaces the scenario for the requests to come. */
  play(scenario: Scenario): void;
  close(): Promise<void>;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function parse(raw: string): Body {
  try {
    const value: unknown = JSON.parse(raw);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function plainHeaders(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}

function hasKey(headers: Readonly<Record<string, string>>, key: string): boolean {
  return (
    headers['x-api-key'] === key || headers['api-key'] === key || headers['authorization'] === `Bearer ${key}`
  );
}

const WRONG_KEY: Readonly<Record<string, unknown>> = {
  'anthropic-messages': {
    type: 'error',
    error: { type: 'authentication_error', message: 'invalid x-api-key' },
  },
};
const WRONG_KEY_ELSEWHERE = {
  error: {
    message:
      'Incorrect API key provided: sk-wrong****-key. You can find your API key in your account settings.',
    type: 'invalid_request_error',
    param: null,
    code: 'invalid_api_key',
  },
};

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Recording = Mutable<Omit<RecordedRequest, 'written'>> & { readonly written: Written[] };

/** Starts a server; the caller closes it. */
export async function startModelServer(
  scenario: Scenario,
  options: ServerOptions = {},
): Promise<ModelServer> {
  const ids = countingIds();
  const gates = makeGates();
  const requests: Recording[] = [];
  const sockets = new Set<Socket>();
  let choose = chooser(scenario);

  const answerModel = async (
    wire: Wire,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const arrivedAt = now();
    const raw = await readBody(request);
    const body = parse(raw);
    const headers = plainHeaders(request);
    const findings = check(wire.name, body, options.rules).filter((finding) => finding.status !== 0);
    const record: Recording = {
      ...wire.view(body),
      index: requests.length,
      wire: wire.name,
      body,
      headers,
      method: request.method ?? '',
      path: request.url ?? '',
      raw,
      arrivedAt,
      written: [],
      refused: findings.map((finding) => finding.rule),
      aborted: false,
    };
    requests.push(record);
    response.on('close', () => {
      record.aborted = !response.writableFinished;
      record.endedAt = now();
    });
    const standard = wire.headers(ids);
    if (options.apiKey !== undefined && !hasKey(headers, options.apiKey)) {
      sendJson(response, 401, WRONG_KEY[wire.name] ?? WRONG_KEY_ELSEWHERE, {
        ...standard,
        'x-should-retry': 'false',
      });
      return;
    }
    const finding = findings[0];
    if (finding !== undefined && options.strict !== false) {
      sendJson(response, finding.status, finding.body, standard);
      return;
    }
    const reply = await choose(record);
    await writeReply({ wire, reply, body, ids, gates, response, headers: standard, written: record.written });
  };

  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*$/, '');
    const wire = WIRES.find((candidate) => candidate.handles(path));
    const work = async (): Promise<void> => {
      if (request.method === 'POST' && wire !== undefined) return answerModel(wire, request, response);
      if (path.startsWith('/_control/')) {
        control(path, response);
        return;
      }
      const ask = (candidate: Wire): unknown =>
        request.method === 'GET'
          ? candidate.get?.(path)
          : request.method === 'POST'
            ? candidate.post?.(path)
            : undefined;
      // Both services list models at the same path; the headers of their SDKs tell them apart.
      const wires = request.headers['anthropic-version'] === undefined ? [...WIRES].reverse() : WIRES;
      const found = wires.map(ask).find((answer) => answer !== undefined);
      if (found !== undefined) sendJson(response, 200, found, {});
      else
        sendJson(
          response,
          404,
          { type: 'error', error: { type: 'not_found_error', message: `Not found: ${path}` } },
          {},
        );
    };
    work().catch((problem: unknown) => {
      if (response.headersSent) response.destroy();
      else
        sendJson(
          response,
          500,
          { error: { type: 'api_error', message: `Scripted server: ${String(problem)}` } },
          {},
        );
    });
  });

  /** For tests in another process: GET /_control/requests, any method on /_control/open/<gate>. */
  const control = (path: string, response: ServerResponse): void => {
    const gate = /^\/_control\/open\/(.+)$/.exec(path)?.[1];
    if (gate !== undefined) gates.open(decodeURIComponent(gate));
    sendJson(response, 200, path === '/_control/requests' ? requests : { ok: true }, {});
  };

  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const port = await listen(server, options.port ?? 0);
  return {
    url: `http://127.0.0.1:${String(port)}`,
    requests,
    open: (gate) => {
      gates.open(gate);
    },
    waitedFor: (gate) => gates.waitedFor(gate),
    play: (next) => {
      choose = chooser(next);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
}
