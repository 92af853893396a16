// The scripted model server: answers each model request with the next step of a scenario and
// records when the request came and when the first and last byte of the answer went out.
import http from 'node:http';
import zlib from 'node:zlib';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { now, sleep } from './clock.mjs';
import { instance, isAgentToolset, toToolCall } from './tools.mjs';
import { stepFor } from './scenarios.mjs';
import * as anthropic from './protocols/anthropic.mjs';
import * as chat from './protocols/openai-chat.mjs';
import * as responses from './protocols/openai-responses.mjs';
import * as ollama from './protocols/ollama.mjs';

const PROTOCOLS = [anthropic, chat, responses, ollama];
const MODELS = ['bench-model'];

function match(method, path) {
  for (const protocol of PROTOCOLS) {
    const kind = protocol.route(method, path);
    if (kind) return { protocol, kind };
  }
  return {};
}

const DECODERS = {
  gzip: zlib.gunzipSync,
  deflate: zlib.inflateSync,
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync,
};

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const raw = Buffer.concat(chunks);
  const decode = DECODERS[request.headers['content-encoding']];
  return decode ? decode(raw) : raw;
}

// Cuts text in pieces without a copy of the rest each time.
function* pieces(text, size = text.length) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function play(writer, parts, tools, called) {
  await writer.begin();
  for (const part of parts) {
    if (part.waitMs) await sleep(part.waitMs);
    if (part.text) {
      for (const piece of pieces(part.text, part.chunk)) {
        if (part.delayMs) await sleep(part.delayMs);
        await writer.text(piece);
      }
    }
    if (!part.tool) continue;
    // Read before the last write, as with the last byte of an answer. Where a wire tells of a call's end only with what follows, that is later still.
    const at = now();
    await writer.tool(toToolCall(tools, part.tool), part.argParts ?? 1);
    called(at);
  }
  return writer.finish();
}

function drained(response) {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}

const textOf = (parts) => parts.map((part) => part.text ?? '').join('');

function json(response, body, status = 200) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

export class BenchServer {
  constructor(scenario, { dumpDir } = {}) {
    this.scenario = scenario;
    this.dumpDir = dumpDir;
    this.records = [];
    this.server = http.createServer((request, response) => {
      const at = now();
      this.#handle(request, response, at).catch((error) => {
        this.records.push({
          kind: 'error',
          path: request.url,
          headersAt: at,
          error: String(error?.stack ?? error),
        });
        if (!response.headersSent) response.writeHead(500);
        response.end();
      });
    });
    this.server.keepAliveTimeout = 60_000;
  }

  async listen(port = 0) {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
    return this.server.address().port;
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }

  async #handle(request, response, headersAt) {
    const path = new URL(request.url, 'http://127.0.0.1').pathname;
    if (path === '/__bench/log') return json(response, this.records);
    const { protocol, kind } = match(request.method, path);
    const record = {
      kind: kind ?? 'probe',
      protocol: protocol?.name,
      method: request.method,
      path,
      headersAt,
    };
    this.records.push(record);
    const raw = await readBody(request);
    record.bodyAt = now();
    record.bodyBytes = raw.length;
    if (kind === 'info') return json(response, protocol.info(path, MODELS));
    if (!kind) return this.#probe(request, response, path);
    const body = JSON.parse(raw.toString('utf8'));
    if (this.dumpDir) await this.#dump(body);
    if (kind === 'count') return json(response, protocol.count(Math.ceil(raw.length / 4)));
    return this.#turn(response, protocol, protocol.parse(body, path), record);
  }

  #probe(request, response, path) {
    if (request.method === 'HEAD') return response.writeHead(200).end();
    if (/\/models$/.test(path)) {
      const data = MODELS.map((id) => ({
        id,
        object: 'model',
        type: 'model',
        display_name: id,
        created: 0,
        owned_by: 'bench',
      }));
      return json(response, { object: 'list', data, has_more: false });
    }
    return json(response, { error: { type: 'not_found_error', message: 'not part of the bench' } }, 404);
  }

  async #dump(body) {
    await mkdir(this.dumpDir, { recursive: true });
    await writeFile(
      join(this.dumpDir, `request-${String(this.records.length).padStart(4, '0')}.json`),
      JSON.stringify(body, null, 1),
    );
  }

  // A request that offers the agent's tools is a turn of the scenario. Any other is a side request
  // (a title, a topic check), and so is whatever comes after the last step (a memory agent with
  // tools of its own): answered shortly.
  #parts(request, record) {
    if (this.finished || !isAgentToolset(request.tools)) {
      record.kind = 'side';
      return [{ text: request.schema ? JSON.stringify(instance(request.schema)) : 'Bench' }];
    }
    record.step = stepFor(this.scenario, request.toolResults);
    this.finished = record.step === this.scenario.steps.length - 1;
    return this.scenario.steps[record.step];
  }

  async #turn(response, protocol, request, record) {
    const parts = this.#parts(request, record);
    record.model = request.model;
    record.toolResults = request.toolResults;
    record.tools = request.tools.length;
    // Small, constant usage: agents that compact on reported usage must not do so here.
    const usage = { input: 1000, output: 50 };
    if (!request.stream) {
      const calls = parts.filter((part) => part.tool).map((part) => toToolCall(request.tools, part.tool));
      record.firstByteAt = now();
      json(response, protocol.whole(request, usage, textOf(parts), calls));
      record.lastByteAt = now();
      return;
    }
    response.writeHead(200, protocol.Writer.headers);
    const send = async (data) => {
      record.firstByteAt ??= now();
      if (response.destroyed) throw new Error('client closed the stream');
      if (!response.write(data)) await drained(response);
    };
    record.callsAt = [];
    const called = (at) => record.callsAt.push(at);
    const last = await play(new protocol.Writer(send, request, usage), parts, request.tools, called);
    // Read before the last write: what the client can start on after this instant is its own time.
    record.lastByteAt = now();
    response.end(last);
  }
}
