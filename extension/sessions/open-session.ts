/**
 * Opens a session for writing: takes its lock, folds its file, answers the calls that the last process left without a result, and hands out
 * the transcript. A session that another process writes is opened for reading only.
 */
import type { Clock, NewId, OpenLineFile, Processes, SessionFiles } from '../ports';
import { acquireLock, type Holder, type LockDeps } from './lock';
import {
  agentIdFrom,
  locksFolder,
  pathsOfTranscript,
  projectFolder,
  sessionPaths,
  subagentPaths,
  type SessionPaths,
} from './paths';
import type { OpenCall } from './read/messages';
import {
  closingRecord,
  foldFile,
  pendingStepOf,
  type FoldOptions,
  type PendingStep,
  type ResumedSession,
} from './read/resume';
import { createTranscript, type Transcript, type TranscriptStart } from './write/transcript';

export interface SessionDeps {
  /** `~/.sluice`, or what stands for it. */
  readonly root: string;
  readonly files: SessionFiles;
  readonly openLineFile: OpenLineFile;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Asked for each line; must answer at once. */
  readonly place: () => { readonly cwd: string; readonly gitBranch: string };
}

export interface OpenSession {
  readonly paths: SessionPaths;
  readonly transcript: Transcript;
  /** Closes the file and gives the lock back. */
  close(): Promise<void>;
}

export type OpenedSession =
  | (OpenSession & {
      readonly type: 'opened';
      readonly session: ResumedSession;
      /** Calls that had not begun: the loop may still run them. Then `messages` here is what it starts from. */
      readonly pending: PendingStep | undefined;
    })
  /** Another process writes it. Offer to read, to fork, or, on the person's word, to take it over. */
  | { readonly type: 'busy'; readonly holder: Holder; readonly session: ResumedSession };

/** A new session of the folder that `place` names. Nothing is written before its first line. */
export async function createSession(deps: SessionDeps, id: string = deps.newId()): Promise<OpenSession> {
  const paths = sessionPaths(projectFolder(deps.root, deps.place().cwd), id);
  const taken = await acquireLock(lockDeps(deps), locksFolder(deps.root), id);
  if (taken.type === 'busy') throw new Error(`Session ${id} is written by another process.`);
  try {
    const transcript = transcriptOf(deps, paths);
    return { paths, transcript, close: () => closeBoth(transcript, taken.lock) };
  } catch (error) {
    await taken.lock.release();
    throw error;
  }
}

/** A file that cannot be closed must not keep its session locked for as long as this process lives. */
async function closeBoth(
  transcript: Transcript,
  lock: { readonly release: () => Promise<void> },
): Promise<void> {
  try {
    await transcript.close();
  } finally {
    await lock.release();
  }
}

/** What is known of a subagent before its first line. */
export interface SubagentManifest {
  readonly agentType: string;
  readonly description: string;
  /** The call that asked for it. */
  readonly toolUseId: string;
  /** 1 = asked for by the session itself. */
  readonly spawnDepth: number;
  readonly parentAgentId?: string;
  readonly model?: string;
}

export interface SubagentFile {
  readonly agentId: string;
  readonly transcript: Transcript;
}

/** A subagent's own file and its manifest, flat in the session's folder at every depth. The session's lock covers it. */
export async function createSubagent(
  deps: SessionDeps,
  session: SessionPaths,
  manifest: SubagentManifest,
): Promise<SubagentFile> {
  const agentId = agentIdFrom(deps.newId());
  const paths = subagentPaths(session, agentId);
  await deps.files.create(paths.manifest, JSON.stringify(manifest));
  const transcript = createTranscript({
    file: deps.openLineFile(paths.transcript),
    sessionId: session.id,
    agentId,
    clock: deps.clock,
    newId: deps.newId,
    place: deps.place,
  });
  return { agentId, transcript };
}

/** `path`: of the transcript. */
export async function openSession(
  deps: SessionDeps,
  path: string,
  options: FoldOptions & { readonly takeOver?: boolean } = {},
): Promise<OpenedSession> {
  const paths = pathsOfTranscript(path);
  options = { sidecar: paths.lineIndex, ...options };
  const taken = await acquireLock(lockDeps(deps), locksFolder(deps.root), paths.id, options);
  if (taken.type === 'busy')
    return { type: 'busy', holder: taken.holder, session: await foldFile(deps.files, path, options) };
  try {
    // Folded after the lock is taken: nobody else adds to it now.
    const session = await foldFile(deps.files, path, options);
    const transcript = transcriptOf(deps, paths, startOf(session));
    await answerLostCalls(transcript, session);
    return {
      type: 'opened',
      paths,
      session,
      pending: pendingStepOf(session),
      transcript,
      close: () => closeBoth(transcript, taken.lock),
    };
  } catch (error) {
    await taken.lock.release();
    throw error;
  }
}

function lockDeps(deps: SessionDeps): LockDeps {
  return { files: deps.files, processes: deps.processes, clock: deps.clock, newId: deps.newId };
}

function transcriptOf(deps: SessionDeps, paths: SessionPaths, from?: TranscriptStart): Transcript {
  return createTranscript({
    file: deps.openLineFile(paths.transcript),
    sessionId: paths.id,
    clock: deps.clock,
    newId: deps.newId,
    place: deps.place,
    ...(from ? { from } : {}),
  });
}

function startOf(session: ResumedSession): TranscriptStart {
  const { title, lastPrompt, route, mode, limits, todos, unfinished } = session;
  const calls = session.open.flatMap((open): [string, string][] =>
    open.line === undefined ? [] : [[open.diskId, open.line]],
  );
  return {
    end: session.end,
    leaf: session.leaf,
    calls: new Map(calls),
    ...(title && title.by !== 'prompt' ? { title: { text: title.text, by: title.by } } : {}),
    ...(lastPrompt === undefined ? {} : { lastPrompt }),
    ...(route ? { origin: route.origin } : {}),
    usage: session.usage,
    standing: {
      unfinished,
      ...(mode === undefined ? {} : { mode }),
      ...(limits === undefined ? {} : { limits }),
      ...(route === undefined ? {} : { route }),
      ...(todos.length === 0 ? {} : { todos }),
    },
  };
}

/**
 * Calls of the last step whose fate is unknown are answered in the file at once, so that every reader sees a legal session; those that had not
 * begun are left to the loop. Calls further up stay as they are: a line that hangs off the middle would look like a branch to readers, and
 * the fold answers them anyhow.
 */
async function answerLostCalls(transcript: Transcript, session: ResumedSession): Promise<void> {
  const lost = session.open.filter((open) => open.fate === 'unknown' && (open.last || open.unwritten));
  for (const open of lost) {
    if (open.unwritten) await writeCall(transcript, open, open.unwritten);
    await transcript.result(closingRecord(open));
  }
}

async function writeCall(
  transcript: Transcript,
  open: OpenCall,
  origin: NonNullable<OpenCall['unwritten']>,
): Promise<void> {
  await transcript.assistant({
    messageId: `msg_${open.call.id}`,
    origin,
    blocks: [open.call],
    stop: null,
    stopRaw: null,
    usage: {},
    aborted: true,
  });
}
