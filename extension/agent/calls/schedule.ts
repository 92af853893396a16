/**
 * What may start now (I4): calls start in received order; concurrency-safe ones overlap up to a limit, anything else runs alone, and nothing
 * overtakes an earlier call that is not safe. Calls with side effects wait until the response has ended well.
 */
import type { Call } from './call';
import type { ExecutorState } from './state';

/** The calls that may start at this moment, in order. */
export function startable(state: ExecutorState): readonly Call[] {
  const start: Call[] = [];
  let running = state.calls.filter((call) => call.phase.type === 'executing').length;
  let allEarlierSettled = true;
  for (const call of state.calls) {
    const phase = call.phase;
    if (phase.type === 'settled') continue;
    // What it will be is not known yet, so it may be unsafe: nothing may pass it.
    if (phase.type === 'open') return start;
    if (phase.type === 'cleared' && (phase.call.readOnly || state.released)) {
      if (!phase.call.safe) {
        if (allEarlierSettled && running === 0 && start.length === 0) start.push(call);
        return start;
      }
      if (running >= state.deps.limit) return start;
      start.push(call);
      running += 1;
    } else if (!phase.call.safe) {
      return start;
    }
    allEarlierSettled = false;
  }
  return start;
}
