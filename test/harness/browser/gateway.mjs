// The address that a browser opens: a loopback proxy in front of the VS Code server, for what the server lacks.
//  · each webview gets an origin of its own (<id>.localhost), hence a process of its own, as on the desktop
//  · /mint-key, so that SecretStorage survives a reload
//  · no other page, and no webview, may talk to the server, which could run anything as this user
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import net from 'node:net';

const WEBVIEW_FILES = '/static/out/vs/workbench/contrib/webview/browser/pre/';

/** @typedef {{ port: number, close(): void }} Gateway */

/**
 * @param {string} socketPath where the server listens
 * @param {number} wantedPort 0 for any free one
 * @returns {Promise<Gateway>}
 */
export async function openGateway(socketPath, wantedPort = 0) {
  const key = randomBytes(32);
  const server = http.createServer((request, response) => {
    const from = origin(request);
    if (from === 'stranger') refuse(response);
    else if (from === 'webview' && !isWebviewFile(request)) refuse(response);
    else if (request.url === '/mint-key') response.end(key);
    else forward(socketPath, request, response);
  });
  server.on('upgrade', (request, socket, head) => {
    if (origin(request) === 'workbench')
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
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Who asks: our own page, one of its webviews, or something else (another site, or a name that was made to point here).
 * @param {http.IncomingMessage} request
 */
function origin({ headers, socket }) {
  const workbench = [`127.0.0.1:${socket.localPort}`, `localhost:${socket.localPort}`];
  const host = headers.host ?? '';
  if (host.endsWith(`.localhost:${socket.localPort}`)) return 'webview';
  if (!workbench.includes(host)) return 'stranger';
  if (headers.origin && headers.origin !== `http://${host}`) return 'stranger';
  return headers['sec-fetch-site'] === 'cross-site' && headers['sec-fetch-mode'] !== 'navigate'
    ? 'stranger'
    : 'workbench';
}

/** @param {http.IncomingMessage} request */
const isWebviewFile = ({ method, url }) => method === 'GET' && (url ?? '').includes(WEBVIEW_FILES);

/** @param {http.ServerResponse} response */
function refuse(response) {
  response.writeHead(403, { 'content-type': 'text/plain' });
  response.end('This address serves its own pages only.\n');
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
