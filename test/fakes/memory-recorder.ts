/** A Recorder in memory: what was recorded, in order. It checks the contract that the real one relies on (an assistant record precedes its results). */
import type {
  AssistantRecord,
  BoundaryRecord,
  NoteRecord,
  PromptRecord,
  Recorder,
  ResultRecord,
} from '../../extension/agent/recorder';
import type { Outcome } from '../../extension/agent/outcome';

export type Recorded =
  | { readonly type: 'prompt'; readonly record: PromptRecord }
  | { readonly type: 'assistant'; readonly record: AssistantRecord }
  | { readonly type: 'result'; readonly record: ResultRecord }
  | { readonly type: 'note'; readonly record: NoteRecord }
  | { readonly type: 'boundary'; readonly record: BoundaryRecord }
  | { readonly type: 'undone' }
  | {
      readonly type: 'shortened';
      readonly results: readonly { readonly callId: string; readonly text: string }[];
    }
  | { readonly type: 'interrupted'; readonly during: 'streaming' | 'tools' }
  | { readonly type: 'outcome'; readonly record: Outcome };

export interface MemoryRecorder extends Recorder {
  readonly entries: Recorded[];
  /** Breaches of the contract, in words. */
  readonly breaches: string[];
}

export function memoryRecorder(): MemoryRecorder {
  const entries: Recorded[] = [];
  const breaches: string[] = [];
  const asked = new Set<string>();
  const answered = new Set<string>();
  return {
    entries,
    breaches,
    prompt: async (record) => {
      entries.push({ type: 'prompt', record });
      return `line-${entries.length}`;
    },
    assistant: async (record) => {
      for (const block of record.blocks) if (block.type === 'tool_use') asked.add(block.id);
      entries.push({ type: 'assistant', record });
      return `line-${entries.length}`;
    },
    result: async (record) => {
      if (!asked.has(record.callId)) breaches.push(`result of ${record.callId} before its assistant record`);
      if (answered.has(record.callId)) breaches.push(`second result of ${record.callId}`);
      answered.add(record.callId);
      entries.push({ type: 'result', record });
    },
    note: async (record) => void entries.push({ type: 'note', record }),
    boundary: async (record) => {
      entries.push({ type: 'boundary', record });
      return { undo: async () => void entries.push({ type: 'undone' }) };
    },
    shortened: async (results) => void entries.push({ type: 'shortened', results }),
    interrupted: async (during) => void entries.push({ type: 'interrupted', during }),
    outcome: async (record) => {
      for (const id of asked) if (!answered.has(id)) breaches.push(`no result of ${id} before the outcome`);
      entries.push({ type: 'outcome', record });
    },
  };
}
