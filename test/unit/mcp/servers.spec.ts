/** MCP servers of every kind of ill will, as real processes: each is contained, and what became of it is said. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { McpServerDefinition } from '../../../extension/context/definitions/mcp';
import { launchLine } from '../../../extension/context/definitions/mcp';
import { connector } from '../../../extension/mcp/connect';
import { overLines } from '../../../extension/mcp/lines';
import type { ServerState } from '../../../extension/mcp/model';
import { mcpServers } from '../../../extension/mcp/servers';
import type { McpServers, ServerTrust } from '../../../extension/mcp/servers';
import { mcpProcess } from '../../../extension/node/mcp/mcp-process';
import { systemClock } from '../../../extension/node/clock';
import type { Tool, ToolContext } from '../../../extension/tools/tool';

const FAKE = fileURLToPath(new URL('../../fakes/mcp/server.mjs', import.meta.url));
const started: McpServers[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((servers) => servers.close()));
});

function definition(manner: string, marker = ''): McpServerDefinition {
  return {
    name: 'fake',
    launch: { type: 'stdio', command: process.execPath, args: [FAKE, manner, marker], env: {} },
    disabled: false,
    origin: { scope: 'workspace', path: '/w/.mcp.json' },
    line: 1,
  };
}

function memoryTrust(): ServerTrust & { readonly all: Map<string, Readonly<Record<string, string>>> } {
  const all = new Map<string, Readonly<Record<string, string>>>();
  return {
    all,
    agreed: (server) => all.get(server),
    agree: (server, tools) => Promise.resolve(void all.set(server, tools)),
    withdraw: (server) => Promise.resolve(void all.delete(server)),
  };
}

function make(trust: ServerTrust = memoryTrust()): McpServers {
  const servers = mcpServers({
    connect: connector({
      version: '0',
      openProcess: ({ command, args, env }, log) =>
        overLines(mcpProcess({ command, args, env, cwd: process.cwd() }, log, ['SECRET_KEY']), log),
    }),
    resolve: ({ launch }) => Promise.resolve(launch),
    trust,
    roots: () => ['/w'],
    elicit: () => Promise.resolve({ action: 'decline' }),
    log: { write: () => undefined },
    launchLine: ({ launch }) => launchLine(launch),
    digest: (text) => createHash('sha256').update(text).digest('hex'),
    sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 50), signal),
  });
  started.push(servers);
  return servers;
}

/** Resolves with the state once it is of this type. */
function reaches<T extends ServerState['type']>(
  servers: McpServers,
  type: T,
  also: (state: Extract<ServerState, { readonly type: T }>) => boolean = () => true,
): Promise<Extract<ServerState, { readonly type: T }>> {
  return new Promise((resolve) => {
    const look = (): void => {
      const state = servers.list()[0]?.state;
      if (state?.type !== type || !also(state as Extract<ServerState, { readonly type: T }>)) return;
      watch.dispose();
      resolve(state as Extract<ServerState, { readonly type: T }>);
    };
    const watch = servers.onDidChange(look);
    look();
  });
}

async function running(manner: string): Promise<McpServers> {
  const servers = make();
  servers.follow([definition(manner)]);
  await servers.accept('fake');
  await reaches(servers, 'running');
  return servers;
}

function tool(servers: McpServers, name = 'mcp__fake__echo'): Tool {
  const found = servers.tools().find((one) => one.name === name);
  if (found === undefined)
    throw new Error(
      `no ${name} among ${servers
        .tools()
        .map((one) => one.name)
        .join(', ')}`,
    );
  return found;
}

const context = (signal = new AbortController().signal, said: string[] = []): ToolContext =>
  ({
    signal,
    progress: ({ text }: { readonly text: string }) => said.push(text),
  }) as unknown as ToolContext;

/** Calls a tool of the fake server and returns what the model is told. */
async function call(
  servers: McpServers,
  name: string,
  signal?: AbortSignal,
  said: string[] = [],
): Promise<string> {
  const found = tool(servers, `mcp__fake__${name}`);
  const answer = await found.run({}, context(signal, said));
  return found
    .forModel(answer)
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('');
}

describe('MCP servers', () => {
  it('start only after the person agreed to exactly this launch', async () => {
    const trust = memoryTrust();
    const servers = make(trust);
    servers.follow([definition('good')]);
    expect(servers.list()[0]?.state.type).toBe('waiting');
    expect(servers.tools()).toEqual([]);
    expect(servers.facts('fake', 'echo')?.known).toBe(false);
    await servers.accept('fake');
    await reaches(servers, 'running');
    const answer = await tool(servers).run({ text: 'hello' }, context());
    expect(tool(servers).forModel(answer)).toEqual([{ type: 'text', text: 'hello' }]);

    servers.follow([definition('good', 'one argument more')]);
    expect(servers.list()[0]?.state.type).toBe('waiting');
    expect(servers.tools()).toEqual([]);
  });

  it('stay agreed to in the next window', async () => {
    const trust = memoryTrust();
    const first = make(trust);
    first.follow([definition('good')]);
    await first.accept('fake');
    await reaches(first, 'running');
    await first.close();
    const second = make(trust);
    second.follow([definition('good')]);
    await reaches(second, 'running');
    expect(second.tools().map(({ name }) => name)).toContain('mcp__fake__echo');
  });

  it('lose a tool whose description changes until the person agrees again', async () => {
    const servers = await running('good');
    expect(await call(servers, 'change')).toBe('changed');
    const state = await reaches(servers, 'running', ({ changed }) => changed.length > 0);
    expect(state.changed).toEqual(['echo']);
    expect(servers.tools().map(({ name }) => name)).not.toContain('mcp__fake__echo');
    expect(servers.tools().map(({ name }) => name)).toContain('mcp__fake__slow');
    expect(servers.facts('fake', 'echo')?.changed).toBe(true);
    await servers.accept('fake');
    expect(tool(servers).description).toContain('Also sends your keys');
  });

  it('are not believed when they say that a tool only reads', async () => {
    const servers = await running('good');
    expect(tool(servers).isReadOnly({})).toBe(false);
    expect(servers.facts('fake', 'echo')).toMatchObject({ readOnlyHint: true, trusted: false });
  });

  it('say progress, and end a call that is stopped', async () => {
    const servers = await running('good');
    const said: string[] = [];
    expect(await call(servers, 'slow', undefined, said)).toBe('slow and done');
    // Those between may be dropped: nobody reads that fast.
    expect([said.at(0), said.at(-1)]).toEqual(['1 of 3', '3 of 3']);
    const controller = new AbortController();
    const waiting = call(servers, 'never', controller.signal);
    controller.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    await expect.poll(() => servers.logOf('fake').join('\n')).toMatch(/cancelled \d+/);
  });

  it('that crash are started again, with a limit, and the call is answered', async () => {
    const servers = await running('good');
    for (let times = 1; times <= 2; times++) {
      await expect(call(servers, 'crash')).rejects.toThrow(/ended with code 3/);
      await reaches(servers, 'running');
    }
    await expect(call(servers, 'crash')).rejects.toThrow(/ended with code 3/);
    const state = await reaches(servers, 'failed', ({ again }) => !again);
    expect(state.why).toMatch(/code 3/);
  });

  it.each([
    ['crash-at-start', /ended with code 7/],
    ['future', /version 2999-01-01/],
    ['endless', /without an end/],
  ])('that fail at the start (%s) say why', async (manner, why) => {
    const servers = make();
    servers.follow([definition(manner)]);
    await servers.accept('fake');
    expect((await reaches(servers, 'failed')).why).toMatch(why);
    expect(servers.tools()).toEqual([]);
  });

  it('that hang keep nobody waiting and can be stopped', async () => {
    const servers = make();
    servers.follow([definition('hang')]);
    await servers.accept('fake');
    expect(servers.list()[0]?.state.type).toBe('starting');
    expect(servers.tools()).toEqual([]);
    await servers.stop('fake');
    expect(servers.list()[0]?.state.type).toBe('off');
  });

  it('that print, flood or list thousands of tools are bounded', async () => {
    const noisy = await running('noise');
    expect(noisy.logOf('fake')).toContain('Welcome to the fake server!');
    const flooding = await running('flood');
    await expect.poll(() => flooding.logOf('fake').join('').length).toBeLessThan(2_000_000);
    const many = await running('many');
    const state = await reaches(many, 'running');
    expect(state.offer.tools.length).toBe(128);
    expect(Math.max(...many.tools().map(({ description }) => description.length))).toBeLessThan(2_100);
  });

  it('cannot take each other’s names or those of Sluice’s own tools', async () => {
    const servers = await running('clash');
    expect(servers.tools().map(({ name }) => name)).toEqual([
      'mcp__fake__echo',
      'mcp__fake__echo_2',
      'mcp__fake__echo_3',
    ]);
  });

  it('give errors to the model as errors', async () => {
    const servers = await running('good');
    await expect(call(servers, 'wrong')).rejects.toThrow('fake says: no such file');
  });

  it('are gone with all they started, and get no key of a route', async () => {
    const marker = `sluice-mcp-${process.pid}-${Date.now()}`;
    const servers = make();
    servers.follow([definition('grandchild', marker)]);
    await servers.accept('fake');
    await reaches(servers, 'running');
    await expect.poll(() => processesWith(marker)).toBeGreaterThanOrEqual(2);
    await servers.close();
    expect(processesWith(marker)).toBe(0);
  });
});

function processesWith(marker: string): number {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(marker);
    } catch {
      return false;
    }
  }).length;
}
