/** Local slash commands that are another command of VS Code's palette: which, and whether that one is there. */
import * as vscode from 'vscode';
import type { CommandEntry } from '../../context/session/session-context';
import type { LocalCommand } from '../../context/session/slash';

/** The first that is registered is run. */
export const PALETTE: Partial<Readonly<Record<LocalCommand, readonly string[]>>> = {
  new: ['sluice.newSession'],
  clear: ['sluice.newSession'],
  model: ['sluice.chooseRoute'],
  compact: ['sluice.compact'],
  resume: ['sluice.sessions'],
  rewind: ['sluice.rewind'],
  permissions: ['sluice.permissions'],
  export: ['sluice.exportSession'],
};

export async function paletteCommand(name: LocalCommand): Promise<string | undefined> {
  const ids = PALETTE[name] ?? [];
  const known = new Set(await vscode.commands.getCommands(true));
  return ids.find((id) => known.has(id));
}

/** Without the commands that nothing would answer. */
export async function offered(entries: readonly CommandEntry[]): Promise<readonly CommandEntry[]> {
  const known = new Set(await vscode.commands.getCommands(true));
  const table: Readonly<Record<string, readonly string[] | undefined>> = PALETTE;
  return entries.filter(({ name }) => table[name]?.some((id) => known.has(id)) ?? true);
}
