/**
 * What this view remembers by itself: drafts and what the person opened or closed. Kept in the webview's own state so that it
 * survives hiding and reloading; never conversation data.
 */
import type { HostApi } from './bridge';
import type { Attachment } from '../extension/protocol/attachments';
import { areChips, createKeptChips } from './kept-chips';
import type { KeptChips } from './kept-chips';
import { createOutbox, isSent } from './outbox';
import type { Outbox, Sent, Unsent } from './outbox';

/** Where somebody was reading: a row, and how far its top is below that of the view. */
export interface Place {
  readonly row: string;
  readonly offset: number;
}

export interface Memory {
  /** Undefined: at the end. */
  place(session: string): Place | undefined;
  setPlace(session: string, place: Place | undefined): void;
  draft(key: string): string;
  setDraft(key: string, text: string): void;
  /** What goes with the draft. */
  chips(key: string): readonly Attachment[];
  setChips(key: string, chips: readonly Attachment[]): void;
  /** Whether the selection of the editor goes with messages. */
  eye(): boolean;
  setEye(open: boolean): void;
  /** The first prompt was sent: what was typed since belongs to the session that has begun. */
  moveDraft(from: string, to: string): void;
  /** A prompt is on its way to the host: its draft is gone, its text is not, until the host shows it. */
  sent(key: string, text: string, chips?: readonly Attachment[]): void;
  arrived(text: string): void;
  /** Prompts of this page's predecessor that the host does not know: it was reloaded before they arrived. Taken once. */
  takeUnsent(known: readonly string[]): readonly Unsent[];
  /** What the person decided for this row; undefined = whatever the row's state suggests. */
  opened(rowId: string): boolean | undefined;
  setOpened(rowId: string, open: boolean): void;
}

interface Saved {
  readonly drafts: Readonly<Record<string, string>>;
  readonly opened: Readonly<Record<string, boolean>>;
  readonly outbox: readonly Sent[];
  readonly chips: Readonly<Record<string, readonly Attachment[]>>;
  readonly eye: boolean;
  readonly places: Readonly<Record<string, Place>>;
}

const MAX_DRAFTS = 20;
const MAX_OPENED = 300;
const MAX_PLACES = 20;
const SAVE_AFTER_MS = 250;

export function createMemory(
  api: Pick<HostApi, 'getState' | 'setState'>,
  later: (task: () => void, ms: number) => void,
  now: () => number,
): Memory {
  const saved = parse(api.getState());
  const drafts = new Map(Object.entries(saved.drafts));
  const opened = new Map(Object.entries(saved.opened));
  const chips = createKeptChips(saved.chips);
  let { eye } = saved;
  const outbox = createOutbox(saved.outbox, now);
  const places = new Map(Object.entries(saved.places));
  const saveNow = (): void =>
    api.setState({
      drafts: Object.fromEntries(drafts),
      opened: Object.fromEntries(opened),
      outbox: outbox.list(),
      chips: chips.saved(),
      eye,
      places: Object.fromEntries(places),
    } satisfies Saved);
  const save = onceAWhile(saveNow, later);
  const setDraft = (key: string, text: string): void => {
    drafts.delete(key);
    if (text !== '') drafts.set(key, text);
    forgetOldest(drafts, MAX_DRAFTS);
  };

  return {
    place: (session) => places.get(session),
    setPlace(session, place) {
      if (putPlace(places, session, place)) save();
    },
    ...draftSide({ drafts, chips, outbox, setDraft, save, saveNow }),
    eye: () => eye,
    setEye(open) {
      eye = open;
      save();
    },
    arrived(text) {
      if (outbox.arrived(text)) save();
    },
    takeUnsent(known) {
      const unsent = outbox.takeUnsent(known);
      if (unsent.length > 0) save();
      return unsent;
    },
    opened: (rowId) => opened.get(rowId),
    setOpened(rowId, open) {
      putNewest(opened, rowId, open, MAX_OPENED);
      save();
    },
  };
}

interface DraftParts {
  readonly drafts: ReadonlyMap<string, string>;
  readonly chips: KeptChips;
  readonly outbox: Outbox;
  readonly setDraft: (key: string, text: string) => void;
  readonly save: () => void;
  readonly saveNow: () => void;
}

type DraftSide = Pick<Memory, 'draft' | 'setDraft' | 'chips' | 'setChips' | 'moveDraft' | 'sent'>;

function draftSide({ drafts, chips, outbox, setDraft, save, saveNow }: DraftParts): DraftSide {
  return {
    draft: (key) => drafts.get(key) ?? '',
    setDraft(key, text) {
      setDraft(key, text);
      save();
    },
    chips: (key) => chips.get(key),
    setChips(key, next) {
      if (chips.set(key, next)) save();
    },
    moveDraft(from, to) {
      const text = drafts.get(from) ?? '';
      const beside = chips.get(from);
      if (text === '' && beside.length === 0) return;
      setDraft(from, '');
      setDraft(to, text);
      chips.set(from, []);
      chips.set(to, beside);
      save();
    },
    sent(key, text, beside = []) {
      setDraft(key, '');
      chips.set(key, []);
      outbox.add(text, beside);
      // At once: a draft that comes back after it was sent would be sent again.
      saveNow();
    },
  };
}

/** False when nothing changed. */
function putPlace(places: Map<string, Place>, session: string, place: Place | undefined): boolean {
  const had = places.delete(session);
  if (place !== undefined) places.set(session, place);
  forgetOldest(places, MAX_PLACES);
  return had || place !== undefined;
}

function onceAWhile(task: () => void, later: (task: () => void, ms: number) => void): () => void {
  let pending = false;
  return () => {
    if (pending) return;
    pending = true;
    later(() => {
      pending = false;
      task();
    }, SAVE_AFTER_MS);
  };
}

function putNewest<T>(map: Map<string, T>, key: string, value: T, max: number): void {
  map.delete(key);
  map.set(key, value);
  forgetOldest(map, max);
}

function forgetOldest<T>(map: Map<string, T>, max: number): void {
  for (const key of map.keys()) {
    if (map.size <= max) return;
    map.delete(key);
  }
}

function isPlace(value: unknown): value is Place {
  if (typeof value !== 'object' || value === null || !('row' in value) || !('offset' in value)) return false;
  return typeof value.row === 'string' && typeof value.offset === 'number';
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
    places: of(record['places'], isPlace),
    outbox: Array.isArray(record['outbox']) ? record['outbox'].filter(isSent) : [],
    chips: of(record['chips'], areChips),
    eye: record['eye'] !== false,
  };
}
