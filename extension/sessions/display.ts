/**
 * What a person sees of a session that is opened again: a flat list of neutral items in the order of the conversation. The panel makes its
 * rows of them; nothing here knows the panel.
 */
import type { AttachedItem, CallEnd, CancelCause } from '../protocol/vocabulary';
import type { Outcome } from '../agent/outcome';
import { blocksOf, contentFromDisk, plainText } from './format/blocks';
import { summaryOf, type ReadSummary } from './read/call-summary';
import type { Groups } from './read/groups';
import { isObject, listAt, numberAt, objectAt, textAt, timeAt, type Json } from './format/json';
import { userLineOf } from './read/line-kind';
import type { Entry } from './read/scan';

interface Item {
  /** Uuid of the line; for calls the call's id. */
  readonly id: string;
  /** Milliseconds since the epoch; 0 when the line does not say. */
  readonly at: number;
}

export interface CallItem extends Item {
  readonly type: 'call';
  readonly tool: string;
  readonly input: Json;
  /** `open`: no result in the file. */
  readonly end: CallEnd | 'open';
  readonly cause?: CancelCause;
  readonly summary?: ReadSummary;
  readonly durationMs?: number;
  /** The person's words with a denial. */
  readonly words?: string;
  /** How the person answered the question about it. */
  readonly answer?: { readonly type: 'allow' | 'deny'; readonly by: string };
  /** Why it was allowed to run. */
  readonly allowed?: string;
  /** Subagent whose transcript belongs to the call. */
  readonly agentId?: string;
}

export interface BoundaryItem extends Item {
  readonly type: 'boundary';
  readonly trigger: string;
  /** Empty when the file has none. */
  readonly summary: string;
  /** Tokens of a request before and after, where the file says. */
  readonly before?: number;
  readonly after?: number;
}

export type DisplayItem =
  | (Item & {
      readonly type: 'prompt';
      readonly text: string;
      readonly images: number;
      /** Under which the files' checkpoints are; other programs may not give any. */
      readonly promptId?: string;
    })
  /** What went with the prompt above. */
  | (Item & { readonly type: 'attached'; readonly items: readonly AttachedItem[] })
  | (Item & { readonly type: 'text'; readonly text: string })
  | (Item & { readonly type: 'thinking'; readonly text: string; readonly durationMs?: number })
  | CallItem
  | (Item & { readonly type: 'outcome'; readonly outcome: Outcome })
  | (Item & { readonly type: 'notice'; readonly level: 'info' | 'warning' | 'error'; readonly text: string })
  /** Compaction: what stands above is out of the model's sight. */
  | BoundaryItem;

export interface DisplaySources {
  readonly groups: Groups;
  record(entry: Entry): Json | undefined;
}

export function displayItems(entries: readonly Entry[], sources: DisplaySources): DisplayItem[] {
  const items: DisplayItem[] = [];
  const emitted = new Set<Entry>();
  for (const entry of entries) {
    if (emitted.has(entry)) continue;
    const lines = entry.kind === 'assistant' ? sources.groups.membersOf(entry) : [entry];
    for (const line of lines) {
      emitted.add(line);
      const record = sources.record(line);
      const before = items.at(-1);
      if (record) for (const item of itemsOf(line, record, before, sources)) add(items, item);
      // The summary is told by the boundary above it.
      const words =
        record && before?.type === 'boundary' && line.kind === 'user' ? userLineOf(record) : undefined;
      if (words?.type === 'summary' && before?.type === 'boundary' && before.summary === '')
        items[items.length - 1] = { ...before, summary: words.text };
    }
  }
  return items;
}

/** Each thing that went with a prompt has a line of its own; a person sees them side by side. */
function add(items: DisplayItem[], item: DisplayItem): void {
  const before = items.at(-1);
  if (item.type === 'attached' && before?.type === 'attached')
    items[items.length - 1] = { ...before, items: [...before.items, ...item.items] };
  else items.push(item);
}

function itemsOf(
  entry: Entry,
  record: Json,
  before: DisplayItem | undefined,
  sources: DisplaySources,
): readonly DisplayItem[] {
  const base = { id: entry.uuid, at: timeAt(record, 'timestamp') ?? 0 };
  switch (entry.kind) {
    case 'assistant':
      return assistantItems(entry, record, base, sources);
    case 'user':
      return userItems(record, base, before);
    case 'system':
      return systemItems(record, base);
    case 'attachment':
      return attachmentItems(record, base);
    case 'other':
      return [];
  }
}

function assistantItems(entry: Entry, record: Json, base: Item, sources: DisplaySources): DisplayItem[] {
  if (record['isApiErrorMessage'] === true) {
    const text = plainText(contentFromDisk(blocksOf(record), () => undefined));
    return [{ ...base, type: 'notice', level: 'error', text }];
  }
  if (objectAt(record, 'sluice')?.['placeholder'] === true) return [];
  let nth = 0;
  return blocksOf(record).flatMap((block, index): DisplayItem[] => {
    const item = { ...base, id: index === 0 ? base.id : `${base.id}/${index}` };
    if (typeof block === 'string') return block === '' ? [] : [{ ...item, type: 'text', text: block }];
    if (!isObject(block)) return [];
    if (block['type'] === 'tool_use') {
      nth += 1;
      return [callItem(block, base, sources.groups.resultOf(entry, nth - 1), sources)];
    }
    const text = textAt(block, block['type'] === 'thinking' ? 'thinking' : 'text') ?? '';
    if (text === '') return [];
    if (block['type'] === 'thinking') {
      const durationMs = numberAt(record, 'thinkingDurationMs');
      return [{ ...item, type: 'thinking', text, ...(durationMs === undefined ? {} : { durationMs }) }];
    }
    return block['type'] === 'text' ? [{ ...item, type: 'text', text }] : [];
  });
}

function callItem(block: Json, base: Item, line: Entry | undefined, sources: DisplaySources): CallItem {
  const id = textAt(block, 'id') ?? base.id;
  const tool = textAt(block, 'name') ?? '';
  const input = objectAt(block, 'input') ?? {};
  const call = { ...base, id, type: 'call' as const, tool, input };
  const record = line ? sources.record(line) : undefined;
  const result = listAt(objectAt(record, 'message'), 'content')
    .filter(isObject)
    .find((part) => part['type'] === 'tool_result' && part['tool_use_id'] === block['id']);
  if (!record || !result) return { ...call, end: 'open' };
  const own = objectAt(record, 'sluice');
  const isError = result['is_error'] === true;
  const envelope = record['toolUseResult'];
  const text = plainText(contentFromDisk(result['content'], () => undefined));
  const optional = {
    cause: textAt(own, 'cause'),
    durationMs: numberAt(own, 'durationMs') ?? elapsed(base.at, record),
    words: textAt(record, 'userFeedback'),
    answer: answerOf(objectAt(own, 'answer')),
    allowed: textAt(own, 'allowed'),
    agentId: isObject(envelope) ? textAt(envelope, 'agentId') : undefined,
  };
  return {
    ...call,
    end: endOf(record, own, isError),
    summary: { ...summaryOf({ tool, input, envelope, text, isError }), ...savedSummary(own) },
    ...(Object.fromEntries(
      Object.entries(optional).filter(([, value]) => value !== undefined),
    ) as Partial<CallItem>),
  };
}

function answerOf(saved: Json | undefined): CallItem['answer'] {
  const type = textAt(saved, 'type');
  const by = textAt(saved, 'by');
  return (type === 'allow' || type === 'deny') && by !== undefined ? { type, by } : undefined;
}

function elapsed(from: number, record: Json): number | undefined {
  const to = timeAt(record, 'timestamp');
  return from === 0 || to === undefined || to < from ? undefined : to - from;
}

const ENDS: Readonly<Record<string, CallEnd>> = {
  ok: 'ok',
  failed: 'failed',
  denied: 'denied',
  cancelled: 'cancelled',
  unknown: 'unknown',
};

function endOf(record: Json, own: Json | undefined, isError: boolean): CallEnd {
  const saved = ENDS[textAt(own, 'end') ?? ''];
  if (saved) return saved;
  const denial = textAt(record, 'toolDenialKind');
  if (denial === 'interrupted') return 'unknown';
  if (denial !== undefined) return 'denied';
  return isError ? 'failed' : 'ok';
}

function savedSummary(own: Json | undefined): Partial<ReadSummary> {
  const text = textAt(objectAt(own, 'summary'), 'text');
  const exitCode = numberAt(objectAt(own, 'summary'), 'exitCode');
  return { ...(text === undefined ? {} : { text }), ...(exitCode === undefined ? {} : { exitCode }) };
}

function userItems(record: Json, base: Item, before: DisplayItem | undefined): DisplayItem[] {
  const line = userLineOf(record);
  switch (line.type) {
    case 'prompt': {
      const promptId = textAt(record, 'promptId');
      const named = promptId === undefined ? {} : { promptId };
      return [{ ...base, ...named, type: 'prompt', text: line.text, images: line.images }];
    }
    case 'command':
      return [{ ...base, type: 'prompt', text: line.text, images: 0 }];
    case 'output':
    case 'notification':
      return line.text === '' ? [] : [{ ...base, type: 'notice', level: 'info', text: line.text }];
    case 'interrupted':
      return [
        {
          ...base,
          type: 'notice',
          level: 'info',
          text:
            line.during === 'tools'
              ? 'Stopped while tools were running.'
              : 'Stopped while the model was answering.',
        },
      ];
    case 'summary':
      // The boundary above it tells the same.
      return before?.type === 'boundary'
        ? []
        : [{ ...base, type: 'boundary', trigger: 'unknown', summary: line.text }];
    case 'hidden':
      return [];
  }
}

function systemItems(record: Json, base: Item): DisplayItem[] {
  const content = textAt(record, 'content') ?? '';
  switch (textAt(record, 'subtype')) {
    case 'compact_boundary': {
      const metadata = objectAt(record, 'compactMetadata');
      const before = numberAt(metadata, 'preTokens');
      const after = numberAt(metadata, 'postTokens');
      return [
        {
          ...base,
          type: 'boundary',
          trigger: textAt(metadata, 'trigger') ?? 'unknown',
          summary: '',
          ...(before === undefined ? {} : { before }),
          ...(after === undefined ? {} : { after }),
        },
      ];
    }
    case 'local_command': {
      const line = userLineOf({ type: 'user', message: { content } });
      if (line.type === 'command') return [{ ...base, type: 'prompt', text: line.text, images: 0 }];
      return line.type === 'output' && line.text !== ''
        ? [{ ...base, type: 'notice', level: 'info', text: line.text }]
        : [];
    }
    case 'informational':
    case 'model_refusal_fallback':
    case 'model_refusal_no_fallback':
      return content === '' ? [] : [{ ...base, type: 'notice', level: 'warning', text: content }];
    default:
      return [];
  }
}

function attachmentItems(record: Json, base: Item): DisplayItem[] {
  const attachment = objectAt(record, 'attachment');
  switch (textAt(attachment, 'type')) {
    // The same lines as between turns: prompts, and notifications that are nobody's prompt.
    case 'queued_command':
      return userItems({ type: 'user', message: { content: attachment?.['prompt'] } }, base, undefined);
    case 'sluice_outcome': {
      const outcome = outcomeOf(attachment);
      return outcome ? [{ ...base, type: 'outcome', outcome }] : [];
    }
    case 'sluice_attached': {
      const item = attachedOf(objectAt(attachment, 'item'));
      return item ? [{ ...base, type: 'attached', items: [item] }] : [];
    }
    default:
      return hookItems(attachment, base);
  }
}

/** What we told the person of a hook. */
function hookItems(attachment: Json | undefined, base: Item): DisplayItem[] {
  const notice = objectAt(objectAt(attachment, 'sluice'), 'notice');
  const text = textAt(notice, 'text');
  const level = textAt(notice, 'level') === 'warning' ? 'warning' : 'info';
  return text === undefined ? [] : [{ ...base, type: 'notice', level, text }];
}

function attachedOf(item: Json | undefined): AttachedItem | undefined {
  const label = textAt(item, 'label');
  if (item === undefined || label === undefined) return undefined;
  const line = numberAt(item, 'line');
  const optional = {
    path: textAt(item, 'path'),
    note: textAt(item, 'note'),
    refused: textAt(item, 'refused'),
  };
  return {
    kind: textAt(item, 'kind') ?? '',
    label,
    ...(line === undefined ? {} : { line }),
    ...(Object.fromEntries(
      Object.entries(optional).filter(([, value]) => value !== undefined),
    ) as Partial<AttachedItem>),
  };
}

/** Only what has the parts that everybody reads. */
export function outcomeOf(attachment: Json | undefined): Outcome | undefined {
  const outcome = objectAt(attachment, 'outcome');
  const whole =
    outcome &&
    typeof outcome['kind'] === 'string' &&
    typeof outcome['reason'] === 'string' &&
    isObject(outcome['usage']) &&
    isObject(outcome['next']) &&
    Array.isArray(outcome['denials']);
  return whole ? (outcome as unknown as Outcome) : undefined;
}
