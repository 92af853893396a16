/** The chips of each draft, as far as they are worth keeping over a reload. Pure. */
import type { Attachment } from '../extension/protocol/attachments';

/** Characters of pictures and texts that are kept; VS Code writes them to its database each time. */
const MOST_KEPT = 8_000_000;
const MAX_DRAFTS = 20;
const NONE: readonly Attachment[] = [];

export interface KeptChips {
  get(key: string): readonly Attachment[];
  /** False when nothing changed. */
  set(key: string, chips: readonly Attachment[]): boolean;
  /** The newest; what is too much is lost with the page, and nothing else is. */
  saved(): Readonly<Record<string, readonly Attachment[]>>;
}

export function createKeptChips(saved: Readonly<Record<string, readonly Attachment[]>>): KeptChips {
  const all = new Map(Object.entries(saved));
  return {
    get: (key) => all.get(key) ?? NONE,
    set(key, chips) {
      const before = all.get(key) ?? NONE;
      if (chips === before || (chips.length === 0 && before.length === 0)) return false;
      all.delete(key);
      if (chips.length > 0) all.set(key, chips);
      const [oldest] = all.keys();
      if (all.size > MAX_DRAFTS && oldest !== undefined) all.delete(oldest);
      return true;
    },
    saved() {
      let left = MOST_KEPT;
      const kept: Record<string, readonly Attachment[]> = {};
      for (const [key, list] of [...all].reverse())
        kept[key] = list.filter((chip) => {
          const fits = sizeOf(chip) <= left;
          if (fits) left -= sizeOf(chip);
          return fits;
        });
      return kept;
    },
  };
}

function sizeOf({ source }: Attachment): number {
  return source.type === 'image' ? source.data.length : source.type === 'text' ? source.text.length : 0;
}

/** Kept by this page or an earlier one; the host looks at each again before it does anything with it. */
export function areChips(value: unknown): value is readonly Attachment[] {
  return Array.isArray(value) && value.every(isChip);
}

function isChip(value: unknown): value is Attachment {
  return (
    typeof value === 'object' &&
    value !== null &&
    'id' in value &&
    typeof value.id === 'string' &&
    'label' in value &&
    typeof value.label === 'string' &&
    'source' in value &&
    typeof value.source === 'object' &&
    value.source !== null &&
    'type' in value.source &&
    typeof value.source.type === 'string'
  );
}
