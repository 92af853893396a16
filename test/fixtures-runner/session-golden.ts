/**
 * Compares what we would send after a resume with what Claude Code sent. Where that program loses something and we do not, the difference is
 * allowed by a rule below. Nothing else is: an extra text of an intact line, for one, would mean that we took another branch.
 */
import type { Message } from '../../extension/models/message';
import type { ResumedSession } from '../../extension/sessions/read/resume';
import { plainText } from '../../extension/sessions/format/blocks';
import { NO_OUTPUT } from '../../extension/sessions/format/words';
import { isObject, listAt, objectAt, textAt } from '../../extension/sessions/format/json';
import { linesOf } from '../../extension/sessions/read/lines';

export interface GoldenMessage {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly {
    readonly text?: string;
    readonly tool_use?: string;
    readonly tool_result?: string;
    readonly is_error?: boolean | null;
    readonly content?: string;
    readonly block?: string;
  }[];
}

interface Atom {
  readonly role: 'user' | 'assistant';
  readonly kind: 'text' | 'call' | 'result' | 'block';
  /** Text, id, or type. */
  readonly value: string;
  /** Of results. */
  readonly content?: string;
}

/** Put in by that program where it had dropped something, or to make roles alternate. */
const STAND_INS = new Set(['No response requested.', '(no content)', '[Tool use interrupted]']);
/** Blocks that the API knows; that program sends unknown ones too, and the server refuses the request. */
const KNOWN_BLOCKS = new Set(['thinking', 'redacted_thinking', 'image', 'document', 'server_tool_use']);

export function compareWithGolden(
  session: ResumedSession,
  golden: { readonly resumed: boolean; readonly messages_sent: readonly GoldenMessage[] | null },
  bytes: Uint8Array,
): string[] {
  if (!golden.resumed || !golden.messages_sent)
    return session.messages.length === 0 ? [] : ['there is nothing to resume, and something was resumed'];
  const ours = session.messages.flatMap(atomsOf);
  const theirs = golden.messages_sent.flatMap(goldenAtoms);
  const problems: string[] = [];
  const extras: Atom[] = [];
  let at = 0;
  for (const wanted of theirs) {
    const found = ours.findIndex((atom, index) => index >= at && sameAtom(atom, wanted));
    if (found < 0) {
      if (!mayLack(wanted)) problems.push(`lacks ${show(wanted)}`);
      continue;
    }
    extras.push(...ours.slice(at, found));
    at = found + 1;
  }
  extras.push(...ours.slice(at));
  const intact = intactTexts(bytes);
  return [
    ...problems,
    ...extras
      .filter((extra) => !mayAdd(extra, intact))
      .map((extra) => `has ${show(extra)}, which was not sent`),
  ];
}

function mayLack(atom: Atom): boolean {
  return (
    (atom.kind === 'text' && STAND_INS.has(atom.value)) ||
    (atom.kind === 'block' && !KNOWN_BLOCKS.has(atom.value))
  );
}

/**
 * Calls and results are never dropped by us: a call without a result is answered, a call with a used id gets another one. Texts may be there
 * only if no intact line holds them: then they were saved from a damaged line, or say what became of something.
 */
function mayAdd(atom: Atom, intact: ReadonlySet<string>): boolean {
  return atom.kind === 'call' || atom.kind === 'result' || (atom.kind === 'text' && !intact.has(atom.value));
}

function sameAtom(ours: Atom, theirs: Atom): boolean {
  if (ours.role !== theirs.role || ours.kind !== theirs.kind || ours.value !== theirs.value) return false;
  if (theirs.content === '' && ours.content === NO_OUTPUT) return true;
  // `blocks`: a list, or no content at all. A result that was made up at resume has words of its own on each side.
  return (
    theirs.content === undefined ||
    theirs.content === 'blocks' ||
    ours.content === theirs.content ||
    theirs.content.startsWith('[Tool call interrupted')
  );
}

function show(atom: Atom): string {
  return `${atom.kind} ${JSON.stringify(atom.value.slice(0, 60))} of the ${atom.role}`;
}

function atomsOf(message: Message): Atom[] {
  const { role } = message;
  return message.content.map((block): Atom => {
    switch (block.type) {
      case 'text':
        return { role, kind: 'text', value: block.text.trim() };
      case 'tool_use':
        return { role, kind: 'call', value: block.id };
      case 'tool_result':
        return { role, kind: 'result', value: block.callId, content: plainText(block.content) };
      case 'native':
        return { role, kind: 'block', value: textAt(block.data, 'type') ?? '' };
      default:
        return { role, kind: 'block', value: block.type };
    }
  });
}

function goldenAtoms({ role, blocks }: GoldenMessage): Atom[] {
  return blocks.map((block): Atom => {
    if (block.text !== undefined) return { role, kind: 'text', value: block.text.trim() };
    if (block.tool_use !== undefined) return { role, kind: 'call', value: block.tool_use };
    if (block.tool_result !== undefined)
      return { role, kind: 'result', value: block.tool_result, content: block.content ?? 'blocks' };
    return { role, kind: 'block', value: block.block ?? '' };
  });
}

/** Texts of lines that any reader can read and link: of lines without a uuid that program takes the last one only. */
function intactTexts(bytes: Uint8Array): ReadonlySet<string> {
  const texts = linesOf(bytes).flatMap((line) => {
    try {
      const record: unknown = JSON.parse(new TextDecoder().decode(line.bytes));
      if (!isObject(record) || textAt(record, 'uuid') === undefined) return [];
      const message = objectAt(record, 'message');
      const content = textAt(message, 'content');
      if (content !== undefined) return [content.trim()];
      return listAt(message, 'content')
        .filter(isObject)
        .flatMap((block) => (textAt(block, 'text') ?? '').trim());
    } catch {
      return [];
    }
  });
  return new Set(texts);
}
