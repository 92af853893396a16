// The address that a browser opens: a loopback proxy in front of the VS Code server, for what the server lacks.
//  · each webview gets an origin of its own (<id>.localhost), hence a process of its own, as on the desktop
//  · /mint-key, so that SecretStorage survives a reload
//  · no other page, webview or user of this machine may talk to the server, which could run anything as this user
import { randomBytes, timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import net from 'node:net';

const WEBVIEW_FILES = '/static/out/vs/workbench/contrib/webview/browser/pre/';

/** @typedef {{ port: number, token: string, close(): void }} Gateway */

/**
 * @param {string} socketPath where the server listens
 * @param {number} wantedPort 0 for any free one
 * @returns {Promise<Gateway>}
 */
export async function openGateway(socketPath, wantedPort = 0) {
  const token = randomBytes(16).toString('hex');
  const secretsKey = randomBytes(32);
  const server = http.createServer((request, response) => {
    const from = origin(request, token);
    if (from === 'stranger' || (from === 'webview' && !isWebviewFile(request))) return refuse(response);
    if (from === 'guest')
      response.setHeader('set-cookie', `${cookieName(request)}=${token}; Path=/; HttpOnly; SameSite=Strict`);
    if (request.url === '/mint-key') response.end(secretsKey);
    else forward(socketPath, request, response);
  });
  server.on('upgrade', (request, socket, head) => {
    if (origin(request, token) === 'workbench')
      tunnel(socketPath, request, /** @type {net.Socket} */ (socket), head);
    else socket.destroy();
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(wantedPort, '127.0.0.1', () => resolve(undefined));
  });
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  return {
    port,
    token,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Who asks: our own page (by its cookie), a guest who has the printed address with its token, one of the webviews,
 * or something else: another site, another user, or a name that was made to point here.
 * @param {http.IncomingMessage} request
 * @param {string} token
 * @returns {'workbench' | 'guest' | 'webview' | 'stranger'}
 */
function origin(request, token) {
  const { headers, socket } = request;
  const host = headers.host ?? '';
  if (host.endsWith(`.localhost:${socket.localPort}`)) return 'webview';
  if (![`127.0.0.1:${socket.localPort}`, `localhost:${socket.localPort}`].includes(host)) return 'stranger';
  if (headers.origin && headers.origin !== `http://${host}`) return 'stranger';
  const cookies = (headers.cookie ?? '').split(/;\s*/);
  if (cookies.some((cookie) => same(cookie, `${cookieName(request)}=${token}`))) return 'workbench';
  const given = new URL(request.url ?? '/', `http://${host}`).searchParams.get('token') ?? '';
  return same(given, token) ? 'guest' : 'stranger';
}

/**
 * Cookies of one host name are shared by all its ports, so the name has the port.
 * @param {http.IncomingMessage} request
 */
const cookieName = ({ socket }) => `sluice-${socket.localPort}`;

/**
 * @param {string} given
 * @param {string} expected
 */
function same(given, expected) {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** @param {http.IncomingMessage} request */
const isWebviewFile = ({ method, url }) => method === 'GET' && (url ?? '').includes(WEBVIEW_FILES);

/** @param {http.ServerResponse} response */
function refuse(response) {
  response.writeHead(403, { 'content-type': 'text/plain' });
  response.end('Open the whole address that was printed, with its token.\n');
}

/**
 * @param {string} socketPath
 * @param {http.IncomingMessage} request
 * @param {http.ServerResponse} response
 */
function forward(socketPath, request, response) {
  const isPage = request.method === 'GET' && (request.url ?? '').split('?')[0] === '/';
  const headers = { ...request.headers };
  if (isPage) delete headers['accept-encoding']; // it is rewritten below
  const options = { socketPath, method: request.method, path: request.url, headers };
  const upstream = http.request(options, (answer) => {
    if (isPage && ownsOrigins(request)) void sendPage(answer, request, response);
    else {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    }
  });
  upstream.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  response.on('close', () => upstream.destroy());
  request.pipe(upstream);
}

/**
 * Safari does not resolve *.localhost; there, webviews stay in the workbench's own origin.
 * @param {http.IncomingMessage} request
 */
function ownsOrigins({ headers }) {
  const agent = headers['user-agent'] ?? '';
  return !/Safari\//.test(agent) || /Chrom(e|ium)\//.test(agent);
}

/**
 * Sends the workbench page with the webviews' endpoint changed to a host name for each.
 * @param {http.IncomingMessage} answer
 * @param {http.IncomingMessage} request
 * @param {http.ServerResponse} response
 */
async function sendPage(answer, request, response) {
  const port = request.socket.localPort;
  const chunks = [];
  for await (const chunk of answer) chunks.push(chunk);
  const page = Buffer.concat(chunks)
    .toString('utf8')
    .replace('&quot;webviewEndpoint&quot;:&quot;', `$&http://{{uuid}}.localhost:${port}/`);
  const headers = { ...answer.headers };
  const policy = 'content-security-policy';
  const old = headers[policy];
  if (typeof old === 'string')
    headers[policy] = old.replace('frame-src', `frame-src http://*.localhost:${port}`);
  delete headers['content-length'];
  delete headers['transfer-encoding'];
  response.writeHead(answer.statusCode ?? 502, headers);
  response.end(page);
}

/**
 * Passes a WebSocket through, byte for byte.
 * @param {string} socketPath
 * @param {http.IncomingMessage} request
 * @param {net.Socket} client
 * @param {Buffer} head
 */
function tunnel(socketPath, request, client, head) {
  const upstream = net.connect(socketPath, () => {
    const lines = [`${request.method} ${request.url} HTTP/1.1`];
    for (let i = 0; i < request.rawHeaders.length; i += 2) {
      lines.push(`${request.rawHeaders[i]}: ${request.rawHeaders[i + 1]}`);
    }
    upstream.write(`${lines.join('\r\n')}\r\n\r\n`);
    upstream.write(head);
    upstream.pipe(client);
    client.pipe(upstream);
  });
  upstream.setNoDelay(true);
  client.setNoDelay(true);
  const end = () => {
    upstream.destroy();
    client.destroy();
  };
  for (const socket of [upstream, client]) socket.on('error', end).on('close', end);
}
