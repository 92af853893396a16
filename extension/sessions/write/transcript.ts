/**
 * The transcript of one conversation: implements the recorder as lines of a session file. It owns the chain of ids, what must be repeated
 * near the end of the file, and nothing that grows with the conversation. Locks and opening are the business of `open-session.ts`.
 */
import type {
  AssistantRecord,
  BoundaryRecord,
  NoteRecord,
  PromptRecord,
  Recorder,
  ResultRecord,
} from '../../agent/recorder';
import type { Outcome } from '../../agent/outcome';
import type { Origin } from '../../models/message';
import type { Clock, LineFile, NewId } from '../../ports';
import type { Usage } from '../../protocol/vocabulary';
import type { Json } from '../format/json';
import { plusUsage, usageToWire } from '../format/usage';
import { INTERRUPTED, INTERRUPTED_TOOLS } from '../format/words';
import type { Position } from '../read/resume';
import { standingAfter, type Standing } from '../format/standing';
import { createBacklog, type Backlog, type SavingState } from './backlog';
import {
  assistantParts,
  chainedLine,
  interruptedFields,
  lastPromptLine,
  nativeNotes,
  noteFields,
  outcomeFields,
  promptFields,
  replacementLine,
  resultFields,
  rewindLine,
  titleLine,
  type Title,
} from './records';

export interface TranscriptOptions {
  readonly file: LineFile;
  readonly sessionId: string;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Asked for each line; must answer at once. */
  readonly place: () => { readonly cwd: string; readonly gitBranch: string };
  /** Set for a subagent: its lines are a side chain, under the id of the session that started it. */
  readonly agentId?: string;
  readonly from?: TranscriptStart;
}

/** Where an existing file stands. */
export interface TranscriptStart {
  readonly end: string | null;
  readonly leaf: string | null;
  readonly title?: Title;
  readonly lastPrompt?: string;
  readonly origin?: Origin;
  /** Of all its answers so far. */
  readonly usage?: Usage;
  readonly standing?: Standing;
  /** Calls without a result: id → uuid of the line. */
  readonly calls: ReadonlyMap<string, string>;
}

export interface Transcript extends Recorder {
  readonly path: string;
  readonly saving: SavingState;
  /** The last message, for a fork or a rewind; null before the first. */
  readonly position: Position | null;
  title(title: Title): Promise<void>;
  /** The next line is added there; null = a new beginning. On disk at once. */
  rewind(to: Position | null): Promise<void>;
  retry(): Promise<void>;
  continueUnsaved(): void;
  close(): Promise<void>;
}

/** Readers look at the last 64 KiB only. A unit of text is at most three bytes. */
const REPEAT_AFTER = 20_000;

interface State {
  readonly options: TranscriptOptions;
  readonly backlog: Backlog;
  end: string | null;
  leaf: string | null;
  /** Everything that is still to come descends from it; from the leaf it need not, while results of one step come in side by side. */
  anchor: string | null;
  title: Title | undefined;
  lastPrompt: string | undefined;
  promptId: string | undefined;
  origin: Origin | undefined;
  /** Of all answers in the file. */
  usage: Usage;
  standing: Standing;
  /** Lines of calls that have no result yet. */
  readonly callLines: Map<string, string>;
  /** Since the title and the last prompt were written. */
  unitsSinceRepeat: number;
}

export function createTranscript(options: TranscriptOptions): Transcript {
  const { from, file } = options;
  const state: State = {
    options,
    backlog: createBacklog(file),
    end: from?.end ?? null,
    leaf: from?.leaf ?? null,
    anchor: from?.leaf ?? null,
    title: from?.title,
    lastPrompt: from?.lastPrompt,
    promptId: undefined,
    origin: from?.origin,
    usage: from?.usage ?? {},
    standing: from?.standing ?? {},
    callLines: new Map(from?.calls),
    unitsSinceRepeat: 0,
  };
  return {
    path: file.path,
    get saving() {
      return state.backlog.state;
    },
    get position() {
      return state.leaf === null || state.end === null ? null : { leaf: state.leaf, end: state.end };
    },
    prompt: (record) => prompt(state, record),
    assistant: (record) => assistant(state, record),
    result: (record) => result(state, record),
    note: (record) => note(state, record),
    interrupted: (during) => {
      const text = during === 'tools' ? INTERRUPTED_TOOLS : INTERRUPTED;
      return append(state, message(state, 'user', interruptedFields(text)), false);
    },
    outcome: (record, lastPrompt) => outcome(state, record, lastPrompt),
    title: (title) => {
      state.title = title;
      return append(state, titleLine(options.sessionId, title), false);
    },
    rewind: (to) => rewind(state, to),
    boundary: (record) => boundary(state, record),
    shortened: (results) => append(state, replacementLine(options.sessionId, results), true),
    retry: () => state.backlog.retry(),
    continueUnsaved: () => state.backlog.continueUnsaved(),
    close: () => state.backlog.close(),
  };
}

/** A line under the last one. The chain grows here and nowhere else. */
function chained(
  state: State,
  type: string,
  fields: Json,
  parent: string | null = state.end,
  uuid: string = state.options.newId(),
): { readonly text: string; readonly uuid: string } {
  const { place, sessionId, agentId, clock } = state.options;
  const base = { uuid, parent, sessionId, ...place(), at: clock.now() };
  const text = chainedLine(agentId === undefined ? base : { ...base, agentId }, type, fields);
  state.end = uuid;
  return { text, uuid };
}

function message(
  state: State,
  type: 'user' | 'assistant',
  fields: Json,
  parent?: string | null,
  id?: string,
): string {
  const { text, uuid } = chained(state, type, fields, parent, id);
  state.leaf = uuid;
  return text;
}

async function append(state: State, lines: string, sync: boolean): Promise<void> {
  state.unitsSinceRepeat += lines.length;
  const repeats = state.unitsSinceRepeat > REPEAT_AFTER ? repeated(state) : '';
  await state.backlog.append(lines + repeats, sync);
}

/** A subagent's file has no title and no last prompt. */
function repeated(state: State): string {
  const { sessionId, agentId } = state.options;
  state.unitsSinceRepeat = 0;
  if (agentId !== undefined) return '';
  const title = state.title ? titleLine(sessionId, state.title) : '';
  return title + lastPromptLine(sessionId, state.lastPrompt, state.anchor);
}

async function prompt(state: State, record: PromptRecord): Promise<string | undefined> {
  state.promptId = record.promptId;
  state.standing = standingAfter(state.standing, { type: 'prompt', mode: record.mode });
  const said = record.content.find((block) => block.type === 'text');
  if (said) state.lastPrompt = said.text;
  const text = message(state, 'user', promptFields(record));
  const line = state.leaf;
  state.anchor = line;
  await append(state, text, true);
  return line ?? undefined;
}

async function assistant(state: State, record: AssistantRecord): Promise<string | undefined> {
  state.origin = record.origin;
  state.usage = plusUsage(state.usage, record.usage);
  state.standing = standingAfter(state.standing, { type: 'answer', blocks: record.blocks });
  // Readers tell responses apart by both ids; a server that gives none, or always the same, must not make them one.
  const requestId = record.requestId ?? `req_${state.options.newId()}`;
  const notes = nativeNotes(record, requestId).map(
    (attachment) => chained(state, 'attachment', { attachment }).text,
  );
  const lines = assistantParts(record, requestId).map((part, nth) => {
    const text = message(state, 'assistant', part.fields);
    if (nth === 0) state.anchor = state.leaf;
    if (part.callId !== undefined && state.end !== null) state.callLines.set(part.callId, state.end);
    return text;
  });
  const first = state.anchor;
  await append(state, [...notes, ...lines].join(''), false);
  return first ?? undefined;
}

function result(state: State, record: ResultRecord): Promise<void> {
  const line = state.callLines.get(record.callId);
  state.callLines.delete(record.callId);
  const fields = resultFields(record, line, state.promptId);
  return append(state, message(state, 'user', fields, line ?? state.end), false);
}

function note(state: State, record: NoteRecord): Promise<void> {
  if (record.type === 'route') state.origin = record.origin;
  state.standing = standingAfter(state.standing, record);
  const { text } = chained(state, 'attachment', noteFields(record, state.origin));
  return append(state, text, record.type === 'call_started');
}

function outcome(state: State, record: Outcome, lastPrompt: string): Promise<void> {
  if (lastPrompt !== '') state.lastPrompt = lastPrompt;
  state.standing = standingAfter(state.standing, { type: 'outcome' });
  const { text } = chained(state, 'attachment', outcomeFields(record));
  // Whatever the loop left open is not answered later: the calls of a turn end with it.
  state.callLines.clear();
  const { sessionId, agentId } = state.options;
  state.anchor = state.leaf;
  const last = agentId === undefined ? lastPromptLine(sessionId, state.lastPrompt, state.leaf) : '';
  return append(state, text + last, true);
}

function rewind(state: State, to: Position | null): Promise<void> {
  state.end = to?.end ?? null;
  state.leaf = to?.leaf ?? null;
  state.anchor = state.leaf;
  state.callLines.clear();
  return append(state, rewindLine(state.options.sessionId, state.leaf), true);
}

async function boundary(
  state: State,
  record: BoundaryRecord,
): Promise<{ readonly undo: () => Promise<void> }> {
  const { leaf, end, anchor } = state;
  const line = boundaryLines(state, record);
  await append(state, line, true);
  const written = state.end;
  return {
    async undo() {
      if (state.end !== written) throw new Error('The conversation has gone on since it was compacted.');
      if (leaf === null || end === null) return rewind(state, null);
      await rewind(state, { leaf, end });
      state.anchor = anchor;
    },
  };
}

/** All in one write: whoever reads a file that was cut in it finds no boundary, or a whole one. */
function boundaryLines(state: State, record: BoundaryRecord): string {
  const { newId } = state.options;
  const tail = state.end;
  const summaryId = newId();
  const kept =
    record.keepFrom === undefined || tail === null
      ? {}
      : { preservedSegment: { headUuid: record.keepFrom, anchorUuid: summaryId, tailUuid: tail } };
  const fields = {
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    isMeta: false,
    level: 'info',
    ...(state.end === null ? {} : { logicalParentUuid: state.end }),
    compactMetadata: {
      trigger: record.trigger,
      ...(record.preTokens === undefined ? {} : { preTokens: record.preTokens }),
      ...(record.postTokens === undefined ? {} : { postTokens: record.postTokens }),
      ...(record.durationMs === undefined ? {} : { durationMs: record.durationMs }),
      ...kept,
    },
    // Who opens the file from here on need not count what stands above.
    sluice: { usage: usageToWire(state.usage), standing: state.standing },
  };
  const line = chained(state, 'system', fields, null).text;
  const summary = message(
    state,
    'user',
    {
      message: { role: 'user', content: record.summary },
      isCompactSummary: true,
      isVisibleInTranscriptOnly: true,
    },
    state.end,
    summaryId,
  );
  state.anchor = state.leaf;
  const notes = (record.notes ?? []).map(
    (note) => chained(state, 'attachment', noteFields({ type: 'injected', ...note }, state.origin)).text,
  );
  // The boundary is a root: without this readers would go on with what it cut off.
  const pin = lastPromptLine(state.options.sessionId, state.lastPrompt, state.leaf);
  return [line, summary, ...notes, pin].join('');
}
