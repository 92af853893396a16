/** Values that an MCP configuration names but does not hold: typed once into a password box, kept by VS Code's secret store. */
import * as vscode from 'vscode';
import { keepSecret } from '../redact';

/** Undefined when the box was closed. */
export async function serverInput(
  secrets: vscode.SecretStorage,
  server: string,
  id: string,
): Promise<string | undefined> {
  const slot = `sluice.mcp.input.${server}.${id}`;
  const kept = await secrets.get(slot);
  const value =
    kept ??
    (await vscode.window.showInputBox({
      title: vscode.l10n.t('MCP Server {0}', server),
      prompt: vscode.l10n.t('Value for "{0}". It is kept in VS Code’s secret store.', id),
      password: true,
      ignoreFocusOut: true,
    }));
  if (value === undefined) return undefined;
  keepSecret(value);
  if (kept === undefined) await secrets.store(slot, value);
  return value;
}
