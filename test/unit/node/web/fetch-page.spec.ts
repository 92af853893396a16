/** Requests for real, to a server of this machine that stands for the web: what is private is known by what names resolve to. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchPage, isPrivate } from '../../../../extension/node/web/fetch-page';
import type { Resolve } from '../../../../extension/node/web/fetch-page';

let port = 0;
let hits = 0;
const server = createServer((request, response) => {
  hits++;
  switch (request.url) {
    case '/to':
      return void response.writeHead(302, { location: 'http://10.0.0.1/' }).end();
    case '/bomb':
      return void response
        .writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.alloc(20_000_000)));
    case '/never':
      return void response.writeHead(200).write('a');
    default:
      return void response
        .writeHead(200, { 'content-type': 'text/plain' })
        .end(JSON.stringify({ host: request.headers.host, cookie: request.headers.cookie ?? null }));
  }
});

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const at = (...addresses: string[]): Resolve => {
  return async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
};
const idle = new AbortController().signal;
const get = (path: string, privateToo: boolean, resolve?: Resolve, timeoutMs = 20_000) =>
  fetchPage(
    { url: `http://site.example:${port}${path}`, maxBytes: 1_000_000, timeoutMs, privateToo },
    idle,
    resolve,
  );

describe('a page', () => {
  it('comes from the address that was looked at, under its own name', async () => {
    const answer = await get('/', true, at('127.0.0.1'));
    expect(answer.type === 'page' && new TextDecoder().decode(answer.body)).toBe(
      JSON.stringify({ host: `site.example:${port}`, cookie: null }),
    );
  });

  it('is not asked for where a name is private, even as one address of several', async () => {
    const before = hits;
    for (const addresses of [['127.0.0.1'], ['93.184.216.34', '127.0.0.1'], ['::1'], ['::ffff:127.0.0.1']])
      expect(await get('/', false, at(...addresses))).toMatchObject({ type: 'failed', reason: 'private' });
    expect(hits).toBe(before);
  });

  it('of a private address that is written out is not asked for either', async () => {
    const before = hits;
    const request = { maxBytes: 1, timeoutMs: 20_000, privateToo: false };
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:7f00:1]'])
      expect(await fetchPage({ ...request, url: `http://${host}:${port}/` }, idle)).toMatchObject({
        reason: 'private',
      });
    expect(hits).toBe(before);
  });

  it('that leads elsewhere is not followed', async () => {
    expect(await get('/to', true, at('127.0.0.1'))).toEqual({
      type: 'redirect',
      status: 302,
      to: 'http://10.0.0.1/',
    });
  });

  it('is cut when it unpacks to more than is read', async () => {
    const answer = await get('/bomb', true, at('127.0.0.1'));
    expect(answer).toMatchObject({ type: 'page', cut: true });
    expect(answer.type === 'page' && answer.body.length).toBe(1_000_000);
  });

  it('that does not end is given up', async () => {
    expect(await get('/never', true, at('127.0.0.1'), 200)).toMatchObject({ reason: 'timeout' });
  });
});

describe('private addresses', () => {
  it.each([
    '10.1.2.3',
    '100.64.0.1',
    '127.9.9.9',
    '169.254.169.254',
    '172.31.0.1',
    '192.168.1.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1%eth0',
    'fd00::1',
    'ff02::1',
    '::ffff:8.8.8.8',
    '64:ff9b::a00:1',
    '2002:7f00:1::',
    'nonsense',
  ])('%s', (address) => expect(isPrivate(address)).toBe(true));
  it.each(['93.184.216.34', '172.32.0.1', '100.128.0.1', '2606:2800:220:1::'])('but not %s', (address) =>
    expect(isPrivate(address)).toBe(false),
  );
});
