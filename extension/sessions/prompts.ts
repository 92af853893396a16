/** Finds a prompt in a session's file, and where the conversation stood right before it: for a rewind or a fork. */
import type { SessionFiles } from '../ports';
import type { Json } from './format/json';
import { textAt, timeAt } from './format/json';
import { userLineOf } from './read/line-kind';
import { readPath, type Position } from './read/resume';

export interface PromptPlace {
  /** Under which the files' checkpoints are. */
  readonly promptId: string;
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Null: it is the first. */
  readonly before: Position | null;
}

/** `id`: the prompt's own, or that of its line. Undefined when the conversation, as it goes now, has no such prompt. */
export async function findPrompt(
  files: SessionFiles,
  path: string,
  id: string,
): Promise<PromptPlace | undefined> {
  const { records } = await readPath(files, path);
  const prompt = records.find(
    (record) => isPrompt(record) && (record['uuid'] === id || record['promptId'] === id),
  );
  if (prompt === undefined) return undefined;
  const line = userLineOf(prompt);
  return {
    promptId: textAt(prompt, 'promptId') ?? id,
    text: line.type === 'prompt' || line.type === 'command' ? line.text : '',
    at: timeAt(prompt, 'timestamp') ?? 0,
    before: positionBefore(records, prompt),
  };
}

function isPrompt(record: Json): boolean {
  if (record['type'] !== 'user') return false;
  const { type } = userLineOf(record);
  return type === 'prompt' || type === 'command';
}

function positionBefore(records: readonly Json[], prompt: Json): Position | null {
  const byUuid = new Map(records.map((record) => [record['uuid'], record]));
  const end = textAt(prompt, 'parentUuid');
  if (end === undefined) return null;
  let at = byUuid.get(end);
  for (let steps = 0; at !== undefined && steps <= records.length; steps++) {
    const leaf = textAt(at, 'uuid');
    if ((at['type'] === 'user' || at['type'] === 'assistant') && leaf !== undefined) return { leaf, end };
    at = byUuid.get(at['parentUuid']);
  }
  return null;
}
