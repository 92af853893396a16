/** What goes with a prompt: it is read before the prompt is given here. Text follows the prompt as a message of its own; pictures are part of it. */
import type { AttachedItem } from '../../protocol/vocabulary';
import type { ResultContent, UserBlock } from '../../models/message';
import type { State } from '../conversation-state';
import type { TurnEvent } from '../events';
import type { SeenText } from '../recorder';

export interface Attached {
  readonly item: AttachedItem;
  /** What the model gets. Texts are whole messages: they say themselves what they are. */
  readonly content: readonly ResultContent[];
  /** What the model sees of files by it. */
  readonly seen?: readonly SeenText[];
}

/** A prompt's own message. */
export function promptContent(text: string, attached: readonly Attached[] = []): UserBlock[] {
  const pictures = attached.flatMap(({ content }) => content.filter((part) => part.type !== 'text'));
  return [...pictures, { type: 'text', text }];
}

/** Records what went with the prompt that was just recorded, and tells the model. */
export async function takeAttached(
  state: State,
  emit: (event: TurnEvent) => void,
  promptId: string,
  attached: readonly Attached[] = [],
): Promise<void> {
  if (attached.length === 0) return;
  for (const { item, content, seen = [] } of attached) {
    const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    const words = text === '' ? {} : { text };
    await state.deps.recorder.note({
      type: 'attached',
      item,
      ...words,
      ...(seen.length === 0 ? {} : { seen }),
    });
    if (text !== '') state.history.push({ role: 'user', content: [{ type: 'text', text }] });
    for (const { path, hash, from, to } of seen) state.toolContext.reads.record(path, hash, [from, to]);
  }
  emit({ type: 'attached', promptId, items: attached.map(({ item }) => item) });
}
