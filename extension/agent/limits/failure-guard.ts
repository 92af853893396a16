/**
 * Notices a turn that repeats what does not work: by (tool, kind of error), by path, and by identical call. Pure bookkeeping; the turn decides
 * what a warning or a trip means. Calls that were denied or cancelled are nobody's failure and do not count.
 */
export interface GuardedCall {
  readonly tool: string;
  readonly path?: string;
  /** The input as sent, serialised. */
  readonly input: string;
  /** Kind of failure; undefined = the call succeeded. */
  readonly failure?: string;
  readonly mutates: boolean;
  /** The result text. */
  readonly result: string;
}

export type GuardVerdict =
  | { readonly type: 'ok' }
  | { readonly type: 'warn'; readonly text: string }
  | { readonly type: 'tripped'; readonly reason: string };

export interface FailureGuard {
  /** All settled calls of one step. Equal failures of one step count once. */
  observe(calls: readonly GuardedCall[]): GuardVerdict;
}

/** An unchanged answer to an unchanged call is no failure, but three times the limit in a row is no progress either. */
const SAME_ANSWER_FACTOR = 3;

interface Count {
  readonly failures: number;
  readonly what: string;
}

/** `limit` failures of one kind trip the guard; 0 switches it off. The step before that warns, once per kind. */
export function failureGuard(limit: number): FailureGuard {
  const counts = new Map<string, Count>();
  const warned = new Set<string>();
  let answers = new Map<string, { readonly result: string; readonly times: number }>();

  return {
    observe(calls) {
      if (limit <= 0) return { type: 'ok' };
      answers = repeatedAnswers(answers, calls);
      for (const call of calls) if (call.failure === undefined) forget(counts, warned, call);
      const touched = new Map<string, string>();
      for (const call of calls)
        if (call.failure !== undefined)
          for (const [key, what] of keysOf(call, call.failure)) touched.set(key, what);
      for (const [key, what] of touched)
        counts.set(key, { failures: (counts.get(key)?.failures ?? 0) + 1, what });
      return verdict(limit, counts, warned, touched, answers);
    },
  };
}

function keysOf(call: GuardedCall, failure: string): readonly (readonly [string, string])[] {
  const keys: [string, string][] = [
    [`kind:${call.tool}:${failure}`, `${call.tool} failed with the same kind of error (${failure})`],
    [`call:${call.tool}:${call.input}`, `the same ${call.tool} call failed`],
  ];
  if (call.path !== undefined && call.mutates)
    keys.push([`path:${call.path}`, `changing ${call.path} failed`]);
  return keys;
}

/**
 * A success clears what it disproves: the tool's kinds of error, the identical call, and, when it changed the path, the path. A successful change
 * also makes the next try of another tool a new one (edit, test, edit, test is how work goes).
 */
function forget(counts: Map<string, Count>, warned: Set<string>, call: GuardedCall): void {
  for (const key of [...counts.keys()]) {
    const disproved = key.startsWith('path:')
      ? call.mutates && key === `path:${call.path}`
      : call.mutates || key.startsWith(`kind:${call.tool}:`) || key === `call:${call.tool}:${call.input}`;
    if (!disproved) continue;
    counts.delete(key);
    warned.delete(key);
  }
}

function repeatedAnswers(
  before: ReadonlyMap<string, { readonly result: string; readonly times: number }>,
  calls: readonly GuardedCall[],
): Map<string, { readonly result: string; readonly times: number }> {
  const now = new Map<string, { readonly result: string; readonly times: number }>();
  for (const call of calls) {
    const key = `${call.tool}:${call.input}`;
    const last = before.get(key);
    now.set(key, { result: call.result, times: last?.result === call.result ? last.times + 1 : 1 });
  }
  return now;
}

function verdict(
  limit: number,
  counts: ReadonlyMap<string, Count>,
  warned: Set<string>,
  touched: ReadonlyMap<string, string>,
  answers: ReadonlyMap<string, { readonly times: number }>,
): GuardVerdict {
  for (const [key, what] of touched) {
    const times = counts.get(key)?.failures ?? 0;
    if (times >= limit) return { type: 'tripped', reason: `${what} ${times} times.` };
  }
  for (const [key, { times }] of answers) {
    if (times >= limit * SAME_ANSWER_FACTOR)
      return {
        type: 'tripped',
        reason: `the same call (${key.slice(0, 80)}) gave the same answer ${times} times in a row.`,
      };
  }
  for (const [key, what] of touched) {
    if ((counts.get(key)?.failures ?? 0) !== limit - 1 || warned.has(key)) continue;
    warned.add(key);
    return {
      type: 'warn',
      text: `Careful: ${what} ${limit - 1} times. One more and the turn ends. Do something different: re-read, check assumptions, or explain what blocks you.`,
    };
  }
  return { type: 'ok' };
}
