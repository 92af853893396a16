/**
 * Two texts as the runs of lines in which they differ: the unit in which a person decides. Exact: lines keep their own ends, and texts
 * made of blocks are made of the bytes of one side or the other. Pure.
 */
import { diffArrays } from 'diff';
import type { Hunk } from '../protocol/vocabulary';

/** Half-open ranges of 0-based lines; one side may be empty, never both. */
export interface Block {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** Beyond this many changed lines the change is one block. */
const MOST_CHANGES = 4_000;
const CONTEXT = 3;
const SHOWN_CHARS = 2_000;

/** Lines with their ends; an empty text has none, and a last line without an end is a line. */
export function linesOf(text: string): readonly string[] {
  if (text.includes('\r')) return text.split(/(?<=\r\n|\n|\r(?!\n))/);
  // By far the most texts, and many times faster than the expression.
  const lines: string[] = [];
  let from = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
    lines.push(text.slice(from, at + 1));
    from = at + 1;
  }
  if (from < text.length) lines.push(text.slice(from));
  return lines;
}

export function blocksOf(old: readonly string[], now: readonly string[]): readonly Block[] {
  const shared = Math.min(old.length, now.length);
  let head = 0;
  while (head < shared && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shared - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const oldEnd = old.length - tail;
  const newEnd = now.length - tail;
  if (head === oldEnd && head === newEnd) return [];
  const whole: Block = { oldStart: head, oldEnd, newStart: head, newEnd };
  if (head === oldEnd || head === newEnd) return [whole];
  const changes = diffArrays([...old.slice(head, oldEnd)], [...now.slice(head, newEnd)], {
    maxEditLength: MOST_CHANGES,
  });
  return changes === undefined ? [whole] : fromChanges(changes, head);
}

function fromChanges(
  changes: readonly {
    readonly added?: boolean;
    readonly removed?: boolean;
    readonly value: readonly string[];
  }[],
  from: number,
): readonly Block[] {
  const blocks: Block[] = [];
  let [oldAt, newAt] = [from, from];
  let [oldStart, newStart] = [from, from];
  const close = (): void => {
    if (oldAt > oldStart || newAt > newStart)
      blocks.push({ oldStart, oldEnd: oldAt, newStart, newEnd: newAt });
  };
  for (const { added, removed, value } of changes) {
    if (removed === true) oldAt += value.length;
    else if (added === true) newAt += value.length;
    else {
      close();
      oldAt += value.length;
      newAt += value.length;
      [oldStart, newStart] = [oldAt, newAt];
    }
  }
  close();
  return blocks;
}

/** The old text with some of the blocks in it. */
export function withBlocks(
  old: readonly string[],
  now: readonly string[],
  blocks: readonly Block[],
  isTaken: (block: Block, index: number) => boolean,
): string {
  const parts: string[] = [];
  let at = 0;
  for (const [index, block] of blocks.entries()) {
    parts.push(...old.slice(at, block.oldStart));
    parts.push(
      ...(isTaken(block, index)
        ? now.slice(block.newStart, block.newEnd)
        : old.slice(block.oldStart, block.oldEnd)),
    );
    at = block.oldEnd;
  }
  parts.push(...old.slice(at));
  return parts.join('');
}

/** A block for showing, with lines around it that belong to no other block. */
export function hunkOf(
  old: readonly string[],
  now: readonly string[],
  blocks: readonly Block[],
  index: number,
): Hunk {
  const block = blocks[index] ?? { oldStart: 0, oldEnd: 0, newStart: 0, newEnd: 0 };
  const before = Math.min(CONTEXT, block.oldStart - (blocks[index - 1]?.oldEnd ?? 0));
  const after = Math.min(CONTEXT, (blocks[index + 1]?.oldStart ?? old.length) - block.oldEnd);
  const oldLines = before + block.oldEnd - block.oldStart + after;
  const newLines = before + block.newEnd - block.newStart + after;
  return {
    oldStart: block.oldStart - before + (oldLines === 0 ? 0 : 1),
    oldLines,
    newStart: block.newStart - before + (newLines === 0 ? 0 : 1),
    newLines,
    lines: [
      ...marked(' ', old.slice(block.oldStart - before, block.oldStart)),
      ...marked('-', old.slice(block.oldStart, block.oldEnd)),
      ...marked('+', now.slice(block.newStart, block.newEnd)),
      ...marked(' ', old.slice(block.oldEnd, block.oldEnd + after)),
    ],
  };
}

function marked(sign: string, lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => {
    const body = line.endsWith('\n') ? line.slice(0, -1) : line;
    const shown = sign + (body.length > SHOWN_CHARS ? `${body.slice(0, SHOWN_CHARS)}…` : body);
    return line.endsWith('\n') ? [shown] : [shown, '\\ No newline at end of file'];
  });
}

export function countsOf(blocks: readonly Block[]): { readonly added: number; readonly removed: number } {
  let [added, removed] = [0, 0];
  for (const block of blocks) {
    added += block.newEnd - block.newStart;
    removed += block.oldEnd - block.oldStart;
  }
  return { added, removed };
}
