/**
 * Finds a fenced code block that has been opened and not closed, so that code can be shown line by line while it streams without
 * lexing it again and again. Pure; looks at fences at the left margin only (others are left to the lexer).
 */

export interface OpenFence {
  /** Offset of the line that opens the fence. */
  readonly start: number;
  readonly code: { readonly lang: string; readonly text: string; readonly raw: string };
}

const OPENING = /^ {0,3}(`{3,}|~{3,})([^\n]*)\n/;

/** Only looks for a fence at the very beginning or after a blank line: anywhere else it may belong to a list or a quote. */
export function openFence(source: string): OpenFence | undefined {
  let from = 0;
  for (;;) {
    const match = OPENING.exec(source.slice(from));
    if (match !== null && !(match[1]?.startsWith('`') === true && match[2]?.includes('`') === true)) {
      const bodyAt = from + match[0].length;
      const end = closingEnd(source, bodyAt, match[1] ?? '```');
      if (end === undefined) {
        return {
          start: from,
          code: {
            lang: (match[2] ?? '').trim(),
            text: withoutHalfFence(source.slice(bodyAt), match[1] ?? '```'),
            raw: source.slice(from),
          },
        };
      }
      from = end;
      continue;
    }
    const next = nextBlockStart(source, from);
    if (next === undefined) return undefined;
    from = next;
  }
}

function closingEnd(source: string, from: number, fence: string): number | undefined {
  const closing = new RegExp(`^ {0,3}${fence[0] === '~' ? '~' : '`'}{${fence.length},}[ \\t]*$`, 'gm');
  closing.lastIndex = from;
  const match = closing.exec(source);
  // The last line may still grow into something else than a fence.
  if (match === null || match.index + match[0].length >= source.length) return undefined;
  return match.index + match[0].length + 1;
}

/** A closing fence that is just being written is not shown as a line of code. */
function withoutHalfFence(body: string, fence: string): string {
  const line = body.slice(body.lastIndexOf('\n') + 1).trimStart();
  const half = line !== '' && [...line].every((char) => char === fence[0]);
  return half ? body.slice(0, body.lastIndexOf('\n') + 1) : body;
}

/** The next unindented line after a blank line. */
function nextBlockStart(source: string, from: number): number | undefined {
  const blank = /\n[ \t]*\n(?=[^\s])/g;
  blank.lastIndex = from;
  const match = blank.exec(source);
  return match === null ? undefined : match.index + match[0].length;
}
