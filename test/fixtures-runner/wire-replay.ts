/** Serves the bytes of one stream fixture on loopback, cut as asked, and plays it through the transport that speaks its wire. */
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ModelEvent, ModelRequest, Transport } from '../../extension/models/transport';
import { anthropicTransport } from '../../extension/models/anthropic/transport';
import { chatTransport } from '../../extension/models/openai/chat';
import { responsesTransport } from '../../extension/models/openai/responses';
import { ollamaTransport } from '../../extension/models/ollama/transport';
import { lmTransport } from '../../extension/models/vscode-lm/transport';
import type { LmPart } from '../../extension/models/vscode-lm/transport';

export interface Played {
  readonly bytes: Buffer;
  /** Cut into pieces of this many bytes; `random` = 1 to 40. Default: one piece. */
  readonly pieces?: 'random' | number;
  readonly seed?: number;
  /** Destroy the connection after this many bytes. */
  readonly cutAt?: number;
}

export interface Loopback {
  play(transport: string, played: Played): Promise<ModelEvent[]>;
  close(): Promise<void>;
}

/** The bytes that a server sends for a fixture: real framing is kept, `.jsonl` gets it back. */
export async function render(file: string, transport: string, scenarios: readonly string[]): Promise<Buffer> {
  const raw = await readFile(file);
  if (path.extname(file) !== '.jsonl') return raw;
  const lines = raw
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const framed = lines.map((line) => {
    if (transport === 'openai-chat') return `data: ${line}\n\n`;
    return `event: ${(JSON.parse(line) as { type: string }).type}\ndata: ${line}\n\n`;
  });
  const done = transport === 'openai-chat' && !scenarios.includes('no-done') ? 'data: [DONE]\n\n' : '';
  return Buffer.from(framed.join('') + done);
}

export function withCrlf(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1');
}

function randomNumbers(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function cut({ bytes, pieces, seed = 1, cutAt }: Played): Buffer[] {
  const whole = cutAt === undefined ? bytes : bytes.subarray(0, cutAt);
  if (pieces === undefined || whole.length === 0) return whole.length === 0 ? [] : [whole];
  const next = randomNumbers(seed);
  const out: Buffer[] = [];
  for (let from = 0; from < whole.length;) {
    const size = pieces === 'random' ? 1 + Math.floor(next() * 40) : pieces;
    out.push(whole.subarray(from, from + size));
    from += size;
  }
  return out;
}

export const REQUEST: ModelRequest = {
  system: 'You are a test.',
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  conversationId: 'fixture',
};

const MODEL = 'fixture-model';
const common = { model: MODEL, info: { id: MODEL }, limits: { firstByteMs: 8000, idleMs: 8000 } };
const apiKey = (): Promise<string | undefined> => Promise.resolve('sk-fixture-key-000000');

function transportOf(name: string, url: string): Transport {
  switch (name) {
    case 'anthropic-messages':
      return anthropicTransport({ ...common, baseUrl: url, apiKey });
    case 'openai-chat':
      return chatTransport({ ...common, baseUrl: `${url}/v1`, apiKey });
    case 'openai-responses':
      return responsesTransport({ ...common, baseUrl: `${url}/v1`, apiKey });
    case 'ollama-chat':
      return ollamaTransport({ ...common, baseUrl: url });
    default:
      throw new Error(`No transport for ${name}`);
  }
}

export async function collect(transport: Transport): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of transport.stream(REQUEST, new AbortController().signal)) {
    if (event.type !== 'alive') events.push(event);
  }
  return events;
}

export async function startLoopback(): Promise<Loopback> {
  let current: Played | undefined;
  let type = '';
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    request.resume();
    const played = current;
    if (played === undefined) {
      response.destroy();
      return;
    }
    const send = async (): Promise<void> => {
      response.writeHead(200, { 'content-type': type });
      response.flushHeaders();
      for (const piece of cut(played))
        await new Promise<void>((done) => {
          response.write(piece, () => {
            done();
          });
        });
      if (played.cutAt === undefined) response.end();
      else response.destroy();
    };
    request.on('end', () => {
      void send();
    });
  });
  server.on('connection', (socket) => {
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', () => {
      done();
    });
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    play: (transport, played) => {
      current = played;
      type = transport === 'ollama-chat' ? 'application/x-ndjson' : 'text/event-stream; charset=utf-8';
      return collect(transportOf(transport, url));
    },
    close: () =>
      new Promise((done) => {
        server.close(() => {
          done();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
}

interface LmLine {
  readonly part?: string;
  readonly value?: string | readonly string[];
  readonly callId?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly wait?: number;
  readonly throw?: { readonly name: string; readonly code: string | null; readonly message: string };
}

function partOf(line: LmLine): LmPart {
  const text = Array.isArray(line.value) ? line.value.join('') : String(line.value ?? '');
  if (line.part === 'text') return { type: 'text', text };
  if (line.part === 'thinking') return { type: 'thinking', text };
  if (line.part === 'toolCall')
    return { type: 'call', callId: line.callId ?? '', name: line.name ?? '', input: line.input };
  return { type: 'other' };
}

/** No wire here: a script of what a model of the editor yields. */
export function playLm(script: string): Promise<ModelEvent[]> {
  const lines = script
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as LmLine);
  async function* parts(): AsyncGenerator<LmPart> {
    for (const line of lines) {
      if (line.wait !== undefined)
        await new Promise((done) => setTimeout(done, Math.min(50, line.wait ?? 0)));
      else if (line.throw !== undefined)
        throw Object.assign(new Error(line.throw.message), { code: line.throw.code, name: line.throw.name });
      else yield partOf(line);
    }
  }
  return collect(
    lmTransport({ model: MODEL, info: { id: MODEL }, lm: { send: () => Promise.resolve(parts()) } }),
  );
}
