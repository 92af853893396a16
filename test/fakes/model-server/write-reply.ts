/**
 * Puts one reply of a scenario on the socket: pace, gates, chunking and faults. It knows no protocol; the wire makes the frames.
 */
import type { ServerResponse } from 'node:http';
import { once } from 'node:events';
import { constants, createGzip } from 'node:zlib';
import type { Fault, Reply } from './scenario.ts';
import type { Body, Ids, Wire } from './wire.ts';
import { now } from './gates.ts';
import type { Gates, Written } from './gates.ts';

interface Job {
  readonly wire: Wire;
  readonly reply: Reply;
  readonly body: Body;
  readonly ids: Ids;
  readonly gates: Gates;
  readonly response: ServerResponse;
  readonly headers: Readonly<Record<string, string>>;
  readonly written: Written[];
}

function sleep(ms: number, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (gone.aborted) {
      resolve();
      return;
    }
    const timer = setTimeout(resolve, ms);
    gone.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}

/** Resolves when the client has left. */
function untilGone(gone: AbortSignal): Promise<void> {
  return gone.aborted ? Promise.resolve() : once(gone, 'abort').then(() => undefined);
}

function sendError(job: Job, error: NonNullable<Reply['error']>): void {
  const isText = typeof error.body === 'string';
  job.response.writeHead(error.status, {
    'content-type': isText ? 'text/html; charset=utf-8' : 'application/json',
    ...job.headers,
    ...error.headers,
  });
  job.response.end(isText ? String(error.body) : JSON.stringify(error.body));
}

/** Counts what went out and says when a fault is due. */
interface Sender {
  /** True when the fault's count has been reached. */
  due(fault: Fault | undefined): boolean;
  event(text: string, name: string, block: number | undefined): Promise<void>;
  /** Writes what `batch` held back. */
  flush(): Promise<void>;
  raw(bytes: Buffer): Promise<void>;
  end(): void;
}

function outlet(job: Job): NodeJS.WritableStream {
  if (job.reply.gzip !== true) return job.response;
  const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
  gzip.pipe(job.response);
  return gzip;
}

function makeSender(job: Job, gone: AbortSignal): Sender {
  const out = outlet(job);
  let bytes = 0;
  let events = 0;
  const limit =
    job.reply.fault !== undefined && 'afterBytes' in job.reply.fault ? job.reply.fault.afterBytes : undefined;
  const raw = async (data: Buffer): Promise<void> => {
    const size = job.reply.chunkBytes ?? Math.max(1, data.length);
    for (let from = 0; from < data.length && !gone.aborted; from += size) {
      const piece = data.subarray(from, from + size);
      // Awaited, so that pieces reach the socket one by one instead of being joined.
      await new Promise<void>((resolve) => {
        out.write(piece, () => {
          resolve();
        });
      });
    }
    bytes += data.length;
  };
  const held: { readonly data: Buffer; readonly name: string; readonly block: number | undefined }[] = [];
  const write = async (some: typeof held): Promise<void> => {
    await raw(Buffer.concat(some.map(({ data }) => data)));
    for (const { name, block } of some)
      job.written.push(block === undefined ? { at: now(), name } : { at: now(), name, block });
  };
  const flush = async (): Promise<void> => {
    if (held.length > 0) await write(held.splice(0));
  };
  return {
    raw,
    flush,
    due: (fault) => {
      if (fault === undefined) return false;
      if ('afterEvents' in fault && fault.afterEvents !== undefined && events >= fault.afterEvents)
        return true;
      return limit !== undefined && bytes >= limit;
    },
    event: async (text, name, block) => {
      const whole = Buffer.from(text);
      const data = limit === undefined ? whole : whole.subarray(0, Math.max(0, limit - bytes));
      held.push({ data, name, block });
      if (job.reply.batch !== true) await flush();
      events += 1;
    },
    end: () => {
      out.end();
    },
  };
}

/** Timers are no finer than this; shorter pauses are kept on average. */
const FINEST_MS = 5;

function createPace(gone: AbortSignal): { begin(): void; wait(ms: number): Promise<void> } {
  let due = now();
  return {
    begin() {
      due = now();
    },
    async wait(ms) {
      if (ms >= FINEST_MS) return sleep(ms, gone);
      due += ms;
      const left = due - now();
      if (left >= 1) await sleep(left, gone);
    },
  };
}

async function stream(job: Job, sender: Sender, gone: AbortSignal): Promise<'whole' | 'faulted'> {
  const { reply, wire, gates } = job;
  const fault = reply.fault;
  let spent = false;
  const pace = createPace(gone);
  for (const frame of wire.frames(reply, job.body, job.ids)) {
    if (gone.aborted) return 'faulted';
    if (!spent && sender.due(fault) && fault !== undefined) {
      await sender.flush();
      if (fault.type === 'malformed') {
        await sender.raw(Buffer.from(fault.bytes ?? 'data: {"type": oops, not json\n\n'));
        spent = true;
      } else {
        return 'faulted';
      }
    }
    if (frame.type !== 'event') await sender.flush();
    if (frame.type === 'pause') await pace.wait(frame.ms);
    else if (frame.type === 'gate') {
      await gates.pass(frame.name, gone);
      pace.begin();
    } else {
      await sender.event(frame.bytes, frame.name, frame.block);
      if (fault?.type === 'duplicate') await sender.event(frame.bytes, frame.name, frame.block);
    }
  }
  await sender.flush();
  return sender.due(fault) && fault?.type !== 'malformed' ? 'faulted' : 'whole';
}

async function finish(job: Job, sender: Sender, gone: AbortSignal): Promise<void> {
  const fault = job.reply.fault;
  if (fault?.type === 'hang') await untilGone(gone);
  else if (fault?.type === 'reset') job.response.destroy();
  else {
    if (fault?.type === 'error_event') await sender.raw(Buffer.from(job.wire.errorEvent(fault.error)));
    sender.end();
  }
}

export async function writeReply(job: Job): Promise<void> {
  const { reply, response } = job;
  const left = new AbortController();
  response.on('close', () => {
    left.abort();
  });
  const gone = left.signal;
  if (reply.delayMs !== undefined) await sleep(reply.delayMs, gone);
  if (reply.holdUntil !== undefined) await job.gates.pass(reply.holdUntil, gone);
  if (reply.fault?.type === 'no_answer') return untilGone(gone);
  if (reply.fault?.type === 'refuse') {
    response.destroy();
    return;
  }
  if (reply.error !== undefined) {
    sendError(job, reply.error);
    return;
  }
  if (job.body['stream'] !== true && job.wire.whole !== undefined) {
    response.writeHead(200, { 'content-type': 'application/json', ...job.headers, ...reply.headers });
    response.end(JSON.stringify(job.wire.whole(reply, job.body, job.ids)));
    return;
  }
  response.writeHead(200, {
    'content-type': job.wire.contentType,
    'cache-control': 'no-cache',
    ...(reply.gzip === true ? { 'content-encoding': 'gzip' } : {}),
    ...job.headers,
    ...reply.headers,
  });
  response.flushHeaders();
  if (reply.firstEventDelayMs !== undefined) await sleep(reply.firstEventDelayMs, gone);
  const sender = makeSender(job, gone);
  const ended = await stream(job, sender, gone);
  if (ended === 'whole') sender.end();
  else await finish(job, sender, gone);
}
