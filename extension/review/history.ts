/**
 * What happened to files in a session: an append-only list of entries and its fold. Contents are elsewhere, by hash. Nothing is ever taken out
 * of the list; a rewind is an entry of its own. Pure.
 */

/** A file at a moment. */
export type FileState =
  | { readonly type: 'absent' }
  | { readonly type: 'file'; readonly hash: string; readonly size: number; readonly mode: number }
  /** It was there, and its content is not kept. */
  | { readonly type: 'unknown'; readonly why: string };

export type ChangedBy = 'edit' | 'command' | 'undo';

export type Entry =
  /** `undo`: files were put back; `of` says what was undone. */
  | {
      readonly type: 'turn';
      readonly id: string;
      readonly kind: 'prompt' | 'undo';
      readonly title: string;
      readonly at: number;
    }
  /** On disk before the change is made. */
  | {
      readonly type: 'before';
      readonly path: string;
      readonly state: FileState;
      readonly folders?: readonly string[];
    }
  | {
      readonly type: 'after';
      readonly path: string;
      readonly state: FileState;
      readonly by: ChangedBy;
      /** The command, of a change by one. */
      readonly what?: string;
    }
  /** The change was not made after all. */
  | { readonly type: 'none'; readonly path: string }
  /** What is still to be reviewed of a file: from `before` to `after`. The same state = nothing. */
  | { readonly type: 'review'; readonly path: string; readonly before: FileState; readonly after: FileState };

/** One change of one file. */
export interface Segment {
  readonly path: string;
  readonly before: FileState;
  /** Undefined: the program ended before it could be told. */
  readonly after: FileState | undefined;
  readonly by: ChangedBy;
  readonly what?: string;
  /** Folders that were made for it. */
  readonly folders: readonly string[];
}

export interface Turn {
  readonly id: string;
  readonly kind: 'prompt' | 'undo';
  readonly title: string;
  readonly at: number;
  readonly segments: readonly Segment[];
}

export interface History {
  readonly turns: readonly Turn[];
  /** Changes that were not kept yet, by path, oldest first. */
  readonly pending: ReadonlyMap<string, readonly Segment[]>;
  add(entry: Entry): void;
}

export const ABSENT: FileState = { type: 'absent' };

export function sameState(a: FileState | undefined, b: FileState | undefined): boolean {
  if (a?.type === 'file' && b?.type === 'file') return a.hash === b.hash;
  return a?.type === 'absent' && b?.type === 'absent';
}

interface MutableTurn extends Turn {
  readonly segments: Segment[];
}

export function createHistory(entries: readonly Entry[] = []): History {
  const turns: MutableTurn[] = [];
  const pending = new Map<string, Segment[]>();
  const history: History = {
    turns,
    pending,
    add(entry) {
      if (entry.type === 'turn') turns.push({ ...entry, segments: [] });
      else if (entry.type === 'review') reviewed(pending, entry);
      else {
        const turn = turns.at(-1);
        if (turn === undefined) return;
        change(turn.segments, entry, true);
        const list = pending.get(entry.path) ?? [];
        change(list, entry, false);
        if (list.length > 0) pending.set(entry.path, list);
        else pending.delete(entry.path);
      }
    },
  };
  for (const entry of entries) history.add(entry);
  return history;
}

function reviewed(pending: Map<string, Segment[]>, entry: Extract<Entry, { type: 'review' }>): void {
  const { path, before, after } = entry;
  if (sameState(before, after)) pending.delete(path);
  else pending.set(path, [{ path, before, after, by: 'edit', folders: [] }]);
}

/** `whole`: of the turn's list, in which changes of other paths stand too. */
function change(
  list: Segment[],
  entry: Extract<Entry, { type: 'before' | 'after' | 'none' }>,
  whole: boolean,
): void {
  const at = list.findLastIndex((segment) => segment.path === entry.path);
  const last = list[at];
  if (entry.type === 'before') {
    const { path, state, folders = [] } = entry;
    // What goes on where the last change ended is one change with it, once it has ended too.
    list.push({ path, before: state, after: undefined, by: 'edit', folders });
    return;
  }
  if (last === undefined || last.after !== undefined) return;
  if (entry.type === 'none' || sameState(last.before, entry.state)) {
    list.splice(at, 1);
    return;
  }
  const { by, what } = entry;
  const ended: Segment = { ...last, after: entry.state, by, ...(what === undefined ? {} : { what }) };
  const earlier = list.slice(0, at).findLastIndex((segment) => segment.path === entry.path);
  const before = list[earlier];
  const joins = before !== undefined && before.by === by && sameState(before.after, ended.before);
  if (!joins) {
    list[at] = ended;
    return;
  }
  list.splice(at, 1);
  const joined = { ...before, after: ended.after, folders: [...before.folders, ...ended.folders] };
  if (!whole && sameState(joined.before, joined.after)) list.splice(earlier, 1);
  else list[earlier] = joined;
}

/** Entries of a file of lines; what does not read as one is left out. */
export function parseEntries(text: string): readonly Entry[] {
  return text.split('\n').flatMap((line): readonly Entry[] => {
    if (line === '') return [];
    try {
      const value: unknown = JSON.parse(line);
      return isEntry(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  if (value.type === 'turn') return 'id' in value && typeof value.id === 'string' && 'kind' in value;
  if (!('path' in value) || typeof value.path !== 'string') return false;
  if (value.type === 'review')
    return 'before' in value && isState(value.before) && 'after' in value && isState(value.after);
  if (value.type === 'none') return true;
  return (value.type === 'before' || value.type === 'after') && 'state' in value && isState(value.state);
}

function isState(value: unknown): value is FileState {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  if (value.type === 'absent' || value.type === 'unknown') return true;
  return (
    value.type === 'file' &&
    'hash' in value &&
    typeof value.hash === 'string' &&
    /^[0-9a-f]{64}$/.test(value.hash) &&
    'mode' in value &&
    typeof value.mode === 'number'
  );
}
