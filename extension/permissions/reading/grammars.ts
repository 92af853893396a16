/**
 * Loads the tree-sitter grammars (bash, PowerShell) from bytes that the caller brings, on first use. It touches no file system and
 * is never loaded at activation.
 */
import type * as TreeSitter from '@vscode/tree-sitter-wasm';
import type { Language, Node, Parser as TreeParser, Tree } from '@vscode/tree-sitter-wasm';

export interface GrammarBytes {
  /** `tree-sitter.wasm` of @vscode/tree-sitter-wasm. */
  readonly runtime: Uint8Array;
  readonly bash: Uint8Array;
  readonly powershell: Uint8Array;
}

/** Parses and hands the tree to `use`; the tree is freed when `use` returns. */
export interface Grammar {
  read<T>(text: string, use: (root: Node) => T): T;
}

export interface Grammars {
  readonly bash: Grammar;
  readonly powershell: Grammar;
}

export type { Node };

type Library = typeof TreeSitter;

const loaded = new WeakMap<() => Promise<GrammarBytes>, Promise<Grammars>>();

/** Loads once for each source of bytes, however many gates use it. A failure is tried again with the next command. */
export function grammarsFrom(bring: () => Promise<GrammarBytes>): Promise<Grammars> {
  const known = loaded.get(bring);
  if (known) return known;
  const fresh = bring().then(loadGrammars);
  loaded.set(bring, fresh);
  fresh.catch(() => loaded.delete(bring));
  return fresh;
}

async function loadGrammars(bytes: GrammarBytes): Promise<Grammars> {
  const imported: { readonly default?: Library } & Library = await import('@vscode/tree-sitter-wasm');
  const library = imported.default ?? imported;
  const options: Record<string, unknown> = { wasmBinary: bytes.runtime };
  await library.Parser.init(options as unknown as Parameters<typeof library.Parser.init>[0]);
  const grammar = async (language: Uint8Array): Promise<Grammar> =>
    parserFor(new library.Parser(), await library.Language.load(language));
  return { bash: await grammar(bytes.bash), powershell: await grammar(bytes.powershell) };
}

function parserFor(parser: TreeParser, language: Language): Grammar {
  parser.setLanguage(language);
  return {
    read(text, use) {
      const tree: Tree | null = parser.parse(text);
      if (!tree) throw new Error('the grammar gave no tree');
      try {
        return use(tree.rootNode);
      } finally {
        tree.delete();
      }
    },
  };
}
