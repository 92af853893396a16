/** What a hook is told and what its exit code and its output mean, event by event. Pure: it runs nothing. */
import * as z from 'zod';
import type { HookEvent } from '../context/definitions/hooks';
import type { HookEnd } from '../ports';

/** What one hook says. Absent = no opinion. */
export interface HookWord {
  readonly decision?: 'deny' | 'ask';
  readonly reason?: string;
  /** For the model. */
  readonly context?: string;
  /** Ends the turn. */
  readonly stop?: string;
  /** For the log: the hook failed, or said something that cannot be followed. */
  readonly trouble?: string;
}

const output = z.looseObject({
  continue: z.boolean().optional(),
  stopReason: z.string().optional(),
  decision: z.string().optional(),
  reason: z.string().optional(),
  hookSpecificOutput: z
    .looseObject({
      permissionDecision: z.string().optional(),
      permissionDecisionReason: z.string().optional(),
      updatedInput: z.record(z.string(), z.unknown()).optional(),
      additionalContext: z.string().optional(),
    })
    .optional(),
});

/** Events whose plain output is for the model. */
const SPOKEN: ReadonlySet<HookEvent> = new Set(['UserPromptSubmit', 'SessionStart']);
/** Events that something waits for: the second exit code stops or answers it. */
const ANSWERED: ReadonlySet<HookEvent> = new Set([
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'Stop',
  'SubagentStop',
]);
const MOST_CHARS = 10_000;

export function wordOf(event: HookEvent, end: HookEnd): HookWord {
  const said = (text: string): string => text.trim().slice(0, MOST_CHARS);
  if (end.timedOut) return { trouble: 'it did not end in time and was killed' };
  if (end.flooded) return { trouble: 'it printed without end and was killed' };
  if (end.exitCode === 2) {
    const reason = said(end.stderr) || 'A hook declined it.';
    return ANSWERED.has(event) ? { decision: 'deny', reason } : { trouble: reason };
  }
  if (end.exitCode !== 0)
    return {
      trouble: `it ended with ${end.exitCode === undefined ? 'a signal' : `exit code ${end.exitCode}`}: ${said(end.stderr)}`,
    };
  const text = said(end.stdout);
  if (!text.startsWith('{')) return SPOKEN.has(event) && text !== '' ? { context: text } : {};
  return fromJson(event, end.stdout);
}

function fromJson(event: HookEvent, text: string): HookWord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return SPOKEN.has(event)
      ? { context: text.trim().slice(0, MOST_CHARS) }
      : { trouble: 'its output is not JSON' };
  }
  const parsed = output.safeParse(value);
  if (!parsed.success) return { trouble: 'its output has another form than hooks have' };
  const { data } = parsed;
  const more = data.hookSpecificOutput;
  const asked = more?.permissionDecision ?? data.decision;
  const reason = more?.permissionDecisionReason ?? data.reason;
  const context = more?.additionalContext;
  const stop = data.continue === false ? (data.stopReason ?? 'A hook ended the turn.') : undefined;
  return {
    ...decisionOf(event, asked, reason, more?.updatedInput),
    ...(context === undefined ? {} : { context: context.slice(0, MOST_CHARS) }),
    ...(stop === undefined ? {} : { stop }),
  };
}

/** `allow` and `approve` are no opinion: a hook never widens what the gate says. */
function decisionOf(
  event: HookEvent,
  asked: string | undefined,
  reason: string | undefined,
  updatedInput: Readonly<Record<string, unknown>> | undefined,
): Pick<HookWord, 'decision' | 'reason'> {
  const why = reason === undefined ? {} : { reason };
  if (asked === 'deny' || asked === 'block')
    return { decision: 'deny', reason: reason ?? 'A hook declined it.' };
  if (event === 'PreToolUse' && updatedInput !== undefined)
    // What was judged and recorded must be what runs, so a changed input is a new call.
    return {
      decision: 'deny',
      reason: `A hook wants another input. Send the call again with: ${JSON.stringify(updatedInput)}`,
    };
  return asked === 'ask' ? { decision: 'ask', ...why } : why;
}

/** Deny beats ask beats nothing; every context and the first stop are kept. */
export function together(words: readonly HookWord[]): HookWord {
  const decided =
    words.find(({ decision }) => decision === 'deny') ?? words.find(({ decision }) => decision === 'ask');
  const contexts = words.flatMap(({ context }) => (context === undefined ? [] : [context]));
  const stop = words.find((word) => word.stop !== undefined)?.stop;
  return {
    ...(decided?.decision === undefined ? {} : { decision: decided.decision }),
    ...(decided?.reason === undefined ? {} : { reason: decided.reason }),
    ...(contexts.length === 0 ? {} : { context: contexts.join('\n\n') }),
    ...(stop === undefined ? {} : { stop }),
  };
}
