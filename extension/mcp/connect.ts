/** Speaks the Model Context Protocol with a server: hand-shake, lists, calls, and what the server asks. It judges nothing and trusts no hint. */
import * as z from 'zod';
import { HttpStatusError, oldSse, streamableHttp } from './http';
import type {
  CallAnswer,
  Connect,
  Connection,
  ConnectionEvents,
  Elicitation,
  Offer,
  ResolvedLaunch,
} from './model';
import { createPeer, RpcError } from './rpc';
import type { Channel, Handler, Peer } from './rpc';

/** A first `npx` of a server downloads it. */
const CONNECT_MS = 60_000;
const ASK_MS = 30_000;
/** Without a word of progress. */
const CALL_MS = 120_000;
const LONGEST_CALL_MS = 30 * 60_000;
const PROGRESS_MS = 100;
const MOST_TOOLS = 128;
const MOST_LISTED = 1_000;
const MOST_PAGES = 50;
/** The newest first. https://modelcontextprotocol.io/specification/versioning, 2026-11. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

const words = z.string().optional().catch(undefined);
const anything = z.record(z.string(), z.unknown());
const hello = z.object({
  protocolVersion: z.string(),
  capabilities: anything.catch({}),
});
const page = z.object({ nextCursor: words });
const tool = z.object({
  name: z.string().min(1),
  title: words,
  description: words,
  inputSchema: anything.catch({ type: 'object' }),
  annotations: z.object({ readOnlyHint: z.boolean().optional() }).optional().catch(undefined),
});
const resource = z.object({
  uri: z.string(),
  name: z.string().catch(''),
  description: words,
  mimeType: words,
});
const prompt = z.object({
  name: z.string().min(1),
  description: words,
  arguments: z
    .array(z.object({ name: z.string(), required: z.boolean().optional() }))
    .optional()
    .catch(undefined),
});
const called = z.object({
  content: z.array(anything).catch([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional().catch(undefined),
});
const readResult = z.object({ contents: z.array(anything) });
const promptResult = z.object({ messages: z.array(z.object({ content: anything })) });

export type OpenProcess = (
  launch: Extract<ResolvedLaunch, { readonly type: 'stdio' }>,
  log: (line: string) => void,
) => Channel;

export interface ConnectDeps {
  /** Of Sluice. */
  readonly version: string;
  readonly openProcess: OpenProcess;
}

export function connector(deps: ConnectDeps): Connect {
  return async (name, launch, events, signal) => {
    if (launch.type === 'stdio') return open(deps, deps.openProcess(launch, events.log), events, signal);
    const place = { url: launch.url, headers: launch.headers, log: events.log };
    if (launch.type === 'sse') return open(deps, oldSse(place), events, signal);
    try {
      return await open(deps, streamableHttp(place), events, signal);
    } catch (error) {
      // Servers of the older form refuse the first POST.
      if (!(error instanceof HttpStatusError) || ![400, 404, 405].includes(error.status)) throw error;
      events.log(`${name} does not speak Streamable HTTP; trying the older HTTP with SSE.`);
      return open(deps, oldSse(place), events, signal);
    }
  };
}

async function open(
  { version }: ConnectDeps,
  channel: Channel,
  events: ConnectionEvents,
  signal: AbortSignal,
): Promise<Connection> {
  const peer = createPeer(channel, handlersOf(events), (method, params) => noticed(events, method, params));
  let open_ = true;
  const close = async (): Promise<void> => {
    open_ = false;
    peer.fail('The connection was closed.');
    await channel.close();
  };
  const closed = (why: string): void => {
    if (!open_) return;
    open_ = false;
    peer.fail(why);
    events.log(why);
    events.closed();
  };
  try {
    await channel.open((message) => peer.receive(message), closed);
    const answer = await peer.request(
      'initialize',
      {
        protocolVersion: VERSIONS[0],
        capabilities: { roots: { listChanged: true }, elicitation: { form: {}, url: {} } },
        clientInfo: { name: 'sluice', version },
      },
      { signal, timeoutMs: CONNECT_MS },
    );
    const { protocolVersion, capabilities } = hello.parse(answer);
    if (!VERSIONS.includes(protocolVersion))
      throw new Error(`It speaks version ${protocolVersion} of the protocol, which Sluice does not.`);
    channel.agreed?.(protocolVersion);
    await peer.notify('notifications/initialized');
    return connectionOf(peer, capabilities, close);
  } catch (error) {
    await close();
    throw error;
  }
}

function handlersOf(events: ConnectionEvents): Readonly<Record<string, Handler>> {
  let asking = false;
  return {
    ping: () => Promise.resolve({}),
    'roots/list': () =>
      Promise.resolve({
        roots: events
          .roots()
          .map((path) => ({ uri: fileUri(path), name: path.split(/[\\/]/).pop() ?? path })),
      }),
    async 'elicitation/create'(params, signal) {
      const question = elicitation(params);
      // One question at a time is as much as a person can be asked.
      if (asking) return { action: 'cancel' };
      asking = true;
      const answer = await events.elicit(question, signal).finally(() => {
        asking = false;
      });
      return answer.action === 'accept' && question.type === 'form'
        ? { action: 'accept', content: { ...defaultsOf(question.schema), ...answer.content } }
        : { action: answer.action };
    },
  };
}

function elicitation(params: Readonly<Record<string, unknown>>): Elicitation {
  const { message, url, requestedSchema } = params;
  const said = typeof message === 'string' ? message : '';
  if (typeof url === 'string') return { type: 'url', message: said, url };
  const schema = anything.safeParse(requestedSchema);
  if (!schema.success) throw new RpcError(-32602, 'requestedSchema must be an object.');
  return { type: 'form', message: said, schema: schema.data };
}

/** What the server takes for fields that the person left out. */
function defaultsOf(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const properties = anything.safeParse(schema['properties']);
  if (!properties.success) return {};
  return Object.fromEntries(
    Object.entries(properties.data).flatMap(([key, value]) => {
      const field = anything.safeParse(value);
      return field.success && field.data['default'] !== undefined
        ? [[key, field.data['default']] as const]
        : [];
    }),
  );
}

function noticed(events: ConnectionEvents, method: string, params: Readonly<Record<string, unknown>>): void {
  if (/^notifications\/(?:tools|resources|prompts)\/list_changed$/.test(method)) return events.changed();
  if (method === 'notifications/message') {
    const { level, data } = params;
    events.log(`[${String(level)}] ${typeof data === 'string' ? data : JSON.stringify(data)}`);
  }
}

function connectionOf(
  peer: Peer,
  can: Readonly<Record<string, unknown>>,
  close: () => Promise<void>,
): Connection {
  return {
    offer: () => offerOf(peer, can),
    async call(name, input, { signal, progress }) {
      const answer = await peer.request(
        'tools/call',
        { name, arguments: input },
        {
          signal,
          timeoutMs: CALL_MS,
          longestMs: LONGEST_CALL_MS,
          progress: throttled(progress),
        },
      );
      const { content, structuredContent, isError } = called.parse(answer);
      return {
        content,
        ...(structuredContent === undefined ? {} : { structured: structuredContent }),
        isError: isError === true,
      };
    },
    async read(uri, signal): Promise<CallAnswer> {
      const { contents } = readResult.parse(
        await peer.request('resources/read', { uri }, { signal, timeoutMs: CALL_MS }),
      );
      return { content: contents.map((one) => ({ type: 'resource', resource: one })), isError: false };
    },
    async prompt(name, args) {
      const answer = await peer.request('prompts/get', { name, arguments: args }, { timeoutMs: ASK_MS });
      return promptResult
        .parse(answer)
        .messages.map(({ content }) =>
          typeof content['text'] === 'string' ? content['text'] : `[${String(content['type'])}]`,
        )
        .join('\n\n');
    },
    rootsChanged: () => peer.notify('notifications/roots/list_changed'),
    close,
  };
}

async function offerOf(peer: Peer, can: Readonly<Record<string, unknown>>): Promise<Offer> {
  const [tools, resources, prompts] = await Promise.all([
    can['tools'] === undefined ? [] : listed(peer, 'tools', tool),
    can['resources'] === undefined ? [] : listed(peer, 'resources', resource),
    can['prompts'] === undefined ? [] : listed(peer, 'prompts', prompt),
  ]);
  return {
    tools: firsts(tools)
      .slice(0, MOST_TOOLS)
      .map(({ name, title, description = '', inputSchema, annotations }) => ({
        name,
        ...(title === undefined ? {} : { title }),
        description,
        inputSchema,
        readOnlyHint: annotations?.readOnlyHint === true,
      })),
    resources: resources.map(({ uri, name, description, mimeType }) => ({
      uri,
      name,
      ...(description === undefined ? {} : { description }),
      ...(mimeType === undefined ? {} : { mimeType }),
    })),
    prompts: prompts.map(({ name, description = '', arguments: args = [] }) => ({
      name,
      description,
      arguments: args.map((arg) => ({ name: arg.name, required: arg.required === true })),
    })),
    leftOut: Math.max(0, tools.length - MOST_TOOLS),
  };
}

/** All pages, within reason. What is no such thing is left out. */
async function listed<T>(peer: Peer, what: string, schema: z.ZodType<T>): Promise<readonly T[]> {
  const found: T[] = [];
  let cursor: string | undefined;
  for (let at = 0; at < MOST_PAGES && found.length < MOST_LISTED; at++) {
    const answer = await peer.request(`${what}/list`, cursor === undefined ? {} : { cursor }, {
      timeoutMs: ASK_MS,
    });
    const items = anything.parse(answer)[what];
    for (const item of Array.isArray(items) ? (items as unknown[]) : []) {
      const read = schema.safeParse(item);
      if (read.success) found.push(read.data);
    }
    cursor = page.parse(answer).nextCursor;
    if (cursor === undefined) break;
  }
  return found.slice(0, MOST_LISTED);
}

/** The first of a name: what a second one says of itself nobody would have agreed to. */
function firsts<T extends { readonly name: string }>(tools: readonly T[]): readonly T[] {
  const taken = new Set<string>();
  return tools.filter(({ name }) => !taken.has(name) && taken.add(name));
}

/** As often as a person can read. */
function throttled(say: (text: string) => void): (said: Readonly<Record<string, unknown>>) => void {
  let last = -Infinity;
  return (said) => {
    const done = typeof said['total'] === 'number' && said['progress'] === said['total'];
    if (!done && performance.now() - last < PROGRESS_MS) return;
    last = performance.now();
    say(progressWords(said));
  };
}

function progressWords({ progress, total, message }: Readonly<Record<string, unknown>>): string {
  const count = typeof total === 'number' ? `${String(progress)} of ${String(total)}` : String(progress);
  return typeof message === 'string' ? `${message} (${count})` : count;
}

function fileUri(path: string): string {
  const forward = path.replaceAll('\\', '/');
  return new URL(
    `file://${forward.startsWith('/') ? '' : '/'}${forward.split('/').map(encodeURIComponent).join('/')}`,
  ).href;
}
