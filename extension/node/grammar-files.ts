/** The bytes of the shell grammars that ship beside the code. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** `dist`: the folder of the built extension. Rejects when a file is missing; the gate then asks about every command. */
export async function readGrammarFiles(dist: string) {
  const read = (name: string) => readFile(join(dist, 'grammars', `${name}.wasm`));
  const [runtime, bash, powershell] = await Promise.all([
    read('tree-sitter'),
    read('tree-sitter-bash'),
    read('tree-sitter-powershell'),
  ]);
  return { runtime, bash, powershell };
}
