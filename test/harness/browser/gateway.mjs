// The address that a browser opens: a loopback proxy in front of the VS Code server, for what the server lacks.
//  · webviews get another origin than the workbench, as on the desktop
//  · /mint-key, so that SecretStorage survives a reload
//  · no other page, webview or user of this machine may talk to the server, which could run anything as this user
import { randomBytes, timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import net from 'node:net';

const WEBVIEW_FILES = '/static/out/vs/workbench/contrib/webview/browser/pre/';
const POLICY = 'content-security-policy';

/**
 * @typedef {object} GatewayOptions
 * @property {string} socketPath where the server listens
 * @property {number} [port] 0 for any free one
 * @property {number} [webviewPort] serve webviews at this port of the same host, which every browser accepts; else
 *   each gets a host name of its own (<id>.localhost) and so a process of its own
 */

/** @typedef {{ port: number, token: string, close(): void }} Gateway */

/**
 * @param {GatewayOptions} options
 * @returns {Promise<Gateway>}
 */
export async function openGateway({ socketPath, port: wantedPort = 0, webviewPort }) {
  const token = randomBytes(16).toString('hex');
  const secretsKey = randomBytes(32);
  const webviews =
    webviewPort === undefined ? undefined : await listen(webviewServer(socketPath), webviewPort);
  const server = http.createServer((request, response) => {
    const from = origin(request, token);
    if (from === 'stranger' || (from === 'webview' && !isWebviewFile(request))) return refuse(response);
    if (from === 'guest')
      response.setHeader('set-cookie', `${cookieName(request)}=${token}; Path=/; HttpOnly; SameSite=Strict`);
    if (request.url === '/mint-key') response.end(secretsKey);
    else if (isPage(request)) forward(socketPath, request, response, webviewHosts(portOf(server), webviews));
    else forward(socketPath, request, response);
  });
  server.on('upgrade', (request, socket, head) => {
    if (origin(request, token) === 'workbench')
      tunnel(socketPath, request, /** @type {net.Socket} */ (socket), head);
    else socket.destroy();
  });
  await listen(server, wantedPort);
  const close = () => {
    for (const one of [server, webviews]) {
      one?.close();
      one?.closeAllConnections();
    }
  };
  return { port: portOf(server), token, close };
}

/** @param {string} socketPath */
const webviewServer = (socketPath) =>
  http.createServer((request, response) => {
    if (request.headers.host === `127.0.0.1:${request.socket.localPort}` && isWebviewFile(request))
      forward(socketPath, request, response);
    else refuse(response);
  });

/**
 * @param {http.Server} server
 * @param {number} port
 * @returns {Promise<http.Server>}
 */
function listen(server, port) {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

/** @param {http.Server} server */
const portOf = (server) => /** @type {net.AddressInfo} */ (server.address()).port;

/**
 * Where the page finds its webviews, and what its policy must allow as a frame.
 * @param {number} port
 * @param {http.Server | undefined} webviews
 */
function webviewHosts(port, webviews) {
  if (!webviews)
    return { endpoint: `http://{{uuid}}.localhost:${port}/`, frames: `http://*.localhost:${port}` };
  const address = `http://127.0.0.1:${portOf(webviews)}`;
  return { endpoint: `${address}/`, frames: address };
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
  if (host !== `127.0.0.1:${socket.localPort}`) return 'stranger';
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

/** @param {http.IncomingMessage} request */
const isPage = ({ method, url }) => method === 'GET' && new URL(url ?? '/', 'http://x').pathname === '/';

/**
 * @param {string} socketPath
 * @param {http.IncomingMessage} request
 * @param {http.ServerResponse} response
 * @param {ReturnType<typeof webviewHosts>} [hosts] for the workbench page
 */
function forward(socketPath, request, response, hosts) {
  const headers = { ...request.headers };
  if (hosts) delete headers['accept-encoding']; // the page is changed on its way
  const options = { socketPath, method: request.method, path: request.url, headers };
  const upstream = http.request(options, (answer) => {
    if (hosts) return void sendPage(answer, response, hosts);
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  upstream.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  response.on('close', () => upstream.destroy());
  request.pipe(upstream);
}

/**
 * Sends the workbench page with its webviews' endpoint changed.
 * @param {http.IncomingMessage} answer
 * @param {http.ServerResponse} response
 * @param {ReturnType<typeof webviewHosts>} hosts
 */
async function sendPage(answer, response, { endpoint, frames }) {
  const chunks = [];
  for await (const chunk of answer) chunks.push(chunk);
  const page = Buffer.concat(chunks)
    .toString('utf8')
    .replace('&quot;webviewEndpoint&quot;:&quot;', `$&${endpoint}`);
  const headers = { ...answer.headers };
  const policy = headers[POLICY];
  if (typeof policy === 'string') headers[POLICY] = policy.replace('frame-src', `frame-src ${frames}`);
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
