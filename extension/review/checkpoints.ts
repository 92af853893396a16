/**
 * The checkpoints of one session: saves what a file is before it is changed, notes what it is afterwards, and finds out what commands changed.
 * It never stands in the way of a change: what could not be saved is listed as such.
 */
import type { BlobStore, Clock, LineFile, Log, RawFiles } from '../ports';
import { ABSENT, createHistory, sameState } from './history';
import type { ChangedBy, Entry, FileState, History } from './history';

/** Larger files are listed, and not kept. */
export const MOST_BYTES = 16 * 1024 * 1024;
/** Of what a command changed, at most so many files are listed. */
const MOST_BY_COMMAND = 200;

export interface CheckpointDeps {
  readonly blobs: BlobStore;
  readonly raw: RawFiles;
  readonly log: Log;
  readonly clock: Clock;
  readonly file: LineFile;
  /** Entries of before, of a session that is opened again. */
  readonly entries?: readonly Entry[];
  /** Starts to watch the workspace; the answer ends it. Absent: only files that were touched are looked at. */
  readonly watch?: () => () => Promise<WatchedFiles>;
}

export interface WatchedFiles {
  readonly changed: readonly string[];
  /** By the person, in an editor. */
  readonly saved: readonly string[];
}

export interface Checkpoints {
  readonly history: History;
  readonly deps: CheckpointDeps;
  /** The changes that follow belong to this prompt. */
  begin(id: string, prompt: string): void;
  /**
   * Resolves once the file is saved as it is; call the answer when the change was made (or not). `now`: what was written, where that is known:
   * looking at the file would take an edit of the person a moment later for ours.
   */
  writing(path: string): Promise<(made: boolean, now?: FileState) => Promise<void>>;
  /** Around a command: what it changes is listed as changed by it. */
  command<T>(command: string, run: () => Promise<T>): Promise<T>;
  /** The same for one that goes on beside the turn; call the answer when it has ended. */
  started(command: string): Promise<() => Promise<void>>;
  /** A turn of its own for what a person undoes. */
  undoing(id: string, title: string, change: () => Promise<void>): Promise<void>;
  /** A change by us outside a turn's edit; `undoing` must run. */
  note(path: string, before: FileState, after: FileState, by: ChangedBy): Promise<void>;
  add(entry: Entry): Promise<void>;
  stateOf(path: string): Promise<FileState>;
  onDidChange(listener: () => void): void;
  close(): Promise<void>;
}

type TurnEntry = Extract<Entry, { type: 'turn' }>;

interface State {
  readonly deps: CheckpointDeps;
  readonly history: History;
  readonly listeners: (() => void)[];
  /** Of each command that runs: paths that were changed beside it. */
  readonly others: Set<Set<string>>;
  /** Begun and not yet written: a turn that changes nothing leaves nothing. */
  turn: TurnEntry | undefined;
  /** Of the last prompt: what follows an undo belongs to it again. */
  prompt: TurnEntry | undefined;
  /** What files were when they were last looked at. */
  readonly seen: Map<string, { readonly stamp: string | undefined; readonly state: FileState }>;
}

export function createCheckpoints(deps: CheckpointDeps): Checkpoints {
  const state: State = {
    deps,
    history: createHistory(deps.entries),
    listeners: [],
    others: new Set(),
    turn: undefined,
    prompt: undefined,
    seen: new Map(),
  };
  return {
    history: state.history,
    deps,
    begin(id, prompt) {
      state.turn = { type: 'turn', id, kind: 'prompt', title: titleOf(prompt), at: deps.clock.now() };
      state.prompt = state.turn;
    },
    writing: (path) => writing(state, path),
    command: (command, run) => aroundCommand(state, command, run),
    started: (command) => watchCommand(state, command),
    async undoing(id, title, change) {
      state.turn = { type: 'turn', id, kind: 'undo', title, at: deps.clock.now() };
      try {
        await change();
      } finally {
        state.turn = state.prompt;
      }
    },
    async note(path, before, after, by) {
      await add(state, { type: 'before', path, state: before });
      await add(state, { type: 'after', path, state: after, by });
      state.seen.delete(path);
    },
    add: (entry) => add(state, entry),
    stateOf: (path) => look(state, path),
    onDidChange: (listener) => void state.listeners.push(listener),
    close: () => deps.file.close(),
  };
}

function titleOf(prompt: string): string {
  const line = prompt.trim().split('\n', 1)[0] ?? '';
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}

async function add(state: State, entry: Entry): Promise<void> {
  const lines: Entry[] = [];
  if (state.turn !== undefined && entry.type !== 'review') {
    lines.push(state.turn);
    state.turn = undefined;
  }
  lines.push(entry);
  if (entry.type === 'before') for (const paths of state.others) paths.add(entry.path);
  for (const each of lines) state.history.add(each);
  const text = lines.map((each) => `${JSON.stringify(each)}\n`).join('');
  try {
    await state.deps.file.append(text, { sync: entry.type === 'before' });
  } catch (error) {
    state.deps.log.write('error', 'A checkpoint could not be noted', error);
  }
  if (entry.type !== 'before') for (const listener of state.listeners) listener();
}

async function writing(state: State, given: string): ReturnType<Checkpoints['writing']> {
  const { raw } = state.deps;
  const path = await raw.realPath(given).catch(() => given);
  const before = await look(state, path);
  const folders = before.type === 'absent' ? await raw.missingFolders(path).catch(() => []) : [];
  await add(state, { type: 'before', path, state: before, ...(folders.length > 0 ? { folders } : {}) });
  return async (made, now) => {
    const after = now ?? (await look(state, path));
    // A write that failed leaves every byte alone; should it ever not, that is noted too.
    if (!made && sameState(before, after)) return add(state, { type: 'none', path });
    return add(state, { type: 'after', path, state: after, by: 'edit' });
  };
}

/** What the file is now; its content is saved. */
async function look(state: State, path: string): Promise<FileState> {
  const { raw, blobs, log } = state.deps;
  try {
    const stamp = await raw.stamp(path);
    const known = state.seen.get(path);
    if (known !== undefined && stamp !== undefined && known.stamp === stamp) return known.state;
    const found = await raw.read(path);
    const now = found === undefined ? ABSENT : await stateFrom(found, blobs);
    state.seen.set(path, { stamp, state: now });
    return now;
  } catch (error) {
    log.write('warning', `${path} could not be saved before a change`, error);
    return { type: 'unknown', why: 'it could not be saved' };
  }
}

async function stateFrom(
  found: NonNullable<Awaited<ReturnType<RawFiles['read']>>>,
  blobs: BlobStore,
): Promise<FileState> {
  if (found.type === 'not_kept') return { type: 'unknown', why: found.why };
  const { bytes, mode } = found;
  if (bytes.length > MOST_BYTES) return { type: 'unknown', why: 'it is too large' };
  return { type: 'file', hash: await blobs.put(bytes), size: bytes.length, mode };
}

async function aroundCommand<T>(state: State, command: string, run: () => Promise<T>): Promise<T> {
  const ended = await watchCommand(state, command);
  try {
    return await run();
  } finally {
    await ended();
  }
}

/** Looks at what was touched; the answer, called once when the command has ended, notes what is different then. */
async function watchCommand(state: State, command: string): Promise<() => Promise<void>> {
  const touched = [...new Set(state.history.turns.flatMap((turn) => turn.segments.map(({ path }) => path)))];
  const before = new Map<string, FileState>();
  for (const path of touched) before.set(path, await look(state, path));
  const watched = state.deps.watch?.();
  // What is changed by somebody else meanwhile is not the command's doing: edits of a turn beside it, other commands.
  const others = new Set<string>();
  state.others.add(others);
  return async () => {
    state.others.delete(others);
    try {
      const { changed = [], saved = [] } = (await watched?.()) ?? {};
      for (const path of saved) others.add(path);
      for (const path of others) before.delete(path);
      const news = changed.filter((path) => !others.has(path));
      await noteCommand(state, titleOf(command), before, news);
    } catch (error) {
      state.deps.log.write('warning', 'What a command changed could not be found out', error);
    }
  };
}

async function noteCommand(
  state: State,
  what: string,
  before: ReadonlyMap<string, FileState>,
  watched: readonly string[],
): Promise<void> {
  const others = watched.filter((path) => !before.has(path)).slice(0, MOST_BY_COMMAND);
  for (const path of [...before.keys(), ...others]) {
    const was: FileState = before.get(path) ?? {
      type: 'unknown',
      why: 'it was not saved before the command',
    };
    const now = await look(state, path);
    if (sameState(was, now)) continue;
    if (was.type === 'unknown' && now.type === 'unknown') continue;
    await add(state, { type: 'before', path, state: was });
    await add(state, { type: 'after', path, state: now, by: 'command', what });
  }
}
