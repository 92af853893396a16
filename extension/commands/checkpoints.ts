/** Manage checkpoints: how much there is, how long it is kept, and deleting it. */
import * as vscode from 'vscode';
import type { CommandDeps } from './register';

export async function manageCheckpoints({ open }: CommandDeps): Promise<void> {
  const { chat, checkpointStore: store } = await open();
  const [sessions, bytes] = [await store.sessions(), await store.blobs.size()];
  const current = chat.view.header.sessionId;
  const others = sessions.filter(({ id }) => id !== current).map(({ id }) => id);
  const items = [
    {
      label: `$(trash) ${vscode.l10n.t('Delete the checkpoints of other sessions')}`,
      detail:
        others.length === 1
          ? vscode.l10n.t('1 session; its files can then no longer be rewound')
          : vscode.l10n.t('{0} sessions; their files can then no longer be rewound', others.length),
      run: async () => deleteOthers(others),
    },
    {
      label: `$(history) ${vscode.l10n.t('Rewind this session…')}`,
      detail: vscode.l10n.t('Files, the conversation or both as they were before a prompt'),
      run: async () => vscode.commands.executeCommand('sluice.rewind'),
    },
    {
      label: `$(gear) ${vscode.l10n.t('Change how much is kept and for how long')}`,
      detail: 'sluice.checkpoints',
      run: async () => vscode.commands.executeCommand('workbench.action.openSettings', 'sluice.checkpoints'),
    },
    {
      label: `$(folder-opened) ${vscode.l10n.t('Show the folder')}`,
      detail: store.folder,
      run: async () => vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(store.folder)),
    },
  ];
  const title =
    sessions.length === 1
      ? vscode.l10n.t('Checkpoints: {0} in 1 session', sizeText(bytes))
      : vscode.l10n.t('Checkpoints: {0} in {1} sessions', sizeText(bytes), sessions.length);
  await (await vscode.window.showQuickPick(items, { title }))?.run();

  async function deleteOthers(ids: readonly string[]): Promise<void> {
    const yes = vscode.l10n.t('Delete');
    const question =
      ids.length === 1
        ? vscode.l10n.t('Delete the checkpoints of 1 session?')
        : vscode.l10n.t('Delete the checkpoints of {0} sessions?', ids.length);
    if ((await vscode.window.showWarningMessage(question, { modal: true }, yes)) !== yes) return;
    await store.forget(ids);
    await store.prune({ days: 36_500, mostBytes: Number.MAX_SAFE_INTEGER });
    const now = sizeText(await store.blobs.size());
    void vscode.window.showInformationMessage(vscode.l10n.t('Checkpoints now take {0}.', now));
  }
}

function sizeText(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1_000)} KB`;
  return bytes < 1_000_000_000
    ? `${(bytes / 1_000_000).toFixed(1)} MB`
    : `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}
