/** The one item in the status bar: idle, working, or waiting for the person, and the mode that asks nothing. A click shows the chat. */
import * as vscode from 'vscode';
import type { PermissionMode } from '../protocol/vocabulary';

export type Attention = 'idle' | 'working' | 'waiting';

export interface StatusBar extends vscode.Disposable {
  show(attention: Attention): void;
  /** Auto-run is never out of sight, whether or not the panel is. */
  mode(mode: PermissionMode): void;
}

export function createStatusBar(): StatusBar {
  const item = vscode.window.createStatusBarItem('sluice.status', vscode.StatusBarAlignment.Right, 90);
  item.name = 'Sluice';
  item.command = 'sluice.focusChat';
  let now: Attention = 'idle';
  let mode: PermissionMode = 'ask';
  const draw = (): void => {
    const { icon, words } = looks(now);
    const autoRun = mode === 'autoRun';
    item.text = autoRun ? `$(${icon}) Sluice: ${vscode.l10n.t('Auto-run')}` : `$(${icon}) Sluice`;
    const label = `${words}. ${vscode.l10n.t('Mode: {0}', modeTitle(mode))}`;
    item.tooltip = label;
    item.accessibilityInformation = { label };
    item.backgroundColor =
      now === 'waiting' || autoRun ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
  };
  draw();
  item.show();
  return {
    show(attention) {
      now = attention;
      draw();
    },
    mode(next) {
      mode = next;
      draw();
    },
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

function modeTitle(mode: PermissionMode): string {
  switch (mode) {
    case 'ask':
      return vscode.l10n.t('Ask');
    case 'acceptEdits':
      return vscode.l10n.t('Accept edits');
    case 'plan':
      return vscode.l10n.t('Plan');
    case 'autoRun':
      return vscode.l10n.t('Auto-run');
  }
}
