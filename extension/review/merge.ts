/** Two changes of one text put together, where they do not meet. It never guesses: where they touch there is no answer. Pure. */
import { blocksOf, linesOf } from './blocks';
import type { Block } from './blocks';

/** Undefined when both changed the same or neighbouring lines. */
export function merge(base: string, ours: string, theirs: string): string | undefined {
  if (ours === theirs || base === theirs) return ours;
  if (base === ours) return theirs;
  const lines = linesOf(base);
  const sides = [linesOf(ours), linesOf(theirs)] as const;
  const all = sides
    .flatMap((side) => blocksOf(lines, side).map((block) => ({ block, lines: side })))
    .sort((a, b) => a.block.oldStart - b.block.oldStart || a.block.oldEnd - b.block.oldEnd);
  const parts: string[] = [];
  let at = 0;
  let last: { readonly block: Block; readonly lines: readonly string[] } | undefined;
  for (const next of all) {
    const { block } = next;
    const text = next.lines.slice(block.newStart, block.newEnd);
    if (last !== undefined && last.lines !== next.lines && block.oldStart <= last.block.oldEnd) {
      if (!isSame(last, next)) return undefined;
      continue;
    }
    parts.push(...lines.slice(at, block.oldStart), ...text);
    at = block.oldEnd;
    last = next;
  }
  parts.push(...lines.slice(at));
  return parts.join('');
}

interface Side {
  readonly block: Block;
  readonly lines: readonly string[];
}

function isSame(a: Side, b: Side): boolean {
  return (
    a.block.oldStart === b.block.oldStart &&
    a.block.oldEnd === b.block.oldEnd &&
    a.lines.slice(a.block.newStart, a.block.newEnd).join('') ===
      b.lines.slice(b.block.newStart, b.block.newEnd).join('')
  );
}
