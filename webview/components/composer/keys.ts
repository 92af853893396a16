/** Small decisions of the message box about its keys and its text. Pure. */
import type { Row } from '../../../extension/protocol/view-state';

/** Whether the key belongs to an input method: such a key never sends and never stops anything. */
export function isComposing(event: { readonly isComposing: boolean; readonly keyCode: number }): boolean {
  return event.isComposing || event.keyCode === 229;
}

/** A text that comes back to the box, or is put there, never takes the place of what the person is typing. */
export function beforeDraft(text: string, draft: string): string {
  if (draft.trim() === '') return text;
  if (draft.startsWith(text)) return draft;
  return `${text}\n\n${draft}`;
}

export interface Recalled {
  readonly back: number;
  readonly text: string;
}

/**
 * The prompt that is `back + step` prompts ago. Undefined when the key should do what it always does: the box holds text of the
 * person's own, or there is nothing further in that direction.
 */
export function recall(rows: readonly Row[], step: 1 | -1, back: number, text: string): Recalled | undefined {
  if (back === 0 && (text !== '' || step === -1)) return undefined;
  if (back > 0 && text !== (promptBack(rows, back) ?? text)) return undefined;
  const next = back + step;
  if (next === 0) return { back: 0, text: '' };
  const found = promptBack(rows, next);
  return found === undefined ? undefined : { back: next, text: found };
}

function promptBack(rows: readonly Row[], back: number): string | undefined {
  let left = back;
  for (let i = rows.length - 1; i >= 0; i--) {
    const row = rows[i];
    if (row?.type === 'prompt' && --left === 0) return row.text;
  }
  return undefined;
}

interface Named {
  readonly name: string;
}

/** What the text so far could become; nothing once it holds more than the name. Names that begin with it come first. */
export function commandsFor<T extends Named>(commands: readonly T[], text: string): readonly T[] {
  const typed = /^\/(\S*)$/.exec(text)?.[1]?.toLowerCase();
  if (typed === undefined) return [];
  const begins = commands.filter(({ name }) => name.toLowerCase().startsWith(typed));
  const holds = commands.filter(
    ({ name }) => typed !== '' && !name.toLowerCase().startsWith(typed) && name.toLowerCase().includes(typed),
  );
  return [...begins, ...holds];
}
