/** Changes a setting. Apart from settings.ts because the commands need it before anything of the engine is loaded. */
import * as vscode from 'vscode';

/** Written for the user of this machine, never into a workspace; undefined takes the value away. */
export async function writeSetting(name: string, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration('sluice').update(name, value, vscode.ConfigurationTarget.Global);
}

/** As the user of this machine wrote it, unparsed: what is to be written back with a change. */
export function globalSetting(name: string): unknown {
  return vscode.workspace.getConfiguration('sluice').inspect(name)?.globalValue;
}
