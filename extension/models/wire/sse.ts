/**
 * Data of a `text/event-stream` body, event by event. Used under the SDKs, whose own decoders cost three times as much, pass over pings,
 * and hide whether a stream said how it ends. Tolerates LF, CRLF and CR, comments, missing blanks, and a last event without its blank line.
 */

interface Lines {
  /** What is left of a line that has not ended. */
  rest: string;
  /** The last chunk ended in CR: a LF that follows belongs to it. */
  afterCr: boolean;
}

function* completeLines(lines: Lines, text: string): Generator<string> {
  let chunk = lines.afterCr && text.startsWith('\n') ? text.slice(1) : text;
  if (text !== '') lines.afterCr = false;
  if (chunk.includes('\r')) {
    lines.afterCr = chunk.endsWith('\r');
    chunk = chunk.replace(/\r\n?/g, '\n');
  }
  let from = 0;
  for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', from)) {
    const line = chunk.slice(from, at);
    yield lines.rest === '' ? line : lines.rest + line;
    lines.rest = '';
    from = at + 1;
  }
  lines.rest += chunk.slice(from);
}

/** The value of a `data` line, or undefined for every other line. */
function dataOf(line: string): string | undefined {
  if (!line.startsWith('data')) return undefined;
  if (line.length === 4) return '';
  if (line[4] !== ':') return undefined;
  return line.slice(line[5] === ' ' ? 6 : 5);
}

export async function* sseData(
  body: ReadableStream<Uint8Array> | null,
  onBytes: () => void,
): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const lines: Lines = { rest: '', afterCr: false };
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (!done) onBytes();
      const text = done ? `${decoder.decode()}\n\n` : decoder.decode(value, { stream: true });
      for (const line of completeLines(lines, text)) {
        if (line !== '') {
          const found = dataOf(line);
          if (found !== undefined) data.push(found);
        } else if (data.length > 0) {
          const event = data.length === 1 ? (data[0] ?? '') : data.join('\n');
          data = [];
          yield event;
        }
      }
      if (done) return;
    }
  } finally {
    // Nobody waits for it: a body that is already closed or broken has nothing left to cancel.
    reader.cancel().catch(() => undefined);
  }
}
