/**
 * Runs one subagent: a conversation of its own with its own transcript, inside the rights of its parent. Each of its calls is judged by the same gate
 * in a mode that is never wider than the parent's, and its questions are asked in the name of the call that started it.
 */
import { createConversation, type Conversation, type ConversationDeps } from '../agent/conversation';
import type { TurnEvent } from '../agent/events';
import type { EndingAgent, Hooks } from '../agent/hooks';
import type { AgentSettings } from '../agent/limits/settings';
import type { Spent } from '../agent/limits/budget';
import { addUsage, costUsd, minusUsage, totalTokens } from '../agent/limits/usage';
import type { Outcome } from '../agent/outcome';
import type { AgentDefinition } from '../context/definitions/agents';
import type { ModelInfo, Route } from '../models/transport';
import type { Gate } from '../permissions/verdict';
import type { Approver } from '../ports';
import { narrowerMode, type NestedCall, type PermissionMode, type Usage } from '../protocol/vocabulary';
import { usageToWire } from '../sessions/format/usage';
import type { SubagentFile } from '../sessions/open-session';
import type { AgentInput, AgentRollup } from '../tools/session/agent';
import { toolSpec } from '../tools/registry';
import { ToolError, type Tool, type ToolContext } from '../tools/tool';

export interface AgentParent {
  /** Everything that a child shares with its parent: ports, workspace, route. */
  readonly shared: Omit<
    ConversationDeps,
    | 'id'
    | 'system'
    | 'brief'
    | 'mode'
    | 'tools'
    | 'specs'
    | 'approver'
    | 'recorder'
    | 'settings'
    | 'route'
    | 'gate'
    | 'resumed'
  >;
  /** Of the turn that runs now. */
  readonly gate: Gate;
  /** That gate, limited by what the agent's file names. */
  readonly agentGate: (base: Gate, definition: AgentDefinition) => Gate;
  readonly approver: Approver;
  readonly system: string;
  /** In fewer words. */
  readonly brief: string;
  readonly settings: () => AgentSettings;
  readonly conversation: Pick<Conversation, 'mode' | 'route' | 'spend' | 'limit'>;
}

export interface AgentStart {
  readonly definition: AgentDefinition;
  readonly input: AgentInput;
  readonly file: SubagentFile;
  /** `self`: what an agent that this one starts has for its parent. */
  readonly tools: (self: () => AgentParent) => readonly Tool[];
}

/** A turn without an end of its own would be one that nobody watches. */
const MOST_STEPS = 80;
const SHOWN_CALLS = 30;

export interface RunningAgent {
  readonly done: Promise<{ readonly report: string; readonly rollup: AgentRollup }>;
  readonly stop: () => void;
  /** The report so far. */
  output(): string;
}

export function startAgent(
  parent: AgentParent,
  start: AgentStart,
  nested: ToolContext['nested'],
): RunningAgent {
  const { definition, file } = start;
  const settings = parent.settings();
  const gate = within(parent.agentGate(parent.gate, definition), () => mode());
  const approver = inTurn(parent.approver, definition.name, nested);
  const meter = meterOf(parent, () => conversation);
  const self = (): AgentParent => ({ ...parent, gate, approver, conversation: meter.forChildren });
  const tools = start.tools(self);
  const mode = (): PermissionMode => narrowerMode(definition.mode ?? 'autoRun', parent.conversation.mode);
  const role = `You are the agent "${definition.name}". ${definition.prompt}`;
  const conversation: Conversation = createConversation({
    ...parent.shared,
    hooks: childHooks(parent.shared.hooks ?? {}, {
      agentId: file.agentId,
      agentType: definition.name,
      transcript: file.transcript.path,
    }),
    id: file.agentId,
    system: `${parent.system}\n\n${role}`,
    brief: `${parent.brief}\n\n${role}`,
    route: routeOf(parent, definition),
    mode: mode(),
    tools,
    specs: tools.map(toolSpec),
    gate,
    approver,
    recorder: file.transcript,
    parentLimit: () => parent.conversation.limit(),
    settings: () => ({
      ...settings,
      maxSteps: Math.min(definition.maxSteps ?? MOST_STEPS, settings.maxSteps ?? Infinity),
    }),
  });
  const tally = newTally();
  const done = follow(meter, start, conversation, tally, nested);
  return { done, stop: () => conversation.stop(), output: () => tally.text };
}

/** A model that is not there is no reason to refuse the work. */
function routeOf({ shared, conversation }: AgentParent, { name, model, origin }: AgentDefinition): Route {
  if (model === undefined) return conversation.route;
  const route = shared.routeFor?.(model, conversation.route, origin.scope === 'user');
  if (route === undefined)
    shared.log.write('info', `The agent ${name} asks for the model ${model}, which no route offers here`);
  return route ?? conversation.route;
}

/** Its prompt is no person's, and its end is not the end of the turn: the hooks about calls are for it, and one about its own end. */
function childHooks(hooks: Hooks, agent: EndingAgent): Hooks {
  return {
    preTool: async (call, signal) => (await hooks.preTool?.(call, signal)) ?? {},
    postTool: async (call, signal) => (await hooks.postTool?.(call, signal)) ?? {},
    permissionRequest: async (call, signal) => (await hooks.permissionRequest?.(call, signal)) ?? {},
    notification: async (note, signal) => hooks.notification?.(note, signal),
    stop: async (state, signal) => (await hooks.subagentStop?.(agent, state, signal)) ?? { type: 'end' },
  };
}

/** The parent may be narrowed while the child works; the child's own mode is only another limit. */
function within(gate: Gate, mode: () => PermissionMode): Gate {
  const narrowed = <T extends { readonly mode: PermissionMode }>(state: T): T => ({
    ...state,
    mode: narrowerMode(state.mode, mode()),
  });
  return {
    ...gate,
    judge: (request, state) => gate.judge(request, narrowed(state)),
    ...(gate.binding === undefined
      ? {}
      : { binding: (request, state) => gate.binding?.(request, narrowed(state)) ?? Promise.resolve('') }),
  };
}

/** One question at a time, in the row of the call that started the agent, with the agent's name on it. */
function inTurn(approver: Approver, name: string, nested: ToolContext['nested']): Approver {
  let before: Promise<unknown> = Promise.resolve();
  return {
    ask(request, signal) {
      const asked = before.then(async () => {
        signal.throwIfAborted();
        const named = { ...request, title: `${name}: ${request.title}`, ...nested?.asked(request) };
        try {
          const answer = await approver.ask(named, signal);
          nested?.answered(request.id, answer);
          return answer;
        } catch (error) {
          nested?.answered(request.id, { type: 'withdrawn' });
          throw error;
        }
      });
      before = asked.catch(() => undefined);
      return asked;
    },
  };
}

/** Passes what an agent uses on to whoever started it, as it is used. */
interface Meter {
  observe(event: TurnEvent): void;
  /** As the parent of further agents: what these use is used by all above them. */
  readonly forChildren: AgentParent['conversation'];
}

function meterOf({ conversation: above }: AgentParent, own: () => Conversation): Meter {
  let passed: Usage = {};
  const pass = (spent: Spent): void => {
    passed = addUsage(passed, spent.usage);
    above.spend(spent);
  };
  const price = (): ModelInfo['price'] => own().route.transport.info.price;
  return {
    observe(event) {
      if (event.type === 'step_ended') pass({ usage: event.usage, usd: costUsd(event.usage, price()) });
      if (event.type !== 'turn_ended') return;
      // What no step counted: summaries, steps that were cut off.
      const rest = minusUsage(event.outcome.usage, passed);
      if (totalTokens(rest) > 0) pass({ usage: rest, usd: costUsd(rest, price()) });
    },
    forChildren: {
      get mode() {
        return own().mode;
      },
      get route() {
        return own().route;
      },
      limit: () => own().limit(),
      spend(spent) {
        own().spend(spent);
        pass(spent);
      },
    },
  };
}

interface Tally {
  text: string;
  readonly calls: Map<string, NestedCall>;
  total: number;
  added: number;
  removed: number;
}

function newTally(): Tally {
  return { text: '', calls: new Map(), total: 0, added: 0, removed: 0 };
}

async function follow(
  meter: Meter,
  { definition, input, file }: AgentStart,
  conversation: Conversation,
  tally: Tally,
  nested: ToolContext['nested'],
): Promise<{ readonly report: string; readonly rollup: AgentRollup }> {
  let outcome: Outcome | undefined;
  try {
    for await (const event of conversation.submit({ text: input.prompt, source: 'task' })) {
      count(event, tally, nested);
      meter.observe(event);
      if (event.type === 'turn_ended') outcome = event.outcome;
    }
  } finally {
    await file.transcript.close();
  }
  if (outcome === undefined) throw new Error('The agent ended without an outcome.');
  const report = reportOf(definition.name, outcome, tally.text);
  const model = conversation.route.transport.info.id;
  return { report, rollup: rollup(input, definition.name, file.agentId, model, outcome, tally, report) };
}

/** Only a stop and a failed route are failures: whatever else ended it, what it found is worth having. */
function reportOf(name: string, outcome: Outcome, text: string): string {
  if (outcome.kind === 'completed' && text.trim() !== '') return text;
  const found = text.trim() === '' ? '' : `\n\nIts last words:\n${text}`;
  const words = `The agent ${name} did not finish: ${outcome.reason}${found}`;
  if (outcome.kind === 'interrupted')
    throw new ToolError('interrupted', `The agent ${name} was stopped.${found}`);
  if (outcome.kind === 'route_error' || outcome.kind === 'internal_error')
    throw new ToolError('agent', `${words}\n\nDo the work yourself, or hand over a smaller task.`);
  return words;
}

function count(event: TurnEvent, tally: Tally, nested: ToolContext['nested']): void {
  switch (event.type) {
    case 'step_started':
      tally.text = '';
      return;
    case 'text_delta':
      tally.text += event.text;
      return;
    case 'call_received':
      tally.total += 1;
      tally.calls.set(event.callId, { id: event.callId, kind: event.kind, title: event.title, target: '' });
      break;
    case 'call_ready':
      change(tally, event.callId, { target: event.target.text });
      break;
    case 'call_completed':
      change(tally, event.callId, { end: event.end });
      tally.added += event.summary.diff?.added ?? 0;
      tally.removed += event.summary.diff?.removed ?? 0;
      break;
    default:
      return;
  }
  nested?.calls([...tally.calls.values()].slice(-SHOWN_CALLS), tally.total);
}

function change({ calls }: Tally, id: string, patch: Partial<NestedCall>): void {
  const call = calls.get(id);
  if (call !== undefined) calls.set(id, { ...call, ...patch });
}

function rollup(
  { prompt }: AgentInput,
  agentType: string,
  agentId: string,
  resolvedModel: string,
  outcome: Outcome,
  tally: Tally,
  report: string,
): AgentRollup {
  const all = [...tally.calls.values()];
  const of = (...kinds: readonly NestedCall['kind'][]): number =>
    all.filter(({ kind }) => kinds.includes(kind)).length;
  const edits = all.filter(({ kind, end }) => kind === 'edit' && end === 'ok');
  return {
    status: 'completed',
    prompt,
    agentId,
    agentType,
    content: [{ type: 'text', text: report }],
    resolvedModel,
    totalDurationMs: outcome.durationMs,
    totalTokens: totalTokens(outcome.usage),
    totalToolUseCount: tally.total,
    usage: usageToWire(outcome.usage).wire,
    toolStats: {
      readCount: of('read'),
      searchCount: of('search'),
      bashCount: of('command'),
      editFileCount: new Set(edits.map(({ target }) => target)).size,
      linesAdded: tally.added,
      linesRemoved: tally.removed,
      otherToolCount: tally.total - of('read', 'search', 'command', 'edit'),
    },
  };
}
