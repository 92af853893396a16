/**
 * The list of sessions of a folder, read from the heads and tails of their files only: a list must never parse whole sessions. It keeps what it
 * read and reads again only what changed.
 */
import * as path from 'node:path';
import type { SessionFile, SessionFiles } from '../ports';
import { isSessionId } from './paths';
import { objectAt, textAt, timeAt, type Json } from './format/json';
import { linesOf, parseLine } from './read/lines';
import { userLineOf } from './read/line-kind';
import { ENTRYPOINT } from './read/scan';

export type SessionStatus =
  /** The last turn came to an end of this kind. */
  | { readonly type: 'ended'; readonly outcome: string }
  /** Ours, and a turn began and did not end. */
  | { readonly type: 'unfinished' }
  /** Written by another program, which does not say. */
  | { readonly type: 'unknown' };

export interface SessionSummary {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly titleBy: 'person' | 'model' | 'prompt';
  readonly firstPrompt?: string;
  readonly lastPrompt?: string;
  readonly cwd?: string;
  readonly gitBranch?: string;
  readonly status: SessionStatus;
  /** Milliseconds since the epoch: of the last line that says, else of the file. */
  readonly changedAt: number;
  readonly bytes: number;
  readonly foreign: boolean;
}

export interface SessionIndex {
  /** Newest first. */
  list(folder: string): Promise<readonly SessionSummary[]>;
}

/** As far as readers of the format look. */
const END = 65_536;
/** Mostly enough; the rest is read when it is not. */
const FIRST_LOOK = 8192;
const AT_ONCE = 16;

export function createSessionIndex(files: SessionFiles): SessionIndex {
  const known = new Map<string, { readonly stamp: string; readonly summary: SessionSummary | undefined }>();
  const summaryOf = async (folder: string, file: SessionFile): Promise<SessionSummary | undefined> => {
    const full = path.join(folder, file.name);
    const stamp = `${file.size}:${file.mtimeMs}:${file.id}`;
    const before = known.get(full);
    if (before?.stamp === stamp) return before.summary;
    const summary = await summarize(files, full, file).catch(() => undefined);
    known.set(full, { stamp, summary });
    return summary;
  };
  return {
    async list(folder) {
      const found = (await files.list(folder)).filter(
        (file) => file.type === 'file' && isSessionId(file.name.replace(/\.jsonl$/, '')) && file.size > 0,
      );
      const summaries: SessionSummary[] = [];
      for (let at = 0; at < found.length; at += AT_ONCE) {
        const part = await Promise.all(found.slice(at, at + AT_ONCE).map((file) => summaryOf(folder, file)));
        summaries.push(...part.filter((summary) => summary !== undefined));
      }
      return summaries.sort((a, b) => b.changedAt - a.changedAt);
    },
  };
}

interface Facts {
  customTitle?: string;
  aiTitle?: string;
  lastPrompt?: string;
  firstPrompt?: string;
  summary?: string;
  cwd?: string;
  gitBranch?: string;
  outcome?: string;
  openTurn: boolean;
  time?: number;
  own: boolean;
  sidechain: boolean;
  messages: number;
}

/** Undefined for files that hold no conversation: a subagent's, or one without a message. */
async function summarize(
  files: SessionFiles,
  full: string,
  file: SessionFile,
): Promise<SessionSummary | undefined> {
  const facts: Facts = { openTurn: false, own: false, sidechain: false, messages: 0 };
  const whole = file.size <= 2 * FIRST_LOOK;
  await readHead(files, full, file.size, whole ? file.size : FIRST_LOOK, facts);
  if (!whole && facts.firstPrompt === undefined) await readHead(files, full, file.size, END, facts);
  if (!whole) {
    await readTail(files, full, file.size, FIRST_LOOK, facts);
    if (!isEnough(facts)) await readTail(files, full, file.size, END, facts);
  }
  if (facts.sidechain || facts.messages === 0) return undefined;
  return summaryFrom(facts, full, file);
}

function isEnough(facts: Facts): boolean {
  return (facts.customTitle ?? facts.aiTitle ?? facts.lastPrompt) !== undefined && facts.time !== undefined;
}

async function readHead(
  files: SessionFiles,
  full: string,
  size: number,
  length: number,
  facts: Facts,
): Promise<void> {
  const bytes = await files.read(full, 0, Math.min(size, length));
  // The last line is cut, unless this is the whole file.
  const lines = linesOf(bytes).slice(0, bytes.length < size ? -1 : undefined);
  for (const line of lines) for (const record of parseLine(line).records) note(facts, record);
}

async function readTail(
  files: SessionFiles,
  full: string,
  size: number,
  length: number,
  facts: Facts,
): Promise<void> {
  const start = Math.max(0, size - length);
  const bytes = await files.read(full, start, size);
  const lines = linesOf(bytes).slice(start > 0 ? 1 : 0);
  for (const line of lines) for (const record of parseLine(line).records) note(facts, record);
}

/** Later lines win; lines may be seen twice. */
function note(facts: Facts, record: Json): void {
  const set = (key: 'customTitle' | 'aiTitle' | 'lastPrompt' | 'summary' | 'cwd', from: string): void => {
    const value = textAt(record, from);
    if (value !== undefined) facts[key] = value;
  };
  switch (record['type']) {
    case 'custom-title':
      return set('customTitle', 'customTitle');
    case 'ai-title':
      return set('aiTitle', 'aiTitle');
    case 'last-prompt':
      return set('lastPrompt', 'lastPrompt');
    case 'summary':
      return set('summary', 'summary');
    default:
      noteLine(facts, record);
      set('cwd', 'cwd');
  }
}

function noteLine(facts: Facts, record: Json): void {
  const { type } = record;
  facts.time = timeAt(record, 'timestamp') ?? facts.time ?? 0;
  const branch = textAt(record, 'gitBranch');
  if (branch) facts.gitBranch = branch;
  if (type === 'user' || type === 'assistant') {
    facts.messages += 1;
    facts.openTurn = true;
    facts.own = record['entrypoint'] === ENTRYPOINT;
    facts.sidechain = record['isSidechain'] === true;
  }
  if (type === 'user') {
    const line = userLineOf(record);
    if (line.type !== 'prompt' && line.type !== 'command') return;
    facts.firstPrompt ??= line.text;
  }
  const attachment = objectAt(record, 'attachment');
  if (textAt(attachment, 'type') === 'sluice_outcome') {
    facts.outcome = textAt(objectAt(attachment, 'outcome'), 'kind') ?? 'unknown';
    facts.openTurn = false;
  }
}

function summaryFrom(facts: Facts, full: string, file: SessionFile): SessionSummary {
  const { customTitle, aiTitle, lastPrompt, firstPrompt, summary, cwd, gitBranch } = facts;
  const title = customTitle ?? aiTitle ?? lastPrompt ?? summary ?? firstPrompt ?? 'Untitled';
  return {
    id: path.basename(full, '.jsonl'),
    path: full,
    title,
    titleBy: customTitle !== undefined ? 'person' : aiTitle !== undefined ? 'model' : 'prompt',
    ...(firstPrompt === undefined ? {} : { firstPrompt }),
    ...(lastPrompt === undefined ? {} : { lastPrompt }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(gitBranch === undefined ? {} : { gitBranch }),
    status: statusOf(facts),
    changedAt: facts.time || file.mtimeMs,
    bytes: file.size,
    foreign: !facts.own,
  };
}

function statusOf(facts: Facts): SessionStatus {
  if (!facts.own) return { type: 'unknown' };
  if (facts.openTurn || facts.outcome === undefined) return { type: 'unfinished' };
  return { type: 'ended', outcome: facts.outcome };
}
