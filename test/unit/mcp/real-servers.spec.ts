/** The servers that everybody begins with, as npm brings them, over pipes and over HTTP. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connector } from '../../../extension/mcp/connect';
import { overLines } from '../../../extension/mcp/lines';
import type { Connection, ConnectionEvents, Elicitation, ResolvedLaunch } from '../../../extension/mcp/model';
import { resultContent } from '../../../extension/mcp/results';
import { mcpProcess } from '../../../extension/node/mcp/mcp-process';

const require = createRequire(import.meta.url);
const programOf = (name: string): string =>
  join(dirname(require.resolve(`@modelcontextprotocol/server-${name}/package.json`)), 'dist', 'index.js');
const stdio = (
  name: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): ResolvedLaunch => ({
  type: 'stdio',
  command: process.execPath,
  args: [programOf(name), ...args],
  env,
});

const open: Connection[] = [];
const asked: Elicitation[] = [];
const lines: string[] = [];

async function connect(launch: ResolvedLaunch, roots: readonly string[] = []): Promise<Connection> {
  const events: ConnectionEvents = {
    changed: () => undefined,
    closed: () => undefined,
    log: (line) => lines.push(line),
    elicit(question) {
      asked.push(question);
      return Promise.resolve({ action: 'accept', content: { name: 'Ada' } });
    },
    roots: () => roots,
  };
  const connection = await connector({
    version: '0',
    openProcess: ({ command, args, env }, log) =>
      overLines(mcpProcess({ command, args, env, cwd: process.cwd() }, log, []), log),
  })('server', launch, events, new AbortController().signal);
  open.push(connection);
  return connection;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
});

const options = (progress: (text: string) => void = () => undefined) => ({
  signal: new AbortController().signal,
  progress,
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

interface Served {
  readonly child: ChildProcess;
  readonly port: number;
}

async function serve(form: 'streamableHttp' | 'sse'): Promise<Served> {
  const port = await freePort();
  const child = spawn(process.execPath, [programOf('everything'), form], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    const heard = (chunk: Buffer): void => {
      if (/listening|running|started/i.test(chunk.toString())) resolve();
    };
    child.stdout.on('data', heard);
    child.stderr.on('data', heard);
    child.once('exit', (code) => reject(new Error(`it ended with ${String(code)}`)));
  });
  return { child, port };
}

/** What the reference server offers, whatever carries it. */
function everything(launch: () => ResolvedLaunch): void {
  it('offers tools, resources and prompts', async () => {
    const offer = await (await connect(launch())).offer();
    expect(offer.tools.map(({ name }) => name)).toContain('echo');
    expect(offer.resources.length).toBeGreaterThan(0);
    expect(offer.prompts.length).toBeGreaterThan(0);
  });

  it('answers a call, gives a picture, a resource and a prompt', async () => {
    const server = await connect(launch());
    expect(resultContent(await server.call('echo', { message: 'hello' }, options()))).toEqual([
      { type: 'text', text: 'Echo: hello' },
    ]);
    const picture = resultContent(await server.call('get-tiny-image', {}, options()));
    expect(picture.some((block) => block.type === 'image' && block.mediaType === 'image/png')).toBe(true);
    const { resources, prompts } = await server.offer();
    const read = await server.read(resources[0]?.uri ?? '', new AbortController().signal);
    expect(resultContent(read).length).toBeGreaterThan(0);
    const simple = prompts.find((one) => one.arguments.length === 0);
    expect((await server.prompt(simple?.name ?? '', {})).length).toBeGreaterThan(0);
  });

  it('says progress, and stops when it is told to', async () => {
    const server = await connect(launch());
    const said: string[] = [];
    await server.call(
      'trigger-long-running-operation',
      { duration: 0.5, steps: 2 },
      options((text) => said.push(text)),
    );
    expect(said.at(-1)).toMatch(/2 of 2/);
    const controller = new AbortController();
    const waiting = server.call(
      'trigger-long-running-operation',
      { duration: 600, steps: 600 },
      { signal: controller.signal, progress: () => controller.abort(new Error('stopped')) },
    );
    await expect(waiting).rejects.toThrow('stopped');
  });

  it('asks the person', async () => {
    const server = await connect(launch());
    const { tools } = await server.offer();
    const name = tools.map((one) => one.name).find((one) => /elicit/.test(one) && !/async|url/.test(one));
    expect(name).toBeDefined();
    asked.length = 0;
    await server.call(name ?? '', {}, options());
    expect(asked[0]?.type).toBe('form');
  });
}

describe('server-everything over pipes', () => everything(() => stdio('everything')));

describe.each(['streamableHttp', 'sse'] as const)('server-everything over %s', (form) => {
  const served: { now?: Served } = {};
  beforeAll(async () => {
    served.now = await serve(form);
  });
  afterAll(() => {
    served.now?.child.kill('SIGKILL');
  });
  // The older form is found out, not configured.
  everything(() => ({
    type: 'http',
    url: `http://127.0.0.1:${String(served.now?.port)}/${form === 'sse' ? 'sse' : 'mcp'}`,
    headers: {},
  }));
});

describe('server-filesystem', () => {
  it('works in the roots that it is told', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-mcp-')));
    writeFileSync(join(folder, 'note.txt'), 'one line\n');
    const server = await connect(stdio('filesystem', [folder]), [folder]);
    const answer = await server.call('read_text_file', { path: join(folder, 'note.txt') }, options());
    expect(resultContent(answer)).toContainEqual({ type: 'text', text: 'one line\n' });
    const outside = await server.call('read_text_file', { path: '/etc/hostname' }, options());
    expect(outside.isError).toBe(true);
  });
});

describe('server-memory', () => {
  it('remembers', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-mcp-'));
    const server = await connect(stdio('memory', [], { MEMORY_FILE_PATH: join(folder, 'memory.json') }));
    const entity = { name: 'Sluice', entityType: 'gate', observations: ['lets water through'] };
    await server.call('create_entities', { entities: [entity] }, options());
    const graph = await server.call('read_graph', {}, options());
    expect(JSON.stringify(resultContent(graph))).toContain('lets water through');
  });
});
