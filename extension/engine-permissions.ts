/** What *Sluice: Permissions* works with: the rules of the open session, and its gate for trying things out. */
import { trialGate, withAdditional } from './engine-gate';
import type { GateParts } from './engine-gate';
import { currentWorkspace } from './editor/workspace';
import type { PermissionDesk } from './permissions/desk/desk';
import { trialRequest } from './permissions/desk/trial';
import type { PermissionMode } from './protocol/vocabulary';

/** What of the chat it needs. */
interface OpenChat {
  readonly mode: PermissionMode;
  readonly view: { readonly header: { readonly sessionId: string } };
}

export function permissionDesk(parts: GateParts, chat: OpenChat): PermissionDesk {
  const sessionId = (): string | undefined => chat.view.header.sessionId || undefined;
  const { book } = parts;
  return {
    groups: () => book.groups(sessionId()),
    async warnings() {
      const { warnings } = await book.rules(sessionId());
      return new Map(
        warnings.map(({ rule, text }) => [`${rule.source.label}\n${rule.list}\n${rule.text}`, text]),
      );
    },
    change: (group, list, from, to) => book.change(group, list, from, to),
    accept: (group, rules) => book.accept(group, rules),
    explain(text) {
      const now = currentWorkspace() ?? { roots: [], cwd: '/', home: '/', trusted: false };
      const workspace = withAdditional(now);
      const gate = trialGate(parts, sessionId());
      return gate.explain(trialRequest(text, workspace), { mode: chat.mode, workspace });
    },
  };
}
