/** The one item in the status bar: idle, working, or waiting for the person. A click shows the chat. */
import * as vscode from 'vscode';

export type Attention = 'idle' | 'working' | 'waiting';

export interface StatusBar extends vscode.Disposable {
  show(attention: Attention): void;
}

export function createStatusBar(): StatusBar {
  const item = vscode.window.createStatusBarItem('sluice.status', vscode.StatusBarAlignment.Right, 90);
  item.name = 'Sluice';
  item.command = 'sluice.focusChat';
  const show = (attention: Attention): void => {
    const { icon, words } = looks(attention);
    item.text = `$(${icon}) Sluice`;
    item.tooltip = words;
    item.accessibilityInformation = { label: words };
    item.backgroundColor =
      attention === 'waiting' ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
  };
  show('idle');
  item.show();
  return {
    show,
    dispose() {
      item.dispose();
    },
  };
}

function looks(attention: Attention): { readonly icon: string; readonly words: string } {
  switch (attention) {
    case 'idle':
      return { icon: 'comment-discussion', words: vscode.l10n.t('Sluice is ready') };
    case 'working':
      return { icon: 'loading~spin', words: vscode.l10n.t('Sluice is working') };
    case 'waiting':
      return { icon: 'bell-dot', words: vscode.l10n.t('Sluice waits for your answer') };
  }
}
