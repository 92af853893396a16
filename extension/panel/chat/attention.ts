/** Tells the person, wherever they look, whether Sluice works or waits for them: badge, status bar and `when` keys. */
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
  { running, working }: { readonly running: boolean; readonly working: boolean },
  { waiting, editWaiting }: Pick<Approvals, 'waiting' | 'editWaiting'>,
): void {
  surfaces.view.badge(waiting.length);
  surfaces.status.show(waiting.length > 0 ? 'waiting' : working ? 'working' : 'idle');
  setContextKeys({ running, editWaiting });
}
