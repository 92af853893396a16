/**
 * A process that plays one turn with real files and says on its output, at once, what it shows: made to be killed at any moment. The model is a
 * plan that looks at the conversation and asks for what has no answer yet; tools write every start and end into a ledger file.
 * Arguments: root folder, session file (or `-` for a new one), ledger file.
 */
import { appendFileSync, writeSync } from 'node:fs';
import { z } from 'zod';
import { createConversation, type Resumed } from '../../../extension/agent/conversation';
import type { ModelEvent, ModelRequest, Transport } from '../../../extension/models/transport';
import { systemClock } from '../../../extension/node/clock';
import { randomId } from '../../../extension/node/ids';
import { lineFile } from '../../../extension/node/line-file';
import { nodeProcesses, nodeSessionFiles } from '../../../extension/node/session-files';
import {
  createSession,
  openSession,
  type OpenSession,
  type SessionDeps,
} from '../../../extension/sessions/open-session';
import { anyTool, type Tool } from '../../../extension/tools/tool';
import { batches } from './plan';

const [root = '', file = '-', ledger = ''] = process.argv.slice(2);

function show(event: unknown): void {
  writeSync(1, `${JSON.stringify(event)}\n`);
}

const input = z.strictObject({ tag: z.string() });

function tool(name: string, readOnly: boolean): Tool {
  return anyTool<z.infer<typeof input>, string>({
    name,
    title: name,
    kind: readOnly ? 'read' : 'command',
    description: name,
    input,
    interrupt: 'finish',
    maxResultChars: 1000,
    isReadOnly: () => readOnly,
    isDestructive: () => false,
    isConcurrencySafe: () => readOnly,
    effects: () => [],
    target: ({ tag }) => ({ text: tag }),
    async run({ tag }) {
      if (!readOnly) appendFileSync(ledger, `start ${tag}\n`);
      await systemClock.sleep(2);
      if (!readOnly) appendFileSync(ledger, `end ${tag}\n`);
      return `did ${tag}`;
    },
    forModel: (output) => [{ type: 'text', text: output }],
    forTranscript: (output) => ({ output }),
    summary: (output) => ({ text: output }),
  });
}

/** Tags whose calls have a result, unless it says that the call did not run. */
function answered(request: ModelRequest): Set<string> {
  const tags = new Map<string, string>();
  const done = new Set<string>();
  for (const message of request.messages) {
    for (const block of message.content) {
      if (block.type === 'tool_use') tags.set(block.id, String(block.input['tag']));
      if (block.type !== 'tool_result') continue;
      const text = block.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      if (!text.startsWith('Not run')) done.add(tags.get(block.callId) ?? '');
    }
  }
  return done;
}

const transport: Transport = {
  origin: { transport: 'planned', baseUrl: 'memory:', model: 'plan-1' },
  info: { id: 'plan-1' },
  async *stream(request): AsyncGenerator<ModelEvent> {
    const done = answered(request);
    const batch = batches.find((each) => each.some((op) => !done.has(op.tag)));
    yield { type: 'start', messageId: `msg_${randomId()}` };
    yield { type: 'text', key: 0, text: 'Working.' };
    yield { type: 'block', key: 0, block: { type: 'text', text: 'Working.' } };
    let key = 1;
    for (const op of batch ?? []) {
      if (done.has(op.tag)) continue;
      yield { type: 'call_started', key, name: op.tool };
      await systemClock.sleep(1);
      const block = { type: 'tool_use', id: randomId(), name: op.tool, input: { tag: op.tag } } as const;
      yield { type: 'block', key, block };
      yield { type: 'call_ready', key, certain: true };
      key += 1;
    }
    const reason = batch ? 'tool_use' : 'end_turn';
    yield { type: 'stop', reason, raw: reason, usage: { inputTokens: 1, outputTokens: 1 } };
  },
};

async function open(): Promise<{ readonly session: OpenSession; readonly resumed?: Resumed }> {
  const deps: SessionDeps = {
    root,
    files: nodeSessionFiles,
    openLineFile: lineFile,
    processes: await nodeProcesses(),
    clock: systemClock,
    newId: randomId,
    place: () => ({ cwd: '/work', gitBranch: '' }),
  };
  if (file === '-') return { session: await createSession(deps) };
  const opened = await openSession(deps, file);
  if (opened.type === 'busy') throw new Error(`busy: ${JSON.stringify(opened.holder)}`);
  return {
    session: opened,
    resumed: {
      messages: opened.pending?.messages ?? opened.session.messages,
      pending: opened.pending?.calls ?? [],
      tokens: 0,
      usd: 0,
    },
  };
}

async function main(): Promise<void> {
  const { session, resumed } = await open();
  show({ type: 'session', path: session.paths.transcript });
  const conversation = createConversation({
    id: session.paths.id,
    system: 'system',
    route: { id: 'planned', title: 'Planned', detail: '', transport },
    mode: 'autoRun',
    tools: [tool('Do', false), tool('Look', true)],
    specs: [],
    gate: { judge: async () => ({ type: 'allow', because: { source: 'default', text: 'Test.' } }) },
    approver: { ask: async () => ({ type: 'allow', scope: 'once', by: 'test' }) },
    recorder: session.transcript,
    files: undefined as never,
    search: undefined as never,
    shell: undefined as never,
    clock: systemClock,
    log: {
      write: (level, message, details) =>
        void (level === 'error' && show({ type: 'log', message, details: String(details) })),
    },
    newId: randomId,
    spillFolder: session.paths.toolResults,
    workspace: () => ({ roots: ['/work'], cwd: '/work', home: '/home/me', trusted: true }),
    ...(resumed ? { resumed } : {}),
  });
  const fresh = (resumed?.messages.length ?? 0) === 0;
  const events = fresh ? conversation.submit({ text: 'Do all of it.' }) : conversation.continueTurn();
  for await (const event of events) show(event);
  await session.close();
}

void main();
