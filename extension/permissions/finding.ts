/** What judging one part of a request found. Types and the order of strength; the stages of the gate turn findings into a verdict. */
import type { Rule } from './rules/rule';

/**
 * From the strictest to the mildest:
 * - `illegal`: input with no legal meaning;
 * - `denied`: a deny rule;
 * - `floor`: asks whatever rules and modes say;
 * - `asked`: an ask rule;
 * - `protected`: asks until a rule names it exactly; no mode lifts it;
 * - `open`: nothing decides, so it asks; auto-run lifts it;
 * - `edit`: as `open`, and *accept edits* lifts it too;
 * - `allowed`: an allow rule;
 * - `harmless`: changes nothing and reveals nothing.
 */
export type Level =
  'illegal' | 'denied' | 'floor' | 'asked' | 'protected' | 'open' | 'edit' | 'allowed' | 'harmless';

export const LEVELS: readonly Level[] = [
  'illegal',
  'denied',
  'floor',
  'asked',
  'protected',
  'open',
  'edit',
  'allowed',
  'harmless',
];

export interface Finding {
  readonly level: Level;
  /** Clause of docs/permissions.md, e.g. `S8` or `P5`. */
  readonly clause: string;
  /** A sentence for the person. */
  readonly text: string;
  /** The part that it is about: a command, a path, an address. */
  readonly part: string;
  readonly rule?: Rule;
  /** True when the part only reads, whether or not it is allowed: what plan mode and untrusted workspaces need to know. */
  readonly readOnly: boolean;
  /** It starts git without a question, with the variables of git/environment.ts. */
  readonly startsGit?: boolean;
  /** A rule that would settle it, where an ordinary suggestion would not. */
  readonly settledBy?: string;
}

export function strictest(findings: readonly Finding[]): Finding | undefined {
  let worst: Finding | undefined;
  for (const finding of findings) {
    if (!worst || LEVELS.indexOf(finding.level) < LEVELS.indexOf(worst.level)) worst = finding;
  }
  return worst;
}

/** The first finding of the strictest level; `undefined` entries are skipped. */
export function firstOf(...findings: readonly (Finding | undefined)[]): Finding | undefined {
  return findings.find((finding) => finding !== undefined);
}
