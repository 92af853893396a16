/**
 * Judges one read, search or write of a path by the path clauses (P0–P12). It locates through the port and compares with the
 * rules; modes and trust are the gate's business.
 */
import type { Finding, Level } from '../finding';
import { permissiveRule, protectiveRule, ruleBelow, rulesOutFolder } from '../rules/path-rules';
import type { FileTools } from '../rules/rule';
import type { Rule } from '../rules/rule';
import type { RuleSet } from '../rules/rule-set';
import { locate } from './locate';
import type { PathProblem, Place, Surroundings } from './locate';
import { isControlPath, isSecretPath } from './sensitive-paths';

/** `content` of one file, `names` only, or `search`: the contents of whatever is below. */
export type ReadUse = 'content' | 'names' | 'search';

export interface PathQuestion {
  readonly path: string;
  /** Absolute folder that a relative path is resolved against. */
  readonly from: string;
  /** Who asks, for rules about one tool. */
  readonly tool: string;
  readonly rules: RuleSet;
  /** Says which ignore file hides a path from tools, if any. */
  readonly hiddenBy?: (path: string) => string | undefined;
}

export async function judgeRead(
  question: PathQuestion,
  use: ReadUse,
  around: Surroundings,
): Promise<Finding> {
  const illegal = illegalPath(question.path, true);
  if (illegal) return illegal;
  const place = await locate(question.path, question.from, around);
  return judgeReadAt(place, question, use, around);
}

export async function judgeWrite(question: PathQuestion, around: Surroundings): Promise<Finding> {
  const illegal = illegalPath(question.path, false);
  if (illegal) return illegal;
  return judgeWriteAt(await locate(question.path, question.from, around), question, around);
}

function illegalPath(path: string, readOnly: boolean): Finding | undefined {
  if (path !== '' && !path.includes('\0')) return undefined;
  const text = path === '' ? 'The path is empty.' : 'No path can hold a NUL byte.';
  return { level: 'illegal', clause: 'P0', text, part: path, readOnly };
}

export function judgeReadAt(
  place: Place,
  question: PathQuestion,
  use: ReadUse,
  around: Surroundings,
): Finding {
  const find = finder(place, true);
  const { rules } = question;
  const caught = (list: readonly Rule[]): Rule | undefined =>
    protectiveRule(list, 'read', place, around) ??
    (use !== 'content' ? rulesOutFolder(list, place, around) : undefined);
  const denied = caught(rules.deny) ?? hiddenRule(place, question);
  if (denied) return find('denied', 'P8', ruleText('denies', denied), denied);
  const problem = place.problems[0];
  if (problem) return find('floor', problem.clause, problem.text);
  const asked = caught(rules.ask);
  if (asked) return find('asked', 'P9', ruleText('asks for', asked), asked);
  const secret = use !== 'names' && place.views.some(isSecretPath);
  const outside = place.outside.length > 0;
  if (!secret && !outside) return find('harmless', 'P3', 'Reading inside the workspace changes nothing.');
  const wanted = { tools: 'read' as const, tool: question.tool, outside, secret };
  const allowed = permissiveRule(rules.allow, wanted, place, around);
  if (allowed) return find('allowed', secret ? 'P5' : 'P4', ruleText('allows', allowed), allowed);
  return outside
    ? find('protected', 'P4', `This is outside the workspace: ${place.outside[0] ?? place.real}`)
    : find('protected', 'P5', 'This file may hold secrets.');
}

export function judgeWriteAt(place: Place, question: PathQuestion, around: Surroundings): Finding {
  const find = finder(place, false);
  const { rules } = question;
  const denied =
    protectiveRule(rules.deny, 'edit', place, around) ??
    protectiveRule(rules.deny, 'read', place, around) ??
    hiddenRule(place, question);
  if (denied) return find('denied', 'P8', ruleText('denies', denied), denied);
  const problem = place.problems[0] ?? writeProblem(place);
  if (problem) return find('floor', problem.clause, problem.text);
  const asked = protectiveRule(rules.ask, 'edit', place, around);
  if (asked) return find('asked', 'P9', ruleText('asks for', asked), asked);
  const secret = place.views.some(isSecretPath);
  const outside = place.outside.length > 0;
  const wanted = { tools: 'edit' as const, tool: question.tool, outside, secret };
  const allowed = permissiveRule(rules.allow, wanted, place, around);
  if (allowed) return find('allowed', 'P6', ruleText('allows', allowed), allowed);
  if (outside)
    return find('protected', 'P4', `This is outside the workspace: ${place.outside[0] ?? place.real}`);
  if (secret) return find('protected', 'P5', 'This file may hold secrets.');
  return find('edit', 'P6', 'Edits ask unless a rule or the mode allows them.');
}

function writeProblem(place: Place): PathProblem | undefined {
  if (place.views.some(isControlPath))
    return { clause: 'P7', text: 'This file changes what runs without asking.' };
  if (place.stat?.type === 'file' && (place.stat.links ?? 1) > 1) {
    return { clause: 'P12', text: 'This file has more than one name; writing it changes the others too.' };
  }
  return undefined;
}

/** A file that an ignore file hides counts as denied by it. */
function hiddenRule(place: Place, question: PathQuestion): Rule | undefined {
  const by = place.views.map((view) => question.hiddenBy?.(view)).find((name) => name !== undefined);
  if (by === undefined) return undefined;
  const source = { origin: 'project' as const, label: by };
  return { text: by, list: 'deny', source, target: { type: 'tool', tool: 'Read' } };
}

function ruleText(verb: string, rule: Rule): string {
  return rule.text === rule.source.label
    ? `${rule.text} hides this from tools.`
    : `The rule ${rule.text} (${rule.source.label}) ${verb} this.`;
}

function finder(place: Place, readOnly: boolean) {
  return (level: Level, clause: string, text: string, rule?: Rule): Finding => ({
    level,
    clause,
    text,
    part: place.real === place.written ? place.written : `${place.written} → ${place.real}`,
    readOnly,
    ...(rule ? { rule } : {}),
  });
}

/** Whether a rule may hide something below the folder, so that a program that reads the whole tree could show it. */
export function mayHoldDenied(
  place: Place,
  tools: FileTools,
  rules: RuleSet,
  around: Surroundings,
): Rule | undefined {
  return ruleBelow(rules.deny, tools, place, around) ?? ruleBelow(rules.ask, tools, place, around);
}
