/**
 * The lines of a session file, as text: one function a kind of line, in the shapes that readers of the format expect (session-format §16).
 * Pure; `transcript.ts` gives ids, parents and time, and writes.
 */
import { unreachable, type PermissionMode, type StopReason } from '../../protocol/vocabulary';
import type { AssistantRecord, NoteRecord, PromptRecord, ResultRecord } from '../../agent/recorder';
import type { HookReport } from '../../agent/events';
import type { Outcome } from '../../agent/outcome';
import type { Origin } from '../../models/message';
import { assistantBlockToDisk, callExtras, contentToDisk, plainText } from '../format/blocks';
import type { Json } from '../format/json';
import { usageToWire } from '../format/usage';
import { ENTRYPOINT } from '../read/scan';

/** The version of the format that the lines follow; readers take it for a version of Claude Code. */
const FORMAT_VERSION = '2.1.332';

/** What every line of the graph says. */
export interface LineBase {
  readonly uuid: string;
  readonly parent: string | null;
  readonly sessionId: string;
  /** Set for the transcript of a subagent. */
  readonly agentId?: string;
  readonly cwd: string;
  readonly gitBranch: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export function chainedLine(base: LineBase, type: string, fields: Json): string {
  return line({
    parentUuid: base.parent,
    isSidechain: base.agentId !== undefined,
    ...(base.agentId === undefined ? {} : { agentId: base.agentId }),
    userType: 'external',
    cwd: base.cwd,
    sessionId: base.sessionId,
    version: FORMAT_VERSION,
    gitBranch: base.gitBranch,
    entrypoint: ENTRYPOINT,
    type,
    ...fields,
    uuid: base.uuid,
    timestamp: new Date(base.at).toISOString(),
  });
}

const SEPARATORS = /[\u0085\u2028\u2029]/g;

/** One JSON object and its newline. Characters at which some readers split lines are escaped. */
export function line(record: Json): string {
  const text = JSON.stringify(record);
  return `${text.replace(SEPARATORS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

const MODES: Readonly<Record<PermissionMode, string>> = {
  ask: 'default',
  acceptEdits: 'acceptEdits',
  plan: 'plan',
  // Another program must not take from our file that it need not ask.
  autoRun: 'default',
};

const SOURCES: Readonly<Record<PromptRecord['source'], string>> = {
  typed: 'typed',
  task: 'system',
  api: 'sdk',
  hook: 'system',
};

export function promptFields(record: PromptRecord): Json {
  const content = record.content.filter((block) => block.type !== 'tool_result');
  return {
    message: { role: 'user', content: contentToDisk(content) },
    promptId: record.promptId,
    permissionMode: MODES[record.mode],
    promptSource: SOURCES[record.source],
    sluice: { mode: record.mode, source: record.source },
  };
}

/** One block of a response, or a stand-in that carries the usage where no block can. */
export interface AssistantPart {
  readonly fields: Json;
  /** Set for calls: results hang off this line. */
  readonly callId?: string;
}

export function assistantParts(record: AssistantRecord, requestId: string): readonly AssistantPart[] {
  const { wire, unknown } = usageToWire(record.usage);
  const head = {
    origin: { transport: record.origin.transport, baseUrl: record.origin.baseUrl },
    ...(record.stopRaw === null || record.stopRaw === record.stop ? {} : { stopRaw: record.stopRaw }),
    ...(unknown.length > 0 ? { unknownUsage: unknown } : {}),
  };
  const part = (block: Json, index: number, own: Json): Json => ({
    message: {
      id: record.messageId,
      type: 'message',
      role: 'assistant',
      model: record.origin.model,
      content: [block],
      stop_reason: stopReason(record),
      stop_sequence: null,
      usage: wire,
    },
    requestId,
    apiBlockIndex: index,
    ...(record.aborted ? { isAbortedMidStream: true } : {}),
    ...(Object.keys(own).length > 0 ? { sluice: own } : {}),
  });
  const written = record.blocks.flatMap((block, index) => {
    const disk = assistantBlockToDisk(block);
    if (!disk) return [];
    const call = block.type === 'tool_use' ? callExtras(block) : undefined;
    const id = block.type === 'tool_use' ? { callId: block.id } : {};
    return [{ disk, index, own: call ? { call } : {}, ...id }];
  });
  // Usage readers skip a line with nulls at certain keys, and a message without lines has no usage at all.
  const countable = written.some(({ disk }) => !holdsForbiddenNull(disk));
  const parts = written.map(({ disk, index, own, ...id }, nth) => ({
    fields: part(disk, index, nth === 0 && countable ? { ...head, ...own } : own),
    ...id,
  }));
  if (countable) return parts;
  const standIn = part({ type: 'text', text: '' }, 0, { ...head, placeholder: true });
  return [{ fields: standIn }, ...parts];
}

const STOP_WORDS: Readonly<Record<StopReason, string | undefined>> = {
  end_turn: 'end_turn',
  tool_use: 'tool_use',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  refusal: 'refusal',
  content_filter: 'content_filter',
  context_window: 'model_context_window_exceeded',
  pause_turn: 'pause_turn',
  other: undefined,
};

function stopReason(record: AssistantRecord): string | null {
  return record.stop === null ? null : (STOP_WORDS[record.stop] ?? record.stopRaw ?? 'other');
}

const NEVER_NULL = new Set([
  'id',
  'cwd',
  'model',
  'speed',
  'costUSD',
  'version',
  'sessionId',
  'requestId',
  'isApiErrorMessage',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
]);

function holdsForbiddenNull(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsForbiddenNull);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, item]) =>
    item === null ? NEVER_NULL.has(key) : holdsForbiddenNull(item),
  );
}

/** What of a response the format has no word for; each goes into a line of its own. */
export function nativeNotes(record: AssistantRecord, requestId: string): readonly Json[] {
  const of = { messageId: record.messageId, requestId };
  const blocks = record.blocks.flatMap((block, index) =>
    block.type === 'native' && !assistantBlockToDisk(block)
      ? [{ type: 'sluice_block', ...of, index, data: block.data }]
      : [],
  );
  return record.native ? [...blocks, { type: 'sluice_native', ...of, data: record.native }] : blocks;
}

const NO_DETAILS = 'The tool failed and gave no details. Check the state before you go on.';

export function resultFields(
  record: ResultRecord,
  sourceUuid: string | undefined,
  promptId: string | undefined,
): Json {
  const content = contentToDisk(record.content);
  const empty = content === '' || (Array.isArray(content) && content.length === 0);
  const envelope = record.isError ? errorEnvelope(record) : record.envelope;
  return {
    message: {
      role: 'user',
      content: [
        {
          tool_use_id: record.callId,
          type: 'tool_result',
          content: record.isError && empty ? NO_DETAILS : content,
          ...(record.isError ? { is_error: true } : {}),
        },
      ],
    },
    ...(envelope === undefined ? {} : { toolUseResult: envelope }),
    ...(sourceUuid === undefined ? {} : { sourceToolAssistantUUID: sourceUuid }),
    ...(promptId === undefined ? {} : { promptId }),
    ...denialFields(record),
    sluice: {
      end: record.end,
      ...(record.cause ? { cause: record.cause } : {}),
      ...(record.summary ? { summary: shortSummary(record.summary) } : {}),
      ...(record.durationMs === undefined ? {} : { durationMs: record.durationMs }),
      ...(record.seen && record.seen.length > 0 ? { seen: record.seen } : {}),
      ...(record.answer ? { answer: record.answer } : {}),
      ...(record.allowed === undefined ? {} : { allowed: record.allowed }),
    },
  };
}

function errorEnvelope(record: ResultRecord): string {
  if (record.denial?.by === 'user' && record.denial.words === undefined) return 'User rejected tool use';
  const text = plainText(record.content) || NO_DETAILS;
  return text.startsWith('Error: ') ? text : `Error: ${text}`;
}

/** The body and the hunks are in the result and its envelope already. */
function shortSummary(summary: NonNullable<ResultRecord['summary']>): Json {
  return {
    text: summary.text,
    ...(summary.exitCode === undefined ? {} : { exitCode: summary.exitCode }),
  };
}

function denialFields(record: ResultRecord): Json {
  const { denial } = record;
  if (!denial) {
    if (record.end === 'unknown') return { toolDenialKind: 'interrupted' };
    return record.cause === 'user_interrupt' ? { toolDenialKind: 'user-rejected' } : {};
  }
  const byUser = denial.by === 'user';
  const source = byUser ? 'user_reject' : denial.by === 'hook' ? 'hook' : 'config';
  return {
    toolDenialKind: byUser ? 'user-rejected' : 'permission-rule',
    ...(byUser && denial.beforeRun ? { toolDenialBeforeRun: true } : {}),
    ...(denial.words === undefined ? {} : { userFeedback: denial.words, holdsPersonsWords: true }),
    permissionDecision: { decision: 'reject', source },
  };
}

/** `origin`: the route that is in use. */
export function noteFields(record: NoteRecord, origin: Origin | undefined): Json {
  switch (record.type) {
    case 'injected':
      return {
        attachment: { type: 'sluice_injected', text: record.text, why: record.why },
        rendered: [{ content: record.text }],
        renderedRole: 'user',
      };
    case 'attached':
      return {
        attachment: {
          type: 'sluice_attached',
          item: record.item,
          ...(record.text === undefined ? {} : { text: record.text }),
        },
        ...(record.text === undefined ? {} : { rendered: [{ content: record.text }], renderedRole: 'user' }),
        ...(record.seen === undefined ? {} : { sluice: { seen: record.seen } }),
      };
    case 'queued_prompt':
      return {
        attachment: {
          type: 'queued_command',
          prompt: contentToDisk(record.content.filter((block) => block.type !== 'tool_result')),
          commandMode: 'prompt',
          origin: { kind: 'human' },
          source_uuid: record.promptId,
        },
      };
    case 'limits':
      return { attachment: { type: 'sluice_limits', label: record.label, tools: record.tools } };
    case 'hook':
      return { attachment: hookFields(record.report) };
    case 'mode':
      return { attachment: { type: 'sluice_mode', mode: record.mode } };
    case 'route':
      return { attachment: { type: 'sluice_route', origin: record.origin, title: record.title } };
    case 'call_started':
      return {
        attachment: { type: 'sluice_call_started', callId: record.callId, ...earlyCall(record, origin) },
      };
    case 'progress':
      return { attachment: { type: 'sluice_progress', callId: record.callId, text: record.text } };
    case 'attempt_abandoned':
      return { attachment: { type: 'sluice_attempt_abandoned', reason: record.reason } };
    default:
      return unreachable(record);
  }
}

/** In the words of the format, where it has one. */
function hookFields(report: HookReport): Json {
  const { event, subject, callId, command, where, outcome, reason, notice, durationMs } = report;
  const common = {
    hookName: subject === '' ? event : `${event}:${subject}`,
    hookEvent: event,
    ...(callId === undefined ? {} : { toolUseID: callId }),
    command,
    durationMs,
    sluice: { where, outcome, reason, ...(notice === undefined ? {} : { notice }) },
  };
  const { stdout, stderr, exitCode } = report;
  const ran = { ...common, stdout, stderr, ...(exitCode === undefined ? {} : { exitCode }) };
  switch (outcome) {
    case 'said':
      return { type: 'hook_success', content: stdout.trim(), ...ran };
    case 'failed':
      return { type: 'hook_non_blocking_error', ...ran };
    case 'blocked':
      return { type: 'hook_blocking_error', blockingError: { blockingError: reason, command }, ...common };
    case 'asked':
      return { type: 'hook_permission_decision', decision: 'ask', ...common };
    case 'stopped':
      return { type: 'hook_stopped_continuation', message: reason, ...common };
    default:
      return unreachable(outcome);
  }
}

function earlyCall(record: Extract<NoteRecord, { type: 'call_started' }>, origin: Origin | undefined): Json {
  if (!record.block) return {};
  const extras = callExtras(record.block);
  return {
    block: assistantBlockToDisk(record.block),
    ...(extras ? { call: extras } : {}),
    ...(origin ? { origin } : {}),
  };
}

export function outcomeFields(outcome: Outcome): Json {
  return { attachment: { type: 'sluice_outcome', outcome } };
}

export function interruptedFields(text: string): Json {
  return { message: { role: 'user', content: [{ type: 'text', text }] } };
}

const LAST_PROMPT_LIMIT = 200;

export function lastPromptLine(
  sessionId: string,
  lastPrompt: string | undefined,
  leaf: string | null,
): string {
  const shown =
    lastPrompt === undefined ? undefined : Array.from(lastPrompt).slice(0, LAST_PROMPT_LIMIT).join('');
  return line({
    type: 'last-prompt',
    ...(shown === undefined ? {} : { lastPrompt: shown }),
    ...(leaf === null ? {} : { leafUuid: leaf }),
    sessionId,
  });
}

const NIL = '00000000-0000-0000-0000-000000000000';

/** The conversation goes on from `leaf`; null = from its very start. */
export function rewindLine(sessionId: string, leaf: string | null): string {
  return line({
    type: 'last-prompt',
    leafUuid: leaf ?? NIL,
    explicit: true,
    sessionId,
    ...(leaf === null ? { sluice: { start: true } } : {}),
  });
}

export interface Title {
  readonly text: string;
  readonly by: 'person' | 'model';
}

export function titleLine(sessionId: string, title: Title): string {
  return title.by === 'person'
    ? line({ type: 'custom-title', customTitle: title.text, sessionId })
    : line({ type: 'ai-title', aiTitle: title.text, sessionId });
}

/** What the model is shown instead of results, in the format's words. */
export function replacementLine(
  sessionId: string,
  results: readonly { readonly callId: string; readonly text: string }[],
): string {
  const replacements = results.map(({ callId, text }) => ({
    kind: 'tool-result',
    toolUseId: callId,
    replacement: text,
  }));
  return line({ type: 'content-replacement', replacements, sessionId });
}
