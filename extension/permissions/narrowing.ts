/**
 * A gate for what a command, an agent or a hook may do: the rights of the one that started it, and only ever fewer. It wraps a gate
 * and never answers more mildly than that one.
 */
import type { Because, Gate, GateRequest, Verdict } from './verdict';

export interface Narrowing {
  /** Who is limited, for people: `agent reviewer`. */
  readonly label: string;
  /** The only tools it may use; undefined = all. */
  readonly tools?: readonly string[];
  /** Judges the request by the rules of the frontmatter alone; only its *ask* and *deny* count. */
  readonly rules?: Gate;
}

const ORDER: readonly Verdict['type'][] = ['allow', 'ask', 'deny'];

export function narrowedGate(parent: Gate, { label, tools, rules }: Narrowing): Gate {
  return {
    ...parent,
    async judge(request, state) {
      const given = await parent.judge(request, state);
      if (tools !== undefined && !tools.includes(request.tool))
        return stricter(given, outside(request, label));
      return rules === undefined ? given : stricter(given, await rules.judge(request, state));
    },
  };
}

function stricter(one: Verdict, other: Verdict): Verdict {
  return ORDER.indexOf(other.type) > ORDER.indexOf(one.type) ? other : one;
}

function outside({ tool }: GateRequest, label: string): Verdict {
  const because: Because = { source: 'rule', text: `${label} may not use ${tool}.`, parts: [tool] };
  return { type: 'deny', because };
}
