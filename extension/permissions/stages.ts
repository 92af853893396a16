/**
 * The order of the policy as one table: the first stage that answers decides. Findings come in, a verdict goes out; nothing is
 * looked up here. docs/permissions.md explains each row.
 */
import { LEVELS } from './finding';
import type { Finding, Level } from './finding';
import { QUIET_GIT } from './git/environment';
import type { Because, GateRequest, GateState, Verdict } from './verdict';

export interface Case {
  readonly request: GateRequest;
  readonly state: GateState;
  readonly findings: readonly Finding[];
}

/** Why a request is decided as it is, for *Why was this allowed?* and for trying rules. */
export interface Explanation {
  readonly verdict: Verdict;
  /** The row of the table of stages that decided. */
  readonly stage: string;
  readonly findings: readonly Finding[];
}

export interface Stage {
  readonly name: string;
  readonly decide: (given: Case) => Verdict | undefined;
}

const SOURCES: Readonly<Record<Level, Because['source']>> = {
  illegal: 'floor',
  denied: 'rule',
  floor: 'floor',
  asked: 'rule',
  protected: 'sensitive',
  open: 'default',
  edit: 'mode',
  allowed: 'rule',
  harmless: 'default',
};

export const STAGES: readonly Stage[] = [
  { name: 'legal input', decide: (given) => answer('deny', given, 'illegal') },
  { name: 'deny rules', decide: (given) => answer('deny', given, 'denied') },
  { name: 'trust', decide: trust },
  { name: 'plan mode', decide: plan },
  { name: 'floor', decide: (given) => answer('ask', given, 'floor') },
  { name: 'large deletions', decide: largeDeletion },
  { name: 'ask rules', decide: (given) => answer('ask', given, 'asked') },
  { name: 'protected places', decide: (given) => answer('ask', given, 'protected') },
  {
    name: 'not covered',
    decide: (given) => (lifts(given, 'open') ? undefined : answer('ask', given, 'open')),
  },
  { name: 'edits', decide: (given) => (lifts(given, 'edit') ? undefined : answer('ask', given, 'edit')) },
  { name: 'permission', decide: permission },
];

/** The first finding of the level gives the reason; all of that level are named as the parts. */
function answer(type: 'ask' | 'deny', { findings }: Case, level: Level): Verdict | undefined {
  const found = findings.filter((finding) => finding.level === level);
  return found[0] && { type, because: becauseOf(found[0], found) };
}

function becauseOf(first: Finding, found: readonly Finding[]): Because {
  return {
    source: SOURCES[first.level],
    text: first.text,
    clause: first.clause,
    parts: [...new Set(found.map(({ part }) => part))],
    ...(found.length > 1 ? { reasons: found.map(({ part, text }) => ({ part, text })) } : {}),
    ...(first.rule ? { rule: first.rule.text } : {}),
    ...(first.settledBy === undefined ? {} : { settledBy: first.settledBy }),
  };
}

/** An untrusted workspace is for reading inside it; its commands, programs and addresses are not touched. */
function trust({ request, state, findings }: Case): Verdict | undefined {
  if (state.workspace.trusted) return undefined;
  const outside = findings.filter(({ level, clause }) => level === 'protected' && clause === 'P4');
  const reads = request.effects.every((effect) => effect.type === 'read' || effect.type === 'search');
  const bad = findings.filter((finding) => !finding.readOnly);
  if (reads && bad.length === 0 && outside.length === 0) return undefined;
  const parts = (bad.length > 0 ? bad : findings).map(({ part }) => part);
  const text =
    'This workspace is not trusted: only reading inside it is possible. Trust the workspace to go on.';
  return { type: 'deny', because: { source: 'trust', text, clause: 'T21', parts } };
}

function plan({ state, findings }: Case): Verdict | undefined {
  const changing = findings.filter((finding) => !finding.readOnly);
  if (state.mode !== 'plan' || changing.length === 0) return undefined;
  const text = 'Plan mode only reads. Finish the plan, or choose another mode.';
  return { type: 'deny', because: { source: 'mode', text, parts: changing.map(({ part }) => part) } };
}

const FEW_LINES = 10;

/** A mode that accepts edits unseen must not accept the loss of most of a file. */
function largeDeletion({ request, state }: Case): Verdict | undefined {
  const { change } = request;
  if (!change || (state.mode !== 'acceptEdits' && state.mode !== 'autoRun')) return undefined;
  if (change.linesBefore < FEW_LINES || change.linesRemoved * 2 <= change.linesBefore) return undefined;
  const text = `This removes ${change.linesRemoved} of ${change.linesBefore} lines.`;
  const parts = request.effects.flatMap((effect) => (effect.type === 'write' ? [effect.path] : []));
  return { type: 'ask', because: { source: 'floor', text, clause: 'F1', parts } };
}

/** What a mode allows although no rule does. */
function lifts({ state }: Case, level: 'open' | 'edit'): boolean {
  if (state.mode === 'autoRun') return true;
  return state.mode === 'acceptEdits' && level === 'edit';
}

function permission({ request, state, findings }: Case): Verdict {
  const [first] = [...findings].sort((one, other) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level));
  if (!first)
    return {
      type: 'deny',
      because: { source: 'error', text: `Nothing is known of what ${request.tool} does.` },
    };
  if (first.level === 'open' || first.level === 'edit') {
    const text =
      state.mode === 'autoRun'
        ? 'Auto-run allows what no rule and no floor forbids.'
        : 'Edits inside the workspace are allowed in this mode.';
    return {
      type: 'allow',
      because: { source: 'mode', text, clause: first.clause, parts: findings.map(({ part }) => part) },
    };
  }
  const because = becauseOf(
    first,
    findings.filter(({ level }) => level === first.level),
  );
  const automatic =
    findings.every(({ level }) => level === 'harmless') &&
    findings.some(({ startsGit }) => startsGit === true);
  return automatic ? { type: 'allow', because, environment: QUIET_GIT } : { type: 'allow', because };
}
