import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createConversation, type ConversationDeps } from '../../../extension/agent/conversation';
import type { Hooks } from '../../../extension/agent/hooks';
import type { TurnEvent } from '../../../extension/agent/events';
import { createAgents, type Agents } from '../../../extension/assembly/agents';
import { DEFAULT_SETTINGS, type AgentSettings } from '../../../extension/agent/limits/settings';
import type { AgentDefinition } from '../../../extension/context/definitions/agents';
import { withBuiltIn } from '../../../extension/context/definitions/agents-built-in';
import type { ModelRequest } from '../../../extension/models/transport';
import { lineFile } from '../../../extension/node/line-file';
import { nodeProcesses, nodeSessionFiles } from '../../../extension/node/session-files';
import { narrowedGate } from '../../../extension/permissions/narrowing';
import type { Gate } from '../../../extension/permissions/verdict';
import type { Approver } from '../../../extension/ports';
import type { PermissionMode } from '../../../extension/protocol/vocabulary';
import { totalTokens } from '../../../extension/agent/limits/usage';
import { createSession, createSubagent, type SessionDeps } from '../../../extension/sessions/open-session';
import { backgroundTasks } from '../../../extension/tools/commands/background';
import type { Tool } from '../../../extension/tools/tool';
import { allowAll, approveAll, collect, realClock } from '../../fakes/conversation';
import { memoryRecorder } from '../../fakes/memory-recorder';
import { standardTools } from '../../fakes/scripted-tools';
import { respond, text, type Play } from '../../fakes/scripted-transport';

const root = mkdtempSync(join(tmpdir(), 'sluice-agents-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const words = ({ messages }: ModelRequest): string => JSON.stringify(messages);

interface Scene {
  /** Answers a request by what is in it. */
  readonly play: (request: ModelRequest) => Play;
  readonly own?: readonly AgentDefinition[];
  readonly gate?: Gate;
  readonly approver?: Approver;
  readonly mode?: PermissionMode;
  readonly hooks?: Hooks;
  readonly limits?: Partial<AgentSettings>;
}

async function stage({
  play,
  own = [],
  gate = allowAll,
  approver = approveAll,
  mode = 'ask',
  hooks = {},
  limits = {},
}: Scene) {
  const deps: SessionDeps = {
    root,
    files: nodeSessionFiles,
    openLineFile: lineFile,
    processes: await nodeProcesses(),
    clock: realClock,
    newId: () => crypto.randomUUID(),
    place: () => ({ cwd: '/work', gitBranch: '' }),
  };
  const session = await createSession(deps);
  const requests: ModelRequest[] = [];
  const transport = {
    origin: { transport: 'scripted', baseUrl: 'memory:', model: 'script-1' },
    info: { id: 'script-1' },
    async *stream(request: ModelRequest, signal: AbortSignal) {
      requests.push(request);
      for await (const event of play(request)(request, signal)) {
        if (signal.aborted) return;
        yield event;
      }
    },
  };
  const route = { id: 'scripted', title: 'Scripted', detail: '', transport };
  const absent = new Proxy({}, { get: () => () => Promise.reject(new Error('not here')) }) as never;
  const shared = {
    files: absent,
    search: absent,
    shell: absent,
    clock: realClock,
    log: { write: () => undefined },
    newId: deps.newId,
    spillFolder: '/spill',
    hooks,
    workspace: () => ({ roots: ['/work'], cwd: '/work', home: '/home/me', trusted: true }),
  } satisfies Partial<ConversationDeps>;
  const tasks = backgroundTasks();
  const recorder = memoryRecorder();
  const tools: Tool[] = [...standardTools([], realClock)];
  const settings = (): AgentSettings => ({ ...DEFAULT_SETTINGS, ...limits });
  const agents: Agents = createAgents({
    agents: withBuiltIn(own),
    tools: () => tools,
    tasks,
    parent: () => ({
      shared,
      gate: conversation.gate,
      agentGate: (base, definition) =>
        definition.tools === undefined
          ? base
          : narrowedGate(base, { label: definition.name, tools: definition.tools }),
      approver,
      system: 'system',
      brief: 'brief',
      settings,
      conversation,
    }),
    newFile: (manifest) => createSubagent(deps, session.paths, manifest),
    unseen: approver,
  });
  tools.push(agents.tool);
  const conversation = createConversation({
    ...shared,
    id: session.paths.id,
    system: 'system',
    route,
    mode,
    tools,
    specs: [],
    gate,
    approver,
    recorder,
    settings,
    pendingWork: () => tasks.running(),
  });
  const rollups = (): Record<string, unknown>[] =>
    recorder.entries.flatMap((entry) =>
      entry.type === 'result' && entry.record.tool === 'Agent'
        ? [entry.record.envelope as Record<string, unknown>]
        : [],
    );
  const lines = (agentId: unknown): Record<string, unknown>[] =>
    readFileSync(join(session.paths.subagents, `agent-${String(agentId)}.jsonl`), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { conversation, agents, tasks, requests, recorder, rollups, lines, session };
}

const task = (name: string, more = {}) => ({
  tool: 'Agent',
  input: { description: name, prompt: `task ${name}`, ...more },
});
const isParent = (request: ModelRequest): boolean => words(request).includes('go');
const results = (events: readonly TurnEvent[]) => events.filter((event) => event.type === 'call_completed');

/** Lets nobody go on before so many have come. */
function meeting(size: number): { arrived(): Promise<void>; meetings(): number } {
  let waiting: (() => void)[] = [];
  let met = 0;
  return {
    arrived: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        if (waiting.length < size) return;
        met++;
        for (const go of waiting) go();
        waiting = [];
      }),
    meetings: () => met,
  };
}

describe('three agents in one response', () => {
  it('work at the same time, each in a file of its own, and their numbers are right', async () => {
    const { arrived, meetings } = meeting(3);
    const on = await stage({
      play: (request) => {
        if (isParent(request))
          return words(request).includes('tool_result')
            ? respond([{ text: 'All done.' }])
            : respond([task('one'), task('two'), task('three')]);
        const step = words(request).includes('tool_result')
          ? respond([{ text: 'Report.' }])
          : respond([{ tool: 'Look', input: { tag: 'a', ms: 0 } }]);
        return async function* (asked, signal) {
          await arrived();
          await sleep(20);
          yield* step(asked, signal) as AsyncIterable<never>;
        };
      },
    });
    const events = await collect(on.conversation.submit({ text: 'go' }));
    // Each step began only once all three were at it: none waited for another to end.
    expect(meetings()).toBe(2);
    expect(results(events).map(({ end }) => end)).toEqual(['ok', 'ok', 'ok']);
    const rollups = on.rollups();
    expect(new Set(rollups.map(({ agentId }) => agentId)).size).toBe(3);
    for (const rollup of rollups) {
      expect(rollup).toMatchObject({
        status: 'completed',
        agentType: 'general',
        content: [{ type: 'text', text: 'Report.' }],
        resolvedModel: 'script-1',
        totalToolUseCount: 1,
        totalTokens: 30,
        usage: { input_tokens: 20, output_tokens: 10 },
      });
      expect(rollup['totalDurationMs']).toBeGreaterThanOrEqual(38);
      const lines = on.lines(rollup['agentId']);
      expect(lines[0]).toMatchObject({ isSidechain: true, parentUuid: null, sessionId: on.session.paths.id });
      expect(lines.every((line) => line['agentId'] === rollup['agentId'])).toBe(true);
    }
    await on.session.close();
  });

  it('stopping one leaves the others', async () => {
    const { arrived } = meeting(3);
    let first: string | undefined;
    let released = false;
    const on = await stage({
      play: (request) => {
        if (isParent(request))
          return words(request).includes('tool_result')
            ? respond([{ text: 'All done.' }])
            : respond([task('one'), task('two'), task('three')]);
        return async function* (_, signal) {
          await arrived();
          if (first !== undefined) released ||= on.agents.stop(first);
          while (!released && !signal.aborted) await sleep(5);
          yield* text(0, 'Report.');
          yield { type: 'stop', reason: 'end_turn', raw: 'end_turn', usage: {} };
        };
      },
    });
    const ends: string[] = [];
    for await (const event of on.conversation.submit({ text: 'go' })) {
      if (event.type === 'call_state' && event.state === 'executing' && first === undefined) {
        first = event.callId;
      }
      if (event.type === 'call_completed') ends.push(event.end);
      if (event.type === 'turn_ended') expect(event.outcome.kind).toBe('completed');
    }
    expect(ends.sort()).toEqual(['failed', 'ok', 'ok']);
    await on.session.close();
  });
});

describe('an agent', () => {
  it('never gets wider rights than its parent, whatever its file says', async () => {
    const modes: string[] = [];
    const gate: Gate = {
      judge: async (request, state) => {
        if (request.tool !== 'Agent') modes.push(state.mode);
        return { type: 'allow', because: { source: 'default', text: '' } };
      },
    };
    const own: AgentDefinition = {
      name: 'wide',
      description: '',
      withoutTools: [],
      background: false,
      prompt: 'p',
      mode: 'ask',
      origin: { scope: 'user', path: '' },
    };
    const on = await stage({
      own: [own],
      gate,
      mode: 'plan',
      play: (request) =>
        words(request).includes('tool_result')
          ? respond([{ text: 'Done.' }])
          : isParent(request)
            ? respond([task('x', { subagent_type: 'wide' })])
            : respond([{ tool: 'Look', input: { tag: 'a', ms: 0 } }]),
    });
    await collect(on.conversation.submit({ text: 'go' }));
    expect(new Set(modes)).toEqual(new Set(['plan']));
    await on.session.close();
  });

  it('asks in the row of its call, under its name', async () => {
    const asked: { readonly callId: string; readonly title: string }[] = [];
    const gate: Gate = {
      judge: async ({ tool }) => ({
        type: tool === 'Agent' ? 'allow' : 'ask',
        because: { source: 'mode', text: 'ask' },
      }),
    };
    const on = await stage({
      gate,
      approver: {
        ask: async (request) => (asked.push(request), approveAll.ask(request, new AbortController().signal)),
      },
      play: (request) =>
        words(request).includes('tool_result')
          ? respond([{ text: 'Done.' }])
          : isParent(request)
            ? respond([task('x')])
            : respond([{ tool: 'Look', input: { tag: 'a', ms: 0 } }]),
    });
    const events = await collect(on.conversation.submit({ text: 'go' }));
    const row = events.find((event) => event.type === 'call_received');
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ callId: row?.callId });
    expect(asked[0]?.title).toMatch(/^general: /);
    await on.session.close();
  });

  it('in the background returns at once; its report is a task', async () => {
    const on = await stage({
      play: (request) =>
        isParent(request)
          ? words(request).includes('tool_result')
            ? respond([{ text: 'Going on.' }])
            : respond([task('x', { run_in_background: true })])
          : respond([{ text: 'Found it.' }]),
    });
    const events = await collect(on.conversation.submit({ text: 'go' }));
    expect(results(events)[0]).toMatchObject({ end: 'ok', summary: { text: 'works in the background' } });
    const [one] = on.tasks.all();
    expect(await one?.done).toEqual({ status: 'completed' });
    expect(one?.output()).toBe('Found it.');
    await on.session.close();
  });

  it('starts agents of its own, but these start none', async () => {
    const depths: number[] = [];
    const on = await stage({
      play: (request) => {
        if (words(request).includes('tool_result')) return respond([{ text: 'Done.' }]);
        const mayStart = request.tools.some(({ name }) => name === 'Agent');
        depths.push(mayStart ? 1 : 0);
        return mayStart || isParent(request) ? respond([task('deeper')]) : respond([{ text: 'Deepest.' }]);
      },
    });
    await collect(on.conversation.submit({ text: 'go' }));
    // The parent has no specs in this rig; its child may start one, the child's child may not.
    expect(depths).toEqual([0, 1, 0]);
    await on.session.close();
  });

  it('started by another has no more than that one: tools, gate and mode', async () => {
    const seen: string[] = [];
    const own = (name: string, more: Partial<AgentDefinition>): AgentDefinition => ({
      name,
      description: '',
      withoutTools: [],
      background: false,
      prompt: 'p',
      origin: { scope: 'user', path: '' },
      ...more,
    });
    const on = await stage({
      own: [own('narrow', { tools: ['Agent', 'Look', 'Command(a)'], mode: 'plan' }), own('wide', {})],
      gate: {
        judge: async ({ tool }, { mode }) => {
          if (tool !== 'Agent') seen.push(`${tool} in ${mode}`);
          return { type: 'allow', because: { source: 'default', text: '' } };
        },
      },
      play: (request) => {
        if (words(request).includes('tool_result')) return respond([{ text: 'Done.' }]);
        if (isParent(request)) return respond([task('x', { subagent_type: 'narrow' })]);
        if (request.tools.some(({ name }) => name === 'Agent'))
          return respond([task('y', { subagent_type: 'wide' })]);
        seen.push(request.tools.map(({ name }) => name).join(' '));
        return respond([
          { tool: 'Look', input: { tag: 'a', ms: 0 } },
          { tool: 'Command', input: { tag: 'b', ms: 0 } },
        ]);
      },
    });
    await collect(on.conversation.submit({ text: 'go' }));
    expect(seen).toEqual(['Look Command', 'Look in plan', 'Command in plan']);
    await on.session.close();
  });

  it('is asked by hooks to go on before it ends, and told apart from the turn', async () => {
    const ends: unknown[] = [];
    const on = await stage({
      hooks: {
        stop: async () => (ends.push('turn'), { type: 'end' }),
        subagentStop: async ({ agentType }, { active, lastText }) => {
          ends.push([agentType, active, lastText]);
          return active ? { type: 'end' } : { type: 'continue', text: 'Look again.' };
        },
      },
      play: (request) =>
        isParent(request)
          ? words(request).includes('tool_result')
            ? respond([{ text: 'All done.' }])
            : respond([task('x')])
          : respond([{ text: words(request).includes('Look again.') ? 'Really.' : 'Found.' }]),
    });
    await collect(on.conversation.submit({ text: 'go' }));
    expect(ends).toEqual([['general', false, 'Found.'], ['general', true, 'Really.'], 'turn']);
    expect(on.rollups()[0]).toMatchObject({ content: [{ text: 'Really.' }] });
    await on.session.close();
  });

  it('uses the budget of the turn that started it, and stops when that is used up', async () => {
    const on = await stage({
      limits: { turnTokens: 100 },
      play: (request) =>
        isParent(request)
          ? words(request).includes('tool_result')
            ? respond([{ text: 'Not reached.' }])
            : respond([task('one'), task('two')])
          : respond([{ tool: 'Look', input: { tag: 'a', ms: 0 } }]),
    });
    const events = await collect(on.conversation.submit({ text: 'go' }));
    const end = events.at(-1);
    expect(end?.type === 'turn_ended' && end.outcome).toMatchObject({
      kind: 'budget',
      reason: 'The turn used its 100 tokens.',
    });
    // Each answer here takes 15 tokens: six more after the parent's own, and what was under way when they were used up.
    expect(on.requests.length).toBeGreaterThanOrEqual(7);
    expect(on.requests.length).toBeLessThanOrEqual(8);
    expect(end?.type === 'turn_ended' && totalTokens(end.outcome.usage)).toBe(on.requests.length * 15);
    for (const rollup of on.rollups())
      expect(JSON.stringify(rollup['content'])).toContain('did not finish: The turn used its 100 tokens.');
    await on.session.close();
  });

  it('in the background counts against the session too', async () => {
    const on = await stage({
      limits: { sessionTokens: 30 },
      play: (request) =>
        isParent(request)
          ? words(request).includes('tool_result')
            ? respond([{ text: 'Going on.' }])
            : respond([task('x', { run_in_background: true })])
          : respond([{ tool: 'Look', input: { tag: 'a', ms: 0 } }]),
    });
    await collect(on.conversation.submit({ text: 'go' }));
    const [one] = on.tasks.all();
    await one?.done;
    expect(one?.output()).toContain('did not finish: The session used its 30 tokens.');
    expect(on.conversation.limit()?.reason).toBe('The session used its 30 tokens.');
    await on.session.close();
  });

  it('in the background is ended by its id', async () => {
    let waiting: () => void = () => undefined;
    const waits = new Promise<void>((resolve) => (waiting = resolve));
    const on = await stage({
      play: (request) =>
        isParent(request)
          ? words(request).includes('tool_result')
            ? respond([{ text: 'Going on.' }])
            : respond([task('x', { run_in_background: true })])
          : async function* (_, signal) {
              waiting();
              while (!signal.aborted) await sleep(5);
              yield* [];
            },
    });
    await collect(on.conversation.submit({ text: 'go' }));
    await waits;
    const [one] = on.tasks.all();
    await one?.stop();
    expect(one?.end()).toEqual({ status: 'stopped' });
    await on.session.close();
  });

  it('that does not exist is named with those that do', async () => {
    const on = await stage({
      play: (request) =>
        words(request).includes('tool_result')
          ? respond([{ text: 'Done.' }])
          : respond([task('x', { subagent_type: 'nobody' })]),
    });
    const events = await collect(on.conversation.submit({ text: 'go' }));
    expect(results(events)[0]?.summary.body).toContain(
      'There is no agent "nobody". There are: explore, general, plan, review.',
    );
    await on.session.close();
  });
});
