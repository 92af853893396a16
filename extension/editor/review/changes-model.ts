/** What is to be reviewed of the open session, kept up to date, and its documents for diffs. Keep and undo go through here; it draws nothing. */
import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Log } from '../../ports';
import { keepFiles, keepHunk, pendingChanges, undoFiles, undoHunk } from '../../review/changes';
import type { Change } from '../../review/changes';
import type { Checkpoints } from '../../review/checkpoints';
import type { Reverted } from '../../review/revert';
import { background } from '../log';
import type { EditorOpener } from './open-editor';

export const REVIEW_SCHEME = 'sluice-review';
const SETTLE_MS = 120;

export type Scope = 'session' | 'turn';

export interface ChangesModel extends vscode.Disposable {
  readonly changes: readonly Change[];
  scope: Scope;
  readonly onDidChange: vscode.Event<void>;
  /** Looks again now. */
  refresh(): Promise<void>;
  find(path: string): Change | undefined;
  openDiff(change: Change, hunk?: number): Promise<void>;
  /** All of them in one editor. */
  openAll(): Promise<void>;
  keep(paths: readonly string[]): Promise<void>;
  undo(paths: readonly string[]): Promise<Reverted | undefined>;
  keepHunk(change: Change, index: number): Promise<boolean>;
  undoHunk(change: Change, index: number): Promise<Reverted | undefined>;
}

export interface ChangesDeps {
  readonly checkpoints: () => Checkpoints | undefined;
  readonly onDidChangeFiles: vscode.Event<void>;
  readonly opener: EditorOpener;
  readonly log: Log;
}

export function createChangesModel(deps: ChangesDeps): ChangesModel {
  const changed = new vscode.EventEmitter<void>();
  const documents = reviewDocuments();
  let changes: readonly Change[] = [];
  let scope: Scope = 'session';
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    const checkpoints = deps.checkpoints();
    changes = checkpoints === undefined ? [] : await pendingChanges(checkpoints, scope);
    documents.show(changes);
    changed.fire();
  };
  const refresh = (): Promise<void> => (looking = looking.then(look, look));
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => background(deps.log, 'Looking for changes', refresh()), SETTLE_MS);
  };
  const watches = vscode.Disposable.from(
    changed,
    documents,
    deps.onDidChangeFiles(soon),
    vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      if (deps.checkpoints()?.history.pending.has(uri.fsPath) === true) soon();
    }),
  );
  return {
    get changes() {
      return changes;
    },
    get scope() {
      return scope;
    },
    set scope(next) {
      scope = next;
      soon();
    },
    onDidChange: changed.event,
    refresh,
    find: (path) => changes.find((change) => change.path === path),
    openDiff: (change, hunk) => openDiff(deps.opener, change, hunk),
    openAll: () => openAll(deps, changes),
    ...decisions(deps, refresh, () => scope),
    dispose() {
      clearTimeout(timer);
      watches.dispose();
    },
  };
}

function decisions(
  deps: ChangesDeps,
  refresh: () => Promise<void>,
  scope: () => Scope,
): Pick<ChangesModel, 'keep' | 'undo' | 'keepHunk' | 'undoHunk'> {
  const through = async <T>(work: (checkpoints: Checkpoints) => Promise<T>): Promise<T | undefined> => {
    const checkpoints = deps.checkpoints();
    if (checkpoints === undefined) return undefined;
    const result = await work(checkpoints);
    await refresh();
    return result;
  };
  return {
    keep: async (paths) => void (await through((checkpoints) => keepFiles(checkpoints, paths))),
    undo: (paths) => through((checkpoints) => undoFiles(checkpoints, paths, undoTitle(paths), scope())),
    keepHunk: async (change, index) =>
      (await through((checkpoints) => keepHunk(checkpoints, change, index))) ?? false,
    undoHunk: (change, index) =>
      through((checkpoints) =>
        undoHunk(checkpoints, change, index, vscode.l10n.t('Undo in {0}', basename(change.path))),
      ),
  };
}

function undoTitle(paths: readonly string[]): string {
  const [first = ''] = paths;
  return paths.length === 1
    ? vscode.l10n.t('Undo of {0}', basename(first))
    : vscode.l10n.t('Undo of {0} files', paths.length);
}

/** Left and right of a change. A side that does not exist is an empty document of ours. */
export function sidesOf({ path, kind }: Change): { readonly left: vscode.Uri; readonly right: vscode.Uri } {
  const file = vscode.Uri.file(path);
  const left = file.with({ scheme: REVIEW_SCHEME, authority: '' });
  return { left, right: kind === 'deleted' ? left.with({ query: 'gone' }) : file };
}

async function openDiff(opener: EditorOpener, change: Change, hunk: number | undefined): Promise<void> {
  const { left, right } = sidesOf(change);
  const title = vscode.l10n.t('{0} (Changes by Sluice)', basename(change.path));
  await opener.diff(left, right, title, 'asked', true);
  const line = hunk === undefined ? undefined : change.blocks[hunk]?.newStart;
  const editor = vscode.window.activeTextEditor;
  if (line === undefined || editor?.document.uri.toString() !== right.toString()) return;
  const at = new vscode.Position(Math.min(line, editor.document.lineCount - 1), 0);
  editor.selection = new vscode.Selection(at, at);
  editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenter);
}

async function openAll({ opener, log }: ChangesDeps, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  const resources = changes.map((change) => {
    const { left, right } = sidesOf(change);
    return [vscode.Uri.file(change.path), left, right];
  });
  try {
    await vscode.commands.executeCommand('vscode.changes', vscode.l10n.t('Changes by Sluice'), resources);
  } catch (error) {
    // The command is not in VS Code's published list.
    log.write('warning', 'All changes could not be opened together', error);
    for (const change of changes.slice(0, 10)) await openDiff(opener, change, undefined);
  }
}

/** The texts on the left. */
function reviewDocuments() {
  const texts = new Map<string, Uint8Array>();
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const registration = vscode.workspace.registerTextDocumentContentProvider(REVIEW_SCHEME, {
    onDidChange: changed.event,
    async provideTextDocumentContent(uri) {
      const bytes = uri.query === 'gone' ? undefined : texts.get(uri.toString());
      if (bytes === undefined) return '';
      return vscode.workspace.decode(bytes, { uri: vscode.Uri.file(uri.fsPath) });
    },
  });
  return {
    show(changes: readonly Change[]): void {
      texts.clear();
      for (const change of changes) {
        const { left } = sidesOf(change);
        if (change.left !== undefined) texts.set(left.toString(), change.left);
        changed.fire(left);
      }
    },
    dispose(): void {
      registration.dispose();
      changed.dispose();
    },
  };
}
