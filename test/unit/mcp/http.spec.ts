/** HTTP servers that try to be somewhere else than where the person agreed to, or that are not there. */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { connector } from '../../../extension/mcp/connect';
import type { ConnectionEvents } from '../../../extension/mcp/model';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${String(typeof address === 'object' && address !== null ? address.port : 0)}`;
}

const events: ConnectionEvents = {
  changed: () => undefined,
  closed: () => undefined,
  log: () => undefined,
  elicit: () => Promise.resolve({ action: 'decline' }),
  roots: () => [],
};

function connect(url: string, type: 'http' | 'sse' = 'http'): Promise<unknown> {
  const to = connector({
    version: '0',
    openProcess: () => {
      throw new Error('only HTTP here');
    },
  });
  return to(
    'server',
    { type, url, headers: { authorization: 'Bearer secret' } },
    events,
    new AbortController().signal,
  );
}

describe('an MCP server over HTTP', () => {
  it('that sends the client elsewhere is refused, and the other place hears nothing', async () => {
    const heard: string[] = [];
    const other = await listen((request, response) => {
      heard.push(request.url ?? '');
      response.end();
    });
    const redirecting = await listen((_, response) => {
      response.writeHead(307, { location: `${other}/mcp` }).end();
    });
    await expect(connect(`${redirecting}/mcp`)).rejects.toThrow(/cannot be reached/);
    const naming = await listen((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: ${other}/messages\n\n`);
    });
    await expect(connect(`${naming}/sse`, 'sse')).rejects.toThrow(/another host/);
    expect(heard).toEqual([]);
  });

  it('that is not there, or wants a sign-in, says so', async () => {
    const gone = await listen(() => undefined);
    servers[0]?.close();
    servers[0]?.closeAllConnections();
    await expect(connect(`${gone}/mcp`)).rejects.toThrow(/cannot be reached/);
    const closed = await listen((_, response) => {
      response.writeHead(401).end('who are you?');
    });
    await expect(connect(`${closed}/mcp`)).rejects.toThrow(/401.*sign-in.*headers/);
  });

  it('that answers with more than anybody would read is ended', async () => {
    const flooding = await listen((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(1_000_000)));
      };
      response.on('drain', more);
      more();
    });
    await expect(connect(`${flooding}/mcp`)).rejects.toThrow(/too large/);
  });
});
