/** Where in the text a mention is being typed, and what becomes of chips when the text changes. Pure. */
import type { Attachment } from '../../../extension/protocol/attachments';
import { MAX_ATTACHMENTS } from '../../../extension/protocol/attachments';

export interface MentionToken {
  /** What was typed after the sign. */
  readonly query: string;
  /** Where the sign stands. */
  readonly start: number;
  readonly end: number;
}

const BEFORE = String.raw`(?:^|[\s([{"'\`])`;
/** Titles and messages of commits have spaces; names of files end at one. */
const WORDS = new RegExp(String.raw`${BEFORE}@((?:commit|session):[^\n@]{0,200})$`);
const NAME = new RegExp(String.raw`${BEFORE}@([^\s@]{0,400})$`);
/** As in VS Code's own chat; a heading or the number of an issue is none. */
const HASH = new RegExp(String.raw`${BEFORE}#([A-Za-z_./][^\s#]{0,400})$`);

/** Undefined when what stands before the caret is no mention. */
export function mentionAt(text: string, caret: number): MentionToken | undefined {
  const before = text.slice(0, caret);
  for (const pattern of [WORDS, NAME, HASH]) {
    const query = pattern.exec(before)?.[1];
    if (query !== undefined) return { query, start: caret - query.length - 1, end: caret };
  }
  return undefined;
}

/** Chips whose mention the person took out of the text go with it. */
export function afterEdit(
  before: string,
  after: string,
  chips: readonly Attachment[],
): readonly Attachment[] {
  const kept = chips.filter(
    ({ mention }) => mention === undefined || !before.includes(mention) || after.includes(mention),
  );
  return kept.length === chips.length ? chips : kept;
}

/** The same thing is there once. */
export function withChips(chips: readonly Attachment[], more: readonly Attachment[]): readonly Attachment[] {
  const byId = new Map([...chips, ...more].map((chip) => [chip.id, chip]));
  return [...byId.values()].slice(0, MAX_ATTACHMENTS);
}
