/** Where sessions live on disk, in the layout that readers of Claude Code sessions expect. It touches no file. */
import * as path from 'node:path';

const SLUG_LIMIT = 200;
const SESSION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Root of everything Sluice keeps, `~/.sluice`. */
export function sessionsRoot(home: string): string {
  return path.join(home, '.sluice');
}

/**
 * The folder name of a workspace: every UTF-16 unit outside A–Z, a–z, 0–9 becomes `-`; what is longer than 200 is cut and gets a hash of the
 * whole. Lossy on purpose of the format: the truth is `cwd` in the lines.
 */
export function projectSlug(cwd: string): string {
  const slug = cwd.replace(/[^A-Za-z0-9]/g, '-');
  return slug.length <= SLUG_LIMIT ? slug : `${slug.slice(0, SLUG_LIMIT)}-${hashOf(cwd)}`;
}

/** 32-bit string hash over UTF-16 units, made positive, in base 36. */
function hashOf(text: string): string {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return Math.abs(hash).toString(36);
}

export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text);
}

/** Everything that belongs to one session. */
export interface SessionPaths {
  readonly id: string;
  readonly transcript: string;
  /** Made only when something is put there. */
  readonly folder: string;
  /** Output that is too big to keep in the transcript. */
  readonly toolResults: string;
  readonly subagents: string;
  /** Where the lines of a large transcript stand. Can be made again at any time. */
  readonly lineIndex: string;
}

export function projectFolder(root: string, cwd: string): string {
  return path.join(root, 'projects', projectSlug(cwd));
}

export function sessionPaths(project: string, id: string): SessionPaths {
  const folder = path.join(project, id);
  return {
    id,
    transcript: `${folder}.jsonl`,
    folder,
    toolResults: path.join(folder, 'tool-results'),
    subagents: path.join(folder, 'subagents'),
    lineIndex: path.join(folder, 'lines.json'),
  };
}

/** The paths of the session whose transcript this is; the file name is the id. */
export function pathsOfTranscript(transcript: string): SessionPaths {
  return sessionPaths(path.dirname(transcript), path.basename(transcript, '.jsonl'));
}

/** Agent ids are `a` and 16 hex digits; they come out of a fresh UUID. */
export function agentIdFrom(uuid: string): string {
  return `a${uuid.replaceAll('-', '').slice(0, 16)}`;
}

export function subagentPaths(
  session: SessionPaths,
  agentId: string,
): { readonly transcript: string; readonly manifest: string } {
  const base = path.join(session.subagents, `agent-${agentId}`);
  return { transcript: `${base}.jsonl`, manifest: `${base}.meta.json` };
}

export function trashFolder(root: string): string {
  return path.join(root, 'trash');
}

export function locksFolder(root: string): string {
  return path.join(root, 'locks');
}
