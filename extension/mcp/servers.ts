/**
 * The MCP servers of a window: which may run, which do, what they offer, and why one does not. Nothing starts that the person has not agreed
 * to word for word, and a tool whose definition changed is not offered until they agree again. Nobody waits for a server.
 */
import type { McpServerDefinition } from '../context/definitions/mcp';
import type { McpFacts } from '../permissions/network';
import type { Log } from '../ports';
import { anyTool } from '../tools/tool';
import type { Tool } from '../tools/tool';
import type {
  Connect,
  Connection,
  Elicitation,
  ElicitationAnswer,
  Offer,
  OfferedTool,
  ResolvedLaunch,
  ServerState,
  ServerView,
} from './model';
import { serverWord, toolNames } from './names';
import { resourceTools } from './resource-tools';
import { serverTool } from './tool';

export interface ServersDeps {
  readonly connect: Connect;
  resolve(definition: McpServerDefinition): Promise<ResolvedLaunch>;
  readonly trust: ServerTrust;
  roots(): readonly string[];
  elicit(server: string, question: Elicitation, signal: AbortSignal): Promise<ElicitationAnswer>;
  readonly log: Log;
  /** One text for a definition's launch, in which any change shows. */
  launchLine(definition: McpServerDefinition): string;
  readonly digest: (text: string) => string;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** What the person agreed to. Kept where no file of the workspace can write. */
export interface ServerTrust {
  /** Digests of the tools by name, as they were agreed to; undefined = the server was not. */
  agreed(server: string): Readonly<Record<string, string>> | undefined;
  agree(server: string, tools: Readonly<Record<string, string>>): Promise<void>;
  withdraw(server: string): Promise<void>;
}

export interface McpServers {
  /** These are the definitions now: what is gone or changed ends, what is agreed to starts. Returns at once. */
  follow(definitions: readonly McpServerDefinition[]): void;
  list(): readonly ServerView[];
  /** The same array until something changes. */
  tools(): readonly Tool[];
  facts(server: string, tool: string): McpFacts | undefined;
  /** Agrees to the launch line, and to the tools as they are now. */
  accept(name: string): Promise<void>;
  forget(name: string): Promise<void>;
  stop(name: string): Promise<void>;
  restart(name: string): void;
  /** The last lines that the server or its transport said. */
  logOf(name: string): readonly string[];
  prompt(server: string, name: string, args: readonly string[]): Promise<string>;
  onDidChange(listener: () => void): { dispose(): void };
  close(): Promise<void>;
}

interface Server {
  readonly definition: McpServerDefinition;
  readonly key: string;
  state: ServerState;
  connection: Connection | undefined;
  life: AbortController;
  readonly lines: string[];
  failures: number;
  /** Milliseconds; when it last began to run. */
  since: number;
}

interface Desk {
  readonly deps: ServersDeps;
  readonly servers: Map<string, Server>;
  readonly listeners: Set<() => void>;
  readonly closings: Set<Promise<void>>;
  tools: readonly Tool[] | undefined;
}

/** Stands among the digests once there are some, also when a server has no tool: no tool has this name. */
const PINNED = '';
/** After that many ends in a row the person decides. */
const MOST_FAILURES = 3;
const RETRY_MS = 1_000;
/** After that long an end is an accident and not a habit. */
const STEADY_MS = 5 * 60_000;
const MOST_LINES = 500;
const MOST_LINE = 2_000;
/** A server that changes its mind all the time is listened to this often. */
const REFRESH_MS = 500;

export function mcpServers(deps: ServersDeps): McpServers {
  const desk: Desk = {
    deps,
    servers: new Map(),
    listeners: new Set(),
    closings: new Set(),
    tools: undefined,
  };
  return {
    follow: (definitions) => follow(desk, definitions),
    list: () => [...desk.servers.values()].map(({ definition, state }) => ({ definition, state })),
    tools: () => (desk.tools ??= toolsOf(desk)),
    facts: (server, tool) => factsOf(desk, server, tool),
    async accept(name) {
      const server = serverNamed(desk, name);
      const offer = server.state.type === 'running' ? server.state.offer : undefined;
      await deps.trust.agree(server.key, offer === undefined ? {} : digests(deps, offer.tools));
      if (server.state.type === 'running') set(desk, server, { ...server.state, changed: [] });
      else start(desk, server);
    },
    async forget(name) {
      const server = serverNamed(desk, name);
      await deps.trust.withdraw(server.key);
      await end(server);
      set(desk, server, { type: 'waiting' });
    },
    async stop(name) {
      const server = serverNamed(desk, name);
      await end(server);
      set(desk, server, { type: 'off' });
    },
    restart(name) {
      const server = serverNamed(desk, name);
      server.failures = 0;
      void end(server).finally(() => start(desk, server));
    },
    logOf: (name) => serverNamed(desk, name).lines,
    prompt: (server, name, args) => promptOf(desk, server, name, args),
    onDidChange(listener) {
      desk.listeners.add(listener);
      return { dispose: () => void desk.listeners.delete(listener) };
    },
    async close() {
      const all = [...desk.servers.values()];
      desk.servers.clear();
      await Promise.all([...all.map(end), ...desk.closings]);
    },
  };
}

function follow(desk: Desk, definitions: readonly McpServerDefinition[]): void {
  const { deps, servers } = desk;
  // The first of a name wins, as for commands and agents.
  const wanted = new Map<string, McpServerDefinition>();
  for (const one of definitions) {
    const word = serverWord(one.name);
    const other = wanted.get(word);
    if (other === undefined) wanted.set(word, one);
    else if (other.name !== one.name)
      deps.log.write(
        'warning',
        `The MCP server ${one.name} is not used: ${other.name} has the same name in rules`,
      );
  }
  for (const [name, server] of servers) {
    const next = wanted.get(name);
    if (
      next !== undefined &&
      keyOf(deps, next) === server.key &&
      next.disabled === server.definition.disabled
    )
      continue;
    servers.delete(name);
    const closing = end(server).finally(() => desk.closings.delete(closing));
    desk.closings.add(closing);
  }
  for (const [name, definition] of wanted) {
    if (servers.has(name)) continue;
    const server = serverOf(deps, definition);
    servers.set(name, server);
    if (server.state.type === 'waiting' && deps.trust.agreed(server.key) !== undefined) start(desk, server);
  }
  changed(desk);
}

function serverOf(deps: ServersDeps, definition: McpServerDefinition): Server {
  return {
    definition,
    key: keyOf(deps, definition),
    state: definition.disabled ? { type: 'off' } : { type: 'waiting' },
    connection: undefined,
    life: new AbortController(),
    lines: [],
    failures: 0,
    since: 0,
  };
}

function keyOf(deps: ServersDeps, definition: McpServerDefinition): string {
  return deps.digest(`${definition.name}\n${JSON.stringify(definition.launch)}`);
}

function start(desk: Desk, server: Server): void {
  server.life = new AbortController();
  set(desk, server, { type: 'starting' });
  void run(desk, server, server.life.signal);
}

async function run(desk: Desk, server: Server, signal: AbortSignal): Promise<void> {
  const { deps } = desk;
  const { name } = server.definition;
  let refreshing = false;
  const refresh = async (): Promise<void> => {
    if (refreshing) return;
    refreshing = true;
    try {
      await deps.sleep(REFRESH_MS, signal);
      refreshing = false;
      await take(desk, server);
    } catch (error) {
      refreshing = false;
      if (!signal.aborted) note(server, `Its list could not be read again: ${messageOf(error)}`);
    }
  };
  try {
    const launch = await deps.resolve(server.definition);
    signal.throwIfAborted();
    server.connection = await deps.connect(
      name,
      launch,
      {
        changed: () => void refresh(),
        closed: () => void lost(desk, server, signal),
        log: (line) => note(server, line),
        elicit: (question, stop) => deps.elicit(name, question, stop),
        roots: () => deps.roots(),
      },
      signal,
    );
    if (signal.aborted) return void (await end(server));
    server.since = performance.now();
    await take(desk, server);
  } catch (error) {
    if (signal.aborted) return;
    await end(server);
    note(server, messageOf(error));
    deps.log.write('warning', `The MCP server ${name} did not start`, messageOf(error));
    set(desk, server, { type: 'failed', why: messageOf(error), again: false });
  }
}

/** Reads what it offers; the first time is what the person agreed to with the server. */
async function take(desk: Desk, server: Server): Promise<void> {
  const { deps } = desk;
  const { connection } = server;
  if (connection === undefined) return;
  const offer = await connection.offer();
  const agreed = deps.trust.agreed(server.key);
  const now = digests(deps, offer.tools);
  const first = agreed !== undefined && !Object.hasOwn(agreed, PINNED);
  if (first) await deps.trust.agree(server.key, now);
  set(desk, server, { type: 'running', offer, changed: first ? [] : differences(agreed ?? {}, now) });
}

function differences(
  agreed: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): string[] {
  return Object.keys(now).filter((name) => agreed[name] !== now[name]);
}

async function lost(desk: Desk, server: Server, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  server.connection = undefined;
  server.failures = performance.now() - server.since > STEADY_MS ? 1 : server.failures + 1;
  const last = server.lines.at(-1);
  const why = last === undefined ? 'It ended.' : `It ended. Its last words: ${last.slice(0, 300)}`;
  if (server.failures >= MOST_FAILURES || server.state.type !== 'running') {
    await end(server);
    return set(desk, server, { type: 'failed', why, again: false });
  }
  set(desk, server, { type: 'failed', why, again: true });
  try {
    await desk.deps.sleep(RETRY_MS * 2 ** server.failures, signal);
  } catch {
    return;
  }
  const { failures } = server;
  start(desk, server);
  server.failures = failures;
}

async function end(server: Server): Promise<void> {
  const { connection } = server;
  server.connection = undefined;
  server.life.abort();
  await connection?.close().catch((error: unknown) => note(server, messageOf(error)));
}

function toolsOf({ servers }: Desk): readonly Tool[] {
  const own = [...servers.values()].flatMap((server): Tool[] => {
    if (server.state.type !== 'running') return [];
    const { offer, changed: changedTools } = server.state;
    const { name } = server.definition;
    const names = toolNames(
      name,
      offer.tools.map((tool) => tool.name),
    );
    return offer.tools
      .filter((tool) => !changedTools.includes(tool.name))
      .map((offered) =>
        anyTool(
          serverTool({
            server: name,
            name: names.get(offered.name) ?? offered.name,
            offered,
            connection: () => server.connection,
          }),
        ),
      );
  });
  const resources = resourceTools(() =>
    [...servers.values()].flatMap(({ definition, state, connection }) =>
      state.type === 'running' && connection !== undefined
        ? [{ name: definition.name, resources: state.offer.resources, connection }]
        : [],
    ),
  );
  return [...own, ...resources].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function factsOf({ deps, servers }: Desk, name: string, tool: string): McpFacts | undefined {
  const server = servers.get(name);
  if (server === undefined) return undefined;
  const { state, definition, key } = server;
  const offer: Offer | undefined = state.type === 'running' ? state.offer : undefined;
  const names = toolNames(definition.name, offer?.tools.map((one) => one.name) ?? []);
  const found = offer?.tools.find((one) => names.get(one.name)?.endsWith(`__${tool}`) === true);
  return {
    known: deps.trust.agreed(key) !== undefined,
    changed: state.type === 'running' && found !== undefined && state.changed.includes(found.name),
    trusted: false,
    readOnlyHint: found?.readOnlyHint === true,
    launch: deps.launchLine(definition),
  };
}

async function promptOf(desk: Desk, name: string, prompt: string, args: readonly string[]): Promise<string> {
  const server = serverNamed(desk, name);
  const found =
    server.state.type === 'running'
      ? server.state.offer.prompts.find((one) => one.name === prompt)
      : undefined;
  if (found === undefined || server.connection === undefined)
    throw new Error(`${name} offers no prompt "${prompt}" now.`);
  const last = found.arguments.length - 1;
  // The last one takes all that is left.
  const values = found.arguments.map((arg, at): readonly [string, string] => [
    arg.name,
    at === last ? args.slice(at).join(' ') : (args[at] ?? ''),
  ]);
  return server.connection.prompt(
    prompt,
    Object.fromEntries<string>(values.filter(([, value]) => value !== '')),
  );
}

function digests({ digest }: ServersDeps, tools: readonly OfferedTool[]): Readonly<Record<string, string>> {
  return {
    [PINNED]: '',
    ...Object.fromEntries(
      tools.map(({ name, title = '', description, inputSchema }) => [
        name,
        digest(JSON.stringify([name, title, description, inputSchema])),
      ]),
    ),
  };
}

function serverNamed({ servers }: Desk, name: string): Server {
  const found = servers.get(serverWord(name));
  if (found === undefined) throw new Error(`There is no MCP server "${name}".`);
  return found;
}

function set(desk: Desk, server: Server, state: ServerState): void {
  server.state = state;
  changed(desk);
}

function changed(desk: Desk): void {
  desk.tools = undefined;
  for (const listener of desk.listeners) listener();
}

function note(server: Server, line: string): void {
  server.lines.push(line.slice(0, MOST_LINE));
  if (server.lines.length > MOST_LINES) server.lines.splice(0, server.lines.length - MOST_LINES);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
