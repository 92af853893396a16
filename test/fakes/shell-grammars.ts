/** The bytes of the real shell grammars, from the package that they are shipped from. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { GrammarBytes } from '../../extension/permissions/reading/grammars';

export async function grammarBytes(): Promise<GrammarBytes> {
  const require = createRequire(path.join(process.cwd(), 'package.json'));
  const folder = path.dirname(require.resolve('@vscode/tree-sitter-wasm'));
  const [runtime, bash, powershell] = await Promise.all(
    ['tree-sitter.wasm', 'tree-sitter-bash.wasm', 'tree-sitter-powershell.wasm'].map((name) =>
      readFile(path.join(folder, name)),
    ),
  );
  if (!runtime || !bash || !powershell) throw new Error('The grammars are not installed.');
  return { runtime, bash, powershell };
}
