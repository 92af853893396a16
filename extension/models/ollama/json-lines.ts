/** Objects of an NDJSON body, one a line, however the bytes are cut; what one chunk completes comes together. A line that is no object is a SyntaxError; a torn last line is dropped. */
import { isRecord } from '../errors/answer';

export async function* jsonLines(
  body: ReadableStream<Uint8Array> | null,
  onBytes: () => void,
): AsyncGenerator<readonly Record<string, unknown>[]> {
  if (body === null) return;
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let pending = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (!done) onBytes();
      pending += done ? decoder.decode() : decoder.decode(value, { stream: true });
      if (!done && !pending.includes('\n')) continue;
      const lines = pending.split('\n');
      pending = done ? '' : (lines.pop() ?? '');
      const { objects, problem } = objectsOf(lines, done);
      if (objects.length > 0) yield objects;
      if (problem !== undefined) throw problem.error;
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

interface Parsed {
  readonly objects: readonly Record<string, unknown>[];
  /** Behind the objects. */
  readonly problem?: { readonly error: unknown };
}

/** `isEnd`: nothing follows the last line, so it may be torn. */
function objectsOf(lines: readonly string[], isEnd: boolean): Parsed {
  const objects: Record<string, unknown>[] = [];
  try {
    for (const [index, line] of lines.entries()) {
      const text = line.trim();
      const parsed = text === '' ? undefined : parseLine(text, isEnd && index === lines.length - 1);
      if (parsed !== undefined) objects.push(parsed);
    }
  } catch (error) {
    return { objects, problem: { error } };
  }
  return { objects };
}

function parseLine(text: string, isTorn: boolean): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch (problem) {
    if (!isTorn) throw problem;
    return undefined;
  }
  if (isTorn) return undefined;
  throw new SyntaxError('a line that is no JSON object');
}
