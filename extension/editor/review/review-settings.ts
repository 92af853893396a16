/** The person's settings for reviews and checkpoints. What is wrong counts as the default. */
import * as vscode from 'vscode';

/** Where a proposal appears that nobody asked to see: as a tab, beside, or only in the chat until it is asked for. */
export type Placement = 'tab' | 'beside' | 'onRequest';

export function placement(): Placement {
  const value = vscode.workspace.getConfiguration('sluice').get<unknown>('review.showProposals');
  return value === 'beside' || value === 'onRequest' ? value : 'tab';
}

export function checkpointLimits(): { readonly days: number; readonly mostBytes: number } {
  const settings = vscode.workspace.getConfiguration('sluice.checkpoints');
  return {
    days: atLeast(settings.get('days'), 1, 30),
    mostBytes: atLeast(settings.get('maxMegabytes'), 10, 500) * 1_000_000,
  };
}

function atLeast(value: unknown, least: number, otherwise: number): number {
  return typeof value === 'number' && value >= least ? value : otherwise;
}
