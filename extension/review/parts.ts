/**
 * A proposal that is taken in part: which of its changes are in the text that the person is left with, which are not and why, and that text
 * with every line end as it was. Pure.
 */
import type { EditProposal, HunkDecision, Partly } from '../ports';
import { blocksOf, hunkOf, linesOf, withBlocks } from './blocks';
import type { Block } from './blocks';

const BREAK = /\r\n|\n|\r/g;

/** A proposal, split once. Blocks are those of the texts with line feeds, as an editor shows them. */
export interface Parts {
  readonly before: Side;
  readonly proposed: Side;
  readonly blocks: readonly Block[];
  /** One a block: what it changes, and to what. Stays the same while other blocks come and go. */
  readonly keys: readonly string[];
}

interface Side {
  /** With line feeds. */
  readonly lines: readonly string[];
  /** The same lines with the ends they have. */
  readonly exact: readonly string[];
}

export function partsOf(before: string, proposed: string): Parts {
  const sides = { before: sideOf(before), proposed: sideOf(proposed) };
  const blocks = blocksOf(sides.before.lines, sides.proposed.lines);
  return { ...sides, blocks, keys: blocks.map((block) => keyOf(block, sides.proposed.lines)) };
}

const known = new WeakMap<EditProposal, Parts>();

/** The same for everybody who asks about the same proposal: in a large file it is worth keeping. */
export function partsOfProposal(proposal: EditProposal): Parts {
  const found = known.get(proposal) ?? partsOf(proposal.before?.text ?? '', proposal.after);
  known.set(proposal, found);
  return found;
}

function sideOf(text: string): Side {
  const exact = linesOf(text);
  if (!text.includes('\r')) return { exact, lines: exact };
  return { exact, lines: exact.map((line) => line.replace(BREAK, '\n')) };
}

function keyOf(block: Block, lines: readonly string[]): string {
  return JSON.stringify([block.oldStart, block.oldEnd, lines.slice(block.newStart, block.newEnd).join('')]);
}

/** A change that is in the text now. */
export interface ShownBlock {
  readonly block: Block;
  readonly key: string;
  /** Index among the proposal's own changes; undefined for what the person made. */
  readonly proposed: number | undefined;
}

export function shownBlocks(parts: Parts, shown: string): readonly ShownBlock[] {
  const { lines } = sideOf(shown);
  return blocksOf(parts.before.lines, lines).map((block) => {
    const key = keyOf(block, lines);
    const index = parts.keys.indexOf(key);
    return { block, key, proposed: index < 0 ? undefined : index };
  });
}

/** The proposal's changes that are not in the text, because they were taken out and nothing was put there. */
export function missingBlocks(parts: Parts, shown: readonly ShownBlock[]): readonly number[] {
  return [...parts.blocks.keys()].filter((index) => {
    const block = parts.blocks[index];
    return (
      block !== undefined &&
      !shown.some((each) => each.proposed === index) &&
      !shown.some((each) => each.proposed === undefined && meets(each.block, block))
    );
  });
}

function meets(a: Block, b: Block): boolean {
  return a.oldStart <= b.oldEnd && b.oldStart <= a.oldEnd;
}

/** The lines with which a change is taken out of the text, as the editor has them. */
export function originalLines(parts: Parts, block: Block): string {
  return parts.before.lines.slice(block.oldStart, block.oldEnd).join('');
}

export interface PartialResult extends Partly {
  /** Exactly the changes that are left, every other byte as before; what the person sees, unless they typed. */
  readonly exact: string;
}

/** `comments`: by key of the change. */
export function partialResult(
  parts: Parts,
  shown: string,
  comments: ReadonlyMap<string, string> = new Map(),
): PartialResult {
  const { before, proposed, blocks, keys } = parts;
  const now = shownBlocks(parts, shown);
  const taken = new Set(now.flatMap((each) => each.proposed ?? []));
  const missing = new Set(missingBlocks(parts, now));
  const exact = withBlocks(before.exact, proposed.exact, blocks, (_, index) => taken.has(index));
  const decisions = blocks.map((_, index): HunkDecision => {
    const hunk = hunkOf(before.exact, proposed.exact, blocks, index);
    if (taken.has(index)) return { type: 'taken', hunk };
    if (!missing.has(index)) return { type: 'changed', hunk };
    const comment = comments.get(keys[index] ?? '');
    return { type: 'rejected', hunk, ...(comment === undefined ? {} : { comment }) };
  });
  return { exact, typed: exact.replace(BREAK, '\n') !== shown.replace(BREAK, '\n'), decisions };
}

/** The text as shown, each line with the end that it has in the proposal, else before; new lines take that of the line they replace, or the one above. */
export function withLineEnds(parts: Parts, shown: string): string {
  const lines = linesOf(shown.replace(BREAK, '\n'));
  const known = { ...kept(parts.before, lines), ...kept(parts.proposed, lines) };
  const replaced = blocksOf(parts.proposed.lines, lines).flatMap((block) =>
    lines
      .slice(block.newStart, block.newEnd)
      .map((_, nth) => [block.newStart + nth, parts.proposed.exact[block.oldStart + nth]] as const),
  );
  const twins = new Map(replaced);
  let end = endOf(parts.proposed.exact[0] ?? parts.before.exact[0] ?? '\n') || '\n';
  return lines
    .map((line, at) => {
      if (!line.endsWith('\n')) return line;
      end = endOf(known[at] ?? twins.get(at) ?? '') || end;
      return line.slice(0, -1) + end;
    })
    .join('');
}

/** By place in `lines`: the line of the side that stands there unchanged, with its own end. */
function kept(side: Side, lines: readonly string[]): Readonly<Record<number, string>> {
  const found: Record<number, string> = {};
  let [old, now] = [0, 0];
  const take = (to: number): void => {
    for (; old < to; old++, now++) found[now] = side.exact[old] ?? '';
  };
  for (const block of blocksOf(side.lines, lines)) {
    take(block.oldStart);
    [old, now] = [block.oldEnd, block.newEnd];
  }
  take(side.lines.length);
  return found;
}

function endOf(line: string): string {
  return /(?:\r\n|\n|\r)$/.exec(line)?.[0] ?? '';
}
