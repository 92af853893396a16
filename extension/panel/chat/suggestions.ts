/** Things to try in an empty session, with the open workspace's own names in them. It reads two small things and never fails. */
import * as vscode from 'vscode';

export const FIX_FAILING_TEST = 'Find the failing test, make the smallest safe fix, and run the test again.';

export async function suggestionsFor(): Promise<readonly string[]> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (folder === undefined) return [];
  const suggestions: string[] = [];
  if (await hasTests(folder.uri)) suggestions.push(FIX_FAILING_TEST);
  const active = activeFile();
  if (active !== undefined) suggestions.push(`Explain what ${active} does and who uses it.`);
  suggestions.push(`Explain how ${folder.name} is organised and where to start reading.`);
  if (active === undefined)
    suggestions.push(`Find what is unfinished in ${folder.name}: TODOs, stubs, skipped tests.`);
  return suggestions.slice(0, 3);
}

async function hasTests(folder: vscode.Uri): Promise<boolean> {
  try {
    const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder, 'package.json'));
    const manifest: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    return (
      typeof manifest === 'object' &&
      manifest !== null &&
      'scripts' in manifest &&
      typeof manifest.scripts === 'object' &&
      manifest.scripts !== null &&
      'test' in manifest.scripts
    );
  } catch {
    return false;
  }
}

function activeFile(): string | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== 'file' || vscode.workspace.getWorkspaceFolder(uri) === undefined) return undefined;
  return vscode.workspace.asRelativePath(uri, false);
}
