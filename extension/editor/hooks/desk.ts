/** The user's hooks inside VS Code: how they are run, which of them were accepted, and the hint that some wait for that. */
import * as vscode from 'vscode';
import type { SessionContext } from '../../context/session/session-context';
import { hookKey } from '../../hooks/runner';
import { hookShell } from '../../node/hook-shell';
import { KEY_VARIABLES } from '../../node/shell-environment';
import type { HookShell, Log } from '../../ports';
import { background } from '../log';
import { hookTrust, type HookTrust } from './trust';

/** The hooks of the shown session's workspace. */
export interface HookDesk {
  list(): Promise<
    readonly {
      readonly key: string;
      readonly event: string;
      readonly matcher: string;
      /** The exact text that would run. */
      readonly command: string;
      readonly where: string;
      readonly accepted: boolean;
    }[]
  >;
  /** These and no others. */
  accept(keys: readonly string[]): Promise<void>;
}

export interface EngineHooks {
  readonly ports: { readonly shell: HookShell; readonly accepted: (key: string) => boolean };
  /** Says at once when some wait to be accepted. */
  desk(context: () => Pick<SessionContext, 'definitions'> | undefined, log: Log): HookDesk;
}

export function engineHooks(state: vscode.Memento): EngineHooks {
  const trust = hookTrust(state);
  return {
    ports: { shell: hookShell(KEY_VARIABLES), accepted: (key) => trust.accepted(key) },
    desk(context, log) {
      const desk = deskOf(trust, context);
      background(log, 'Looking for hooks', hintAtHooks(desk));
      return desk;
    },
  };
}

function deskOf(trust: HookTrust, context: () => Pick<SessionContext, 'definitions'> | undefined): HookDesk {
  return {
    async list() {
      const hooks = (await context()?.definitions())?.hooks ?? [];
      return hooks.map((hook) => {
        const key = hookKey(hook);
        const { event, matcher, command, origin, line } = hook;
        const accepted = trust.accepted(key);
        return { key, event, matcher, command, where: `${origin.path}:${line}`, accepted };
      });
    },
    accept: (keys) => trust.set(keys),
  };
}

/** Said once a window; nothing of it has run. */
async function hintAtHooks(desk: HookDesk): Promise<void> {
  const waiting = (await desk.list()).filter(({ accepted }) => !accepted);
  if (waiting.length === 0 || !vscode.workspace.isTrusted) return;
  const review = vscode.l10n.t('Review…');
  const text = vscode.l10n.t(
    '{0} hooks wait for you: they run commands, and none runs before you accept it.',
    waiting.length,
  );
  if ((await vscode.window.showInformationMessage(text, review)) === review)
    await vscode.commands.executeCommand('sluice.reviewHooks');
}
