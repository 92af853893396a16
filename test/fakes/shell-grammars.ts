/** The bytes of the real shell grammars, from the package that they are shipped from. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

const FILES = { runtime: 'tree-sitter', bash: 'tree-sitter-bash', powershell: 'tree-sitter-powershell' };

export async function grammarBytes(name: keyof typeof FILES): Promise<Uint8Array> {
  const require = createRequire(path.join(process.cwd(), 'package.json'));
  const folder = path.dirname(require.resolve('@vscode/tree-sitter-wasm'));
  return readFile(path.join(folder, `${FILES[name]}.wasm`));
}
