/** What a hook's exit code and its output mean, event by event. Pure: it runs nothing. */
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
  /** For the person. */
  readonly message?: string;
  /** The hook failed, or said something that cannot be followed. */
  readonly trouble?: string;
}

const output = z.looseObject({
  continue: z.boolean().optional(),
  stopReason: z.string().optional(),
  systemMessage: z.string().optional(),
  decision: z.string().optional(),
  reason: z.string().optional(),
  hookSpecificOutput: z
    .looseObject({
      permissionDecision: z.string().optional(),
      permissionDecisionReason: z.string().optional(),
      decision: z.looseObject({ behavior: z.string(), message: z.string().optional() }).optional(),
      updatedInput: z.record(z.string(), z.unknown()).optional(),
      additionalContext: z.string().optional(),
    })
    .optional(),
});

type Output = z.infer<typeof output>;

/** What each event lets a hook do, beside telling the person something. */
interface Powers {
  /** The second exit code, or `deny` or `block`: keeps the call or the prompt back, gives feedback, or lets the turn go on. */
  readonly deny: boolean;
  readonly ask: boolean;
  /** Words for the model. */
  readonly context: boolean;
  /** Plain output is words for the model. */
  readonly spoken: boolean;
  /** `continue: false`. */
  readonly stop: boolean;
}

const powers = (...names: readonly (keyof Powers)[]): Powers => ({
  deny: names.includes('deny'),
  ask: names.includes('ask'),
  context: names.includes('context'),
  spoken: names.includes('spoken'),
  stop: names.includes('stop'),
});

const POWERS: Readonly<Record<HookEvent, Powers>> = {
  SessionStart: powers('context', 'spoken'),
  UserPromptSubmit: powers('deny', 'context', 'spoken', 'stop'),
  PreToolUse: powers('deny', 'ask', 'context', 'stop'),
  PostToolUse: powers('deny', 'context', 'stop'),
  PostToolUseFailure: powers('deny', 'context', 'stop'),
  PermissionRequest: powers('deny', 'stop'),
  PreCompact: powers('context', 'spoken'),
  Stop: powers('deny', 'stop'),
  SubagentStop: powers('deny', 'stop'),
  Notification: powers(),
  SessionEnd: powers(),
};

const MOST_CHARS = 10_000;
const DECLINED = 'A hook declined it.';

export function wordOf(event: HookEvent, end: HookEnd): HookWord {
  const { deny, spoken } = POWERS[event];
  if (end.timedOut) return { trouble: 'it did not end in time and was killed' };
  if (end.flooded) return { trouble: 'it printed without end and was killed' };
  if (end.exitCode === 2) {
    const reason = cut(end.stderr) || DECLINED;
    return deny ? { decision: 'deny', reason } : { trouble: reason };
  }
  if (end.exitCode !== 0)
    return {
      trouble: `it ended with ${end.exitCode === undefined ? 'a signal' : `exit code ${end.exitCode}`}: ${cut(end.stderr)}`,
    };
  const text = cut(end.stdout);
  if (!text.startsWith('{')) return spoken && text !== '' ? { context: text } : {};
  return fromJson(event, end.stdout);
}

function cut(text: string): string {
  return text.trim().slice(0, MOST_CHARS);
}

function fromJson(event: HookEvent, text: string): HookWord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return POWERS[event].spoken ? { context: cut(text) } : { trouble: 'its output is not JSON' };
  }
  const parsed = output.safeParse(value);
  if (!parsed.success) return { trouble: 'its output has another form than hooks have' };
  const { data } = parsed;
  const can = POWERS[event];
  const context = data.hookSpecificOutput?.additionalContext;
  const stop = data.continue === false ? (data.stopReason ?? 'A hook ended the turn.') : undefined;
  const message = data.systemMessage;
  return {
    ...decisionOf(event, data),
    ...(context === undefined || !can.context ? {} : { context: cut(context) }),
    ...(stop === undefined || !can.stop ? {} : { stop }),
    ...(message === undefined ? {} : { message: cut(message) }),
  };
}

/** `allow` and `approve` are no opinion: a hook never widens what the gate says. */
function decisionOf(event: HookEvent, data: Output): Pick<HookWord, 'decision' | 'reason'> {
  const more = data.hookSpecificOutput;
  const can = POWERS[event];
  const asked = more?.permissionDecision ?? more?.decision?.behavior ?? data.decision;
  const reason = more?.permissionDecisionReason ?? more?.decision?.message ?? data.reason;
  const why = reason === undefined ? {} : { reason: cut(reason) };
  if (can.deny && (asked === 'deny' || asked === 'block'))
    return { decision: 'deny', reason: cut(reason ?? DECLINED) };
  if (event === 'PreToolUse' && more?.updatedInput !== undefined)
    // What was judged and recorded must be what runs, so a changed input is a new call.
    return {
      decision: 'deny',
      reason: `A hook wants another input. Send the call again with: ${JSON.stringify(more.updatedInput)}`,
    };
  return can.ask && asked === 'ask' ? { decision: 'ask', ...why } : {};
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
