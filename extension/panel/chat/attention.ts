/** Tells the person, wherever they look, whether Sluice works or waits for them: badge, status bar and `when` keys. */
import type { PermissionMode } from '../../protocol/vocabulary';
import type { Approvals } from '../../editor/review/approver';
import type { ChatView } from '../chat-view';
import { setContextKeys } from '../context-keys';
import type { StatusBar } from '../status-bar';

export interface Surfaces {
  readonly view: ChatView;
  readonly status: StatusBar;
}

export function showAttention(
  surfaces: Surfaces,
  {
    running,
    working,
    mode,
  }: { readonly running: boolean; readonly working: boolean; readonly mode: PermissionMode },
  { waiting, editWaiting }: Pick<Approvals, 'waiting' | 'editWaiting'>,
): void {
  surfaces.view.badge(waiting.length);
  surfaces.status.mode(mode);
  surfaces.status.show(waiting.length > 0 ? 'waiting' : working ? 'working' : 'idle');
  setContextKeys({ running, waiting: waiting.length > 0, editWaiting });
}
