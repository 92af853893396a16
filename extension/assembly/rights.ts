/**
 * The gates of a conversation: the session's own, and what the front matter of a command or an agent makes of it. A file of the repository only ever
 * takes rights away; a command of the person's own adds its rules for its turn, under every deny, ask and floor.
 */
import type { AgentDefinition } from '../context/definitions/agents';
import type { TurnFrontMatter } from '../context/definitions/commands';
import { createGate, type PermissionGate } from '../permissions/gate';
import { narrowedGate } from '../permissions/narrowing';
import { gatePlatform } from '../permissions/paths/spelling';
import { collectRules, joinRules, type RuleSet } from '../permissions/rules/rule-set';
import type { Gate } from '../permissions/verdict';
import type { AssemblyPorts } from './conversation';

export type GatePorts = Pick<
  AssemblyPorts,
  'files' | 'platform' | 'shell' | 'grammars' | 'permissions' | 'mcp'
>;

export function gateFor(ports: GatePorts, rules: () => RuleSet | Promise<RuleSet>): PermissionGate {
  const { files, platform, shell, grammars, permissions, mcp } = ports;
  return createGate({
    ...permissions.looks,
    files,
    platform: gatePlatform(platform),
    shell: () => shell.name,
    grammars,
    rules,
    ...(mcp === undefined ? {} : { mcp: mcp.facts }),
  });
}

export function turnGate(
  ports: GatePorts,
  sessionId: string,
  base: Gate,
  { label, allowedTools = [], owned }: TurnFrontMatter,
): Gate {
  if (!owned) return narrowed(ports, base, label, allowedTools);
  const own = ownRules(label, allowedTools);
  return gateFor(ports, async () => joinRules(await ports.permissions.book.rules(sessionId), own));
}

/** Whoever wrote the file: an agent never has more than the one that started it. */
export function agentGate(ports: GatePorts, base: Gate, { name, tools }: AgentDefinition): Gate {
  return tools === undefined ? base : narrowed(ports, base, `The agent ${name}`, tools);
}

function narrowed(ports: GatePorts, base: Gate, label: string, tools: readonly string[]): Gate {
  const rules = ownRules(label, tools);
  return narrowedGate(base, { label, tools, rules: gateFor(ports, () => rules) });
}

function ownRules(label: string, allow: readonly string[]): RuleSet {
  return collectRules([{ source: { origin: 'user', label }, allow }]);
}
