/** The tree of changes: files and their hunks, with how many lines came and went. It shows the model and changes nothing. */
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { unreachable } from '../../protocol/vocabulary';
import type { Change } from '../../review/changes';
import type { ChangesModel } from './changes-model';

export type Node =
  | { readonly type: 'file'; readonly change: Change }
  | { readonly type: 'hunk'; readonly change: Change; readonly index: number };

export const CHANGES_VIEW = 'sluice.changes';
/** So many hunks of a file are listed. */
const MOST_HUNKS = 200;

export function createChangesTree(model: ChangesModel): vscode.Disposable {
  const changed = new vscode.EventEmitter<undefined>();
  const view = vscode.window.createTreeView<Node>(CHANGES_VIEW, {
    showCollapseAll: true,
    canSelectMany: true,
    treeDataProvider: {
      onDidChangeTreeData: changed.event,
      getChildren: (node) => childrenOf(model, node),
      getTreeItem: itemOf,
    },
  });
  const show = (): void => {
    const { changes, scope } = model;
    const added = changes.reduce((sum, change) => sum + change.added, 0);
    const removed = changes.reduce((sum, change) => sum + change.removed, 0);
    view.description = changes.length === 0 ? '' : `+${added} −${removed}`;
    const nothing =
      scope === 'turn'
        ? vscode.l10n.t('The last turn left nothing to review.')
        : vscode.l10n.t('Nothing is left to review.');
    view.message = changes.length > 0 ? '' : nothing;
    changed.fire(undefined);
  };
  const watch = model.onDidChange(show);
  show();
  return vscode.Disposable.from(view, changed, watch);
}

function childrenOf(model: ChangesModel, node: Node | undefined): Node[] {
  if (node === undefined) return model.changes.map((change) => ({ type: 'file', change }));
  if (node.type === 'hunk') return [];
  const { change } = node;
  return change.blocks.slice(0, MOST_HUNKS).map((_, index) => ({ type: 'hunk', change, index }));
}

function itemOf(node: Node): vscode.TreeItem {
  switch (node.type) {
    case 'file':
      return fileItem(node.change);
    case 'hunk':
      return hunkItem(node.change, node.index);
    default:
      return unreachable(node);
  }
}

function fileItem(change: Change): vscode.TreeItem {
  const { path, kind, added, removed, conflict, commands, blocks } = change;
  const { None, Collapsed } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(vscode.Uri.file(path), blocks.length > 1 ? Collapsed : None);
  item.id = path;
  item.label = basename(path);
  const folder = dirname(vscode.workspace.asRelativePath(path));
  const facts = [
    ...(conflict === 'not_saved' ? [] : [`+${added} −${removed}`]),
    ...(kind === 'created' ? [vscode.l10n.t('new')] : []),
    ...(kind === 'deleted' ? [vscode.l10n.t('deleted')] : []),
    ...(commands.length > 0 ? [vscode.l10n.t('changed by a command')] : []),
    ...(conflict === 'edited_since' ? [vscode.l10n.t('you edited the same lines')] : []),
  ];
  item.description = [...facts, ...(folder === '.' ? [] : [folder])].join(' · ');
  item.tooltip = [
    path,
    ...commands.filter((command) => command !== '').map((command) => `$ ${command}`),
  ].join('\n');
  if (conflict !== undefined) item.iconPath = new vscode.ThemeIcon('warning');
  item.contextValue = conflict === 'not_saved' ? 'sluiceListed' : 'sluiceFile';
  item.command = {
    command: 'sluice.openChange',
    title: vscode.l10n.t('Open Changes'),
    arguments: [{ type: 'file', change }],
  };
  item.accessibilityInformation = { label: `${basename(path)}, ${item.description}` };
  return item;
}

function hunkItem(change: Change, index: number): vscode.TreeItem {
  const block = change.blocks[index];
  const line = (block?.newStart ?? 0) + 1;
  const item = new vscode.TreeItem(vscode.l10n.t('Line {0}', line));
  item.id = `${change.path}#${index}`;
  const added = block === undefined ? 0 : block.newEnd - block.newStart;
  const removed = block === undefined ? 0 : block.oldEnd - block.oldStart;
  item.description = `+${added} −${removed}`;
  item.iconPath = new vscode.ThemeIcon('diff-single');
  item.contextValue = 'sluiceHunk';
  item.command = {
    command: 'sluice.openChange',
    title: vscode.l10n.t('Open Changes'),
    arguments: [{ type: 'hunk', change, index }],
  };
  return item;
}
