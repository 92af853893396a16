/** Rules that name a whole tool, rules that could not be read, and tools that say nothing of what they touch. */
import type { Finding } from './finding';
import { patternCatches } from './rules/command-pattern';
import { isEditTool, isReadTool, isShellTool } from './rules/rule';
import type { Rule } from './rules/rule';
import type { RuleSet } from './rules/rule-set';
import type { GateRequest } from './verdict';

/** Rules that name the tool and nothing else, and rules that could not be read. */
export function toolFindings(request: GateRequest, rules: RuleSet): readonly Finding[] {
  const { tool, isReadOnly } = request;
  const make = (level: Finding['level'], text: string, rule: Rule): Finding => ({
    level,
    clause: 'P10',
    text,
    part: tool,
    readOnly: isReadOnly,
    rule,
  });
  const findings: Finding[] = [];
  for (const rule of rules.deny) {
    if (rule.target.type === 'tool' && isAbout(rule, tool))
      findings.push(make('denied', `The rule ${rule.text} (${rule.source.label}) denies this tool.`, rule));
  }
  for (const rule of rules.ask) {
    if (rule.target.type === 'tool' && isAbout(rule, tool))
      findings.push(make('asked', `The rule ${rule.text} (${rule.source.label}) asks for this tool.`, rule));
  }
  for (const rule of rules.broken) {
    if (isMeantFor(rule, request))
      findings.push(
        make(
          'asked',
          `The rule ${rule.text} (${rule.source.label}) cannot be read, so what it was meant for asks.`,
          rule,
        ),
      );
  }
  return findings;
}

/** Tools that touch nothing but the session. */
export const SESSION_TOOLS: ReadonlySet<string> = new Set([
  'TodoWrite',
  'AskUser',
  'ExitPlanMode',
  'EnterPlanMode',
  'TaskOutput',
  'TaskStop',
  'Skill',
]);

export function withoutEffects(request: GateRequest, rules: RuleSet): Finding {
  const { tool, isReadOnly } = request;
  const allowed = rules.allow.find((rule) => rule.target.type === 'tool' && rule.target.tool === tool);
  if (allowed) {
    const text = `The rule ${allowed.text} (${allowed.source.label}) allows this tool.`;
    return { level: 'allowed', clause: 'P10', text, part: tool, readOnly: isReadOnly, rule: allowed };
  }
  const harmless = isReadOnly || SESSION_TOOLS.has(tool);
  return harmless
    ? {
        level: 'harmless',
        clause: 'P3',
        text: `${tool} changes nothing outside the session.`,
        part: tool,
        readOnly: true,
      }
    : {
        level: 'open',
        clause: 'P6',
        text: `${tool} does not say what it touches.`,
        part: tool,
        readOnly: false,
      };
}

/** A tool that a deny rule takes away as a whole; it is not to be shown to the model. */
export function hidesTool(rules: RuleSet, tool: string): boolean {
  return rules.deny.some((rule) => isAbout(rule, tool));
}

/** Whether the rule is about the tool as a whole. */
export function isAbout(rule: Rule, tool: string): boolean {
  const { target } = rule;
  switch (target.type) {
    case 'tool':
      return target.tool.toLowerCase() === tool.toLowerCase();
    case 'files':
      return (
        !target.spec &&
        (target.tools === 'read' ? target.only === undefined && isReadTool(tool) : isEditTool(tool))
      );
    case 'command':
      return !target.pattern && isShellTool(tool);
    case 'host':
      return target.host === undefined && tool === 'WebFetch';
    case 'agent':
      return target.name === undefined && tool === 'Agent';
    case 'mcp':
      return target.tool === '*' && tool.startsWith(`mcp__${target.server}__`);
    case 'gitConfig':
    case 'unreadable':
      return false;
  }
}

/** Whether the rule is about commands as a whole, or about one of these words. */
export function speaksOfCommand(rule: Rule, words: readonly string[]): boolean {
  const { target } = rule;
  if (target.type === 'unreadable') return target.tool === undefined || isShellTool(target.tool);
  if (target.type === 'tool') return isShellTool(target.tool);
  return target.type === 'command' && (!target.pattern || patternCatches(target.pattern, words));
}

/** Whether a rule that cannot be read was meant for what the request does. */
function isMeantFor({ target }: Rule, { tool, effects }: GateRequest): boolean {
  if (target.type !== 'unreadable') return false;
  if (target.tool === undefined) return true;
  const meant = family(target.tool);
  return meant === family(tool) || effects.some((effect) => meant === EFFECT_FAMILIES[effect.type]);
}

const EFFECT_FAMILIES: Readonly<Record<GateRequest['effects'][number]['type'], string>> = {
  read: 'read',
  search: 'read',
  write: 'edit',
  command: 'shell',
  fetch: 'webfetch',
  mcp: 'mcp',
  agent: 'agent',
};

function family(tool: string): string {
  if (isShellTool(tool)) return 'shell';
  if (isReadTool(tool)) return 'read';
  return isEditTool(tool) ? 'edit' : tool.toLowerCase();
}
