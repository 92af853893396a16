// npm run l10n: collects every text that goes through vscode.l10n.t into l10n/bundle.l10n.json, the file that translators start from.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
export const BUNDLE = path.join(root, 'l10n/bundle.l10n.json');

/** The texts, sorted: `{ "text": "text" }` as VS Code reads it. Throws where a text is not a plain literal and could not be translated. */
export function collectTexts(folder = path.join(root, 'extension')) {
  const texts = new Set();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    const file = path.join(folder, name);
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
    visit(source, texts);
  }
  return Object.fromEntries([...texts].sort().map((text) => [text, text]));
}

/** @param {ts.Node} node @param {Set<string>} texts */
function visit(node, texts) {
  if (ts.isCallExpression(node) && node.expression.getText() === 'vscode.l10n.t') {
    const [text] = node.arguments;
    if (text === undefined || !ts.isStringLiteralLike(text)) {
      const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart());
      throw new Error(`${node.getSourceFile().fileName}:${line + 1}: vscode.l10n.t needs a plain text.`);
    }
    texts.add(text.text);
  }
  ts.forEachChild(node, (child) => visit(child, texts));
}

export function bundleText() {
  return `${JSON.stringify(collectTexts(), null, 2)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(BUNDLE, bundleText());
