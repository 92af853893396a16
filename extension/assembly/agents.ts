/** Which agents a conversation may start, with which tools, how deep, and how they are stopped. One of these per conversation. */
import type { AgentDefinition } from '../context/definitions/agents';
import type { SubagentFile, SubagentManifest } from '../sessions/open-session';
import { agentTool, type AgentInput, type AgentOutput, type AgentRunner } from '../tools/session/agent';
import type { BackgroundTask, BackgroundTasks, TaskEnd } from '../tools/commands/background';
import { limited } from '../tools/results/limited';
import { anyTool, type Tool, type ToolContext } from '../tools/tool';
import { startAgent, type AgentParent, type RunningAgent } from './agent-run';

export interface AgentsDeps {
  readonly agents: readonly AgentDefinition[];
  /** What the parent has; a child gets a part of it. */
  readonly tools: () => readonly Tool[];
  readonly tasks: BackgroundTasks;
  readonly parent: () => AgentParent;
  /** A file of its own for each agent. */
  newFile(manifest: SubagentManifest): Promise<SubagentFile>;
  /** For questions of agents whose call has returned. */
  readonly unseen: AgentParent['approver'];
}

/** 1 = started by the session itself. */
const DEEPEST = 2;
/** What belongs to the conversation that a person reads. */
const NOT_FOR_CHILDREN: ReadonlySet<string> = new Set([
  'TodoWrite',
  'AskUser',
  'ExitPlanMode',
  'TaskOutput',
  'TaskStop',
]);

export interface Agents {
  readonly tool: Tool;
  /** Ends the agent that this call started, or any background task; false when there is none. */
  stop(id: string): boolean;
}

export function createAgents(deps: AgentsDeps): Agents {
  const running = new Map<string, RunningAgent>();
  return {
    tool: toolAt(deps, running, { depth: 1, parent: deps.parent, tools: deps.tools }),
    stop(id) {
      const agent = running.get(id);
      agent?.stop();
      return agent !== undefined;
    },
  };
}

/** Who would start the agent: it has what that one has, and no more. */
interface Starter {
  /** Of the agent. */
  readonly depth: number;
  readonly parent: () => AgentParent;
  readonly tools: () => readonly Tool[];
  readonly agentId?: string;
}

function toolAt(deps: AgentsDeps, running: Map<string, RunningAgent>, starter: Starter): Tool {
  const { depth } = starter;
  const find = (name: string): AgentDefinition | undefined => deps.agents.find((one) => one.name === name);
  const runner: AgentRunner = {
    agents: deps.agents,
    readOnly: (name) => find(name)?.mode === 'plan',
    async run(input, name, context) {
      const definition = find(name);
      if (definition === undefined) throw new Error(`${name} was there a moment ago.`);
      const file = await deps.newFile({
        agentType: name,
        description: input.description,
        toolUseId: context.callId,
        spawnDepth: depth,
        ...(starter.agentId === undefined ? {} : { parentAgentId: starter.agentId }),
      });
      const tools = (self: () => AgentParent): readonly Tool[] => {
        const own: readonly Tool[] = toolsFor(definition, starter.tools(), depth, () =>
          toolAt(deps, running, { depth: depth + 1, parent: self, tools: () => own, agentId: file.agentId }),
        );
        return own;
      };
      const start = { definition, input, file, tools };
      return input.run_in_background === true || definition.background
        ? inBackground(deps, starter.parent(), start)
        : inForeground(starter.parent(), running, start, context);
    },
  };
  return limited(anyTool(agentTool(runner)));
}

type Start = Parameters<typeof startAgent>[1];

async function inForeground(
  parent: AgentParent,
  running: Map<string, RunningAgent>,
  start: Start,
  { callId, nested, signal }: ToolContext,
): Promise<AgentOutput> {
  signal.throwIfAborted();
  const agent = startAgent(parent, start, nested);
  running.set(callId, agent);
  signal.addEventListener('abort', agent.stop, { once: true });
  try {
    return { type: 'done', ...(await agent.done) };
  } finally {
    signal.removeEventListener('abort', agent.stop);
    running.delete(callId);
  }
}

function inBackground(deps: AgentsDeps, parent: AgentParent, start: Start): AgentOutput {
  const { file, input } = start;
  const agent = startAgent({ ...parent, approver: deps.unseen }, start, undefined);
  let end: TaskEnd;
  let report = '';
  let stopped = false;
  const done = agent.done.then(
    (finished) => {
      report = finished.report;
      return (end = { status: 'completed' });
    },
    (error: unknown) => {
      report = error instanceof Error ? error.message : String(error);
      return (end = { status: stopped ? 'stopped' : 'failed' });
    },
  );
  const task: BackgroundTask = {
    id: file.agentId,
    type: 'agent',
    title: input.description,
    output: () => (end === undefined ? '' : report),
    end: () => end,
    done,
    async stop() {
      stopped = true;
      agent.stop();
      await done;
    },
  };
  deps.tasks.add(task);
  return {
    type: 'launched',
    agentId: file.agentId,
    outputFile: file.transcript.path,
    input: input satisfies AgentInput,
  };
}

function toolsFor(
  { tools, withoutTools }: AgentDefinition,
  all: readonly Tool[],
  depth: number,
  agent: () => Tool,
): readonly Tool[] {
  const names = tools?.map(bareName);
  const without = withoutTools.map(bareName);
  return all
    .filter(({ name }) => !NOT_FOR_CHILDREN.has(name) && !without.includes(name))
    .filter(({ name }) => names === undefined || names.includes(name))
    .filter(({ name }) => name !== 'Agent' || depth < DEEPEST)
    .map((tool) => (tool.name === 'Agent' ? agent() : tool));
}

/** `Bash(npm test:*)` names the tool Bash; what of it may run is the gate's business. */
function bareName(rule: string): string {
  return rule.replace(/\(.*$/s, '').trim();
}
