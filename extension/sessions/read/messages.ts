/**
 * From the chosen lines to the messages of the next request: exactly those that the live conversation held, one message for each record,
 * and legal whatever the file lacks. Calls stay, with an honest result where none was written.
 */
import type {
  AssistantBlock,
  AssistantMessage,
  Message,
  Origin,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
} from '../../models/message';
import { assistantBlockFromDisk, blocksOf, callFromDisk, contentFromDisk } from '../format/blocks';
import { injectedContent } from './injected';
import type { Graph, Path } from './graph';
import type { Groups } from './groups';
import { isObject, listAt, numberAt, objectAt, textAt, type Json } from '../format/json';
import type { Skipped } from './lines';
import { isOwn, type Entry } from './scan';
import { withSideNotes } from './side-notes';
import {
  BEGINNING_LOST,
  FATE_UNKNOWN,
  MESSAGE_LOST,
  NEVER_RAN,
  NO_CONTENT,
  NO_OUTPUT,
  NO_RESULT,
  resultOfUnknownCall,
} from '../format/words';

export interface OpenCall {
  readonly call: ToolUseBlock;
  /** Its id in the file; another one than the call's where the file uses an id twice. */
  readonly diskId: string;
  /** `never_ran`: ours, and nothing says that it began. */
  readonly fate: 'never_ran' | 'unknown';
  /** What the model is told. */
  readonly text: string;
  /** Uuid of the line that holds the call, if one does. */
  readonly line?: string;
  /** True when nothing follows the step that asked for it. */
  readonly last: boolean;
  /** Set when the call began before its response had ended: then no line holds the call itself. */
  readonly unwritten?: Origin;
}

export interface BuiltMessages {
  readonly messages: readonly Message[];
  readonly open: readonly OpenCall[];
  readonly skipped: readonly Skipped[];
  /** Of prompts and answers behind the last boundary: the line they begin with. A later compaction can keep what begins there. */
  readonly lines: ReadonlyMap<Message, string>;
}

export interface Sources {
  readonly graph: Graph;
  readonly groups: Groups;
  readonly replacements: ReadonlyMap<string, string>;
  record(entry: Entry): Json;
}

interface Builder extends Sources {
  readonly messages: Message[];
  readonly open: OpenCall[];
  readonly skipped: Skipped[];
  readonly lines: Map<Message, string>;
  /** Position in the file of the last boundary; -1 = there is none. */
  readonly boundary: number;
  /** Ids that calls of this conversation have. */
  readonly ids: Set<string>;
  /** Calls whose start is on disk. */
  readonly started: ReadonlySet<string>;
  /** Calls that have a line of their own. */
  readonly written: ReadonlySet<string>;
  /** Provider-only data of a message, by message and request id. */
  readonly natives: ReadonlyMap<string, NativeParts>;
  readonly emitted: Set<Entry>;
  origin: Origin;
  /** Why the last answer ended, in the file's word. */
  lastStop: string | undefined;
}

interface NativeParts {
  readonly blocks: { readonly index: number; readonly block: Json }[];
  message?: Json;
}

const UNKNOWN_ORIGIN: Origin = { transport: 'unknown', baseUrl: '', model: 'unknown' };

export function buildMessages(path: Path, sources: Sources): BuiltMessages {
  const visited = withSideNotes(path.context, sources.graph, sources.groups);
  const builder: Builder = {
    ...sources,
    messages: [],
    open: [],
    skipped: [],
    lines: new Map(),
    boundary: path.boundary?.index ?? -1,
    ids: new Set(),
    started: new Set(
      sources.graph.entries.flatMap((entry) =>
        entry.subtype === 'sluice_call_started' ? startedId(entry) : [],
      ),
    ),
    written: new Set(sources.graph.entries.flatMap((entry) => entry.uses.map((use) => use.id))),
    natives: nativesOf(sources),
    emitted: new Set(),
    origin: UNKNOWN_ORIGIN,
    lastStop: undefined,
  };
  for (const entry of visited) visit(builder, entry);
  if (builder.messages[0]?.role === 'assistant')
    builder.messages.unshift({ role: 'user', content: [{ type: 'text', text: BEGINNING_LOST }] });
  const lastAssistant = builder.messages.findLast((message) => message.role === 'assistant');
  const after = builder.messages.slice(builder.messages.findLastIndex((m) => m.role === 'assistant') + 1);
  const followed = after.some((message) => message.content.some((block) => block.type !== 'tool_result'));
  const lastIds = new Set(
    followed ? [] : lastAssistant?.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
  );
  return {
    messages: builder.messages,
    open: builder.open.map((call) => ({ ...call, last: lastIds.has(call.call.id) })),
    skipped: builder.skipped,
    lines: builder.lines,
  };
}

/** What must be read from disk for {@link buildMessages}. */
export function neededFor(entries: readonly Entry[], groups: Groups): ReadonlySet<Entry> {
  const needed = new Set<Entry>(entries);
  for (const entry of entries) {
    if (entry.kind !== 'assistant') continue;
    for (const member of groups.membersOf(entry)) {
      needed.add(member);
      member.uses.forEach((_, nth) => {
        const result = groups.resultOf(member, nth);
        if (result) needed.add(result);
      });
    }
  }
  return needed;
}

function startedId(entry: Entry): string[] {
  const id = textAt(objectAt(entry.record, 'attachment'), 'callId');
  return id === undefined ? [] : [id];
}

/** By ids, wherever they stand: results take the path away from them. */
function nativesOf(sources: Sources): ReadonlyMap<string, NativeParts> {
  const natives = new Map<string, NativeParts>();
  for (const entry of sources.graph.entries) {
    if (entry.subtype !== 'sluice_block' && entry.subtype !== 'sluice_native') continue;
    const attachment = objectAt(sources.record(entry), 'attachment');
    const key = messageKey(textAt(attachment, 'messageId'), textAt(attachment, 'requestId'));
    const parts = natives.get(key) ?? { blocks: [] };
    natives.set(key, parts);
    const data = objectAt(attachment, 'data') ?? {};
    if (entry.subtype === 'sluice_native') parts.message = data;
    else parts.blocks.push({ index: numberAt(attachment, 'index') ?? 0, block: data });
  }
  return natives;
}

function messageKey(messageId: string | undefined, requestId: string | undefined): string {
  return `${messageId ?? ''}|${requestId ?? ''}`;
}

function visit(builder: Builder, entry: Entry): void {
  const record = builder.record(entry);
  switch (entry.kind) {
    case 'assistant':
      visitAssistant(builder, entry);
      break;
    case 'user':
      visitUser(builder, entry, record);
      break;
    case 'attachment':
    case 'system': {
      if (entry.subtype === 'sluice_call_started') visitEarlyStart(builder, record);
      const content = injectedContent(record, (what) => builder.skipped.push(unusable(entry, what)));
      if (content.length > 0) builder.messages.push({ role: 'user', content });
      break;
    }
    case 'other':
      break;
  }
}

function unusable(entry: Entry, what: string): Skipped {
  return {
    line: entry.place.line,
    offset: entry.place.offset,
    bytes: entry.place.bytes,
    reason: 'unusable',
    saved: 0,
    what,
  };
}

function visitUser(builder: Builder, entry: Entry, record: Json): void {
  const content: UserBlock[] = [];
  let nth = 0;
  const blocks = blocksOf(record);
  for (const block of blocks) {
    if (isObject(block) && block['type'] === 'tool_result') {
      if (!builder.groups.isTaken(entry, nth)) content.push(...strayResult(builder, entry, block));
      nth += 1;
    } else {
      content.push(...contentFromDisk([block], (what) => builder.skipped.push(unusable(entry, what))));
    }
  }
  const said = content.filter((block) => block.type !== 'text' || block.text !== '');
  if (said.length > 0) {
    const message: Message = { role: 'user', content: said };
    builder.messages.push(message);
    if (entry.index > builder.boundary && isOwn(record)) builder.lines.set(message, entry.uuid);
  } else if (nth === 0)
    builder.messages.push({ role: 'user', content: [{ type: 'text', text: NO_CONTENT }] });
}

/** No request may hold a result without its call, but its content is not lost. A second result for a call adds nothing. */
function strayResult(builder: Builder, entry: Entry, block: Json): readonly UserBlock[] {
  const id = textAt(block, 'tool_use_id') ?? '';
  if (builder.written.has(id)) {
    builder.skipped.push(unusable(entry, `a second result for call ${id}`));
    return [];
  }
  builder.skipped.push(unusable(entry, `a result for call ${id}, which is not in the file; kept as text`));
  return [
    { type: 'text', text: resultOfUnknownCall(id) },
    ...contentFromDisk(block['content'], (what) => builder.skipped.push(unusable(entry, what))),
  ];
}

function visitAssistant(builder: Builder, entry: Entry): void {
  if (builder.emitted.has(entry)) return;
  const members = builder.groups.membersOf(entry);
  const first = members[0] ?? entry;
  for (const member of members) builder.emitted.add(member);
  if (builder.record(first)['isApiErrorMessage'] === true) return;
  const calls: { readonly call: ToolUseBlock; readonly member: Entry; readonly nth: number }[] = [];
  const parts = members.flatMap((member) => {
    const index = numberAt(builder.record(member), 'apiBlockIndex') ?? 0;
    return memberBlocks(builder, member, calls).map((block) => ({ index, block }));
  });
  const natives = builder.natives.get(messageKey(first.messageId, first.requestId));
  if (natives) {
    parts.push(
      ...natives.blocks.map(({ index, block }) => ({
        index,
        block: { type: 'native' as const, data: block },
      })),
    );
    parts.sort((a, b) => a.index - b.index);
  }
  const content = parts.map((part) => part.block);
  if (content.length === 0) {
    if (!isEmptyOnDisk(builder, members)) return;
    content.push({ type: 'text', text: NO_CONTENT });
  }
  builder.origin = originOf(builder.record(first), builder.origin);
  pushAnswer(builder, first, {
    role: 'assistant',
    content,
    origin: builder.origin,
    ...(natives?.message ? { native: natives.message } : {}),
  });
  answerCalls(builder, calls);
}

/** Two answers in a row come from files that lack a line, or the ids that group lines. Only a server that paused goes on by itself. */
function pushAnswer(builder: Builder, first: Entry, message: AssistantMessage): void {
  const record = builder.record(first);
  const before = builder.messages.at(-1);
  if (before?.role === 'assistant' && builder.lastStop !== 'pause_turn') {
    if (isOwn(record))
      builder.messages.push({ role: 'user', content: [{ type: 'text', text: MESSAGE_LOST }] });
    else {
      builder.messages[builder.messages.length - 1] = {
        ...before,
        content: [...before.content, ...message.content],
      };
      return;
    }
  }
  builder.lastStop = textAt(objectAt(record, 'message'), 'stop_reason');
  builder.messages.push(message);
  if (first.index > builder.boundary && isOwn(record)) builder.lines.set(message, first.uuid);
}

/** Empty because the file says so, not because what it held cannot be sent. */
function isEmptyOnDisk(builder: Builder, members: readonly Entry[]): boolean {
  return members.every((member) => blocksOf(builder.record(member)).length === 0);
}

function memberBlocks(
  builder: Builder,
  member: Entry,
  calls: { readonly call: ToolUseBlock; readonly member: Entry; readonly nth: number }[],
): AssistantBlock[] {
  const record = builder.record(member);
  const extras = objectAt(record, 'sluice');
  if (extras?.['placeholder'] === true) return [];
  let nth = 0;
  return blocksOf(record).flatMap((block): AssistantBlock[] => {
    if (typeof block === 'string') return block === '' ? [] : [{ type: 'text', text: block }];
    if (!isObject(block)) return [];
    if (block['type'] === 'tool_use') {
      const call = callFromDisk(renamed(block), objectAt(extras, 'call'), newCallId(builder, block));
      calls.push({ call, member, nth });
      nth += 1;
      return [call];
    }
    const kept = assistantBlockFromDisk(block);
    if (!kept) builder.skipped.push(unusable(member, `a block of type "${textAt(block, 'type') ?? ''}"`));
    const worthless =
      !kept ||
      (kept.type === 'text' && kept.text === '') ||
      (kept.type === 'thinking' && !isOwn(record) && !kept.signature);
    return worthless ? [] : [kept];
  });
}

const RENAMED: Readonly<Record<string, string>> = { Task: 'Agent' };

/** A tool under its present name; and no name that a server would refuse. */
function renamed(block: Json): Json {
  const name = textAt(block, 'name') ?? '';
  const legal = (RENAMED[name] ?? name).replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unknown';
  return legal === name ? block : { ...block, name: legal };
}

/** The id on disk where it is usable and new in this conversation, else one made from it: the same at each reading. */
function newCallId(builder: Builder, block: Json): string {
  const onDisk = (textAt(block, 'id') ?? '').replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 56) || 'toolu_unnamed';
  let id = onDisk;
  for (let again = 2; builder.ids.has(id); again++) id = `${onDisk}_${again}`;
  builder.ids.add(id);
  return id;
}

/** Our lines name their route. Another program's reasoning is bound to that program's prompt, so its origin never equals a route. */
function originOf(record: Json, before: Origin): Origin {
  const own = objectAt(objectAt(record, 'sluice'), 'origin');
  const model = textAt(objectAt(record, 'message'), 'model') ?? before.model;
  if (own) return { transport: textAt(own, 'transport') ?? '', baseUrl: textAt(own, 'baseUrl') ?? '', model };
  return { transport: 'anthropic-messages', baseUrl: '', model };
}

/** All results of a step in one message, in the order in which the calls were received. */
function answerCalls(
  builder: Builder,
  calls: readonly { readonly call: ToolUseBlock; readonly member: Entry; readonly nth: number }[],
): void {
  if (calls.length === 0) return;
  const content = calls.map(({ call, member, nth }): ToolResultBlock => {
    const line = builder.groups.resultOf(member, nth);
    const use = member.uses[nth];
    const block = line && use ? resultBlock(builder.record(line), use.id) : undefined;
    if (line && block) return resultFromDisk(builder, line, call.id, block);
    return answerOpenCall(builder, call, {
      own: isOwn(builder.record(member)),
      line: member.uuid,
      diskId: use?.id ?? call.id,
    });
  });
  builder.messages.push({ role: 'user', content });
}

function resultBlock(record: Json, id: string): Json | undefined {
  return listAt(objectAt(record, 'message'), 'content')
    .filter(isObject)
    .find((block) => block['type'] === 'tool_result' && (textAt(block, 'tool_use_id') ?? '') === id);
}

function resultFromDisk(builder: Builder, line: Entry, callId: string, block: Json): ToolResultBlock {
  const replacement = builder.replacements.get(textAt(block, 'tool_use_id') ?? '');
  const content = contentFromDisk(replacement ?? block['content'], (what) =>
    builder.skipped.push(unusable(line, what)),
  );
  const said = content.filter((part) => part.type !== 'text' || part.text !== '');
  const filled: typeof said = said.length > 0 ? said : [{ type: 'text', text: NO_OUTPUT }];
  return {
    type: 'tool_result',
    callId,
    // Ours comes back as it was, so that the request stays the same to the byte.
    content: isOwn(builder.record(line)) ? content : filled,
    isError: block['is_error'] === true,
  };
}

interface CallLine {
  /** Written by us: then it is known whether the call began. */
  readonly own: boolean;
  readonly line?: string;
  readonly diskId: string;
  readonly unwritten?: Origin;
}

function answerOpenCall(builder: Builder, call: ToolUseBlock, where: CallLine): ToolResultBlock {
  const { own, ...rest } = where;
  const fate = own && !builder.started.has(where.diskId) ? 'never_ran' : 'unknown';
  const text = fate === 'never_ran' ? NEVER_RAN : own ? FATE_UNKNOWN : NO_RESULT;
  builder.open.push({ call, fate, text, last: false, ...rest });
  return { type: 'tool_result', callId: call.id, content: [{ type: 'text', text }], isError: true };
}

/** A call that began while its response still streamed, and whose response never came to an end: the model must hear of it. */
function visitEarlyStart(builder: Builder, record: Json): void {
  const note = objectAt(record, 'attachment');
  const block = objectAt(note, 'block');
  const id = textAt(block, 'id');
  if (!block || id === undefined || builder.written.has(id) || builder.ids.has(id)) return;
  builder.ids.add(id);
  const call = callFromDisk(block, objectAt(note, 'call'), id);
  const own = objectAt(note, 'origin');
  const origin: Origin = own
    ? {
        transport: textAt(own, 'transport') ?? '',
        baseUrl: textAt(own, 'baseUrl') ?? '',
        model: textAt(own, 'model') ?? '',
      }
    : builder.origin;
  const message: AssistantMessage = { role: 'assistant', content: [call], origin };
  builder.messages.push(message, {
    role: 'user',
    content: [answerOpenCall(builder, call, { own: true, diskId: id, unwritten: origin })],
  });
}
