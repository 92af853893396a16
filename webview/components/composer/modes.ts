/** Names, icons and order of the permission modes as the panel shows them. Pure. */
import type { PermissionMode } from '../../../extension/protocol/vocabulary';

export interface ModeWords {
  readonly title: string;
  readonly icon: string;
  readonly explains: string;
}

export const MODE_WORDS: Readonly<Record<PermissionMode, ModeWords>> = {
  ask: { title: 'Ask', icon: 'shield', explains: 'Asks before it edits or runs anything' },
  acceptEdits: {
    title: 'Accept edits',
    icon: 'edit',
    explains: 'Edits files without asking; asks before commands',
  },
  plan: { title: 'Plan', icon: 'checklist', explains: 'Reads and plans; changes nothing' },
  autoRun: { title: 'Auto-run', icon: 'run-all', explains: 'Runs what the floor does not forbid' },
};

/** Shift+Tab never leads into *Auto-run*: that is chosen on purpose. */
const CYCLE: readonly PermissionMode[] = ['ask', 'acceptEdits', 'plan'];

export function nextMode(mode: PermissionMode): PermissionMode {
  return CYCLE[(CYCLE.indexOf(mode) + 1) % CYCLE.length] ?? 'ask';
}
