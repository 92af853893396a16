/**
 * What a person reads when a route fails: a title by kind, and the one button that helps. Pure; knows no provider.
 */
import type { NextAction, RouteErrorKind } from '../../protocol/vocabulary';
import { actionTitle } from '../../protocol/action-title';
import { unreachable } from '../../protocol/vocabulary';
import type { ActionButton } from '../../protocol/view-state';

export interface ErrorCard {
  readonly title: string;
  readonly detail: string;
  readonly action?: ActionButton;
}

/** `message` is the route's own account of what happened; it never holds a secret. */
export function routeErrorCard(kind: RouteErrorKind, message: string, next: NextAction): ErrorCard {
  const action = actionButton(next);
  const card = { title: routeErrorTitle(kind), detail: message };
  return action === undefined ? card : { ...card, action };
}

function routeErrorTitle(kind: RouteErrorKind): string {
  switch (kind) {
    case 'auth':
      return 'The key was not accepted';
    case 'quota':
      return 'The account has no credit left';
    case 'rate_limit':
      return 'Too many requests';
    case 'overloaded':
      return 'The model is overloaded';
    case 'context_overflow':
      return 'The conversation is too long for this model';
    case 'output_cap':
      return 'The model refused the size of the answer';
    case 'bad_request':
      return 'The server did not accept the request';
    case 'content_filter':
      return 'A content filter stopped the answer';
    case 'network':
      return 'The server cannot be reached';
    case 'timeout':
      return 'The server did not answer in time';
    case 'stalled':
      return 'The answer stopped half-way';
    case 'bad_response':
      return 'The server sent something unreadable';
    case 'server':
      return 'The server failed';
    case 'not_found':
      return 'The model or the address does not exist';
    default:
      return unreachable(kind);
  }
}

/** The button for an action; undefined for `none`. */
export function actionButton(action: NextAction): ActionButton | undefined {
  const title = actionTitle(action);
  return title === undefined ? undefined : { title, action };
}
