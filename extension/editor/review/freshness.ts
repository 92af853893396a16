/** Whether the file of a waiting proposal is still what the proposal was made from, said in words for the person. It changes nothing. */
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { FileError } from '../../ports';
import type { EditProposal, Files } from '../../ports';

const SETTLE_MS = 150;

export interface Freshness {
  /** Calls back with what the person should know, at once when there is something to know, and whenever that changes. */
  watch(proposal: EditProposal, tell: (hint: string | undefined) => void): vscode.Disposable;
}

export function createFreshness(files: Files): Freshness {
  return {
    watch(proposal, tell) {
      let told: string | undefined;
      let timer: NodeJS.Timeout | undefined;
      let over = false;
      const say = (hint: string | undefined): void => {
        if (over || hint === told) return;
        told = hint;
        tell(hint);
      };
      const look = async (): Promise<void> => say(await hintFor(files, proposal));
      const soon = (): void => {
        clearTimeout(timer);
        timer = setTimeout(() => void look(), SETTLE_MS);
      };
      if (proposal.before?.dirty === true) soon();
      const pattern = new vscode.RelativePattern(
        vscode.Uri.file(dirname(proposal.path)),
        globFor(basename(proposal.path)),
      );
      const watcher = vscode.workspace.createFileSystemWatcher(pattern);
      const watches = vscode.Disposable.from(
        watcher,
        watcher.onDidChange(soon),
        watcher.onDidCreate(soon),
        watcher.onDidDelete(soon),
        vscode.workspace.onDidChangeTextDocument(({ document }) => {
          if (document.uri.scheme === 'file' && document.uri.fsPath === proposal.path) soon();
        }),
      );
      return new vscode.Disposable(() => {
        over = true;
        clearTimeout(timer);
        watches.dispose();
      });
    },
  };
}

function globFor(name: string): string {
  return name.replace(/[[\]{}*?]/g, (character) => `[${character}]`);
}

async function hintFor(files: Files, { path, before }: EditProposal): Promise<string | undefined> {
  const now = await currentHash(files, path);
  if (now === (before?.hash ?? null)) {
    if (before?.dirty !== true) return undefined;
    return vscode.l10n.t(
      'The file has unsaved changes in the editor. Accept saves them together with this edit.',
    );
  }
  return before === null
    ? vscode.l10n.t(
        'A file of this name was made meanwhile. Accept will not write over it; the agent is told.',
      )
    : vscode.l10n.t(
        'The file has changed since this edit was proposed. Accept will not write over it; the agent is told to read it again.',
      );
}

async function currentHash(files: Files, path: string): Promise<string | null> {
  try {
    return (await files.readText(path)).hash;
  } catch (error) {
    if (error instanceof FileError && error.reason === 'not_found') return null;
    return '';
  }
}
