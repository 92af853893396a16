/**
 * Takes changes back: first a plan that says for each file what would become of it, then the work. Later edits of the person stay: they are
 * merged where they do not meet what is taken back, and else the file is left alone and named as a conflict.
 */
import type { BlobStore, RawFiles } from '../ports';
import type { Checkpoints } from './checkpoints';
import { sameState } from './history';
import type { FileState, Segment, Turn } from './history';
import { merge } from './merge';

export type PlannedFile = {
  readonly path: string;
  /** The file as it is now. */
  readonly now: FileState;
} & (
  | {
      readonly type: 'restore' | 'create' | 'delete';
      readonly target: FileState;
      readonly folders: readonly string[];
    }
  /** The person's later edits stay in it. */
  | { readonly type: 'merge'; readonly bytes: Uint8Array; readonly mode: number }
  | { readonly type: 'conflict'; readonly why: Conflict; readonly target: FileState }
  /** It is already as it would be. */
  | { readonly type: 'same' }
);

export type Conflict =
  /** Edits of the person, or of something else, meet what would be taken back. */
  | 'edited_since'
  /** An editor holds unsaved changes. */
  | 'unsaved'
  /** What it was is not known: it was changed by a command, or was too large. */
  | 'not_saved';

/** The changes of these turns taken back, newest first. */
export async function planRevert(
  checkpoints: Checkpoints,
  chosen: (turn: Turn) => boolean,
): Promise<readonly PlannedFile[]> {
  const byPath = new Map<string, Segment[]>();
  for (const segment of checkpoints.history.turns.filter(chosen).flatMap((turn) => turn.segments))
    byPath.set(segment.path, [...(byPath.get(segment.path) ?? []), segment]);
  return planSegments(checkpoints, byPath);
}

export async function planSegments(
  checkpoints: Checkpoints,
  byPath: ReadonlyMap<string, readonly Segment[]>,
): Promise<readonly PlannedFile[]> {
  const files: PlannedFile[] = [];
  for (const [path, segments] of byPath) files.push(await planFile(checkpoints, path, segments));
  return files;
}

async function planFile(
  checkpoints: Checkpoints,
  path: string,
  segments: readonly Segment[],
): Promise<PlannedFile> {
  const { raw, blobs } = checkpoints.deps;
  const now = await checkpoints.stateOf(path);
  const first = segments[0]?.before ?? now;
  const conflict = (why: Conflict): PlannedFile => ({ path, now, type: 'conflict', why, target: first });
  const disk = await raw.read(path);
  let at: FileState | { readonly type: 'merged'; readonly bytes: Uint8Array; readonly mode: number } = now;
  for (const { before, after } of segments.toReversed()) {
    if (before.type === 'unknown' || after === undefined || after.type === 'unknown')
      return conflict('not_saved');
    if (at.type !== 'merged' && sameState(at, before)) continue;
    if (at.type !== 'merged' && sameState(at, after)) {
      at = before;
      continue;
    }
    const merged = await mergeStates(blobs, after, at, before);
    if (merged === undefined) return conflict('edited_since');
    at = merged;
  }
  if (at.type !== 'merged' && sameState(at, now)) return { path, now, type: 'same' };
  if (disk?.type === 'file' && disk.unsaved) return conflict('unsaved');
  if (at.type === 'merged') return { path, now, ...at, type: 'merge' };
  if (at.type === 'absent')
    return { path, now, type: 'delete', target: at, folders: segments.flatMap(({ folders }) => folders) };
  return { path, now, type: now.type === 'absent' ? 'create' : 'restore', target: at, folders: [] };
}

async function mergeStates(
  blobs: BlobStore,
  base: FileState,
  ours: FileState | { readonly type: 'merged'; readonly bytes: Uint8Array; readonly mode: number },
  theirs: FileState,
): Promise<{ readonly type: 'merged'; readonly bytes: Uint8Array; readonly mode: number } | undefined> {
  if (ours.type === 'absent' || ours.type === 'unknown') return undefined;
  const texts = [await textOf(blobs, base), await textOf(blobs, ours), await textOf(blobs, theirs)] as const;
  const [a, b, c] = texts;
  if (a === undefined || b === undefined || c === undefined) return undefined;
  const merged = merge(a, b, c);
  return merged === undefined
    ? undefined
    : { type: 'merged', bytes: Buffer.from(merged, 'latin1'), mode: ours.mode };
}

/** One character a byte, so that what is put together again is the bytes. */
async function textOf(
  blobs: BlobStore,
  state: FileState | { readonly type: 'merged'; readonly bytes: Uint8Array },
): Promise<string | undefined> {
  const bytes =
    state.type === 'merged' ? state.bytes : state.type === 'file' ? await blobs.get(state.hash) : undefined;
  return bytes === undefined ? undefined : Buffer.from(bytes).toString('latin1');
}

export interface Reverted {
  readonly done: readonly PlannedFile[];
  /** Left alone; `problem` when it was tried. */
  readonly left: readonly (PlannedFile & { readonly problem?: string })[];
}

/** Does what the plan says, as a turn of its own that can be taken back too. A file that has changed since the plan is left alone. */
export async function carryOut(
  checkpoints: Checkpoints,
  plan: readonly PlannedFile[],
  undo: { readonly id: string; readonly title: string },
): Promise<Reverted> {
  const done: PlannedFile[] = [];
  const left: (PlannedFile & { readonly problem?: string })[] = [];
  await checkpoints.undoing(undo.id, undo.title, async () => {
    for (const file of plan) {
      if (file.type === 'same') continue;
      if (file.type === 'conflict') {
        left.push(file);
        continue;
      }
      try {
        if (await carryOutOne(checkpoints, file)) done.push(file);
        else left.push({ ...file, problem: 'it has changed meanwhile' });
      } catch (error) {
        left.push({ ...file, problem: error instanceof Error ? error.message : String(error) });
      }
    }
  });
  return { done, left };
}

async function carryOutOne(
  checkpoints: Checkpoints,
  file: Exclude<PlannedFile, { readonly type: 'same' | 'conflict' }>,
): Promise<boolean> {
  const { raw, blobs } = checkpoints.deps;
  if (!sameState(await checkpoints.stateOf(file.path), file.now)) return false;
  const finished = await checkpoints.writing(file.path);
  try {
    await putBack(raw, blobs, file);
  } catch (error) {
    await finished(false);
    throw error;
  }
  await finished(true, file.type === 'merge' ? undefined : file.target);
  return true;
}

async function putBack(
  raw: RawFiles,
  blobs: BlobStore,
  file: Exclude<PlannedFile, { readonly type: 'same' | 'conflict' }>,
): Promise<void> {
  if (file.type === 'merge') return raw.write(file.path, file.bytes, file.mode);
  if (file.target.type === 'file') {
    const bytes = await blobs.get(file.target.hash);
    if (bytes === undefined) throw new Error('its saved content is gone');
    return raw.write(file.path, bytes, file.target.mode);
  }
  await raw.remove(file.path);
  for (const folder of file.folders.toReversed()) await raw.removeEmptyFolder(folder);
}
