/** The bytes of the shell grammars that ship beside the code. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const FILES = {
  runtime: 'tree-sitter',
  bash: 'tree-sitter-bash',
  powershell: 'tree-sitter-powershell',
} as const;

/** `dist`: the folder of the built extension. A file that is missing rejects; the gate then asks about every command. */
export function grammarFiles(dist: string): (name: keyof typeof FILES) => Promise<Uint8Array> {
  return (name) => readFile(join(dist, 'grammars', `${FILES[name]}.wasm`));
}
