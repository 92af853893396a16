/** The session files of a run, read from its home as any other program would read them; knows nothing of Sluice's own reader. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

export interface Block {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly content?: unknown;
  readonly text?: string;
}

export interface Line {
  readonly type: string;
  readonly uuid?: string;
  readonly parentUuid?: string | null;
  readonly timestamp?: string;
  readonly toolUseResult?: unknown;
  readonly message?: {
    readonly id?: string;
    readonly role: 'user' | 'assistant';
    readonly content: string | readonly Block[];
  };
}

/** The newest session of the run, line by line. Throws when a line is not JSON or there is no session. */
export function transcript(home: string): readonly Line[] {
  const [newest] = sessionFiles(home);
  if (newest === undefined) throw new Error(`There is no session under ${home}/.sluice`);
  const text = fs.readFileSync(newest, 'utf8');
  assert.ok(text.endsWith('\n'), 'the last line of the transcript is whole');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** Newest first. */
export function sessionFiles(home: string): readonly string[] {
  const projects = path.join(home, '.sluice/projects');
  if (!fs.existsSync(projects)) return [];
  return (fs.readdirSync(projects, { recursive: true }) as string[])
    .filter((name) => name.endsWith('.jsonl') && !name.includes('subagents'))
    .map((name) => path.join(projects, name))
    .sort((a, b) => fs.statSync(b).mtimeMs - fs.statSync(a).mtimeMs);
}

export function blocksOf(line: Line): readonly Block[] {
  const content = line.message?.content ?? [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

export interface Pair {
  readonly call: Block;
  readonly result: Block;
}

/**
 * The calls with their results. Fails unless each call has exactly one result, after it and before the next answer of the model, and no
 * result stands alone: what every provider asks of a history.
 */
export function legalPairs(lines: readonly Line[]): readonly Pair[] {
  const pairs: Pair[] = [];
  const open = new Map<string, Block>();
  const seen = new Set<string>();
  let answer: string | undefined;
  for (const line of lines) {
    const begins = line.type === 'assistant' && line.message?.id !== answer;
    if (begins) {
      assert.deepEqual([...open.keys()], [], 'every call has its result before the next answer');
      answer = line.message?.id;
    }
    for (const block of blocksOf(line)) {
      if (block.type === 'tool_use') {
        const id = block.id ?? '';
        assert.ok(id !== '' && !seen.has(id), `the call id "${id}" is new`);
        seen.add(id);
        open.set(id, block);
      } else if (block.type === 'tool_result') {
        const id = block.tool_use_id ?? '';
        const call = open.get(id);
        assert.ok(call !== undefined, `the result of "${id}" answers a call that waits for one`);
        open.delete(id);
        pairs.push({ call, result: block });
      }
    }
  }
  assert.deepEqual([...open.keys()], [], 'no call is left without a result');
  return pairs;
}

export function resultText({ content }: Block): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { readonly text?: string }) => part.text ?? '').join('\n');
}
