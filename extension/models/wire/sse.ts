/**
 * Data of a `text/event-stream` body: what one chunk completes comes together, so that a thousand small events cost no thousand turns of the queue. Used under the SDKs, whose own decoders cost three times as much, pass over pings,
 * and hide whether a stream said how it ends. Tolerates LF, CRLF and CR, comments, missing blanks, and a last event without its blank line.
 */

interface Lines {
  /** What is left of a line that has not ended. */
  rest: string;
  /** The last chunk ended in CR: a LF that follows belongs to it. */
  afterCr: boolean;
}

function eachLine(lines: Lines, text: string, take: (line: string) => void): void {
  let chunk = lines.afterCr && text.startsWith('\n') ? text.slice(1) : text;
  if (text !== '') lines.afterCr = false;
  if (chunk.includes('\r')) {
    lines.afterCr = chunk.endsWith('\r');
    chunk = chunk.replace(/\r\n?/g, '\n');
  }
  let from = 0;
  for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', from)) {
    const line = chunk.slice(from, at);
    take(lines.rest === '' ? line : lines.rest + line);
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

/** Collects the lines of events. */
function eventLines(): { readonly take: (line: string) => void; readonly complete: () => readonly string[] } {
  let data: string[] = [];
  let events: string[] = [];
  return {
    take: (line) => {
      if (line !== '') {
        const found = dataOf(line);
        if (found !== undefined) data.push(found);
      } else if (data.length > 0) {
        events.push(data.length === 1 ? (data[0] ?? '') : data.join('\n'));
        data = [];
      }
    },
    complete: () => {
      const done = events;
      events = [];
      return done;
    },
  };
}

/** Never yields an empty list. */
export async function* sseData(
  body: ReadableStream<Uint8Array> | null,
  onBytes: () => void,
): AsyncGenerator<readonly string[]> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const lines: Lines = { rest: '', afterCr: false };
  const { take, complete } = eventLines();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (!done) onBytes();
      const text = done ? `${decoder.decode()}\n\n` : decoder.decode(value, { stream: true });
      eachLine(lines, text, take);
      const events = complete();
      if (events.length > 0) yield events;
      if (done) return;
    }
  } finally {
    // Nobody waits for it: a body that is already closed or broken has nothing left to cancel.
    reader.cancel().catch(() => undefined);
  }
}

/** Reads each text of each list; what was read before a problem comes before it. `read` gives undefined for what is no event. */
export async function* eachRead(
  lists: AsyncIterable<readonly string[]>,
  read: (text: string) => unknown,
): AsyncGenerator<readonly unknown[]> {
  for await (const texts of lists) {
    const events: unknown[] = [];
    let problem: { readonly error: unknown } | undefined;
    try {
      for (const text of texts) {
        const event = read(text);
        if (event !== undefined) events.push(event);
      }
    } catch (error) {
      problem = { error };
    }
    if (events.length > 0) yield events;
    if (problem !== undefined) throw problem.error;
  }
}
