/** The agents that are always there. A file of the same name takes the place of one. */
import type { AgentDefinition } from './agents';

const READ_ONLY = ['Read', 'Glob', 'Grep', 'Diagnostics', 'WebFetch', 'Skill'];

const agent = (
  name: string,
  description: string,
  prompt: string,
  rest: Partial<AgentDefinition> = {},
): AgentDefinition => ({
  name,
  description,
  prompt,
  withoutTools: [],
  background: false,
  origin: { scope: 'built-in', path: '' },
  ...rest,
});

const REPORT =
  'Nobody can answer questions while you work. Your last message is the report that goes back to whoever gave you the task: make it complete, short and true, name files with lines, and say what you could not find or do.';

export const BUILT_IN_AGENTS: readonly AgentDefinition[] = [
  agent(
    'explore',
    'Finds things out in the workspace: where something is, how it works, what uses it. Only reads. Use several at once for independent questions.',
    `You find things out in a code base. Search broadly first, then read what matters. You change nothing. ${REPORT}`,
    { tools: READ_ONLY, mode: 'plan' },
  ),
  agent(
    'general',
    'Carries out a whole task with every tool that you have, and reports what it did. For work that can be handed over with clear words.',
    `You carry out one task in a workspace, completely, and verify it. ${REPORT}`,
  ),
  agent(
    'plan',
    'Reads the code and writes a plan for a change: which files, in which order, what could go wrong. Only reads.',
    `You plan a change to a code base. Read until you know what must change and why; then write the steps, each with its files, and how the result is verified. You change nothing. ${REPORT}`,
    { tools: READ_ONLY, mode: 'plan' },
  ),
  agent(
    'review',
    'Looks for faults in changes or in files that you name. Only reads. Tell it what changed and what it should hold up against.',
    `You review code for real faults: wrong results, lost data, unsafe input, broken contracts, missing tests. For each: what is wrong, where, why it matters, how to fix it, the worst first. No remarks on taste. You change nothing. ${REPORT}`,
    { tools: READ_ONLY, mode: 'plan' },
  ),
];

export function withBuiltIn(own: readonly AgentDefinition[]): readonly AgentDefinition[] {
  const taken = new Set(own.map(({ name }) => name));
  return [...own, ...BUILT_IN_AGENTS.filter(({ name }) => !taken.has(name))].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
}
