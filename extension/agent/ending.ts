/** From a route's error to the turn's ending: which outcome it is, in whose words, and the one thing to do next. */
import { unreachable, type NextAction } from '../protocol/vocabulary';
import type { RouteError } from '../models/transport';
import type { Outcome } from './outcome';

/** An outcome before its numbers are known. */
export type Ending = Pick<Outcome, 'kind' | 'reason' | 'next'> & Partial<Pick<Outcome, 'place' | 'error'>>;

export function errorOutcome(error: RouteError, routeId: string): Ending {
  if (error.kind === 'context_overflow') {
    return {
      kind: 'context_exhausted',
      reason: `The request is larger than the route's context window. ${error.message}`,
      next: { type: 'compact' },
    };
  }
  if (error.kind === 'content_filter')
    return {
      kind: 'refused',
      reason: `A content filter of the route ended it. ${error.message}`,
      next: { type: 'none' },
    };
  return {
    kind: 'route_error',
    reason: error.message,
    error: { kind: error.kind, message: error.message },
    next: modelAction(error) ?? nextAction(error.kind, routeId),
  };
}

/** What is wrong with the model itself has a remedy of its own. */
function modelAction({ pull, cause }: RouteError): NextAction | undefined {
  if (pull !== undefined) return { type: 'pull_model', model: pull };
  return cause === 'tools_unsupported' ? { type: 'choose_route' } : undefined;
}

function nextAction(
  kind: Exclude<RouteError['kind'], 'context_overflow' | 'content_filter'>,
  routeId: string,
): NextAction {
  switch (kind) {
    case 'auth':
      return { type: 'set_key', routeId };
    case 'quota':
    case 'not_found':
      return { type: 'choose_route' };
    case 'rate_limit':
    case 'overloaded':
    case 'network':
    case 'timeout':
    case 'stalled':
    case 'bad_response':
    case 'server':
    case 'output_cap':
      return { type: 'retry' };
    case 'bad_request':
      return { type: 'show_log' };
    default:
      return unreachable(kind);
  }
}
