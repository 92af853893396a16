/**
 * A gate for what a command, an agent or a hook may do: the rights of the one that started it, and only ever fewer. It wraps a gate
 * and never answers more mildly than that one.
 */
import { isEditTool, isReadTool, isShellTool, parseRule } from './rules/rule';
import type { Rule } from './rules/rule';
import { SESSION_TOOLS } from './tool-rules';
import type { Because, Gate, GateRequest, GateState, Verdict } from './verdict';

export interface Narrowing {
  /** Who is limited, for people: `agent reviewer`. */
  readonly label: string;
  /** What it may use, as rules: `Read`, `Bash(git log:*)`; undefined = all. */
  readonly tools?: readonly string[];
  /** Judges by these rules alone; only its *ask* and *deny* count. Needed for rules that name more than a tool; without it they ask. */
  readonly rules?: Gate;
}

const ORDER: readonly Verdict['type'][] = ['allow', 'ask', 'deny'];

export function narrowedGate(parent: Gate, narrowing: Narrowing): Gate {
  const { label, tools, rules } = narrowing;
  const named = tools?.map((text) => parseRule(text, 'allow', { origin: 'frontmatter', label }));
  const narrow = async (given: Verdict, request: GateRequest, state: GateState): Promise<Verdict> => {
    if (named === undefined)
      return rules === undefined ? given : stricter(given, await rules.judge(request, state));
    const about = named.filter((rule) => isFor(rule, request.tool));
    if (about.length === 0) return isFree(request) ? given : stricter(given, outside(request, narrowing));
    if (about.some(isWhole)) return given;
    // What a mode lifts is no word of the file's.
    const own = await rules?.judge(request, { ...state, mode: 'ask' });
    return own?.type === 'allow' ? given : stricter(given, beyond(request, label, about));
  };
  return {
    ...parent,
    judge: async (request, state) => narrow(await parent.judge(request, state), request, state),
    // Where only this limit asks, no rule of the person's would settle it.
    async suggest(request, state) {
      const given = await parent.judge(request, state);
      return given.type === 'ask' ? ((await parent.suggest?.(request, state)) ?? []) : [];
    },
  };
}

function stricter(one: Verdict, other: Verdict): Verdict {
  return ORDER.indexOf(other.type) > ORDER.indexOf(one.type) ? other : one;
}

/** Whether the rule names the tool, as a whole or in part. What cannot be read names nothing. */
function isFor({ target }: Rule, tool: string): boolean {
  switch (target.type) {
    case 'tool':
      return target.tool.toLowerCase() === tool.toLowerCase();
    case 'command':
      return isShellTool(tool);
    case 'files':
      if (target.only !== undefined) return target.only === tool;
      return target.tools === 'read' ? isReadTool(tool) : isEditTool(tool);
    case 'host':
      return tool === 'WebFetch';
    case 'agent':
      return tool === 'Agent';
    case 'mcp':
      return (
        tool === `mcp__${target.server}__${target.tool}` ||
        (target.tool === '*' && tool.startsWith(`mcp__${target.server}__`))
      );
    case 'gitConfig':
    case 'unreadable':
      return false;
  }
}

function isWhole({ target }: Rule): boolean {
  switch (target.type) {
    case 'tool':
    case 'mcp':
      return true;
    case 'command':
      return target.pattern === undefined;
    case 'files':
      return target.spec === undefined;
    case 'host':
      return target.host === undefined;
    case 'agent':
      return target.name === undefined;
    case 'gitConfig':
    case 'unreadable':
      return false;
  }
}

/** Looking at the workspace and keeping the session's own books is no act that a file would have to name. */
function isFree({ tool, isReadOnly, effects }: GateRequest): boolean {
  if (SESSION_TOOLS.has(tool)) return true;
  return isReadOnly && effects.every(({ type }) => type === 'read' || type === 'search');
}

function outside({ tool }: GateRequest, { label, tools = [] }: Narrowing): Verdict {
  const text = `${label} may not use ${tool}; its file names ${tools.join(', ') || 'no tools'}.`;
  const because: Because = { source: 'rule', text, parts: [tool] };
  return { type: 'deny', because };
}

function beyond({ tool }: GateRequest, label: string, about: readonly Rule[]): Verdict {
  const text = `${label} names only ${about.map((rule) => rule.text).join(', ')} of ${tool}.`;
  return { type: 'ask', because: { source: 'rule', text, parts: [tool] } };
}
