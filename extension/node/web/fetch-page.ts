/**
 * The Web port: one request to one address, nothing followed. A name is resolved once, every address that it has is looked at, and the
 * connection goes to what was looked at, so that a name that changes its mind gains nothing. It sends no cookies and no keys.
 */
import { lookup as resolve } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import { Agent as PlainAgent, request as plainRequest } from 'node:http';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { BlockList, isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { WebAnswer, WebRequest } from '../../ports';

const HEADERS = {
  accept: 'text/html,application/xhtml+xml,text/markdown,text/plain,application/json;q=0.9,*/*;q=0.5',
  'accept-encoding': 'gzip, br, deflate',
  'user-agent': 'Sluice (VS Code)',
};

export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

const bySystem: Resolve = (host) =>
  new Promise((done, fail) =>
    resolve(host, { all: true, verbatim: true }, (error, found) => (error ? fail(error) : done(found))),
  );

class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress';
}

export async function fetchPage(
  request: WebRequest,
  signal: AbortSignal,
  resolveName: Resolve = bySystem,
): Promise<WebAnswer> {
  const timeout = AbortSignal.timeout(request.timeoutMs);
  try {
    const response = await respond(request, AbortSignal.any([signal, timeout]), resolveName);
    const status = response.statusCode ?? 0;
    const to = response.headers.location;
    if (status >= 300 && status < 400 && to !== undefined) {
      response.destroy();
      return { type: 'redirect', status, to };
    }
    const { body, cut } = await bodyOf(response, request.maxBytes);
    return {
      type: 'page',
      url: request.url,
      status,
      statusText: response.statusMessage ?? '',
      contentType: response.headers['content-type'] ?? '',
      body,
      cut,
    };
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted)
      return {
        type: 'failed',
        reason: 'timeout',
        message: `no answer within ${request.timeoutMs / 1000} s.`,
      };
    const message = error instanceof Error ? error.message : String(error);
    return { type: 'failed', reason: error instanceof PrivateAddress ? 'private' : 'network', message };
  }
}

function respond(
  { url, privateToo }: WebRequest,
  signal: AbortSignal,
  resolveName: Resolve,
): Promise<IncomingMessage> {
  const address = new URL(url);
  const secure = address.protocol === 'https:';
  const host = address.hostname.replace(/^\[|\]$/g, '');
  // Node does not look up what is an address already.
  if (!privateToo && isIP(host) !== 0 && isPrivate(host)) throw new PrivateAddress(privateWords(host, host));
  const options: RequestOptions = {
    headers: HEADERS,
    signal,
    lookup: pinned(resolveName, privateToo),
    // A connection of its own: none that somebody else has opened.
    agent: secure ? new SecureAgent({ keepAlive: false }) : new PlainAgent({ keepAlive: false }),
  };
  return new Promise((done, fail) => {
    const request = (secure ? secureRequest : plainRequest)(address, options, done);
    request.on('error', fail);
    request.end();
  });
}

/** One private address among several is enough to refuse. */
function pinned(resolveName: Resolve, privateToo: boolean): LookupFunction {
  return (host, options, callback) => {
    resolveName(host).then(
      (found) => {
        const bad = privateToo ? undefined : found.find(({ address }) => isPrivate(address));
        const [first] = found;
        if (bad !== undefined) return callback(new PrivateAddress(privateWords(host, bad.address)), '', 0);
        if (first === undefined) return callback(new Error(`${host} has no address.`), '', 0);
        if (options.all === true) return callback(null, [...found], 0);
        return callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), '', 0),
    );
  };
}

function privateWords(host: string, address: string): string {
  return `${host} is ${address}, an address of this computer or of a private network, and that was not asked about.`;
}

const PRIVATE = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  PRIVATE.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of [
  ['::', 127],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['2001::', 32],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
] as const)
  PRIVATE.addSubnet(net, bits, 'ipv6');

/** What cannot be read counts as private. */
export function isPrivate(address: string): boolean {
  const plain = address.split('%', 1)[0] ?? '';
  const kind = isIP(plain);
  if (kind === 0) return true;
  if (kind === 4) return PRIVATE.check(plain, 'ipv4');
  // An address of the old kind in the clothes of the new one, however it is written.
  const { hostname } = new URL(`http://[${plain}]`);
  return hostname.startsWith('[::ffff:') || PRIVATE.check(plain, 'ipv6');
}

async function bodyOf(
  response: IncomingMessage,
  most: number,
): Promise<{ readonly body: Uint8Array; readonly cut: boolean }> {
  const stream = unpacked(response);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= most) continue;
    response.destroy();
    return { body: Buffer.concat(chunks).subarray(0, most), cut: true };
  }
  return { body: Buffer.concat(chunks), cut: false };
}

/** Bytes are counted after this, so that a small body that unpacks to a large one is cut like any other. */
function unpacked(response: IncomingMessage): Readable {
  const unpack = unpackerOf(response.headers['content-encoding']);
  if (unpack === undefined) return response;
  response.on('error', (error) => unpack.destroy(error));
  return response.pipe(unpack);
}

function unpackerOf(encoding: string | undefined) {
  switch (encoding?.toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    case 'deflate':
      return createInflate();
    default:
      return undefined;
  }
}
