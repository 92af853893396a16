/** What is done to whole sessions: fork, rename, delete with undo. Nothing is ever changed in place. */
import * as path from 'node:path';
import type { SessionFiles } from '../ports';
import { acquireLock } from './lock';
import type { SessionDeps } from './open-session';
import { locksFolder, pathsOfTranscript, projectFolder, sessionPaths, trashFolder } from './paths';
import { readPath } from './read/resume';
import type { Json } from './format/json';
import { lastPromptLine, line, titleLine, type Title } from './write/records';

export type AdminResult<T> = { readonly type: 'done'; readonly value: T } | { readonly type: 'busy' };

/**
 * A new session that begins with what this one holds up to a line. Lines get ids of their own and say where they come from; message and
 * request ids stay, so that nothing is counted twice.
 */
export async function forkSession(
  deps: SessionDeps,
  from: string,
  options: { readonly leaf?: string; readonly title?: string } = {},
): Promise<{ readonly id: string; readonly path: string }> {
  const { records, leaf, title, lastPrompt } = await readPath(deps.files, from, options);
  const id = deps.newId();
  const source = pathsOfTranscript(from).id;
  const ids = new Map(records.map((record) => [String(record['uuid']), deps.newId()]));
  const target = sessionPaths(projectFolder(deps.root, deps.place().cwd), id).transcript;
  const lines = records.map((record) => line(forked(record, id, source, ids)));
  lines.push(titleLine(id, { text: options.title ?? `${title?.text ?? 'Session'} (fork)`, by: 'person' }));
  lines.push(lastPromptLine(id, lastPrompt, leaf === null ? null : (ids.get(leaf) ?? null)));
  if (!(await deps.files.create(target, lines.join(''))))
    throw new Error(`There is a session at ${target} already.`);
  return { id, path: target };
}

/** Keys that hold uuids of other lines. */
const LINKS = ['uuid', 'parentUuid', 'logicalParentUuid', 'sourceToolAssistantUUID'] as const;

function forked(record: Json, sessionId: string, source: string, ids: ReadonlyMap<string, string>): Json {
  const copy: Record<string, unknown> = {
    ...record,
    sessionId,
    forkedFrom: { sessionId: source, messageUuid: record['uuid'] },
  };
  for (const key of LINKS) {
    const old = record[key];
    // A parent outside of what was copied: the line is a root here.
    if (typeof old === 'string') copy[key] = ids.get(old) ?? (key === 'parentUuid' ? null : old);
  }
  return renamedInside(copy, ids);
}

/** A compaction names the lines that it kept. */
function renamedInside(record: Record<string, unknown>, ids: ReadonlyMap<string, string>): Json {
  const metadata = record['compactMetadata'];
  if (metadata === undefined) return record;
  const renamed: unknown = JSON.parse(JSON.stringify(metadata), (_, value: unknown) =>
    typeof value === 'string' ? (ids.get(value) ?? value) : value,
  );
  return { ...record, compactMetadata: renamed };
}

/** For sessions that are not open here; an open one has `Transcript.title`. */
export async function renameSession(
  deps: SessionDeps,
  transcript: string,
  text: string,
): Promise<AdminResult<undefined>> {
  const { id } = pathsOfTranscript(transcript);
  const title: Title = { text, by: 'person' };
  return locked(deps, id, async () => {
    const file = deps.openLineFile(transcript);
    try {
      await file.append(titleLine(id, title), { sync: true });
    } finally {
      await file.close();
    }
    return undefined;
  });
}

export interface DeletedSession {
  /** Puts everything back; rejects when there is a session at its place again. */
  undo(): Promise<void>;
}

/** Moves the session, with what belongs to it, to the trash. */
export async function deleteSession(
  deps: SessionDeps,
  transcript: string,
): Promise<AdminResult<DeletedSession>> {
  const paths = pathsOfTranscript(transcript);
  const bin = path.join(trashFolder(deps.root), `${paths.id}-${deps.newId()}`);
  const moves = [
    { from: paths.transcript, to: path.join(bin, path.basename(paths.transcript)) },
    { from: paths.folder, to: path.join(bin, paths.id) },
  ];
  return locked(deps, paths.id, async () => {
    await moveAll(deps.files, moves);
    return {
      async undo() {
        if (await deps.files.stat(paths.transcript))
          throw new Error(`There is a session at ${paths.transcript} again; the deleted one is in ${bin}.`);
        await moveAll(
          deps.files,
          moves.map(({ from, to }) => ({ from: to, to: from })),
        );
        await deps.files.remove(bin);
      },
    };
  });
}

async function moveAll(
  files: SessionFiles,
  moves: readonly { readonly from: string; readonly to: string }[],
): Promise<void> {
  for (const { from, to } of moves) if (await files.stat(from)) await files.move(from, to);
}

/** Deletes for good what has been in the trash for longer than `days`. */
export async function emptyTrash(deps: SessionDeps, days: number): Promise<number> {
  const folder = trashFolder(deps.root);
  const before = deps.clock.now() - days * 24 * 60 * 60 * 1000;
  const old = (await deps.files.list(folder)).filter((file) => file.mtimeMs < before);
  for (const file of old) await deps.files.remove(path.join(folder, file.name));
  return old.length;
}

async function locked<T>(deps: SessionDeps, id: string, work: () => Promise<T>): Promise<AdminResult<T>> {
  const taken = await acquireLock(deps, locksFolder(deps.root), id);
  if (taken.type === 'busy') return { type: 'busy' };
  try {
    return { type: 'done', value: await work() };
  } finally {
    await taken.lock.release();
  }
}
