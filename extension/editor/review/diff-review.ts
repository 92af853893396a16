/**
 * Shows a proposed edit in the native diff editor. Left is what is there, right is what would be written, and the person may
 * change it. It decides nothing: it reports a closed tab and hands out the text on the right.
 */
import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { EditProposal, Log } from '../../ports';
import type { EditorOpener, Intent } from './open-editor';
import { BEFORE_SCHEME, PROPOSAL_SCHEME } from './proposal-fs';
import type { ProposalFiles, Sides } from './proposal-fs';
import { background } from '../log';

/** Moving a tab to another group closes it here and opens it there; only what stays closed this long was closed. */
const CLOSED_FOR_GOOD_MS = 150;

/** Larger files are not worth the wait. */
const MOST_OPENED_BYTES = 5_000_000;

export interface Review {
  readonly proposal: vscode.Uri;
  show(intent: Intent): Promise<void>;
  /** The text on the right as it is shown now; its line ends are the editor's. */
  shownText(): string;
  /** Has VS Code hold the file, so that what is accepted is written as an edit that Undo takes back, also if it was not open. */
  openFile(): Promise<void>;
  /** Closes the tab without moving the focus. */
  close(): void;
}

export interface DiffReview {
  /** `closed` is called at most once, when the person closes the tab. `text`: the right side, when the person has changed it already. */
  begin(id: string, proposal: EditProposal, closed: () => void, text?: string): Review;
}

export function createDiffReview(files: ProposalFiles, opener: EditorOpener, log: Log): DiffReview {
  return {
    begin(id, proposal, closed, text = proposal.after) {
      const sides = files.add(id, proposal.path, proposal.before?.text ?? '', text);
      const watch = watchForClose(sides, closed);
      const title = `${basename(proposal.path)} (Sluice proposal)`;
      let over = false;
      let opening: Promise<void> = Promise.resolve();
      return {
        proposal: sides.proposal,
        async show(intent) {
          if (over) return;
          opening = opener.diff(sides.before, sides.proposal, title, intent);
          await opening;
        },
        shownText: () => findDocument(sides.proposal)?.getText() ?? files.text(sides) ?? proposal.after,
        openFile: () => openFile(proposal),
        close() {
          if (over) return;
          over = true;
          watch.dispose();
          // An answer can come before the tab is there; it is closed when it is.
          const closing = opening
            .catch(() => undefined)
            .then(() => closeTabs(sides))
            .finally(() => files.remove(sides));
          background(log, 'Closing a proposal', closing);
        },
      };
    },
  };
}

async function openFile({ path, before }: EditProposal): Promise<void> {
  if (before === null || before.bytes > MOST_OPENED_BYTES || path.toLowerCase().endsWith('.ipynb')) return;
  // What VS Code does not open is written without it.
  await Promise.resolve(vscode.workspace.openTextDocument(vscode.Uri.file(path))).catch(() => undefined);
}

function findDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
}

function watchForClose(sides: Sides, closed: () => void): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  const watch = vscode.window.tabGroups.onDidChangeTabs((event) => {
    if (!event.closed.some((tab) => shows(tab, sides.proposal))) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (tabsOf(sides.proposal).length === 0) closed();
    }, CLOSED_FOR_GOOD_MS);
  });
  return new vscode.Disposable(() => {
    clearTimeout(timer);
    watch.dispose();
  });
}

function shows(tab: vscode.Tab, proposal: vscode.Uri): boolean {
  return (
    tab.input instanceof vscode.TabInputTextDiff && tab.input.modified.toString() === proposal.toString()
  );
}

function tabsOf(proposal: vscode.Uri): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => shows(tab, proposal));
}

/** Saving first keeps VS Code from asking whether to save a proposal; its text has been taken already. */
async function closeTabs(sides: Sides): Promise<void> {
  const document = findDocument(sides.proposal);
  if (document?.isDirty === true) await document.save();
  await vscode.window.tabGroups.close(tabsOf(sides.proposal), true);
}

/** The proposal in the active tab, for commands that were not given one. */
export function activeProposal(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const isProposal = input instanceof vscode.TabInputTextDiff && input.modified.scheme === PROPOSAL_SCHEME;
  return isProposal ? input.modified : undefined;
}

/** Closes diffs that a reload brought back: the turn that they belonged to shows its question again. */
export async function closeStaleProposals(): Promise<void> {
  const stale = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(
      ({ input }) => input instanceof vscode.TabInputTextDiff && input.original.scheme === BEFORE_SCHEME,
    );
  for (const { input } of stale) {
    if (!(input instanceof vscode.TabInputTextDiff)) continue;
    const document = findDocument(input.modified);
    if (document?.isDirty === true) await document.save();
  }
  await vscode.window.tabGroups.close(stale, true);
}
