/** A transcript on a disk in memory, with ids and times that can be read, and short ways to make records. */
import type { AssistantRecord, PromptRecord, ResultRecord } from '../../extension/agent/recorder';
import type { Outcome } from '../../extension/agent/outcome';
import type { AssistantBlock, Origin } from '../../extension/models/message';
import type { Json } from '../../extension/sessions/format/json';
import { linesOf, parseLine } from '../../extension/sessions/read/lines';
import { foldBytes, type FoldOptions, type ResumedSession } from '../../extension/sessions/read/resume';
import {
  createTranscript,
  type Transcript,
  type TranscriptOptions,
} from '../../extension/sessions/write/transcript';
import { memoryDisk, type MemoryDisk } from './memory-disk';

export const SESSION = '0b8f1a50-0000-4000-8000-000000000001';
export const ORIGIN: Origin = {
  transport: 'anthropic-messages',
  baseUrl: 'https://api.example.com',
  model: 'model-1',
};
export const FILE = `/root/projects/-work/${SESSION}.jsonl`;

export interface TranscriptRig {
  readonly disk: MemoryDisk;
  readonly transcript: Transcript;
  bytes(): Uint8Array;
  lines(): Json[];
  fold(options?: FoldOptions): ResumedSession;
}

export function uuidSource(): () => string {
  let next = 0;
  return () => `0c000000-0000-4000-8000-${String(++next).padStart(12, '0')}`;
}

export function transcriptRig(
  options: Partial<TranscriptOptions> = {},
  disk: MemoryDisk = memoryDisk(),
): TranscriptRig {
  let now = Date.UTC(2026, 10, 30, 9);
  const transcript = createTranscript({
    file: disk.openLineFile(FILE),
    sessionId: SESSION,
    clock: { now: () => (now += 1000), sleep: async () => undefined },
    newId: uuidSource(),
    place: () => ({ cwd: '/work', gitBranch: 'main' }),
    ...options,
  });
  const bytes = (): Uint8Array => disk.bytes(FILE) ?? new Uint8Array();
  return {
    disk,
    transcript,
    bytes,
    lines: () => linesOf(bytes()).flatMap((line) => parseLine(line).records),
    fold: (fold) => foldBytes(bytes(), fold),
  };
}

export function promptOf(text: string, more: Partial<PromptRecord> = {}): PromptRecord {
  return { promptId: `p-${text}`, content: [{ type: 'text', text }], mode: 'ask', source: 'typed', ...more };
}

export function responseOf(
  messageId: string,
  blocks: readonly AssistantBlock[],
  more: Partial<AssistantRecord> = {},
): AssistantRecord {
  const calls = blocks.some((block) => block.type === 'tool_use');
  return {
    messageId,
    requestId: `req_${messageId}`,
    origin: ORIGIN,
    blocks,
    stop: calls ? 'tool_use' : 'end_turn',
    stopRaw: calls ? 'tool_use' : 'end_turn',
    usage: { inputTokens: 10, outputTokens: 7, cacheReadTokens: 3, cacheWriteTokens: 2 },
    ...more,
  };
}

export function callOf(id: string, name = 'Bash', input: Json = { command: 'ls' }): AssistantBlock {
  return { type: 'tool_use', id, name, input };
}

export function resultOf(callId: string, text: string, more: Partial<ResultRecord> = {}): ResultRecord {
  const content = [{ type: 'text' as const, text }];
  return { callId, tool: 'Bash', content, isError: false, end: 'ok', ...more };
}

export const COMPLETED: Outcome = {
  kind: 'completed',
  reason: 'Done.',
  steps: 1,
  durationMs: 10,
  apiDurationMs: 5,
  usage: { inputTokens: 10, outputTokens: 7 },
  denials: [],
  pending: [],
  next: { type: 'none' },
};
