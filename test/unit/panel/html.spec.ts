import type * as vscode from 'vscode';
import { expect, it } from 'vitest';
import { panelHtml } from '../../../extension/panel/html';
import { env } from '../../fakes/vscode';

it('says that the panel speaks English, whatever VS Code speaks', () => {
  env.language = 'de';
  const webview = { asWebviewUri: (uri: unknown) => uri, cspSource: 'vscode-resource:' };
  const html = panelHtml(webview as unknown as vscode.Webview, { path: '/x' } as vscode.Uri);
  env.language = 'en';
  expect(html).toContain('<html lang="en">');
});
