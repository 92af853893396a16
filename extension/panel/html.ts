/** The webview's document. Its policy lets nothing in but our own script, style, font and pictures; it holds no state. */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

export const VIEW_ID = 'sluice.chat';

/** The only folders that the webview may load from. */
export function resourceRoots(extension: vscode.Uri): readonly vscode.Uri[] {
  return [vscode.Uri.joinPath(extension, 'dist'), vscode.Uri.joinPath(extension, 'media')];
}

/** Its words are English whatever the language of VS Code, and a screen reader must know. */
export function panelHtml(webview: vscode.Webview, extension: vscode.Uri): string {
  const nonce = randomBytes(24).toString('base64url');
  const resource = (name: string): string =>
    attribute(webview.asWebviewUri(vscode.Uri.joinPath(extension, 'dist', name)).toString());
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource} data:`,
    `connect-src 'none'`,
    `frame-src 'none'`,
    `form-action 'none'`,
    `base-uri 'none'`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${resource('webview.css')}">
<title>Sluice</title>
</head>
<body data-view="${VIEW_ID}">
<div id="root"></div>
<script nonce="${nonce}" src="${resource('webview.js')}"></script>
</body>
</html>`;
}

function attribute(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
}
