/** The rule book inside VS Code: settings, our own folder, the files of the open folders, and what tells that one of them has changed. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { mayAutoRun } from './engine-gate';
import { background } from './editor/log';
import { readRuleSettings, writeRules } from './editor/rule-settings';
import { currentWorkspace, onWorkspaceChange } from './editor/workspace';
import { nodeRuleFiles, policyFile } from './node/gate/rule-disk';
import { PROJECT_FILES, createRuleBook } from './permissions/sources/rule-book';
import type { RuleBook } from './permissions/sources/rule-book';
import type { Log } from './ports';
import type { PermissionMode } from './protocol/vocabulary';
import { sessionsRoot } from './sessions/paths';

/** What of the chat the rules have to do with. */
interface RuledChat {
  readonly mode: PermissionMode;
  setMode(mode: PermissionMode): void;
}

export interface EngineRules extends vscode.Disposable {
  readonly book: RuleBook;
}

export function engineRules(policy = policyFile(process.platform, process.env)): EngineRules {
  const book = createRuleBook({
    disk: nodeRuleFiles(),
    policyFile: policy,
    folder: join(sessionsRoot(homedir()), 'permissions'),
    user: { read: readRuleSettings, write: writeRules },
    workspace: () => {
      const roots = (vscode.workspace.workspaceFolders ?? [])
        .filter(({ uri }) => uri.scheme === 'file')
        .map(({ uri }) => uri.fsPath);
      return { roots, trusted: currentWorkspace()?.trusted ?? false };
    },
  });
  const names = PROJECT_FILES.map((name) => name.split('/').at(-1)).join(',');
  const watcher = vscode.workspace.createFileSystemWatcher(`**/{.sluice,.claude}/{${names}}`);
  const changed = (): void => book.changed();
  const watch = vscode.Disposable.from(
    watcher,
    watcher.onDidChange(changed),
    watcher.onDidCreate(changed),
    watcher.onDidDelete(changed),
    onWorkspaceChange(changed),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('sluice.permissions')) changed();
    }),
  );
  return { book, dispose: () => void watch.dispose() };
}

/** Follows the sources: Auto-run ends when it is taken away, and what a repository would allow is put before the person, once per text. */
export function watchRules({ book }: EngineRules, chat: RuledChat, log: Log): vscode.Disposable {
  const told = new Set<string>();
  const follow = async (): Promise<void> => {
    if (chat.mode === 'autoRun' && !(await mayAutoRun(book))) chat.setMode('ask');
    if (currentWorkspace()?.trusted === true) await offerWaiting(book, told);
  };
  const run = (): void => background(log, 'Following permission rules', follow());
  const watch = book.onDidChange(run);
  run();
  return { dispose: () => watch.dispose() };
}

async function offerWaiting(book: RuleBook, told: Set<string>): Promise<void> {
  const waiting = (await book.groups(undefined)).filter((group) => group.waiting.length > 0);
  const key = JSON.stringify(waiting.map(({ file, allow }) => [file, allow]));
  if (waiting.length === 0 || told.has(key)) return;
  told.add(key);
  const count = waiting.reduce((sum, group) => sum + group.waiting.length, 0);
  const review = vscode.l10n.t('Review…');
  const text = vscode.l10n.t(
    'This repository brings {0} rules that would let Sluice act without asking. They count only if you accept them.',
    count,
  );
  void vscode.window.showInformationMessage(text, review).then((picked) => {
    if (picked === review) void vscode.commands.executeCommand('sluice.permissions');
  });
}
