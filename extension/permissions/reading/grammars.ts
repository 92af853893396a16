/**
 * Loads the tree-sitter grammars (bash, PowerShell) from bytes that the caller brings, on first use. It touches no file system and
 * is never loaded at activation; a shell that is not used costs nothing.
 */
import type * as TreeSitter from '@vscode/tree-sitter-wasm';
import type { Language, Node, Parser as TreeParser, Tree } from '@vscode/tree-sitter-wasm';

export type GrammarName = 'bash' | 'powershell';

/** The bytes of `tree-sitter.wasm`, or of a grammar, of @vscode/tree-sitter-wasm. Each is asked for once, when it is needed. */
export type GrammarBytes = (name: 'runtime' | GrammarName) => Promise<Uint8Array>;

/** Parses and hands the tree to `use`; the tree is freed when `use` returns. */
export interface Grammar {
  read<T>(text: string, use: (root: Node) => T): T;
}

export type { Node };

type Library = typeof TreeSitter;

/** One for all: the library keeps it in a variable of its own, and a second one would take the ground from under the parsers of the first. */
let runtime: Promise<Library> | undefined;
const loaded = new WeakMap<GrammarBytes, Map<GrammarName, Promise<Grammar>>>();

/** Loads once for each source of bytes, however many gates use it. A failure is tried again with the next command. */
export function grammarFrom(bring: GrammarBytes, name: GrammarName): Promise<Grammar> {
  const known = loaded.get(bring) ?? new Map<GrammarName, Promise<Grammar>>();
  loaded.set(bring, known);
  const before = known.get(name);
  if (before) return before;
  const fresh = loadGrammar(bring, name);
  known.set(name, fresh);
  fresh.catch(() => known.delete(name));
  return fresh;
}

async function loadGrammar(bring: GrammarBytes, name: GrammarName): Promise<Grammar> {
  const [library, bytes] = await Promise.all([runtimeFrom(bring), bring(name)]);
  return parserFor(new library.Parser(), await library.Language.load(bytes));
}

function runtimeFrom(bring: GrammarBytes): Promise<Library> {
  if (runtime) return runtime;
  const fresh = bring('runtime').then(startRuntime);
  runtime = fresh;
  fresh.catch(() => (runtime = undefined));
  return fresh;
}

async function startRuntime(wasmBinary: Uint8Array): Promise<Library> {
  const imported: { readonly default?: Library } & Library = await import('@vscode/tree-sitter-wasm');
  const library = imported.default ?? imported;
  const options: Record<string, unknown> = { wasmBinary };
  await library.Parser.init(options as unknown as Parameters<typeof library.Parser.init>[0]);
  return library;
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
