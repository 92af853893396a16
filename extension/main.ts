/**
 * Where Sluice is put together. Activation registers what VS Code may call and returns; the engine (loop, tools, models, sessions)
 * is a bundle of its own that loads when the first chat opens.
 */
import * as vscode from 'vscode';
import { registerCommands } from './commands/register';
import { createDiffReview, closeStaleProposals } from './editor/review/diff-review';
import { background, createLog } from './editor/log';
import { createEditorOpener } from './editor/review/open-editor';
import { registerProposalFiles } from './editor/review/proposal-fs';
import { createKeyStore } from './editor/secrets';
import { registerChatView } from './panel/chat-view';
import { lastSession } from './panel/chat/last-session';
import { createStatusBar } from './panel/status-bar';
import type { SluiceApi } from './api';
import type { Engine, EngineParts } from './engine';
import { exportedApi } from './exported-api';

/** For the suites that run inside VS Code; there is no such thing in an installed Sluice. */
export interface SluiceTestApi extends SluiceApi {
  readonly engine: () => Promise<Engine>;
  readonly engineLoaded: () => boolean;
  /** Milliseconds that `activate()` took. */
  readonly activationMs: number;
}

let shutDown: () => Promise<void> = async () => undefined;

export function activate(context: vscode.ExtensionContext): SluiceApi {
  const begin = performance.now();
  const log = createLog();
  const opener = createEditorOpener();
  const proposals = registerProposalFiles();
  const status = createStatusBar();
  const keys = createKeyStore(context.secrets);
  const last = lastSession(context.workspaceState, log);
  const view = registerChatView(context.extensionUri, (port) =>
    background(
      log,
      'Opening the chat',
      engine().then(({ chat }) => chat.attach(port)),
    ),
  );
  const review = createDiffReview(proposals, opener, log);
  const engine = lazily(() => loadEngine({ log, opener, status, keys, last, view, review, context }));
  const commands = registerCommands({ log, keys, view, open: engine });
  context.subscriptions.push(log, opener, proposals, status, view, commands);

  // A reload may have brought diffs back; their questions come again with the session.
  background(log, 'Closing diffs of before the reload', closeStaleProposals());
  if (last.get()?.waiting === true) background(log, 'Opening the session that waits', engine());

  shutDown = async () => {
    last.freeze();
    if (engine.started()) await (await engine()).shutDown();
  };
  const api: SluiceApi = exportedApi(engine);
  if (context.extensionMode !== vscode.ExtensionMode.Test) return api;
  const activationMs = performance.now() - begin;
  const forTests: SluiceTestApi = { ...api, engine, engineLoaded: engine.started, activationMs };
  return forTests;
}

/** VS Code gives a few seconds: what runs is ended, and nothing is written as if the person had stopped it. */
export async function deactivate(): Promise<void> {
  await shutDown();
}

async function loadEngine(parts: EngineParts): Promise<Engine> {
  const { startEngine } = await import('./engine');
  return startEngine(parts);
}

interface Lazy<T> {
  (): Promise<T>;
  readonly started: () => boolean;
}

/** Makes it once; a failure is not kept, so that the next call tries again. */
function lazily<T>(make: () => Promise<T>): Lazy<T> {
  let made: Promise<T> | undefined;
  const get = (): Promise<T> => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
  return Object.assign(get, { started: () => made !== undefined });
}
