/** What a gate inside VS Code goes by: the rule book, the person's settings, and what hides files from tools. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import * as vscode from 'vscode';
import type { AssemblyPermissions } from './assembly/conversation';
import {
  additionalDirectories,
  autoRunEnabled,
  excludeGlobs,
  readOnlyCommandsRun,
  sandboxSettings,
} from './editor/rule-settings';
import { currentWorkspace } from './editor/workspace';
import { excludedBy, sluiceIgnore } from './node/gate/hidden-paths';
import type { Sandbox } from './node/gate/sandbox';
import { createGate } from './permissions/gate';
import type { GateOptions, PermissionGate } from './permissions/gate';
import { gatePlatform } from './permissions/paths/spelling';
import type { SandboxWord } from './permissions/sandboxed';
import type { RuleBook } from './permissions/sources/rule-book';
import type { Files, Log } from './ports';
import type { Workspace } from './tools/tool';

export interface GateParts {
  readonly book: RuleBook;
  readonly sandbox: Sandbox;
  readonly files: Files;
  readonly log: Log;
  readonly grammars: NonNullable<GateOptions['grammars']>;
  /** Name of the shell that runs commands. */
  readonly shellName: () => string;
}

const LOOKS: AssemblyPermissions['looks'] = {
  readOnlyAuto: readOnlyCommandsRun,
  hiddenBy: sluiceIgnore(),
  excludedBy: excludedBy(() => currentWorkspace()?.roots ?? [], excludeGlobs),
};

export function editorPermissions(book: RuleBook, sandbox: Sandbox, log: Log): AssemblyPermissions {
  return {
    book,
    looks: { ...LOOKS, autoRun: () => mayAutoRun(book), sandbox: () => sandboxWord(sandbox) },
    notKept(error) {
      log.write('error', 'A rule could not be kept', error);
      const why = error instanceof Error ? error.message : String(error);
      void vscode.window.showWarningMessage(
        vscode.l10n.t('Allowed once. The rule could not be kept: {0}', why),
      );
    },
  };
}

/** Whether Auto-run may be used: the machine's settings say so, and its policy does not forbid it. */
export async function mayAutoRun(book: RuleBook): Promise<boolean> {
  return autoRunEnabled() && !(await book.forbidsAutoRun());
}

const told = new Set<string>();

/** What the sandbox means now; that it cannot be had is said once, and by every question. */
async function sandboxWord(sandbox: Sandbox): Promise<SandboxWord> {
  const state = await sandbox.state();
  switch (state.type) {
    case 'off':
      return { type: 'none' };
    case 'holds':
      return sandboxSettings().autoAllow ? { type: 'allows' } : { type: 'none' };
    case 'broken':
      if (!told.has(state.why)) {
        told.add(state.why);
        void vscode.window.showWarningMessage(
          vscode.l10n.t('The sandbox cannot be used, so every command asks. {0}', state.why),
        );
      }
      return state;
  }
}

/** The same gate as a session's, for trying things out; `sessionId` undefined before there is a session. */
export function trialGate(
  { book, sandbox, files, grammars, shellName }: GateParts,
  sessionId: string | undefined,
): PermissionGate {
  return createGate({
    ...LOOKS,
    autoRun: () => mayAutoRun(book),
    sandbox: () => sandboxWord(sandbox),
    files,
    platform: gatePlatform(process.platform),
    shell: shellName,
    grammars,
    rules: () => book.rules(sessionId),
  });
}

/** With the folders that the person counts as part of every workspace; not while this one is not trusted. */
export function withAdditional(workspace: Workspace): Workspace {
  if (!workspace.trusted || workspace.roots.length === 0) return workspace;
  const more = additionalDirectories()
    .filter((path) => /^(?:~(?:[\\/]|$)|[\\/]|[A-Za-z]:[\\/])/.test(path))
    .map((path) => resolve(path.replace(/^~(?=$|[\\/])/, homedir())));
  return { ...workspace, roots: [...new Set([...workspace.roots, ...more])] };
}
