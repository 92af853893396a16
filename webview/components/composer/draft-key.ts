/** Under which name a draft is kept. Pure. */
import type { Header } from '../../../extension/protocol/view-state';

/** A session that nobody has written in has another id after a reload: what was typed there belongs to whichever is new. */
export function draftKey(header: Pick<Header, 'sessionId'>, isEmpty: boolean): string {
  return isEmpty ? 'new' : header.sessionId;
}
