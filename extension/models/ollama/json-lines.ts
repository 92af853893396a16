/** Objects of an NDJSON body, one a line, however the bytes are cut. A line that is no object is a SyntaxError; a torn last line is dropped. */
import { isRecord } from '../errors/answer';

export async function* jsonLines(
  body: ReadableStream<Uint8Array> | null,
  onBytes: () => void,
): AsyncGenerator<Record<string, unknown>> {
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
      for (const [index, line] of lines.entries()) {
        const text = line.trim();
        if (text === '') continue;
        const isTorn = done && index === lines.length - 1;
        const parsed = parseLine(text, isTorn);
        if (parsed !== undefined) yield parsed;
      }
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
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
