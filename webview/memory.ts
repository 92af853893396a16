/**
 * What this view remembers by itself: drafts and what the person opened or closed. Kept in the webview's own state so that it
 * survives hiding and reloading; never conversation data.
 */
import type { HostApi } from './bridge';

export interface Memory {
  draft(sessionId: string): string;
  setDraft(sessionId: string, text: string): void;
  /** What the person decided for this row; undefined = whatever the row's state suggests. */
  opened(rowId: string): boolean | undefined;
  setOpened(rowId: string, open: boolean): void;
}

interface Saved {
  readonly drafts: Readonly<Record<string, string>>;
  readonly opened: Readonly<Record<string, boolean>>;
}

const MAX_DRAFTS = 20;
const MAX_OPENED = 300;
const SAVE_AFTER_MS = 250;

export function createMemory(
  api: Pick<HostApi, 'getState' | 'setState'>,
  later: (task: () => void, ms: number) => void,
): Memory {
  const saved = parse(api.getState());
  const drafts = new Map(Object.entries(saved.drafts));
  const opened = new Map(Object.entries(saved.opened));
  let pending = false;

  const save = (): void => {
    if (pending) return;
    pending = true;
    later(() => {
      pending = false;
      api.setState({
        drafts: Object.fromEntries(drafts),
        opened: Object.fromEntries(opened),
      } satisfies Saved);
    }, SAVE_AFTER_MS);
  };

  return {
    draft: (sessionId) => drafts.get(sessionId) ?? '',
    setDraft(sessionId, text) {
      drafts.delete(sessionId);
      if (text !== '') drafts.set(sessionId, text);
      forgetOldest(drafts, MAX_DRAFTS);
      save();
    },
    opened: (rowId) => opened.get(rowId),
    setOpened(rowId, open) {
      opened.delete(rowId);
      opened.set(rowId, open);
      forgetOldest(opened, MAX_OPENED);
      save();
    },
  };
}

function forgetOldest<T>(map: Map<string, T>, max: number): void {
  for (const key of map.keys()) {
    if (map.size <= max) return;
    map.delete(key);
  }
}

/** The state may come from an older version, or be nothing at all. */
function parse(state: unknown): Saved {
  const of = <T>(value: unknown, is: (v: unknown) => v is T): Record<string, T> =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).filter((entry): entry is [string, T] => is(entry[1])))
      : {};
  const record = typeof state === 'object' && state !== null ? (state as Record<string, unknown>) : {};
  return {
    drafts: of(record['drafts'], (v): v is string => typeof v === 'string'),
    opened: of(record['opened'], (v): v is boolean => typeof v === 'boolean'),
  };
}
