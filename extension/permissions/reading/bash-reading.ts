/**
 * Two readings of one bash text: our parser and the tree-sitter grammar. Both must accept it, and must see the same commands and
 * the same words; otherwise it counts as not understood. It reads and compares only.
 */
import { parseBash } from './bash-parser';
import type { BashReading } from './bash-parser';
import type { Grammar, Node } from './grammars';
import { EMPTY, Unreadable } from './script';
import type { Reading, Script, SimpleCommand } from './script';
import { looseCommands } from './loose-words';

/** A reading that always exists. */
export interface SafeReading extends Reading {
  /** What can be read of a text that as a whole cannot: lines and commands. They can only object. */
  readonly fragments: readonly Script[];
  /** What looks like commands in such a text. */
  readonly loose: readonly (readonly string[])[];
}

const MAX_PARSED = 100_000;

export function readBash(text: string, grammar: Grammar, zsh = false): SafeReading {
  if (text.length > MAX_PARSED) return unreadable(text, 'the text is too long to be read', []);
  try {
    const ours = parseBash(text, zsh);
    const different = text.trim() === '' ? undefined : grammar.read(text, (root) => difference(ours, root));
    if (different === undefined) return { ...ours, fragments: [], loose: [] };
    const fragments = fragmentsOf(text, grammar, zsh);
    return { ...ours, problems: [...ours.problems, different], fragments, loose: looseCommands(text) };
  } catch (error) {
    const why = error instanceof Unreadable ? error.message : 'the parser failed';
    return unreadable(text, why, fragmentsOf(text, grammar, zsh));
  }
}

function unreadable(text: string, why: string, fragments: readonly Script[]): SafeReading {
  return { script: EMPTY, problems: [why], commands: 0, fragments, loose: looseCommands(text) };
}

const MAX_FRAGMENTS = 200;

/** Lines, and what the grammar takes for commands in spite of the error, each read on its own. */
function fragmentsOf(text: string, grammar: Grammar, zsh: boolean): readonly Script[] {
  const commands = grammar.read(text, (root) =>
    root.descendantsOfType(['command', 'redirected_statement', 'list']).map((found) => found?.text ?? ''),
  );
  const texts = new Set([...text.split('\n'), ...commands]);
  return [...texts].slice(0, MAX_FRAGMENTS).flatMap((piece) => {
    try {
      return [parseBash(piece, zsh).script];
    } catch {
      return [];
    }
  });
}

interface Seen {
  readonly spans: Set<string>;
  readonly commands: number[];
}

const COMMAND_NODES: ReadonlySet<string> = new Set(['declaration_command', 'unset_command', 'test_command']);

/** Why the two readings differ; undefined when they agree. */
function difference(ours: BashReading, root: Node): string | undefined {
  if (root.hasError) return 'the shell grammar does not accept the text';
  const seen: Seen = { spans: new Set(), commands: [] };
  collect(root, seen);
  const names = ours.simple.flatMap((command) => nameOf(command) ?? []);
  const theirs = new Set(seen.commands);
  const same = names.length <= theirs.size && names.every((start) => theirs.has(start));
  const tests = theirs.size - names.length;
  if (!same || tests > ours.commands - names.length) return 'the text can be split into commands in two ways';
  for (const command of ours.simple) {
    for (const word of command.words) {
      if (!seen.spans.has(`${word.start}:${word.end}`)) return `"${word.source}" can be read in two ways`;
    }
  }
  return undefined;
}

function nameOf(command: SimpleCommand): number | undefined {
  return command.words[0]?.start;
}

function collect(root: Node, seen: Seen): void {
  const cursor = root.walk();
  try {
    for (;;) {
      seen.spans.add(`${cursor.startIndex}:${cursor.endIndex}`);
      const type = cursor.nodeType;
      if (type === 'command_name' || COMMAND_NODES.has(type)) seen.commands.push(cursor.startIndex);
      if (cursor.gotoFirstChild()) continue;
      while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return;
    }
  } finally {
    cursor.delete();
  }
}
