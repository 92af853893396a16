/** Puts the review together: lenses on proposals, and the tree, the diffs and the tidying up of what sessions changed. */
import type * as vscode from 'vscode';
import type { Approvals } from './editor/review/approver';
import { createChangesLenses } from './editor/review/changes-lenses';
import { createChangesModel } from './editor/review/changes-model';
import type { ChangesModel } from './editor/review/changes-model';
import { createChangesTree } from './editor/review/changes-tree';
import { createHunkLenses } from './editor/review/hunk-lenses';
import type { HunkLenses } from './editor/review/hunk-lenses';
import type { EditorOpener } from './editor/review/open-editor';
import { checkpointLimits } from './editor/review/review-settings';
import { background } from './editor/log';
import type { CheckpointStore } from './node/checkpoints/checkpoint-store';
import type { Chat } from './panel/chat/chat';
import { setChangesKey } from './panel/context-keys';
import type { Log } from './ports';

export function lensesOf(approvals: Approvals): HunkLenses {
  const lenses = createHunkLenses((proposal) => {
    const request = approvals.findEdit(proposal);
    return request === undefined ? undefined : approvals.hunksOf(request.id);
  });
  const watches = [
    approvals.onDidReview(() => lenses.refresh()),
    approvals.onDidChange(() => lenses.refresh()),
  ];
  return {
    refresh: () => lenses.refresh(),
    dispose() {
      for (const each of [...watches, lenses]) each.dispose();
    },
  };
}

interface ReviewParts {
  readonly context: Pick<vscode.ExtensionContext, 'subscriptions'>;
  readonly chat: Chat;
  readonly opener: EditorOpener;
  readonly log: Log;
  readonly store: CheckpointStore;
}

export function reviewOfChanges({ context, chat, opener, log, store }: ReviewParts): ChangesModel {
  const changes = createChangesModel({
    checkpoints: () => chat.checkpoints(),
    onDidChangeFiles: chat.onDidChangeFiles,
    opener,
    log,
  });
  const parts = [
    createChangesTree(changes),
    createChangesLenses(changes),
    changes.onDidChange(() => setChangesKey(changes.changes.length > 0)),
  ];
  const limits = { ...checkpointLimits(), keep: chat.view.header.sessionId };
  background(log, 'Tidying up checkpoints', store.prune(limits));
  background(log, 'Looking for changes', changes.refresh());
  context.subscriptions.push(changes, ...parts);
  return changes;
}
