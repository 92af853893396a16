/** Agent: gives a task to a subagent with its own conversation and waits for its report, or lets it go on in the background. It runs no loop itself. */
import * as z from 'zod';
import { flag, optionalText } from '../inputs/schema';
import type { Tool, ToolContext } from '../tool';
import { ToolError } from '../tool';

const input = z.strictObject({
  description: z.string().min(1).max(200).describe('The task in three to six words, for the user.'),
  prompt: z
    .string()
    .min(1)
    .describe(
      'The whole task. The agent sees nothing of this conversation: say what it needs to know and what to report.',
    ),
  subagent_type: optionalText('Name of the agent. Default: general.'),
  run_in_background: flag('Return at once with an id; TaskOutput gives the report later. Default false.'),
});
export type AgentInput = z.infer<typeof input>;

/** What the parent's transcript keeps of a finished agent, in the words of the session format. */
export interface AgentRollup {
  readonly status: 'completed';
  readonly prompt: string;
  readonly agentId: string;
  readonly agentType: string;
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly resolvedModel: string;
  readonly totalDurationMs: number;
  readonly totalTokens: number;
  readonly totalToolUseCount: number;
  readonly usage: Readonly<Record<string, unknown>>;
  readonly toolStats: {
    readonly readCount: number;
    readonly searchCount: number;
    readonly bashCount: number;
    readonly editFileCount: number;
    readonly linesAdded: number;
    readonly linesRemoved: number;
    readonly otherToolCount: number;
  };
}

export type AgentOutput =
  | { readonly type: 'done'; readonly report: string; readonly rollup: AgentRollup }
  | {
      readonly type: 'launched';
      readonly agentId: string;
      readonly outputFile: string;
      readonly input: AgentInput;
    };

export interface AgentRunner {
  /** One line each, for the description; fixed for the life of the conversation. */
  readonly agents: readonly { readonly name: string; readonly description: string }[];
  readOnly(agent: string): boolean;
  /** Throws ToolError when there is no such agent, or when it ends without a report. */
  run(input: AgentInput, agent: string, context: ToolContext): Promise<AgentOutput>;
}

export const DEFAULT_AGENT = 'general';
const MOST_SHOWN = 8_000;

export function agentTool(runner: AgentRunner): Tool<AgentInput, AgentOutput> {
  const nameOf = (value: AgentInput): string => value.subagent_type ?? DEFAULT_AGENT;
  return {
    name: 'Agent',
    title: 'Agent',
    kind: 'agent',
    description: [
      'Hands a task to an agent that works on its own and reports back once. Several calls in one response run at the same time. Use it for searches that would fill this conversation, and for independent pieces of work; not for what one or two calls of your own can do.',
      ...runner.agents.map(
        ({ name, description }) => `- ${name}: ${description.replace(/\s+/g, ' ').slice(0, 300)}`,
      ),
    ].join('\n'),
    input,
    interrupt: 'cancel',
    maxResultChars: 60_000,
    isReadOnly: (value) => runner.readOnly(nameOf(value)),
    isConcurrencySafe: () => true,
    effects: (value) => [{ type: 'agent', agentType: nameOf(value) }],
    target: (value) => ({ text: `${nameOf(value)}: ${value.description}` }),
    run(value, context) {
      const name = nameOf(value);
      if (runner.agents.some((agent) => agent.name === name)) return runner.run(value, name, context);
      const known = runner.agents.map((agent) => agent.name).join(', ');
      return Promise.reject(new ToolError('not_found', `There is no agent "${name}". There are: ${known}.`));
    },
    forModel: (output) => [
      {
        type: 'text',
        text:
          output.type === 'done'
            ? output.report
            : `The agent works in the background; its id is ${output.agentId}. Go on with other work; TaskOutput gives its report, TaskStop ends it.`,
      },
    ],
    forTranscript: (output) =>
      output.type === 'done'
        ? output.rollup
        : {
            isAsync: true,
            status: 'async_launched',
            agentId: output.agentId,
            description: output.input.description,
            prompt: output.input.prompt,
            outputFile: output.outputFile,
            canReadOutputFile: false,
          },
    summary: (output) =>
      output.type === 'done'
        ? { text: counts(output.rollup), body: output.report.slice(0, MOST_SHOWN) }
        : { text: 'works in the background' },
  };
}

function counts({ totalToolUseCount, totalTokens }: AgentRollup): string {
  return `${totalToolUseCount} calls, ${totalTokens.toLocaleString('en')} tokens`;
}
