/**
 * Opens a session file: folds its lines to the conversation that the process which wrote it had in memory. It never throws because of what
 * a file holds and never writes; whatever it could not use is named in `skipped`.
 */
import type { PermissionMode, Usage } from '../../protocol/vocabulary';
import type { Outcome } from '../../agent/outcome';
import type { ResultRecord, SeenText } from '../../agent/recorder';
import type { Message, Origin, ToolUseBlock } from '../../models/message';
import type { SessionFiles } from '../../ports';
import { displayItems, type DisplayItem } from '../display';
import { plusUsage, usageCounter, usageFromWire } from '../format/usage';
import { graphOf, isMessage, pathOf, type Graph, type Path } from './graph';
import { groupsOf, type Groups } from './groups';
import { objectAt, textAt, timeAt, type Json } from '../format/json';
import { isRecord, linesOf, parseLine, readLines, type RawLine, type Skipped } from './lines';
import { userLineOf } from './line-kind';
import { buildMessages, neededFor, type OpenCall } from './messages';
import { factsOf, titleOf, type SessionTitle, type Todo } from './facts';
import { cursorAbove, lastPage, reachable, type PageCursor } from './pages';
import { withSideNotes } from './side-notes';
import { suffixOf } from './suffix';
import { addLine, isOwn, scanner, type Entry, type Scan } from './scan';

/** Up to this size the bodies of all lines stay in memory; larger files are read twice, the second time only what is needed. */
const KEEP_WHOLE = 32 << 20;
const RECENT_LINES = 2000;
/** Of a file larger than this only the end is read, if that is enough. */
const SUFFIX_FROM = 4 << 20;
/** What is read of it first. */
const LOOK = 1 << 18;

export interface FoldOptions {
  /** Uuid of the line to go on from, instead of the one that the file says. */
  readonly leaf?: string;
  /** How many lines, from the end, become display items. Default 2000. */
  readonly displayLines?: number;
  /** Files up to this many bytes stay in memory whole while they are folded. Default 32 MB. */
  readonly keepUpTo?: number;
  /** Where the index of lines is kept; absent: the whole file is read. */
  readonly sidecar?: string;
  /** Files larger than this are read from their end, if that is enough. Default 4 MB. */
  readonly suffixFrom?: number;
}

/** A message, and the line to which the next one is added. */
export interface Position {
  readonly leaf: string;
  readonly end: string;
}

export interface ResumedSession {
  /** Legal as they are: every call has a result. Empty when the file holds no conversation. */
  readonly messages: readonly Message[];
  /** The lines that prompts and answers of `messages` begin with, as far as a compaction may keep them. */
  readonly lines: ReadonlyMap<Message, string>;
  /** Calls without a result in the file, in order. Their results in `messages` are not yet in the file. */
  readonly open: readonly OpenCall[];
  /** The newest items; what stands before them is read from `earlier` on. */
  readonly items: readonly DisplayItem[];
  readonly earlier?: PageCursor;
  readonly skipped: readonly Skipped[];
  /** The last message, for `last-prompt`; and the last line, the parent of the next one. */
  readonly leaf: string | null;
  readonly end: string | null;
  readonly mode?: PermissionMode;
  /** What limits the turn that has not ended. */
  readonly limits?: { readonly label: string; readonly tools: readonly string[] };
  readonly route?: { readonly origin: Origin; readonly title: string };
  readonly title?: SessionTitle;
  readonly lastPrompt?: string;
  readonly cwd?: string;
  readonly gitBranch?: string;
  /** Of the whole file, all branches: it was paid for. */
  readonly usage: Usage;
  /** Of the last model message on the path: what the context held. */
  readonly lastUsage?: Usage;
  readonly todos: readonly Todo[];
  /** What the model has seen of files, by our own records. */
  readonly seen: readonly SeenText[];
  readonly boundaries: readonly { readonly uuid: string; readonly at: number; readonly trigger: string }[];
  readonly outcomes: readonly Outcome[];
  /** For each shown prompt, where to go on from to ask it anew; null = from the very start. */
  readonly rewindPoints: readonly { readonly prompt: string; readonly to: Position | null }[];
  /** A turn of ours has begun and not ended: the process died in it. */
  readonly unfinished: boolean;
  /** Written, up to its last message, by another program. */
  readonly foreign: boolean;
  readonly bytes: number;
  readonly endsWithNewline: boolean;
  readonly wholeLines: number;
}

export async function foldFile(
  files: SessionFiles,
  path: string,
  options: FoldOptions = {},
): Promise<ResumedSession> {
  const size = (await files.stat(path))?.size ?? 0;
  const suffix = await suffixFor(files, path, size, options);
  if (suffix !== undefined) return suffix;
  const keep = size <= (options.keepUpTo ?? KEEP_WHOLE);
  const scan = scanner();
  let last: RawLine | undefined;
  for await (const lines of readLines(files, path, size)) {
    for (const line of lines) addLine(scan, line, keep);
    last = lines.at(-1) ?? last;
  }
  const done = scan.done();
  const plan = planOf(done, options);
  const loaded = keep ? new Map<Entry, Json>() : await loadBodies(files, path, plan);
  const ended = last === undefined || last.offset + last.bytes.length < size;
  return assemble(done, plan, (entry) => entry.record ?? loaded.get(entry), {
    bytes: size,
    endsWithNewline: ended,
  });
}

async function suffixFor(
  files: SessionFiles,
  path: string,
  size: number,
  options: FoldOptions,
): Promise<ResumedSession | undefined> {
  const { sidecar, suffixFrom = SUFFIX_FROM } = options;
  // Another place to go on from than the file says can be anywhere.
  if (sidecar === undefined || options.leaf !== undefined || size <= suffixFrom) return undefined;
  const scan = await suffixOf(files, path, size, sidecar, Math.min(suffixFrom, LOOK));
  if (scan === undefined) return undefined;
  const last = await files.read(path, size - 1, size);
  const file = { bytes: size, endsWithNewline: last[0] === 0x0a, cut: true };
  const opening = titleOf(scan, undefined) === undefined ? await openingOf(files, path) : undefined;
  return assemble(scan, planOf(scan, options, true), (entry) => entry.record, file, opening);
}

const OPENING = 65_536;

/** The first prompt and the title of a session, where its end does not tell them. */
async function openingOf(files: SessionFiles, path: string): Promise<Scan> {
  const scan = scanner();
  const bytes = await files.read(path, 0, OPENING);
  for (const line of linesOf(bytes).slice(0, -1)) addLine(scan, line, true);
  return scan.done();
}

/** The same for records that are in memory, as a pure function. */
export function foldRecords(records: readonly Json[], options: FoldOptions = {}): ResumedSession {
  const scan = scanner();
  records.forEach((record, index) => {
    if (isRecord(record)) scan.add(record, { line: index + 1, offset: 0, bytes: 0, partial: false }, true);
  });
  return foldScan(scan.done(), options, { bytes: 0, endsWithNewline: true });
}

/** The same for the bytes of a whole file. */
export function foldBytes(bytes: Uint8Array, options: FoldOptions = {}): ResumedSession {
  const scan = scanner();
  for (const line of linesOf(bytes)) addLine(scan, line, true);
  const endsWithNewline = bytes.length === 0 || bytes[bytes.length - 1] === 0x0a;
  return foldScan(scan.done(), options, { bytes: bytes.length, endsWithNewline });
}

function foldScan(scan: Scan, options: FoldOptions, file: FileFacts): ResumedSession {
  return assemble(scan, planOf(scan, options), (entry) => entry.record, file);
}

interface FileFacts {
  readonly bytes: number;
  readonly endsWithNewline: boolean;
  /** Only the end was read. */
  readonly cut?: boolean;
}

interface Plan {
  readonly graph: Graph;
  readonly groups: Groups;
  readonly path: Path;
  readonly shown: readonly Entry[];
  /** What is known of the session as a whole is told by these. */
  readonly recent: readonly Entry[];
  readonly earlier: PageCursor | undefined;
  readonly needed: ReadonlySet<Entry>;
}

function planOf(scan: Scan, options: FoldOptions, cut = false): Plan {
  const graph = graphOf(scan);
  const groups = groupsOf(graph);
  const path = pathOf(scan, graph, options.leaf);
  const whole = cut ? reachable(path.shown, graph) : path.shown;
  const shown = lastPage(whole, options.displayLines ?? RECENT_LINES);
  const recent = whole.slice(-RECENT_LINES);
  const visible = neededFor([...recent, ...shown], groups);
  const needed = new Set([...neededFor(path.context, groups), ...visible, ...notesOf(scan)]);
  const earlier = cursorAbove(shown[0], cut || shown.length < whole.length);
  return { graph, groups, path, shown, recent, earlier, needed };
}

/** Notes beside the path can belong to it; they are few and small. */
function notesOf(scan: Scan): readonly Entry[] {
  return scan.entries.filter((entry) => /^(?:sluice_|queued_command$)/.test(entry.subtype ?? ''));
}

/** Reads lines again by their places, neighbours in one read. */
async function loadBodies(files: SessionFiles, path: string, plan: Plan): Promise<Map<Entry, Json>> {
  const bodies = new Map<Entry, Json>();
  const wanted = [...plan.needed]
    .filter((entry) => !entry.record)
    .sort((a, b) => a.place.offset - b.place.offset);
  for (let from = 0; from < wanted.length;) {
    const start = wanted[from]?.place.offset ?? 0;
    let to = from;
    let end = start;
    for (
      let next = wanted[to];
      next && next.place.offset - end < 65_536 && end - start < 1 << 20;
      next = wanted[to]
    ) {
      end = next.place.offset + next.place.bytes;
      to += 1;
    }
    const bytes = await files.read(path, start, end);
    for (const entry of wanted.slice(from, to)) {
      const { offset, bytes: length, line } = entry.place;
      const slice = bytes.subarray(offset - start, offset - start + length);
      const [record] = parseLine({ line, offset, bytes: slice }).records;
      if (record) bodies.set(entry, record);
    }
    from = to;
  }
  return bodies;
}

const NOTHING: Json = {};

function assemble(
  scan: Scan,
  plan: Plan,
  body: (entry: Entry) => Json | undefined,
  file: FileFacts,
  opening?: Scan,
): ResumedSession {
  const { graph, groups, path } = plan;
  const record = (entry: Entry): Json => body(entry) ?? NOTHING;
  const built = buildMessages(path, { graph, groups, replacements: scan.replacements, record });
  // Results of parallel calls hang off the path, all but the one that was written last.
  const inContext = neededFor(path.context, groups);
  const loaded = [...new Set([...plan.recent, ...inContext])].sort((a, b) => a.index - b.index).map(record);
  const facts = factsOf(loaded);
  const title = opening ? titleAtStart(opening) : titleOf(scan, facts.firstPrompt);
  const lastPrompt = scan.loose.lastPrompt ?? facts.lastPrompt;
  const { cut = false, ...about } = file;
  return {
    messages: built.messages,
    lines: built.lines,
    open: built.open,
    items: displayItems(plan.shown, { groups, record: body }),
    ...(plan.earlier ? { earlier: plan.earlier } : {}),
    skipped: [...scan.skipped, ...built.skipped].sort((a, b) => a.offset - b.offset),
    leaf: path.leaf?.uuid ?? null,
    end: path.end?.uuid ?? null,
    ...(title ? { title } : {}),
    ...(lastPrompt === undefined ? {} : { lastPrompt }),
    ...facts.optional,
    usage: cut ? usageSince(scan, path.boundary) : scan.usage.total(),
    todos: facts.todos,
    seen: facts.seen,
    boundaries: boundariesOf(path.shown, record),
    outcomes: facts.outcomes,
    rewindPoints: rewindPointsOf(path.shown, body),
    unfinished: facts.unfinished,
    foreign: path.leaf !== undefined && !isOwn(record(path.leaf)),
    wholeLines: scan.wholeLines,
    ...about,
  };
}

function titleAtStart(opening: Scan): SessionTitle | undefined {
  return titleOf(
    opening,
    factsOf(opening.entries.flatMap(({ record }) => (record === undefined ? [] : [record]))).firstPrompt,
  );
}

/** What was used up to a boundary of ours stands in it. Another program's file is counted from where it was read. */
function usageSince(scan: Scan, boundary: Entry | undefined): Usage {
  const saved = usageFromWire(objectAt(objectAt(boundary?.record, 'sluice'), 'usage'));
  if (saved === undefined || boundary === undefined) return scan.usage.total();
  const later = usageCounter();
  for (const entry of scan.entries) if (entry.index > boundary.index && entry.record) later.add(entry.record);
  return plusUsage(saved, later.total());
}

function rewindPointsOf(
  entries: readonly Entry[],
  body: (entry: Entry) => Json | undefined,
): ResumedSession['rewindPoints'] {
  const points: { readonly prompt: string; readonly to: Position | null }[] = [];
  let before: Entry | undefined;
  let message: Entry | undefined;
  for (const entry of entries) {
    const record = entry.speaks ? body(entry) : undefined;
    if (record && userLineOf(record).type === 'prompt')
      points.push({
        prompt: entry.uuid,
        to: before && message ? { leaf: message.uuid, end: before.uuid } : null,
      });
    before = entry;
    if (isMessage(entry)) message = entry;
  }
  return points;
}

function boundariesOf(
  entries: readonly Entry[],
  record: (entry: Entry) => Json,
): ResumedSession['boundaries'] {
  return entries
    .filter((entry) => entry.subtype === 'compact_boundary')
    .map((entry) => ({
      uuid: entry.uuid,
      at: timeAt(record(entry), 'timestamp') ?? 0,
      trigger: textAt(objectAt(record(entry), 'compactMetadata'), 'trigger') ?? 'unknown',
    }));
}

export interface PathRecords {
  /** All lines of the conversation in file order: the path, with the blocks and results that hang off it. */
  readonly records: readonly Json[];
  readonly leaf: string | null;
  readonly title?: SessionTitle;
  readonly lastPrompt?: string;
}

/** Notes that are found by the ids of a message or call, wherever they stand. */
const OF_A_MESSAGE = /^sluice_(?:block|native|call_started)$/;

/** The lines themselves, for a copy. */
export async function readPath(
  files: SessionFiles,
  path: string,
  options: FoldOptions = {},
): Promise<PathRecords> {
  const size = (await files.stat(path))?.size ?? 0;
  const scan = scanner();
  for await (const lines of readLines(files, path, size)) {
    for (const line of lines) addLine(scan, line, true);
  }
  const done = scan.done();
  const { graph, groups, path: chosen } = planOf(done, options);
  const whole = chosen.shown;
  const ofMessages = done.entries.filter((entry) => OF_A_MESSAGE.test(entry.subtype ?? ''));
  const parts = new Set([...neededFor(whole, groups), ...withSideNotes(whole, graph, groups), ...ofMessages]);
  const records = [...parts]
    .sort((a, b) => a.index - b.index)
    .flatMap((entry) => {
      const parent = graph.entries[graph.parents[entry.index] ?? -1];
      const parentUuid = parent && parts.has(parent) ? parent.uuid : null;
      return entry.record ? [{ ...entry.record, uuid: entry.uuid, parentUuid }] : [];
    });
  const facts = factsOf(records);
  const title = titleOf(done, facts.firstPrompt);
  const lastPrompt = options.leaf === undefined ? done.loose.lastPrompt : facts.lastPrompt;
  return {
    records,
    leaf: chosen.leaf?.uuid ?? null,
    ...(title ? { title } : {}),
    ...(lastPrompt === undefined ? {} : { lastPrompt }),
  };
}

/** How the turn loop takes up an own session that died while calls had not begun: they are judged and asked about again. */
export interface PendingStep {
  /** Without results for `calls`. */
  readonly messages: readonly Message[];
  readonly calls: readonly ToolUseBlock[];
}

export function pendingStepOf(session: ResumedSession): PendingStep | undefined {
  const waiting = session.open.filter((open) => open.last && open.fate === 'never_ran');
  if (waiting.length === 0) return undefined;
  const ids = new Set(waiting.map((open) => open.call.id));
  const messages = session.messages.flatMap((message): Message[] => {
    if (message.role === 'assistant') return [message];
    const content = message.content.filter((block) => block.type !== 'tool_result' || !ids.has(block.callId));
    if (content.length === message.content.length) return [message];
    return content.length === 0 ? [] : [{ role: 'user', content }];
  });
  return { messages, calls: waiting.map((open) => open.call) };
}

/** The result that an open call gets, to be written before anything else is. */
export function closingRecord(open: OpenCall): ResultRecord {
  return {
    callId: open.diskId,
    tool: open.call.name,
    content: [{ type: 'text', text: open.text }],
    isError: true,
    end: open.fate === 'never_ran' ? 'cancelled' : 'unknown',
    cause: 'host_restarted',
  };
}
