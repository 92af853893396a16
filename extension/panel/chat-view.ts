/**
 * The chat's place in the window: a webview view that VS Code may make, hide, move and destroy at any time. It knows no messages;
 * what the webview says before the engine is there is kept for it.
 */
import * as vscode from 'vscode';
import type { HostMessage } from '../protocol/messages';
import { VIEW_ID, panelHtml, resourceRoots } from './html';

/** One webview while it lives. */
export interface PanelPort {
  readonly visible: boolean;
  post(message: HostMessage): void;
  /** Starts delivery, with what came before. */
  onMessage(listener: (message: unknown) => void): void;
  onVisibility(listener: (visible: boolean) => void): void;
  onGone(listener: () => void): void;
  /** Loads the document anew: for a webview that belongs to another version. */
  reload(): void;
}

export interface ChatView extends vscode.Disposable {
  readonly visible: boolean;
  /** As `visible`; right after the window has opened, VS Code may take a moment to bring the view back. */
  settled(): Promise<boolean>;
  /** The view went out of sight. */
  readonly onDidHide: vscode.Event<void>;
  /** Opens the view and gives it the focus. */
  show(): Promise<void>;
  /** What stands beside the view's name. */
  describe(title: string): void;
  /** The number of questions that wait. */
  badge(count: number): void;
}

/** How long after activation a view that was open before a reload may take to come back. */
const RESTORE_MS = 5_000;
const pause = () => new Promise((resolve) => setTimeout(resolve, 100));

export function registerChatView(extension: vscode.Uri, opened: (port: PanelPort) => void): ChatView {
  const hid = new vscode.EventEmitter<void>();
  let current: vscode.WebviewView | undefined;
  let waiting = 0;
  let description = '';
  const begin = Date.now();
  const isVisible = (): boolean => current?.visible === true;
  const registration = vscode.window.registerWebviewViewProvider(VIEW_ID, {
    resolveWebviewView(view) {
      current = view;
      view.onDidDispose(() => {
        if (current === view) current = undefined;
        hid.fire();
      });
      view.onDidChangeVisibility(() => {
        if (!view.visible) hid.fire();
      });
      view.webview.options = { enableScripts: true, localResourceRoots: [...resourceRoots(extension)] };
      const port = portOf(view, extension);
      port.reload();
      setBadge(view, waiting);
      view.description = description;
      opened(port);
    },
  });
  return {
    get visible() {
      return isVisible();
    },
    async settled() {
      while (!isVisible() && Date.now() - begin < RESTORE_MS) await pause();
      return isVisible();
    },
    onDidHide: hid.event,
    async show() {
      await vscode.commands.executeCommand(`${VIEW_ID}.focus`);
    },
    describe(title) {
      description = title;
      if (current !== undefined) current.description = title;
    },
    badge(count) {
      waiting = count;
      if (current !== undefined) setBadge(current, count);
    },
    dispose() {
      registration.dispose();
      hid.dispose();
    },
  };
}

function setBadge(view: vscode.WebviewView, count: number): void {
  const tooltip =
    count === 1
      ? vscode.l10n.t('Sluice waits for your answer')
      : vscode.l10n.t('Sluice waits for {0} answers', count);
  view.badge = count === 0 ? undefined : { value: count, tooltip };
}

function portOf(view: vscode.WebviewView, extension: vscode.Uri): PanelPort {
  const early: unknown[] = [];
  let listener: ((message: unknown) => void) | undefined;
  let gone = false;
  view.onDidDispose(() => {
    gone = true;
  });
  view.webview.onDidReceiveMessage((message: unknown) => {
    if (listener === undefined) early.push(message);
    else listener(message);
  });
  return {
    get visible() {
      return !gone && view.visible;
    },
    post(message) {
      // Its answer proves nothing about delivery: the webview asks for what it misses.
      if (!gone) void view.webview.postMessage(message).then(undefined, () => undefined);
    },
    onMessage(next) {
      listener = next;
      for (const message of early.splice(0)) next(message);
    },
    onVisibility(next) {
      view.onDidChangeVisibility(() => next(view.visible));
    },
    onGone(next) {
      view.onDidDispose(next);
    },
    reload() {
      view.webview.html = panelHtml(view.webview, extension);
    },
  };
}
