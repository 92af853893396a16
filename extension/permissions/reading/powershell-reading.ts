/**
 * Reads PowerShell into the common form by its tree-sitter grammar. Only plain commands in pipelines are taken as understood; script
 * blocks, expressions, assignments and the like are reasons to ask, with the commands inside them still found.
 */
import type { Grammar, Node } from './grammars';
import { looseCommands } from './loose-words';
import type { SafeReading } from './bash-reading';
import { EMPTY } from './script';
import type { Join, Piece, Redirect, Script, SimpleCommand, Word } from './script';

interface Notes {
  readonly text: string;
  readonly problems: string[];
  commands: number;
}

const MAX_PARSED = 100_000;
const PLAIN_TOKEN = /^[\w.,\\/:*?=+~%@^-]+$/;

export function readPowerShell(text: string, grammar: Grammar): SafeReading {
  const loose = looseCommands(text.replaceAll('`', ''));
  if (text.length > MAX_PARSED)
    return {
      script: EMPTY,
      problems: ['the text is too long to be read'],
      commands: 0,
      fragments: [],
      loose,
    };
  const notes: Notes = { text, problems: [], commands: 0 };
  try {
    const script = grammar.read(text, (root) => {
      if (root.hasError) notes.problems.push('the shell grammar does not accept the text');
      return readNode(root, notes);
    });
    if (text.includes('`')) notes.problems.push('escapes with ` are not read');
    if (/^\s*#requires\b/im.test(text)) notes.problems.push('#requires loads modules');
    if (/--%/.test(text)) notes.problems.push('--% changes how the rest of the line is read');
    if (segments(text) !== stagesOf(script))
      notes.problems.push('the text can be split into commands in two ways');
    return {
      script,
      problems: notes.problems,
      commands: notes.commands,
      fragments: [],
      loose: notes.problems.length > 0 ? loose : [],
    };
  } catch {
    return { script: EMPTY, problems: ['the parser failed'], commands: 0, fragments: [], loose };
  }
}

/** Commands at the top of a text by quotes and separators alone: the second opinion on the tree. */
function segments(text: string): number {
  const bare = text
    .replace(/<#[\s\S]*?#>/g, ' ')
    .replace(/'(?:[^']|'')*'/g, 'q')
    .replace(/"(?:[^"]|"")*"/g, 'q')
    .replace(/(^|\s)#[^\n]*/g, '$1');
  let depth = 0;
  let count = 0;
  let filled = false;
  for (const character of bare) {
    if (/[({[]/.test(character)) depth++;
    if (/[)}\]]/.test(character)) depth--;
    const separates = depth <= 0 && /[;|&\n\r]/.test(character);
    if (separates && filled) count++;
    filled = separates ? false : filled || /\S/.test(character);
  }
  return filled ? count + 1 : count;
}

function stagesOf(script: Script): number {
  switch (script.type) {
    case 'list':
      return script.items.reduce((sum, item) => sum + stagesOf(item.body), 0);
    case 'pipeline':
      return script.stages.reduce((sum, stage) => sum + stagesOf(stage), 0);
    default:
      return 1;
  }
}

function children(node: Node): readonly Node[] {
  return node.children.filter((child) => child !== null);
}

function readNode(node: Node, notes: Notes): Script {
  switch (node.type) {
    case 'program':
    case 'statement_list':
    case 'ERROR':
      return sequence(
        children(node).filter((child) => child.isNamed && child.type !== 'comment'),
        notes,
      );
    case 'pipeline':
      return readPipeline(node, notes);
    case 'pipeline_chain':
      return readStages(node, notes);
    case 'command':
      return readCommand(node, notes);
    default:
      return surprise(node, notes, 'only plain commands are read');
  }
}

function sequence(nodes: readonly Node[], notes: Notes): Script {
  const items: { join: Join; body: Script }[] = [];
  for (const node of nodes) {
    if (node.type === 'empty_statement') continue;
    items.push({ join: items.length === 0 ? 'first' : 'then', body: readNode(node, notes) });
  }
  return { type: 'list', items };
}

/** `a && b`; what is not a chain of commands (an assignment) is no pipeline for us. */
function readPipeline(node: Node, notes: Notes): Script {
  const items: { join: Join; body: Script }[] = [];
  let join: Join = 'first';
  for (const child of children(node)) {
    if (child.type === 'pipeline_chain') items.push({ join, body: readStages(child, notes) });
    else if (child.type === 'pipeline_chain_tail') join = child.text.startsWith('&&') ? 'and' : 'or';
    else if (child.isNamed || child.text === '&')
      return surprise(node, notes, 'this changes the state of the shell or runs in the background');
  }
  return { type: 'list', items };
}

function readStages(node: Node, notes: Notes): Script {
  const stages: Script[] = [];
  for (const child of children(node)) {
    if (child.type === 'command') stages.push(readCommand(child, notes));
    else if (child.isNamed) stages.push(readExpression(child, notes));
  }
  return { type: 'pipeline', stages };
}

/** A text or a number on its own prints itself; everything else computes. */
function readExpression(node: Node, notes: Notes): Script {
  const leaf = onlyChild(node);
  const piece = literalPiece(leaf);
  if (!piece) return surprise(node, notes, 'an expression can call code');
  const word: Word = wordOf(notes, node.startIndex, node.endIndex, [piece]);
  notes.commands++;
  const name = wordOf(notes, node.startIndex, node.startIndex, [
    { type: 'text', text: 'Write-Output', quoted: false },
  ]);
  return {
    ...simple(node, notes),
    words: [{ ...name, source: 'Write-Output' }, word],
    assignments: [],
    redirects: [],
  };
}

function surprise(node: Node, notes: Notes, why: string): Script {
  return { type: 'surprise', why, source: node.text, bodies: commandsBelow(node, notes) };
}

/** Every command anywhere below, for deny rules. */
function commandsBelow(node: Node, notes: Notes): readonly Script[] {
  return node.descendantsOfType('command').flatMap((found) => {
    if (found === null || found.id === node.id) return [];
    return [readCommand(found, notes)];
  });
}

function simple(node: Node, notes: Notes): Pick<SimpleCommand, 'type' | 'start' | 'end' | 'source'> {
  const source = notes.text.slice(node.startIndex, node.endIndex).trim();
  return { type: 'command', start: node.startIndex, end: node.endIndex, source };
}

function wordOf(notes: Notes, start: number, end: number, pieces: readonly Piece[]): Word {
  return { start, end, source: notes.text.slice(start, end), pieces, brace: false };
}

function readCommand(node: Node, notes: Notes): Script {
  const words: Word[] = [];
  const redirects: Redirect[] = [];
  notes.commands++;
  for (const child of children(node)) {
    switch (child.type) {
      case 'command_name':
        words.push(nameWord(child, notes));
        break;
      case 'command_elements':
        for (const element of children(child)) readElement(element, words, redirects, notes);
        break;
      case 'command_invokation_operator':
        notes.problems.push('the call operator runs what a value names');
        break;
      case 'command_name_expr':
        words.push(wordOf(notes, child.startIndex, child.endIndex, [valuePiece(child, notes)]));
        break;
      case 'foreach_command':
        notes.problems.push('a script block is code');
        words.push(
          wordOf(notes, child.startIndex, child.startIndex + 1, [
            { type: 'text', text: 'foreach-object', quoted: false },
          ]),
        );
        words.push(wordOf(notes, child.startIndex, child.endIndex, [code(child, notes)]));
        break;
      default:
        notes.problems.push(`${child.type.replaceAll('_', ' ')} is not read`);
    }
  }
  return { ...simple(node, notes), words, assignments: [], redirects };
}

function nameWord(node: Node, notes: Notes): Word {
  const text = node.text;
  if (!/^[\w.\\/:%?*-]+$/.test(text)) notes.problems.push('the name of the command is not plain');
  return wordOf(notes, node.startIndex, node.endIndex, [
    { type: 'text', text: text.replaceAll('`', ''), quoted: false },
  ]);
}

function readElement(node: Node, words: Word[], redirects: Redirect[], notes: Notes): void {
  switch (node.type) {
    case 'command_argument_sep':
      if (/[^ \t]/.test(node.text)) notes.problems.push('an unusual separator');
      return;
    case 'command_parameter':
    case 'generic_token':
      return readToken(node, words, redirects, notes);
    case 'redirection':
      redirects.push(readRedirection(node, notes));
      return;
    default:
      words.push(wordOf(notes, node.startIndex, node.endIndex, [valuePiece(node, notes)]));
  }
}

function readToken(node: Node, words: Word[], redirects: Redirect[], notes: Notes): void {
  const { text } = node;
  if (/^[\d*]?>\$null$/i.test(text)) {
    redirects.push({ type: 'copy' });
    return;
  }
  if (!PLAIN_TOKEN.test(text) || /^@./.test(text)) notes.problems.push(`"${text}" is not read`);
  const last = words.at(-1);
  if (last?.end === node.startIndex && last.source.startsWith('-')) {
    const glued: Piece = { type: 'text', text: last.source + text, quoted: false };
    words[words.length - 1] = wordOf(notes, last.start, node.endIndex, [glued]);
  } else words.push(wordOf(notes, node.startIndex, node.endIndex, tokenPieces(text)));
}

function tokenPieces(text: string): readonly Piece[] {
  if (!/^~(?=[\\/]|$)/.test(text)) return [{ type: 'text', text, quoted: false }];
  return [
    { type: 'home' },
    ...(text.length > 1 ? [{ type: 'text' as const, text: text.slice(1), quoted: false }] : []),
  ];
}

function readRedirection(node: Node, notes: Notes): Redirect {
  const target = children(node).find((child) => child.type === 'redirected_file_name');
  const value = target && children(target).findLast((child) => child.type !== 'command_argument_sep');
  if (!value) return { type: 'copy' };
  if (/^\$null$/i.test(value.text)) return { type: 'copy' };
  const pieces = value.type === 'generic_token' ? tokenPieces(value.text) : [valuePiece(value, notes)];
  const word = wordOf(notes, value.startIndex, value.endIndex, pieces);
  return { type: node.text.startsWith('<') ? 'read' : 'write', target: word };
}

/** Down through nodes that only wrap one other. */
function onlyChild(node: Node): Node {
  const [child, more] = children(node);
  return child && !more ? onlyChild(child) : node;
}

function literalPiece(leaf: Node): Piece | undefined {
  const { text } = leaf;
  if (/^'(?:[^']|'')*'$/.test(text))
    return { type: 'text', text: text.slice(1, -1).replaceAll("''", "'"), quoted: true };
  if (/^"[^"$`]*"$/.test(text)) return { type: 'text', text: text.slice(1, -1), quoted: true };
  return /^[+-]?\d+(?:\.\d+)?$/.test(text) ? { type: 'text', text, quoted: false } : undefined;
}

function valuePiece(node: Node, notes: Notes): Piece {
  const leaf = onlyChild(node);
  const literal = literalPiece(leaf) ?? literalPiece(node);
  if (literal) return literal;
  const variable = /^\$(?:env:)?(\w+)$/i.exec(node.text)?.[1];
  if (variable !== undefined) return { type: 'variable', name: variable.toUpperCase(), quoted: true };
  if (/script_block|hash_literal|type_literal|invokation|member_access/.test(node.toString()))
    notes.problems.push('an expression can call code');
  return code(node, notes);
}

function code(node: Node, notes: Notes): Piece {
  const items = commandsBelow(node, notes).map((body, index): { join: Join; body: Script } => ({
    join: index === 0 ? 'first' : 'then',
    body,
  }));
  return { type: 'code', substitution: 'command', body: { type: 'list', items } };
}
