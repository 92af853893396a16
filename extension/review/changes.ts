/**
 * What is still to be reviewed: for each file the text without the agent's changes beside the text as it is, so that what differs is the agent's
 * work and nothing of the person's. Keep and undo, hunk by hunk or whole.
 */
import { randomUUID } from 'node:crypto';
import { blocksOf, countsOf, linesOf, withBlocks } from './blocks';
import type { Block } from './blocks';
import type { Checkpoints } from './checkpoints';
import { sameState } from './history';
import type { FileState, Segment } from './history';
import { carryOut, planSegments } from './revert';
import type { PlannedFile, Reverted } from './revert';

export interface Change {
  readonly path: string;
  readonly kind: 'changed' | 'created' | 'deleted';
  /** Without the agent's changes; undefined = it was not there, or is not known. */
  readonly left: Uint8Array | undefined;
  readonly now: Uint8Array | undefined;
  readonly state: FileState;
  readonly blocks: readonly Block[];
  readonly added: number;
  readonly removed: number;
  /** Why it cannot be undone as a whole. */
  readonly conflict: Extract<PlannedFile, { readonly type: 'conflict' }>['why'] | undefined;
  /** Commands that changed it. */
  readonly commands: readonly string[];
}

/** `turn`: only files that the last prompt's turn changed. */
export async function pendingChanges(
  checkpoints: Checkpoints,
  scope: 'session' | 'turn',
): Promise<readonly Change[]> {
  const plan = await planSegments(checkpoints, pendingOf(checkpoints, scope));
  const changes: Change[] = [];
  for (const file of plan) {
    const change = await changeOf(checkpoints, file);
    if (change !== undefined) changes.push(change);
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function pendingOf(
  { history }: Checkpoints,
  scope: 'session' | 'turn',
): ReadonlyMap<string, readonly Segment[]> {
  if (scope === 'session') return history.pending;
  const last = history.turns.findLast(({ kind, segments }) => kind === 'prompt' && segments.length > 0);
  const own = new Map<string, Segment[]>();
  for (const segment of last?.segments ?? [])
    if (history.pending.has(segment.path)) own.set(segment.path, [...(own.get(segment.path) ?? []), segment]);
  return own;
}

async function changeOf(checkpoints: Checkpoints, file: PlannedFile): Promise<Change | undefined> {
  if (file.type === 'same') return undefined;
  const { blobs } = checkpoints.deps;
  const bytesOf = async (state: FileState) => (state.type === 'file' ? blobs.get(state.hash) : undefined);
  const left = file.type === 'merge' ? file.bytes : await bytesOf(file.target);
  const now = await bytesOf(file.now);
  const known = file.type !== 'conflict' || file.why !== 'not_saved';
  const blocks = known ? blocksOf(lines(left), lines(now)) : [];
  const wasThere = file.type === 'merge' || file.target.type !== 'absent';
  const kind = !wasThere ? 'created' : file.now.type === 'absent' ? 'deleted' : 'changed';
  const segments = checkpoints.history.pending.get(file.path) ?? [];
  return {
    path: file.path,
    kind,
    left,
    now,
    state: file.now,
    blocks,
    ...countsOf(blocks),
    conflict: file.type === 'conflict' ? file.why : undefined,
    commands: [...new Set(segments.flatMap(({ by, what }) => (by === 'command' ? [what ?? ''] : [])))],
  };
}

/** One character a byte. */
function lines(bytes: Uint8Array | undefined): readonly string[] {
  return bytes === undefined ? [] : linesOf(Buffer.from(bytes).toString('latin1'));
}

/** Reviewed, and no longer shown. */
export async function keepFiles(checkpoints: Checkpoints, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const now = await checkpoints.stateOf(path);
    await checkpoints.add({ type: 'review', path, before: now, after: now });
  }
}

/** Conflicts are left alone. */
export async function undoFiles(
  checkpoints: Checkpoints,
  paths: readonly string[],
  title: string,
  scope: 'session' | 'turn' = 'session',
): Promise<Reverted> {
  const wanted = new Map([...pendingOf(checkpoints, scope)].filter(([path]) => paths.includes(path)));
  return carryOut(checkpoints, await planSegments(checkpoints, wanted), { id: randomUUID(), title });
}

/** One hunk kept: it becomes part of what the file was. False when the file has changed since it was shown. */
export async function keepHunk(checkpoints: Checkpoints, shown: Change, index: number): Promise<boolean> {
  const { path, state, blocks, left, now } = shown;
  if (!sameState(await checkpoints.stateOf(path), state)) return false;
  const text = withBlocks(lines(left), lines(now), blocks, (_, at) => at === index);
  const before = await saved(checkpoints, text, state);
  await checkpoints.add({ type: 'review', path, before, after: state });
  return true;
}

/** One hunk taken out of the file. */
export async function undoHunk(
  checkpoints: Checkpoints,
  shown: Change,
  index: number,
  title: string,
): Promise<Reverted> {
  const { path, state, blocks, left, now } = shown;
  const text = withBlocks(lines(left), lines(now), blocks, (_, at) => at !== index);
  const target = await saved(checkpoints, text, state);
  const plan: PlannedFile = { path, now: state, type: 'restore', target, folders: [] };
  const reverted = await carryOut(checkpoints, [plan], { id: randomUUID(), title });
  if (reverted.done.length === 0) return reverted;
  const before =
    left === undefined ? { type: 'absent' as const } : await saved(checkpoints, latin(left), state);
  await checkpoints.add({ type: 'review', path, before, after: target });
  return reverted;
}

function latin(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}

async function saved({ deps }: Checkpoints, text: string, like: FileState): Promise<FileState> {
  const bytes = Buffer.from(text, 'latin1');
  const mode = like.type === 'file' ? like.mode : 0o644;
  return { type: 'file', hash: await deps.blobs.put(bytes), size: bytes.length, mode };
}
